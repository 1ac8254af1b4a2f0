"""A job is killed and nobody stands by: its successor on this machine loses none of what it had heard."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from tests.fakes.meeting import LoopClock, meeting_at_work
from tests.fakes.speech import frames
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.holder.word_holders import Holder, followed, maker, off_the_record, on_record, said_in
from tests.unit.worker.holder.word_sound import WORDS, WordEngine, speak, spoken, talk
from tests.unit.worker.meeting_jobs import World as JobWorld
from worker.configuration.settings import Settings
from worker.holder.overlap import TakeoverOverlap
from worker.holder.presence import Presence
from worker.holder.standby_listener import StandbyListener
from worker.participants.listener import Sink
from worker.ports import MeetingRow
from worker.record.sound_log import SoundLog

pytestmark = in_virtual_time


def each_once(language: str, count: int) -> list[str]:
    return [f"{word}{number}" for number, word in zip(range(count), cycle(WORDS[language]), strict=False)]


def row(over_s: float, unwritten: dict[str, int]) -> MeetingRow:
    return MeetingRow(
        id="m-test", room="회의실", status="live", let_go=True, lease_over_s=over_s, unwritten=unwritten
    )


async def _survives(words: list[str], seed: int, folder: Path, *, deaths: int, pauses: float = 0.3) -> None:
    """`deaths` holders one after the other, each away for a while, while ben talks on."""
    dice = random.Random(seed)
    sound = talk(words, dice, pauses=pauses)
    pieces = list(frames(sound))
    kills = sorted(dice.uniform(1.0, len(pieces) * 0.05 - 2) for _ in range(deaths))
    delay_s = dice.choice([0.05, 0.4, 1.3, 8.0])
    holes: list[tuple[float, float]] = []
    async with meeting_at_work() as world:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        epoch = 1
        world.session.human_seen("ben", "Ben")
        log = SoundLog(folder, epoch)
        holder = Holder(world.session, maker(world.session, words, delay_s, keeper=log))
        sink: Sink | None = holder.track_opened("ben", "TR_1")

        def needed_from_s() -> float:
            return world.session.zero_s + holder.tracks["TR_1"].heard_until_ms / 1000

        log.needed_from_s = needed_from_s
        back_s = 0.0
        for piece in pieces:
            await asyncio.sleep(0.05)
            now_s = loop.time()
            if sink is not None:
                sink.push(piece, now_s)
            if sink is not None and kills and now_s - began_s >= kills[0]:
                del kills[0]
                behind = {"ben": holder.tracks["TR_1"].heard_until_ms}
                await holder.die()
                sink, back_s = None, now_s + dice.uniform(0.3, 3)
                holes.append((now_s, back_s))
            if sink is None and now_s >= back_s:
                await world.settle()
                epoch += 1
                heard = SoundLog(folder, epoch).left_by_predecessors(now_s)
                standby, log = StandbyListener(LoopClock(), on_closed=lambda: None), SoundLog(folder, epoch)
                standby.joined("ben", "Ben")
                sink = standby.track_opened("ben", "TR_1")
                over_s = now_s - holes[-1][0]
                overlap = TakeoverOverlap(world.session, row(over_s, behind), fresh=False, kept=heard)
                make = maker(world.session, words, delay_s, overlap=overlap, keeper=log)
                holder = Holder(world.session, make)
                await standby.hand_to(holder, on_record(world), heard)
                log.needed_from_s = needed_from_s
                for gap in overlap.gaps(world.session.now_ms()):
                    world.session.post(gap)
        for track in holder.tracks.values():
            await track.finish(60)
            await track.aclose()
        await world.settle()
        zero_s = world.session.zero_s
        said = " ".join(u.text for u in world.session.manager.meeting.utterances).split()
        must, may = _expected(sound, words, [(a - began_s, b - began_s) for a, b in holes])
        assert [word for word in said if word in must] == must, (seed, said, must)
        assert [word for word in may if word in said] == said, (seed, said)
        gaps = world.session.manager.meeting.coverage.gaps
        assert {gap.reason for gap in gaps} <= {"takeover"}, (seed, gaps)
        for gap, (from_s, to_s) in zip(gaps, holes, strict=True):
            assert gap.start_ms == pytest.approx((from_s - zero_s) * 1000, abs=150), (seed, gaps, holes)
            assert gap.end_ms == pytest.approx((to_s - zero_s) * 1000, abs=150), (seed, gaps, holes)


def _expected(
    sound: bytes, words: list[str], holes: list[tuple[float, float]]
) -> tuple[list[str], list[str]]:
    """Words that were said while somebody listened; and with those of which somebody heard a part."""
    must, may, at = [], [], 0
    for number, word in enumerate(words):
        at = sound.index(spoken(number)[:64], at)
        from_s, to_s = at / 32_000, (at + len(spoken(number))) / 32_000
        at += len(spoken(number))
        if all(to_s <= a - 0.06 or from_s >= b + 0.06 for a, b in holes):
            must.append(word)
        if not any(a + 0.06 <= from_s and to_s <= b - 0.06 for a, b in holes):
            may.append(word)
    return must, may


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize(
    ("count", "deaths", "pauses"),
    [(40, 1, 0.3), (60, 3, 0.3), (50, 1, 0)],
    ids=["one death", "successors die one after the other", "twenty seconds without a pause"],
)
@pytest.mark.parametrize("seed", range(6))
async def test_what_a_killed_job_had_heard_is_on_record_once(
    language: str, count: int, deaths: int, pauses: float, *, seed: int, tmp_path: Path
) -> None:
    await _survives(each_once(language, count), seed, tmp_path, deaths=deaths, pauses=pauses)


@pytest.mark.parametrize("language", WORDS)
async def test_the_last_words_of_one_who_left_before_the_successor_came(
    language: str, tmp_path: Path
) -> None:
    words = WORDS[language]
    async with meeting_at_work() as world:
        holder = Holder(world.session, maker(world.session, words, 1.0, keeper=SoundLog(tmp_path, 1)))
        await speak(holder.track_opened("ben", "TR_1"), 0, 1, after_ms=0)
        await holder.die()
        await asyncio.sleep(100)
        standby = StandbyListener(LoopClock(), on_closed=lambda: None)
        kept = SoundLog(tmp_path, 2).left_by_predecessors(asyncio.get_running_loop().time())
        await followed(world, standby, words, kept, SoundLog(tmp_path, 2))
        assert said_in(world) == words[:2]


@pytest.mark.parametrize("language", WORDS)
async def test_what_was_off_the_record_is_neither_kept_nor_heard(language: str, tmp_path: Path) -> None:
    words = WORDS[language]
    async with meeting_at_work() as world:
        holder = Holder(world.session, maker(world.session, words, 60.0, keeper=SoundLog(tmp_path, 1)))
        sink = holder.track_opened("ben", "TR_1")
        await off_the_record(world, sink, holder.tracks["TR_1"])
        await holder.die()
        await world.settle()
        written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert [spoken(n)[:400] in written for n in range(6)] == [True, True, False, False, True, True]
        standby = StandbyListener(LoopClock(), on_closed=lambda: None)
        kept = SoundLog(tmp_path, 2).left_by_predecessors(asyncio.get_running_loop().time())
        await followed(world, standby, words, kept, SoundLog(tmp_path, 2))
        assert said_in(world) == [words[n] for n in (0, 1, 4, 5)]
        reasons = {gap.reason for gap in world.session.manager.meeting.coverage.gaps}
        assert reasons == {"off_record"}


async def test_a_job_keeps_sound_only_for_a_room_and_only_where_it_may(tmp_path: Path) -> None:
    async def keeps(room: str | None, **environ: str) -> bool:
        world = JobWorld(tmp_path)
        settings = Settings.from_env({"MOIM_STATE_DIR": str(tmp_path), **environ})
        world.parts = replace(world.parts, settings=settings, engine=WordEngine([], 0.0))
        return (await world.job(room)).sound is not None

    here = str(tmp_path / "sound")
    assert await keeps("회의실", MOIM_SOUND_DIR=here)
    assert not await keeps(None, MOIM_SOUND_DIR=here)
    assert not await keeps("회의실", MOIM_SOUND_DIR="none")


@pytest.mark.parametrize(("crashes", "left"), [(True, True), (False, False)])
async def test_a_job_that_crashes_leaves_its_sound_and_one_that_ends_does_not(
    tmp_path: Path, crashes: bool, left: bool
) -> None:
    world = JobWorld(tmp_path)
    settings = Settings.from_env({"MOIM_SOUND_DIR": str(tmp_path / "sound"), "MOIM_STATE_DIR": str(tmp_path)})
    world.parts = replace(world.parts, settings=settings, engine=WordEngine([], 0.0))
    job = await world.job()

    async def enter(presence: Presence) -> None:
        job.sound.keep("ben", "TR_1", b"\1" * 1600, world.parts.clock.monotonic_s())
        if crashes:
            raise ZeroDivisionError
        await presence.session.end("over")

    try:
        await job.run(world.outlet, enter)
    except ZeroDivisionError:
        assert crashes
    again = (await world.job()).sound if crashes else None
    found = again.left_by_predecessors(world.parts.clock.monotonic_s()) if again is not None else ()
    assert [track.participant for track in found] == (["ben"] if left else [])
    assert bool(list((tmp_path / "sound").rglob("*.sound"))) == left
