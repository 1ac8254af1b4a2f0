"""One guest takes all they can get, and somebody guesses tokens; everybody else is served all the same.

A real dispatcher. A guest who signed in twice by one link opens streams, asks and changes as fast as a machine can;
others try wrong tokens. What got in: a guest who has more than their share, a refusal without `Retry-After`, a
colleague or a right token that is refused or waits, a read without its row in the audit log.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp

from tests.security.doors import Outcome
from tests.security.doors.process import TOKEN, dispatcher
from worker.web.viewer_quotas import ViewerQuota
from worker.web.viewers import COOKIE

MEETING: Final = "m-shares"
QUOTA: Final = ViewerQuota()
_PAGES: Final = "a-pages-token-that-is-long-enough"
_WITHIN_S: Final = 10.0
"""How long anybody else's request may take meanwhile; a machine that is shared is slow."""
_GUESSES: Final = 150


@dataclass
class _Flood:
    """The requests of one attack, and what was wrong with the answers."""

    client: aiohttp.ClientSession
    root: str
    tried: int = 0
    got_in: list[str] = field(default_factory=list)
    open: list[aiohttp.ClientResponse] = field(default_factory=list)

    async def send(
        self, headers: Mapping[str, str], method: str, path: str, body: Any = None, *, keep: bool = False
    ) -> aiohttp.ClientResponse:
        """An answer, read to its end unless it is a stream to `keep` open."""
        self.tried += 1
        sent = {**headers, "Origin": self.root}
        answer = await self.client.request(method, f"{self.root}/v1{path}", headers=sent, json=body)
        if answer.status == 429 and "Retry-After" not in answer.headers:
            self.got_in.append(f"{method} {path}: 429 without Retry-After")
        if keep and answer.status == 200:
            self.open.append(answer)
        else:
            await answer.read()
        return answer

    async def at_once(self, headers: Mapping[str, str], count: int, method: str, path: str, body: Any = None, *, keep: bool = False) -> Counter[int]:  # fmt: skip
        """The statuses of so many requests at the same time."""
        sent = (self.send(headers, method, path, body, keep=keep) for _ in range(count))
        return Counter(answer.status for answer in await asyncio.gather(*sent))

    async def others(self, when: str, headers: Mapping[str, Mapping[str, str]]) -> None:
        """Everybody else is served, soon."""
        for who, theirs in headers.items():
            began_s = time.monotonic()
            answer = await self.send(theirs, "GET", f"/meetings/{MEETING}")
            took_s = time.monotonic() - began_s
            if answer.status != 200 or took_s > _WITHIN_S:
                self.got_in.append(f"{when}: {who} gets {answer.status} after {took_s:.1f} s")

    async def sign_in(self, body: Mapping[str, str]) -> dict[str, str]:
        """The cookie of a new session."""
        answer = await self.send({}, "POST", "/session", body)
        assert answer.status == 200, answer.status
        return {"Cookie": f"{COOKIE}={answer.cookies[COOKIE].value}"}


async def attack(seed: int) -> Outcome:
    """Flood a dispatcher; `seed` draws nothing."""
    del seed
    settings = {
        "MOIM_PAGES_TOKEN": _PAGES,
        "MOIM_PAGES_USER_HEADER": "X-Forwarded-User",
        "MOIM_PAGES_PROXIES": "127.0.0.1",
    }
    async with (
        dispatcher(**settings) as served,
        aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=60),
            cookie_jar=aiohttp.DummyCookieJar(),
            connector=aiohttp.TCPConnector(limit=0),
        ) as client,
    ):
        flood = _Flood(client, f"http://127.0.0.1:{served.port}")
        program = {"Authorization": f"Bearer {TOKEN}"}
        await flood.send(program, "POST", "/meetings", {"meeting_id": MEETING})
        made = await (await flood.send(program, "POST", f"/meetings/{MEETING}/links", {"edit": True})).json()
        secret = {"link": made["path"].partition("#link=")[2]}
        guests = [await flood.sign_in(secret) for _ in range(2)]
        others = {"ben": {"X-Forwarded-User": "ben"}, "a program": program}
        await _streams(flood, guests, others)
        await _changes(flood, guests, others)
        await _guesses(flood, others)
        log = await (await flood.send(program, "GET", f"/audit?meeting_id={MEETING}&limit=1000")).json()
        rows = Counter(row["action"] for row in log["entries"])
        if rows["read"] < len(flood.open):
            flood.got_in.append(f"{len(flood.open)} streams were opened, {rows['read']} are in the audit log")
        for answer in flood.open:
            answer.close()
    return Outcome(tried=flood.tried, got_in=tuple(flood.got_in), figures={"streams": len(flood.open)})


async def _streams(
    flood: _Flood, guests: list[dict[str, str]], others: Mapping[str, Mapping[str, str]]
) -> None:
    for headers in guests:
        found = await flood.at_once(
            headers, QUOTA.streams + 40, "GET", f"/meetings/{MEETING}/events", keep=True
        )
        if found != Counter({200: QUOTA.streams, 429: 40}):
            flood.got_in.append(f"streams of one session: {dict(found)}")
    await flood.others("while a guest watches as often as they can", others)


async def _changes(
    flood: _Flood, guests: list[dict[str, str]], others: Mapping[str, Mapping[str, str]]
) -> None:
    body = {"by": "CEO", "fix": {"of": "person", "person": "a", "name": "A", "was": "a"}}
    for headers in guests:
        flooding = asyncio.ensure_future(
            flood.at_once(headers, QUOTA.changes + 60, "PATCH", f"/meetings/{MEETING}", body)
        )
        await asyncio.sleep(0.2)
        await flood.others("while a guest changes what they can", others)
        found = await flooding
        if found[429] < 60 or found[429] + found[409] != QUOTA.changes + 60:
            flood.got_in.append(f"changes of one session: {dict(found)}")


async def _guesses(flood: _Flood, others: Mapping[str, Mapping[str, str]]) -> None:
    guessing = [
        asyncio.ensure_future(
            flood.send({}, "POST", "/session", {"token": f"wrong-token-number-{number:06}"})
        )
        for number in range(_GUESSES)
    ]
    guessing += [
        asyncio.ensure_future(flood.send({"Authorization": f"Bearer wrong-{number:06}"}, "GET", "/meetings"))
        for number in range(_GUESSES)
    ]
    await asyncio.sleep(0.3)
    began_s = time.monotonic()
    right = await flood.send({}, "POST", "/session", {"token": _PAGES})
    took_s = time.monotonic() - began_s
    if right.status != 200 or took_s > _WITHIN_S:
        flood.got_in.append(f"the right token gets {right.status} after {took_s:.1f} s among wrong ones")
    await flood.others("while tokens are guessed", others)
    found = Counter([answer.status for answer in await asyncio.gather(*guessing)])
    if set(found) - {401, 429} or not found[429]:
        flood.got_in.append(f"wrong tokens: {dict(found)}")
