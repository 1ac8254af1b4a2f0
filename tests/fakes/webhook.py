"""A webhook on loopback that checks signatures as a stranger would, and misbehaves at a switch."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from tests.fakes.listening import listen

Mood = Literal[
    "well", "500", "410", "429", "400", "401", "404", "hang", "hang_up", "redirect", "takes_and_hangs_up"
]


@dataclass
class Webhook:
    """`mood` is how it answers; `once` moods come first, one request each."""

    secret: str = "s3cret"
    mood: Mood = "well"
    once: list[Mood] = field(default_factory=list)
    url: str = ""
    taken: list[dict[str, Any]] = field(default_factory=list)
    """Bodies whose signature was right and which were taken, in the order of their coming."""
    forged: int = 0
    requests: int = 0
    room_for: int | None = None
    """It takes so many in all, then hangs on each."""
    release: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator[Webhook]:
        """Listen on a loopback port."""
        app = web.Application()
        app.router.add_post("/hook", self._take)
        runner, url = await listen(app, port=port)
        self.url = f"{url}/hook"
        try:
            yield self
        finally:
            self.release.set()
            await runner.cleanup()

    async def _take(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        body = await request.read()
        signed = f"{request.headers['Moim-Timestamp']}.".encode() + body
        right = "v1=" + hmac.new(self.secret.encode(), signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(right, request.headers["Moim-Signature"]):
            self.forged += 1
            return web.Response(status=401, text="bad signature")
        full = self.room_for is not None and len(self.taken) >= self.room_for
        mood = "hang" if full else self.once.pop(0) if self.once else self.mood
        match mood:
            case "well":
                self.taken.append(json.loads(body))
                return web.Response(status=204)
            case "takes_and_hangs_up" | "hang_up":
                if mood == "takes_and_hangs_up":
                    self.taken.append(json.loads(body))
                assert request.transport is not None
                request.transport.close()
                return web.Response()
            case "hang":
                await self.release.wait()
                return web.Response(status=500)
            case "redirect":
                return web.Response(status=302, headers={"Location": self.url})
            case "429":
                return web.Response(status=429, headers={"Retry-After": "1"})
            case code:
                return web.Response(status=int(code), text=f"mood\n{code}")
