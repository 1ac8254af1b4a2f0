"""A holder dies at any moment of a talk, and its standby goes on: every word is on record, and once."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.fakes.meeting import LoopClock, meeting_at_work
from tests.fakes.record import HandClock
from tests.fakes.speech import frames, silence
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from tests.unit.worker.holder.word_holders import (
    ROW,
    Holder,
    followed,
    maker,
    off_the_record,
    on_record,
    said_in,
)
from tests.unit.worker.holder.word_sound import WORDS, speak, talk
from worker.holder.overlap import TakeoverOverlap
from worker.holder.standby_listener import StandbyListener

pytestmark = in_virtual_time


async def _survives(
    words: list[str], seed: int, *, kill_at: float, away_s: float, pauses: float = 0.3
) -> None:
    dice = random.Random(seed)
    sound = talk(words, dice, pauses=pauses)
    length_s = len(sound) / 32_000
    jitter_s = dice.choice([0.0, 0.0, 0.03])
    async with meeting_at_work() as world:
        delay_s = dice.choice([0.05, 0.4, 1.3])
        holder = Holder(world.session, maker(world.session, words, delay_s))
        standby = StandbyListener(LoopClock(), on_closed=lambda: None)
        sinks = [listener.track_opened("ben", "TR_1") for listener in (holder, standby)]
        standby.joined("ben", "Ben")
        taking: asyncio.Task[Holder] | None = None

        async def take_over() -> Holder:
            await holder.die()
            await asyncio.sleep(away_s)
            await world.settle()
            overlap = TakeoverOverlap(world.session, ROW, fresh=False)
            successor = Holder(world.session, maker(world.session, words, delay_s, overlap=overlap))
            await standby.hand_to(successor, on_record(world))
            return successor

        loop = asyncio.get_running_loop()
        for number, frame in enumerate(frames(sound)):
            await asyncio.sleep(len(frame) / 32_000)
            if taking is None and number * 0.05 >= kill_at * length_s:
                taking = asyncio.ensure_future(take_over())
            if taking is None:
                sinks[0].push(frame, loop.time())
            sinks[1].push(frame, loop.time() + dice.random() * jitter_s)
        assert taking is not None
        successor = await taking
        for track in successor.tracks.values():
            await track.finish(30)
            await track.aclose()
        await world.settle()
        assert said_in(world) == words, seed
        assert world.session.manager.meeting.coverage.gaps == []


@pytest.mark.parametrize("language", WORDS)
def test_killed_at_any_moment_every_word_is_on_record_once(language: str) -> None:
    dice = random.Random(6)
    for seed in range(12):
        run_virtual(
            _survives(WORDS[language], seed, kill_at=dice.uniform(0.02, 0.95), away_s=dice.uniform(0.1, 6))
        )


@pytest.mark.parametrize("language", WORDS)
def test_killed_in_talk_without_a_pause_the_seam_is_between_two_words(language: str) -> None:
    """What is transcribed ends in the middle of the talk: the overlap holds words, and they are not said again."""
    words = [f"{word}{number}" for number in range(7) for word in WORDS[language]][:84]
    for seed in range(4):
        run_virtual(_survives(words, seed, kill_at=0.84 + 0.03 * seed, away_s=5, pauses=0))


async def test_what_is_written_while_nobody_holds_is_answered_by_the_successor() -> None:
    async with meeting_at_work() as world:
        clock = LoopClock()
        standby = StandbyListener(clock, on_closed=lambda: None)
        standby.joined("minji", "김민지")
        standby.chat("q-old", "minji", "김민지", "뭐가 결정됐어?")
        await asyncio.sleep(10)
        died_s = clock.monotonic_s()
        await asyncio.sleep(2)
        standby.chat("q-new", "minji", "김민지", "what was decided?")
        successor = Holder(world.session, maker(world.session, [], 0.0))
        record = on_record(world)
        object.__setattr__(record, "holder_until_s", died_s)
        await standby.hand_to(successor, record)
        assert successor.people == ["minji"]
        assert successor.log == [("chat", "q-new", "minji", "what was decided?")]
        standby.chat("q-live", "minji", "김민지", "그리고?")
        standby.closed("ROOM_DELETED")
        assert successor.log[1:] == [("chat", "q-live", "minji", "그리고?"), ("closed", "ROOM_DELETED")]


async def test_a_room_that_closes_just_as_the_lease_is_won_is_told_to_the_successor() -> None:
    async with meeting_at_work() as world:
        closed: list[bool] = []
        standby = StandbyListener(LoopClock(), on_closed=lambda: closed.append(True))
        standby.connection(up=False)
        standby.closed("ROOM_DELETED")
        assert closed == [True]
        successor = Holder(world.session, maker(world.session, [], 0.0))
        await standby.hand_to(successor, on_record(world))
        assert successor.log == [("connection", "False"), ("closed", "ROOM_DELETED")]


@pytest.mark.parametrize("language", WORDS)
async def test_what_was_said_off_the_record_reaches_no_engine(language: str) -> None:
    words = WORDS[language]
    async with meeting_at_work() as world:
        standby = StandbyListener(LoopClock(), on_closed=lambda: None)
        await off_the_record(world, standby.track_opened("ben", "TR_1"))
        await world.settle()
        await followed(world, standby, words)
        assert said_in(world) == [words[n] for n in (0, 1, 4, 5)]
        assert {gap.reason for gap in world.session.manager.meeting.coverage.gaps} == {"off_record"}


@pytest.mark.parametrize("language", WORDS)
async def test_the_last_words_of_one_who_has_just_left_are_heard(language: str) -> None:
    words = WORDS[language]
    async with meeting_at_work() as world:
        standby = StandbyListener(LoopClock(), on_closed=lambda: None)
        standby.joined("ben", "Ben")
        await speak(standby.track_opened("ben", "TR_1"), 0, 1, after_ms=0)
        standby.track_closed("TR_1")
        standby.left("ben")
        await asyncio.sleep(5)
        successor = await followed(world, standby, words)
        assert said_in(world) == words[:2]
        assert successor.people == []


async def test_what_was_kept_of_somebody_goes_with_their_no() -> None:
    async with meeting_at_work() as world:
        agreed = {"ben": True}
        standby = StandbyListener(LoopClock(), on_closed=lambda: None, may_hear=agreed.__getitem__)
        for said in (0, 2):  # what is heard until the standby has learnt of the no, and behind the yes
            await speak(standby.track_opened("ben", "TR_1"), said, said + 1)
            agreed["ben"] = said == 2
            if said == 0:
                standby.track_closed("TR_1")
                assert standby.kept_bytes == 0
        await followed(world, standby, WORDS["ko"])
        assert said_in(world) == WORDS["ko"][2:4]


def test_what_the_holder_left_half_said_in_the_room_is_known() -> None:
    standby = StandbyListener(HandClock(), on_closed=lambda: None)
    standby.agent_text("m-1/ben@10", "ben", "Ben", "we will", final=False)
    standby.agent_text("m-1/ben@10", "ben", "Ben", "we will ship", final=True)
    standby.agent_text("m-1/minji@20", "minji", "김민지", "출시일은", final=False)
    standby.agent_text("m-1/ben@30", "ben", "Ben", "um", final=False)
    standby.agent_text("m-1/ben@30", "ben", "Ben", "", final=False)
    assert standby.interims == {"m-1/minji@20": "minji"}


async def test_of_a_holder_whose_engine_lags_behind_more_is_kept() -> None:
    clock = LoopClock()
    listener = StandbyListener(clock, on_closed=lambda: None)
    sinks = [listener.track_opened("minji", "TR_1")]
    kept: list[int] = []
    for second in range(300):
        # Of what is said nothing becomes text for three minutes; then all of it.
        listener.keep(second if second < 180 else 0)
        if second == 50:
            sinks.append(listener.track_opened("ben", "TR_2"))
        for sink in sinks:
            sink.push(silence(1000), clock.monotonic_s())
        kept.append(listener.kept_bytes // 32_000)
        await asyncio.sleep(1)
    assert kept[28] == 29
    assert kept[49] == 50, "all there was"
    assert kept[170] in (240, 241, 242), "two minutes of either, and no more"
    assert kept[-1] in (60, 61, 62)
