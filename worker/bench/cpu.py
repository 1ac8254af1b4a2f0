"""CPU of a four-person room, up to the engine's door, beside a bare subscriber in the same room."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from worker.bench.figures import Figure
from worker.bench.live import Ground, audio_folder, bare_in, measured, moim_in, say
from worker.bench.processes import cpu_s, load, threads_cpu_s
from worker.clock import monotonic_s
from worker.demo.stage import Stage

_MEETING: Final = "ko-release-planning"
_SETTLE_S: Final = 8.0
_WINDOW_S: Final = 60.0
_LIMIT_S: Final = 180.0
_GOAL_CORES: Final = 0.12
_EXAMPLE_CORES: Final = 0.39
"""LiveKit's multi-user-transcriber in such a room, measured on a machine like this in another run."""


def cpu() -> list[Figure]:
    """Cores of the job's process over a minute of four real tracks."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    async with ground.moim(), ground.bare(), ground.stage("cpu") as stage:
        players = await stage.cast(audio_folder(_MEETING))
        one = next(iter(players.values()))
        row = await ground.registry.want(stage.room)
        await ground.call_bare(stage.room)
        await moim_in(one)
        job, bare = await ground.job_pid(row.id), await bare_in(one)
        stage.begin()
        say(f"four people talk for {_WINDOW_S:.0f} s")
        await asyncio.sleep(_SETTLE_S)
        requests = len(ground.stt.work)
        before, began_s = {pid: threads_cpu_s(pid) for pid in (job, bare)}, monotonic_s()
        totals = {pid: cpu_s(pid) for pid in (job, bare)}
        await asyncio.sleep(_WINDOW_S)
        took_s = monotonic_s() - began_s
        cores = {pid: (cpu_s(pid) - totals[pid]) / took_s for pid in (job, bare)}
        for pid, name in ((job, "Moim"), (bare, "bare")):
            say(f"{name}, by thread: {_by_thread(before[pid], threads_cpu_s(pid), took_s)}")
        said = len(ground.stt.work) - requests
        await _everybody_out(stage)
    return [
        Figure(
            "CPU of a four-person room, the job's process",
            cores[job],
            "cores",
            _GOAL_CORES,
            "a bare subscriber in the same room at the same time (LiveKit's example: "
            f"{_EXAMPLE_CORES}, measured elsewhere)",
            cores[bare],
            note=f"{took_s:.0f} s, {said} stretches of speech, {load()}",
        )
    ]


def _by_thread(before: Mapping[str, float], after: Mapping[str, float], took_s: float) -> str:
    used = {name: (spent - before.get(name, 0.0)) / took_s for name, spent in after.items()}
    most = sorted(used.items(), key=lambda item: -item[1])[:6]
    return ", ".join(f"{name} {cores:.3f}" for name, cores in most)


async def _everybody_out(stage: Stage) -> None:
    for player in stage.players.values():
        await player.leave()
