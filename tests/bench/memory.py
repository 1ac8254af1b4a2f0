"""What one more meeting costs a worker in memory, beside one more job that only subscribes.

The whole of the worker counts: main process, fork server, the process kept warm, all jobs; pages
that several share are divided among them (PSS). The engine is not part of it: it is the machine's,
and one for all meetings. Text comes from it by default, so that is what the goal is about; with an
HTTP engine each job has an HTTP client as well, which has a figure of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Final

from tests.bench.figures import Figure
from tests.bench.live import Ground, audio_folder, bare_in, measured, moim_in, say, until
from tests.bench.processes import family, load, pss_mb
from tests.fakes.players import Player

_MEETINGS: Final = 4
_TALK_S: Final = 12.0
_LIMIT_S: Final = 400.0
_OVER_S: Final = 40.0
_GOAL_RATIO: Final = 1.6
_FOLDER: Final = "ko-release-planning"
_SPEAKERS: Final = ("minji", "junho")


def memory() -> list[Figure]:
    """MB that the fourth meeting adds."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    # One worker after the other: side by side they would share pages with each other.
    async with ground.bare() as worker:
        bare = await _growth(ground, worker, ground.call_bare, bare_in, "bare")

    open_ids: list[str] = []

    async def want(room: str) -> None:
        open_ids.append((await ground.registry.want(room)).id)

    async def all_over() -> bool:
        rows = [await ground.registry.get(meeting_id) for meeting_id in open_ids]
        return all(row is not None and row.status == "ended" for row in rows)

    async with ground.moim_by_default() as worker:
        moim = await _growth(ground, worker, want, moim_in, "Moim")
        # What is left open would be the next worker's.
        await until(all_over, _OVER_S, "the end of the meetings")
    async with ground.moim() as worker:
        over_http = await _growth(ground, worker, want, moim_in, "Moim, HTTP engine")
    note = f"whole worker with {_MEETINGS}: {moim[-1]:.0f} MB beside {bare[-1]:.0f}, {load()}"
    floor = bare[-1] - bare[-2]
    return [
        Figure(
            "memory that the fourth meeting adds (PSS)",
            moim[-1] - moim[-2],
            "MB",
            _GOAL_RATIO * floor,
            "the fourth bare job with the same imports",
            floor,
            note,
        ),
        Figure(
            "memory per meeting, mean of four (PSS)",
            (moim[-1] - moim[0]) / _MEETINGS,
            "MB",
            None,
            "bare jobs with the same imports",
            (bare[-1] - bare[0]) / _MEETINGS,
        ),
        Figure(
            "memory that the fourth meeting adds where speech goes to an HTTP engine (PSS)",
            over_http[-1] - over_http[-2],
            "MB",
            None,
            "the fourth bare job with the same imports",
            floor,
        ),
    ]


async def _growth(
    ground: Ground,
    worker_pid: int,
    call: Callable[[str], Awaitable[None]],
    arrived: Callable[[Player], Awaitable[object]],
    name: str,
) -> list[float]:
    """MB of the whole worker with 0, 1, 2 … meetings, each after some talk."""
    async with AsyncExitStack() as stack:
        await asyncio.sleep(3)  # the first warm process
        found = [pss_mb(family(worker_pid))]
        for number in range(1, _MEETINGS + 1):
            stage = await stack.enter_async_context(ground.stage("memory"))
            players = await stage.cast(audio_folder(_FOLDER), only=_SPEAKERS)
            await call(stage.room)
            await arrived(next(iter(players.values())))
            stage.begin()
            await asyncio.sleep(_TALK_S)
            found.append(pss_mb(family(worker_pid)))
            say(f"{name}, {number} of {_MEETINGS}: {found[-1]:.0f} MB in {len(family(worker_pid))} processes")
    return found
