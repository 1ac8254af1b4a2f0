"""The servers under a load of rooms, the other side's worker, and the programs that speak and read."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from aiohttp import web
from livekit import api

from tests.bench.bare_job import PID_ATTRIBUTE
from tests.bench.bare_worker import REGISTERED
from tests.bench.instant_stt import InstantStt
from tests.bench.live import Ground
from tests.bench.processes import family
from tests.load import voices
from worker.adapters.livekit_tokens import participant_token
from worker.clock import monotonic_s
from worker.configuration.settings import child_environment

Side = Literal["moim", "example"]
Running = tuple[asyncio.subprocess.Process, asyncio.StreamWriter]
"""A program, and what it reads."""
STT_S: Final = 0.15
_START_S: Final = 90.0


class Endpoint(InstantStt):
    """Answers after 150 ms."""

    async def _transcribe(self, request: web.Request) -> web.Response:
        await request.read()
        began_s = monotonic_s()
        await asyncio.sleep(STT_S)
        number = len(self.work)
        self.work.append((began_s, monotonic_s()))
        return web.json_response({"text": f"{number}번째로 받은 말입니다", "language": "korean"})


class Place(Ground):
    """The servers, and the processes of a load."""

    def __init__(self) -> None:
        super().__init__()
        self.stt = Endpoint()

    @property
    def cache(self) -> Path:
        """What is made once."""
        return self._cache

    @property
    def url(self) -> str:
        """`LIVEKIT_URL`."""
        return self._livekit.url

    def access(self, room: str, who: str) -> str:
        """A token to speak in a room."""
        return participant_token(self._livekit.api_key, self._livekit.api_secret, room, who, who)

    def ear(self, room: str) -> str:
        """A token to read in a room without being seen."""
        grants = api.VideoGrants(room_join=True, room=room, hidden=True, can_publish=False)
        signed = api.AccessToken(self._livekit.api_key, self._livekit.api_secret)
        return signed.with_identity("reader").with_grants(grants).to_jwt()

    def record_pids(self) -> list[int]:
        """Postgres and Valkey."""
        return [pid for server in (self._postgres, self._valkey) if server.pid for pid in family(server.pid)]

    def sfu_pids(self) -> list[int]:
        """LiveKit's server."""
        return [self._livekit.pid] if self._livekit.pid else []

    @asynccontextmanager
    async def example_over_http(self) -> AsyncIterator[int]:
        """A worker of LiveKit's example; its pid, once it has registered."""
        async with self.program("example_worker") as (process, _):
            assert process.stdout is not None
            async with asyncio.timeout(_START_S):
                while REGISTERED not in (line := (await process.stdout.readline()).decode()):
                    if not line:
                        raise RuntimeError(
                            f"the example does not start: {self.told('example_worker')[-500:]}"
                        )
            draining = asyncio.ensure_future(process.stdout.read())
            yield process.pid
            draining.cancel()

    def crowd(self) -> AbstractAsyncContextManager[Running]:
        """Who speaks: the sender of what is encoded already, or, without Go, the one that encodes as it goes."""
        built = voices.sender(self._cache)
        return self.program("crowd", [str(built)] if built else None)

    @asynccontextmanager
    async def program(self, name: str, command: Sequence[str] | None = None) -> AsyncIterator[Running]:
        """`python -m tests.load.NAME`, or `command`; killed at the end, with all that it started."""
        with self.log(name).open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(command or (sys.executable, "-m", f"tests.load.{name}")),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=1 << 20,
                env=child_environment(self._environment(name)),
                start_new_session=True,
            )
        assert process.stdin is not None
        try:
            yield process, process.stdin
        finally:
            for pid in reversed(family(process.pid) if process.returncode is None else []):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            await process.wait()

    async def pids_in(self, rooms: Sequence[str], side: Side, meetings: Sequence[str]) -> list[int]:
        """The job of each room, as far as there is one."""
        if side == "moim":
            rows = [await self.registry.get(meeting) for meeting in meetings]
            return [row.holder.job_pid for row in rows if row and row.holder and row.status == "live"]
        found = []
        async with api.LiveKitAPI(self.url, self._livekit.api_key, self._livekit.api_secret) as livekit:
            for room in rooms:
                listed = await livekit.room.list_participants(api.ListParticipantsRequest(room=room))
                found += [
                    int(p.attributes[PID_ATTRIBUTE])
                    for p in listed.participants
                    if PID_ATTRIBUTE in p.attributes
                ]
        return found
