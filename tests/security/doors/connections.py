"""Thousands of connections that say nothing, half a head, or half a body, beside an API that is used.

A real `moim dispatcher` on a real Postgres. What is asked of it, at the API's door and at the probes' own, is
timed without the idle ones and beside them; whoever is put out comes back. What fails, what takes more than
twice as long, and a log that grows with them count as having got in.
"""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from dataclasses import dataclass, field

import aiohttp

from tests.security.doors import Outcome
from tests.security.doors.process import TOKEN, dispatcher
from worker.monitoring.connections import most_connections

IDLE = 3_000
_ASKED = 300
_OPENINGS = (
    b"",
    b"GET /v1/meetings HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    b"POST /v1/summarize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{",
)
_QUIET_MS = 5.0
"""Differences below are the machine's."""


@dataclass(slots=True)
class Asked:
    """What came of the requests of somebody who is served."""

    took_ms: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def p95_ms(self) -> float:
        """NaN where nothing came back."""
        ordered = sorted(self.took_ms)
        return ordered[math.ceil(0.95 * len(ordered)) - 1] if ordered else math.nan


async def attack(seed: int, *, asked: int = _ASKED) -> Outcome:
    """Idle connections of three kinds; `seed` says with which kind it begins. `asked`: requests of each kind."""
    most_connections()  # this process needs as many descriptors
    async with dispatcher() as served:
        port, log = served.port, served.log
        before = [await _asked(port, "/v1/meetings", asked), await _asked(port, "/healthz", asked)]
        written = log.stat().st_size
        idle = [asyncio.ensure_future(_idle(port, _OPENINGS[(n + seed) % 3])) for n in range(IDLE)]
        await asyncio.sleep(5)
        beside = [await _asked(port, "/v1/meetings", asked), await _asked(port, "/healthz", asked)]
        probes = await _asked(served.probe_port, "/healthz", asked)
        for each in idle:
            each.cancel()
        came_back = sum(n for n in await asyncio.gather(*idle, return_exceptions=True) if isinstance(n, int))
        lines = log.read_bytes()[written:].count(b"\n")
    got_in = [f"{what} beside them" for each in (*beside, probes) for what in each.failed]
    for alone, with_them, name in zip(before, beside, ("API", "/healthz"), strict=True):
        if not with_them.p95_ms <= max(2 * alone.p95_ms, alone.p95_ms + _QUIET_MS):
            got_in.append(f"{name}: {with_them.p95_ms:.1f} ms p95, {alone.p95_ms:.1f} without")
    if lines > 100:
        got_in.append(f"{lines} lines in the log")
    return Outcome(
        tried=IDLE + came_back,
        got_in=tuple(got_in),
        figures={
            "idle_connections": IDLE,
            "api_p95_ms_without": round(before[0].p95_ms, 2),
            "api_p95_ms_beside": round(beside[0].p95_ms, 2),
            "healthz_p95_ms_without": round(before[1].p95_ms, 2),
            "healthz_p95_ms_beside": round(beside[1].p95_ms, 2),
            "probe_port_p95_ms_beside": round(probes.p95_ms, 2),
            "log_lines": lines,
        },
    )


async def _asked(port: int, path: str, times: int) -> Asked:
    asked = Asked()
    headers = {"Authorization": f"Bearer {TOKEN}", "Connection": "close"}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as client:
        for _ in range(times):
            began_s = time.monotonic()
            try:
                async with client.get(f"http://127.0.0.1:{port}{path}", headers=headers) as answer:
                    await answer.read()
                    if answer.status != 200:
                        asked.failed.append(f"{path}: {answer.status}")
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                asked.failed.append(f"{path}: {type(error).__name__}")
            asked.took_ms.append(1000 * (time.monotonic() - began_s))
    return asked


async def _idle(port: int, opening: bytes) -> int:
    """Stay as long as one is let, come back a second after; until cancelled. How often it came back."""
    came_back = 0
    try:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(opening)
                with suppress(OSError):
                    await reader.read()
                writer.close()
            await asyncio.sleep(1)
            came_back += 1
    except asyncio.CancelledError:
        return came_back
