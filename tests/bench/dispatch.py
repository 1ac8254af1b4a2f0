"""From wanting a worker in a room until it hears everybody, beside a bare job."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from livekit import rtc

from tests.bench.bare_job import PID_ATTRIBUTE
from tests.bench.figures import Figure, percentile
from tests.bench.live import Ground, measured, say, shown
from tests.bench.processes import family, load
from tests.fakes.players import Player
from worker.clock import monotonic_s

_ROOMS: Final = 12
_HEARING_S: Final = 20.0
_LIMIT_S: Final = 240.0
_GOAL_S: Final = 1.0


def dispatch() -> list[Figure]:
    """Seconds until the agent shows itself and the room's track is subscribed, room after room."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    times: list[float] = []
    floors: list[float] = []
    async with ground.moim() as moim, ground.bare() as bare:
        for number in range(_ROOMS):
            await _spare_process(moim)
            meeting: list[str] = []

            async def want(room: str, meeting: list[str] = meeting) -> None:
                meeting.append((await ground.registry.want(room)).id)

            times.append(await _until_heard(ground, want, "moim.epoch"))
            await ground.registry.request_end(meeting[0])
            await _spare_process(bare)
            floors.append(await _until_heard(ground, ground.call_bare, PID_ATTRIBUTE))
            say(f"room {number + 1} of {_ROOMS}: {times[-1]:.2f} s, bare {floors[-1]:.2f} s")
    return [
        Figure(
            "dispatch to hearing, p95",
            percentile(times, 0.95),
            "s",
            _GOAL_S,
            "a bare job with the same imports, dispatched directly, p95",
            percentile(floors, 0.95),
            note=f"{_ROOMS} rooms, {load()}",
        ),
        Figure(
            "dispatch to hearing, median",
            percentile(times, 0.5),
            "s",
            None,
            "the bare job, median",
            percentile(floors, 0.5),
        ),
    ]


async def _until_heard(ground: Ground, call: Callable[[str], Awaitable[None]], attribute: str) -> float:
    """Somebody is in a room with an open microphone; seconds from `call` until the agent hears it."""
    async with ground.stage("dispatch") as stage:
        player = stage.player("minji", "김민지")
        await player.join()
        stage.begin()
        heard = _subscribed(player)
        began_s = monotonic_s()
        await call(stage.room)
        await player.wait_for(lambda p: shown(p, attribute), _HEARING_S, "the agent in the room")
        async with asyncio.timeout(_HEARING_S):
            await heard.wait()
        return monotonic_s() - began_s


def _subscribed(player: Player) -> asyncio.Event:
    """Set when somebody subscribes to the player's track; nobody but the agent would."""
    heard = asyncio.Event()

    def local_track_subscribed(_track: rtc.Track) -> None:
        heard.set()

    player.room.on("local_track_subscribed", local_track_subscribed)
    return heard


async def _spare_process(worker_pid: int) -> None:
    """Let the worker warm its next process: rooms do not open every second."""
    steady, count = 0, 0
    for _ in range(40):
        now = len(family(worker_pid))
        steady = steady + 1 if now == count else 0
        count = now
        if steady >= 6:
            return
        await asyncio.sleep(0.25)
