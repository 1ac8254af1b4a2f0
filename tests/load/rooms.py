"""Rooms of four people on this machine: what each costs, and when its text is there, beside LiveKit's example.

Both hear the same sound through the same server and ask the same speech endpoint, which answers in
150 ms. Who speaks and who reads are processes of their own and not in the figures.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

from tests.bench.example_job import AGENT_NAME as EXAMPLE
from tests.bench.live import audio_folder, until
from tests.bench.processes import family, pss_mb
from tests.chaos.report import percentile
from tests.load import voices
from tests.load.figures import machine, spent_s
from tests.load.place import Place, Side
from worker.clock import monotonic_s

STEP_S: Final = 20.6
"""Each room is so much further in the meeting than the one before it: they do not all speak at once."""
_MEETING: Final = "ko-release-planning"
_WARM_S: Final = 1.0
_LAST_S: Final = 3.0
_ENTER_S: Final = 90.0
_EARLY_S, _NEXT_S = 0.17, 0.5
"""A text belongs to a line when it comes after its voice (its end has 0.27 s of silence) and before the next."""


@dataclass(frozen=True, slots=True)
class RoomRow:
    """What one number of rooms cost one side. CPU in cores of the measured time."""

    side: Side
    rooms: int
    seconds: float
    entered: int
    """Rooms that had its job before anybody spoke."""
    cpu_per_room: float
    """Cores that the job processes alone take."""
    cpu_jobs: float
    cpu_main: float
    """The worker's main process, its fork server, jobs in waiting; of Moim the dispatcher is not in it."""
    cpu_record: float
    """Postgres and Valkey, that the example has not."""
    cpu_sfu: float
    """LiveKit's server: four microphones to one listener in each room."""
    pss_mb_per_job: float
    lines: int
    delivered: int
    line_s_p50: float
    """From a line's end to its final text in a client."""
    line_s_p95: float
    line_s_max: float
    asked: int
    """Requests to the speech endpoint."""
    cpu_crowd: float
    cpu_rest: float
    """Who reads, the endpoint, and whoever else was at work."""
    late_s: float
    """How far the crowd was behind at worst."""

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


async def rooms(side: Side, count: int, seconds: float) -> RoomRow:
    """`count` rooms for `seconds`, all of them on one worker of one side."""
    async with Place() as place:
        more = {"MOIM_MAX_MEETINGS": str(count + 1)}
        async with place.moim(more) if side == "moim" else place.example_over_http() as main:
            return await _measure(place, main, side, count, seconds)


async def _measure(place: Place, main: int, side: Side, count: int, seconds: float) -> RoomRow:
    folder = audio_folder(_MEETING)
    spoken = await asyncio.to_thread(voices.packets, folder, place.cache)
    script = json.loads((folder / "meeting.json").read_text(encoding="utf-8"))
    names = [f"load-{uuid.uuid4().hex[:6]}-{number}" for number in range(count)]
    async with place.crowd() as (crowd, to_crowd), place.program("readers") as (readers, to_readers):
        people = [{who: place.access(name, who) for who in script["participants"]} for name in names]
        wanted = {
            "url": place.url,
            "folder": str(folder),
            "seconds": seconds,
            "step_s": STEP_S,
            "packets": spoken,
            "rooms": people,
        }
        _say(to_crowd, wanted)
        await _line(crowd, "joined", place)
        _say(to_readers, {"url": place.url, "tokens": [place.ear(name) for name in names]})
        await _line(readers, "reading", place)
        finals: list[dict[str, Any]] = []
        hearing = asyncio.ensure_future(_collect(readers, finals))
        meetings = await _call(place, side, names)
        jobs = await _entered(place, side, names, meetings)
        _say(to_crowd, {})
        began = json.loads(await _line(crowd, '{"began_s"', place))
        await asyncio.sleep(began["began_s"] + _WARM_S - monotonic_s())
        before, machine_before, at_s = _spent(place, main, jobs, crowd.pid), machine(), monotonic_s()
        await asyncio.sleep(seconds - _WARM_S - _LAST_S)
        after, machine_after, took_s = _spent(place, main, jobs, crowd.pid), machine(), monotonic_s() - at_s
        memory_mb = pss_mb(jobs)
        late = json.loads(await _line(crowd, '{"late_s"', place))
        await asyncio.sleep(_LAST_S)
        hearing.cancel()
        _say(to_crowd, {})
    cores = {part: (after[part] - before[part]) / took_s for part in after}
    busy = machine_after[0] - machine_before[0] - (machine_after[1] - machine_before[1])
    lines, waits = _waits(script["lines"], finals, count, seconds - 2, began)
    return RoomRow(
        side=side,
        rooms=count,
        seconds=took_s,
        entered=len(jobs),
        cpu_per_room=cores["jobs"] / count,
        cpu_jobs=cores["jobs"],
        cpu_main=cores["main"],
        cpu_record=cores["record"] if side == "moim" else 0.0,
        cpu_sfu=cores["sfu"],
        pss_mb_per_job=memory_mb / max(1, len(jobs)),
        lines=lines,
        delivered=len(waits),
        line_s_p50=percentile(waits, 0.5),
        line_s_p95=percentile(waits, 0.95),
        line_s_max=max(waits, default=0.0),
        asked=len(place.stt.work),
        cpu_crowd=cores["crowd"],
        cpu_rest=busy / took_s - sum(cores.values()),
        late_s=late["late_s"],
    )


