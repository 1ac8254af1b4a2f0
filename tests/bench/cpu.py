"""CPU of a four-person room, up to the engine's door, beside a bare subscriber and LiveKit's own example."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Final

from tests.bench.figures import Figure
from tests.bench.live import Ground, audio_folder, bare_in, measured, moim_in, say
from tests.bench.processes import cpu_s, load, threads_cpu_s
from tests.fakes.players import Stage
from worker.clock import monotonic_s

_MEETING: Final = "ko-release-planning"
_SETTLE_S: Final = 8.0
_WINDOW_S: Final = 60.0
_LIMIT_S: Final = 330.0
_GOAL_CORES: Final = 0.12
_BARE_CORES: Final = 0.07
"""What a bare subscription costs on the machine that the goal was set on."""
_EXAMPLE: Final = "bench-example"


def cpu() -> list[Figure]:
    """Cores of the job's process over a minute of four real tracks."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    # One after the other in rooms of their own: what the example says in a room would be heard by the rest.
    async with ground.moim(), ground.bare(), ground.stage("cpu") as stage:
        players = await stage.cast(audio_folder(_MEETING))
        one = next(iter(players.values()))
        row = await ground.registry.want(stage.room)
        await ground.call_bare(stage.room)
        await moim_in(one)
        job, bare = await ground.job_pid(row.id), await bare_in(one)
        requests = len(ground.stt.work)
        cores, busy = await _cores(stage, {"Moim": job, "bare": bare})
        said = len(ground.stt.work) - requests
        await _everybody_out(stage)
    async with ground.example(), ground.stage("cpu") as stage:
        players = await stage.cast(audio_folder(_MEETING))
        await ground.call(_EXAMPLE, stage.room)
        example = await bare_in(next(iter(players.values())))
        example_cores, busy_example = await _cores(stage, {"example": example})
        await _everybody_out(stage)
    return [
        Figure(
            "CPU of a four-person room, the job's process",
            cores["Moim"],
            "cores",
            _GOAL_CORES,
            "LiveKit's own example for several speakers, in the same run",
            example_cores["example"],
            note=f"{_WINDOW_S:.0f} s, {said} stretches of speech, {busy}; the example: {busy_example}",
        ),
        Figure(
            "… beside the least that a subscriber needs",
            cores["Moim"],
            "cores",
            # The goal again, for a machine of another speed: where a bare subscription costs 0.12, 0.21.
            _GOAL_CORES / _BARE_CORES * cores["bare"],
            "a bare subscriber in the same room at the same time",
            cores["bare"],
        ),
    ]


async def _cores(stage: Stage, of: Mapping[str, int]) -> tuple[dict[str, float], str]:
    """The cores of each process while everybody talks, and how busy the machine was."""
    stage.begin()
    say(f"four people talk for {_WINDOW_S:.0f} s, heard by {' and '.join(of)}")
    await asyncio.sleep(_SETTLE_S)
    threads, totals = _spent(of.values())
    began_s = monotonic_s()
    await asyncio.sleep(_WINDOW_S)
    took_s = monotonic_s() - began_s
    cores = {name: (cpu_s(pid) - totals[pid]) / took_s for name, pid in of.items()}
    for name, pid in of.items():
        say(f"{name}, by thread: {_by_thread(threads[pid], threads_cpu_s(pid), took_s)}")
    return cores, load()


def _spent(pids: Collection[int]) -> tuple[dict[int, Mapping[str, float]], dict[int, float]]:
    return {pid: threads_cpu_s(pid) for pid in pids}, {pid: cpu_s(pid) for pid in pids}


def _by_thread(before: Mapping[str, float], after: Mapping[str, float], took_s: float) -> str:
    used = {name: (spent - before.get(name, 0.0)) / took_s for name, spent in after.items()}
    most = sorted(used.items(), key=lambda item: -item[1])[:6]
    return ", ".join(f"{name} {cores:.3f}" for name, cores in most)


async def _everybody_out(stage: Stage) -> None:
    for player in stage.players.values():
        await player.leave()
