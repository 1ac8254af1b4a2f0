"""Many open microphones in one room, two people talking: what a quiet one costs, and whether every line is heard.

The crowd is measured apart. Text comes from the packaged model on the same machine.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from itertools import accumulate
from statistics import mean
from typing import Any, Final

from rapidfuzz.distance import Levenshtein

from tests.bench.crowd import BEGAN, TALKING, Said
from tests.bench.figures import Figure, percentile
from tests.bench.interims import Line, letters, matched, spoken
from tests.bench.live import Ground, measured, say, until
from tests.bench.processes import cpu_s, load
from worker.clock import monotonic_s

_SECONDS: Final = {12: 90.0, 30: 90.0, 60: 600.0}
"""How long they talk, by how many microphones are open; the longest shows that a living holder keeps its meeting."""
_SETTLE_S: Final = 10.0
_LATE_S: Final = 600.0
_ENTER_S: Final = 240.0
_LIMIT_S: Final = 2600.0
_IN_THE_TEXT: Final = 1 / 3
"""A line of which fewer letters are in the texts, in order, was not heard."""
_GOAL: Final = 1.3


def microphones() -> list[Figure]:
    """Cores of the job beside a bare subscriber's, lines that are heard, takeovers: 12, 30 and 60 microphones."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    figures: list[Figure] = []
    async with ground.moim({"STT_ENGINE": "whisper"}), ground.bare():
        for count, seconds in _SECONDS.items():
            figures += await _room(ground, count, seconds)
    return figures


async def _room(ground: Ground, count: int, seconds: float) -> list[Figure]:
    say(f"{count} microphones are opened")
    stage = ground.stage(f"microphones-{count}")
    async with ground.listener(stage), ground.crowd(stage, count - TALKING, seconds, _ENTER_S) as crowd:
        row = await ground.registry.want(stage.room)
        await ground.call_bare(stage.room)
        log = f"crowd-{stage.room}"
        began = await until(lambda: _told(ground, log, lambda each: BEGAN in each), _ENTER_S, "the beginning")
        said = [Said(**each) for each in _rows(ground.told(log)) if "line" in each]
        job = await ground.job_pid(row.id)
        lines = await asyncio.to_thread(spoken)
        say(f"{len(said)} lines in {seconds:.0f} s")
        await asyncio.sleep(_SETTLE_S)
        pids = {"Moim": job, "bare": began["bare"], "talkers": crowd, "quiet": began["quiet"]}
        before, since_s = {name: cpu_s(pid) for name, pid in pids.items()}, monotonic_s()
        holders = await _holders(ground, row.id, began[BEGAN] + seconds)
        took_s, busy = monotonic_s() - since_s, load()
        cores = {name: (cpu_s(pid) - before[name]) / took_s for name, pid in pids.items()}
        played = [lines[each.line]._replace(speaker=each.speaker, at_s=each.at_s) for each in said]
        shown = matched(played, began[BEGAN], ground.told("listener"))
    # The crowd has the machine no more: what waits becomes text, also once the room is empty.
    unheard, waited_s, gaps = await _heard(ground, row.id, played)
    say(f"{unheard} not heard after {waited_s:.0f} s more, {gaps} gaps; cores {cores}; {busy}")
    delays_s = [late for one in shown if (late := one.final_s) is not None]
    return [
        Figure(
            f"cores of the job, {count} open microphones",
            cores["Moim"],
            "cores",
            _GOAL * cores["bare"],
            "a bare subscriber in the same room at the same time",
            cores["bare"],
            note=f"{took_s:.0f} s, {TALKING} talk; the crowd {cores['talkers'] + cores['quiet']:.2f} cores, {busy}",
        ),
        Figure(
            f"lines that are not heard, {count} open microphones",
            unheard,
            "",
            0,
            note=f"of {len(said)}, by the record {waited_s:.0f} s after the last, {gaps} gaps; last voice to the final p50 {percentile(delays_s, 0.5):.2f}, "
            f"p95 {percentile(delays_s, 0.95):.2f} s, of the {len(delays_s)} that began when they should",
        ),
        Figure(f"takeovers, {count} open microphones", len(holders | {job}) - 1, "", 0),
    ]


async def _holders(ground: Ground, meeting_id: str, end_s: float) -> set[int]:
    """The pids of the jobs that hold the meeting until `end_s`; 0 of nobody."""
    pids: set[int] = set()
    while monotonic_s() < end_s:
        await asyncio.sleep(2)
        row = await ground.registry.get(meeting_id)
        pids.add(row.holder.job_pid if row and row.holder else 0)
    return pids


async def _heard(ground: Ground, meeting_id: str, played: Sequence[Line]) -> tuple[int, float, int]:
    """How many lines are not on record once all others were or some minutes have passed; when that was; the gaps."""
    began_s = monotonic_s()
    while True:
        document = await ground.document(meeting_id)
        unheard = sum(_unheard(each, document.get("utterances", ())) for each in _by_speaker(played))
        waited_s = monotonic_s() - began_s
        if not unheard or waited_s > _LATE_S:
            return unheard, waited_s, len(document.get("gaps", ()))
        await asyncio.sleep(5)


def _by_speaker(played: Sequence[Line]) -> list[list[Line]]:
    return [[line for line in played if line.speaker == who] for who in {line.speaker for line in played}]


def _unheard(lines: Sequence[Line], utterances: Sequence[dict[str, Any]]) -> int:
    """How many of one speaker's lines have no words on record; a starved crowd plays late, so order alone counts."""
    own = sorted((u["start_ms"], u["text"]) for u in utterances if u["speaker"] == lines[0].speaker)
    found = letters(" ".join(text for _, text in own))
    said = [letters(line.text) for line in lines]
    there = [True] * sum(map(len, said))
    for step in Levenshtein.opcodes("".join(said), found):
        if step.tag == "delete":
            there[step.src_start : step.src_end] = [False] * (step.src_end - step.src_start)
    ends = [*accumulate(map(len, said))]
    return sum(
        mean(there[end - len(text) : end]) < _IN_THE_TEXT for text, end in zip(said, ends, strict=True)
    )


async def _told(ground: Ground, log: str, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    return next((each for each in _rows(ground.told(log)) if is_it(each)), None)


def _rows(log: str) -> list[dict[str, Any]]:
    return [json.loads(row) for row in log.splitlines() if row.startswith("{") and row.endswith("}")]