async def _call(place: Place, side: Side, names: Sequence[str]) -> list[str]:
    if side == "moim":
        return [(await place.registry.want(name)).id for name in names]
    for name in names:
        await place.call(EXAMPLE, name)
    return []


async def _entered(place: Place, side: Side, names: Sequence[str], meetings: Sequence[str]) -> list[int]:
    jobs: list[int] = []

    async def all_there() -> bool:
        jobs[:] = await place.pids_in(names, side, meetings)
        return len(jobs) == len(names)

    with suppress(TimeoutError):  # the row says how many
        await until(all_there, _ENTER_S, "a job in every room")
    await asyncio.sleep(1 + len(names) / 4)  # tracks are subscribed, engines greeted
    return jobs


def _waits(
    script: Sequence[dict[str, Any]],
    finals: Sequence[dict[str, Any]],
    count: int,
    seconds: float,
    began: Mapping[str, float],
) -> tuple[int, list[float]]:
    """How many lines were said whole, and how long each that got a text waited for it."""
    total, waits = 0, []
    for room in range(count):
        start_s = round(room * STEP_S, 1)
        ends: dict[str, list[float]] = {}
        for line in script:
            after_s = (line["end_s"] - start_s) % began["loop_s"]
            if line["end_s"] - line["start_s"] <= after_s < seconds:
                ends.setdefault(line["speaker"], []).append(began["began_s"] + after_s)
        for speaker, moments in ends.items():
            ordered = sorted(moments)
            for end_s, next_s in zip(ordered, [*ordered[1:], float("inf")], strict=True):
                total += 1
                came = [
                    said["received_s"] - end_s
                    for said in finals
                    if said["room"] == room
                    and said["speaker"] == speaker
                    and end_s - _EARLY_S < said["received_s"] < next_s - _NEXT_S
                ]
                if came:
                    waits.append(min(came))
    return total, waits


def _spent(place: Place, main: int, jobs: Sequence[int], crowd: int) -> dict[str, float]:
    return {
        "jobs": spent_s(jobs),
        "main": spent_s(pid for pid in family(main) if pid not in jobs),
        "record": spent_s(place.record_pids()),
        "sfu": spent_s(place.sfu_pids()),
        "crowd": spent_s([crowd]),
    }


def _say(to: asyncio.StreamWriter, what: dict[str, Any]) -> None:
    to.write(json.dumps(what).encode() + b"\n")


async def _line(process: asyncio.subprocess.Process, start: str, place: Place) -> str:
    assert process.stdout is not None
    while line := (await process.stdout.readline()).decode():
        if line.startswith(start):
            return line
    raise RuntimeError(
        f"a program of the load ended: {place.told('crowd')[-500:]} {place.told('readers')[-500:]}"
    )


async def _collect(process: asyncio.subprocess.Process, finals: list[dict[str, Any]]) -> None:
    assert process.stdout is not None
    while line := await process.stdout.readline():
        finals.append(json.loads(line))
