"""A holder dies at any moment of a talk, and its standby goes on: every word is on record, and once."""

from __future__ import annotations

import asyncio
import random
from array import array
from collections.abc import AsyncIterator, Sequence
from itertools import groupby
from typing import Any

import pytest

from context import events
from context.privacy_events import RecordingPaused, RecordingResumed
from stt.heard import Heard, Missed, TrackEvent
from stt.segment import Segment, Stretch
from stt.track import SoundKeeper, Track
from tests.fakes.meeting import LoopClock, World, meeting_at_work
from tests.fakes.record import HandClock
from tests.fakes.speech import LevelVad, frames, silence
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from worker.holder.seam import OVERLAP_MS, Seam
from worker.holder.standby_ears import OnRecord, StandbyEars
from worker.meeting.session import Session
from worker.ports import MeetingRow
from worker.record.sound_log import KeptTrack
from worker.room.ears import Sink
from worker.room.tracks import MakeTrack, track_maker

pytestmark = in_virtual_time

WORDS = {
    "ko": [
        "출시일은",
        "십이월",
        "이십이일로",
        "정하고",
        "서버를",
        "한",
        "대",
        "더",
        "사기로",
        "결정하겠습니다",
    ],
    "en": [
        "we",
        "will",
        "ship",
        "on",
        "the",
        "20th",
        "and",
        "buy",
        "one",
        "more",
        "server",
        "for",
        "the",
        "index",
    ],
}
ROW = MeetingRow(id="m-test", room="회의실", status="live")
_FAINTEST = 1000
_STEP = 40
_WORD_MS = 320
_HEARD_MS = 150
"""Half a word is none."""


def spoken(number: int) -> bytes:
    """A word: its number is how loud it is."""
    value = _FAINTEST + _STEP * number
    return array("h", [value, -value] * (8 * _WORD_MS)).tobytes()


class WordEngine:
    """Hears which words a stretch has, some time after its end."""

    name = "words"
    gives_interims = False

    def __init__(self, words: list[str], delay_s: float) -> None:
        self._words, self._delay_s = words, delay_s

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        sound = b"".join([chunk async for chunk in stretch.sound])
        await asyncio.sleep(self._delay_s)
        runs = [(value, len(list(run))) for value, run in groupby(abs(v) for v in array("h", sound))]
        said = [
            self._words[(value - _FAINTEST) // _STEP]
            for value, length in runs
            if value >= _FAINTEST and length >= 16 * _HEARD_MS
        ]
        if said:
            yield Segment(" ".join(said), 0, len(sound) // 32, final=True)

    async def aclose(self) -> None:
        """Nothing to let go of."""


class Holder:
    """What an attendant does with a track, and nothing else. Implements `Ears` as far as it goes."""

    def __init__(self, session: Session, make: MakeTrack) -> None:
        self._session, self._make = session, make
        self.tracks: dict[str, Track] = {}
        self.people: list[str] = []
        self.log: list[tuple[str, ...]] = []
        self.alive = True

    def joined(self, identity: str, _name: str) -> None:
        self.people.append(identity)

    def left(self, identity: str) -> None:
        self.people.remove(identity)

    def may_hear(self, _identity: str) -> bool:
        return True

    async def consent_known(self, _identity: str) -> None:
        """Everybody may be heard."""

    def track_opened(self, identity: str, track_id: str) -> Sink:
        if track_id not in self.tracks:
            self.tracks[track_id] = self._make(identity, track_id, self._tell)
        return self.tracks[track_id]

    def track_muted(self, track_id: str) -> None:
        self.tracks[track_id].flush()

    def track_closed(self, track_id: str) -> None:
        self.tracks[track_id].flush()

    def chat(self, message_id: str, identity: str, _name: str, text: str, **_how: object) -> None:
        self.log.append(("chat", message_id, identity, text))

    def agent_text(self, message_id: str, *_: Any, **__: Any) -> None:
        self.log.append(("agent", message_id))

    def chat_left_out(self, identity: str) -> None:
        self.log.append(("left out", identity))

    def outranked(self, epoch: int) -> None:
        self.log.append(("outranked", str(epoch)))

    def connection(self, *, up: bool) -> None:
        self.log.append(("connection", str(up)))

    def closed(self, reason: str) -> None:
        self.log.append(("closed", reason))

    def _tell(self, event: TrackEvent) -> None:
        if not self.alive or not isinstance(event, Heard | Missed):
            return
        place = {name: getattr(event, name) for name in ("start_ms", "end_ms", "track_id", "track_end_ms")}
        match event:
            case Heard(key=key, participant=who, text=text):
                said = events.UtteranceSpoken(key=key, speaker_id=who, speaker_name=who, text=text, **place)
                self._session.post(said)
            case Missed(participant=who, reason=reason):
                self._session.post(events.GapNoted(participant_id=who, reason=reason, **place))

    async def die(self) -> None:
        self.alive = False
        for track in self.tracks.values():
            await track.aclose()


def maker(
    session: Session,
    words: list[str],
    delay_s: float,
    *,
    seam: Seam | None = None,
    keeper: SoundKeeper | None = None,
) -> MakeTrack:
    """Tracks as a job makes them."""
    made = track_maker(
        session,
        WordEngine(words, delay_s),
        "auto",
        make_vad=LevelVad,
        keeper=keeper,
        cut=(seam or Seam(session, ROW, fresh=True)).cut,
    )
    assert made is not None
    return made


def talk(words: list[str], dice: random.Random, *, pauses: float) -> bytes:
    """Words with short breaks, and `pauses` after so many of them; without, it is cut after 25 s."""
    sound = bytearray(silence(600))
    for number in range(len(words)):
        sound += spoken(number) + silence(90)
        if dice.random() < pauses:
            sound += silence(dice.choice([300, 700, 1500]))
    return bytes(sound + silence(1500))


def _on_record(world: World) -> OnRecord:
    meeting = world.session.manager.meeting
    return OnRecord(
        zero_s=world.session.zero_s,
        resume_ms={track: until - OVERLAP_MS for track, until in meeting.coverage.heard_until.items()},
        off_record=meeting.coverage.off_record,
        holder_until_s=0.0,
    )


async def speak(sink: Sink, *numbers: int, after_ms: int = 800) -> None:
    """Words with silence before and behind them, as they come in from a room."""
    loop = asyncio.get_running_loop()
    for frame in frames(silence(800) + b"".join(map(spoken, numbers)) + silence(after_ms)):
        await asyncio.sleep(0.05)
        sink.push(frame, loop.time())


async def off_the_record(world: World, sink: Sink, track: Track | None = None) -> None:
    """Two words are said, two off the record, and two again."""
    await speak(sink, 0, 1)
    world.session.post(RecordingPaused(by="ben", at_ms=world.session.now_ms()))
    if track is not None:
        track.pause()
    await speak(sink, 2, 3)
    world.session.post(RecordingResumed(by="ben", at_ms=world.session.now_ms()))
    if track is not None:
        track.resume()
    await speak(sink, 4, 5)


async def followed(
    world: World,
    standby: StandbyEars,
    words: list[str],
    kept: Sequence[KeptTrack] = (),
    keeper: SoundKeeper | None = None,
) -> Holder:
    """The standby's successor, which has transcribed all that it took over."""
    successor = Holder(world.session, maker(world.session, words, 0.0, keeper=keeper))
    await standby.hand_to(successor, _on_record(world), kept)
    await successor.tracks["TR_1"].finish(30)
    await world.settle()
    return successor


def said_in(world: World) -> list[str]:
    return " ".join(u.text for u in world.session.manager.meeting.utterances).split()


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
        standby = StandbyEars(LoopClock(), on_closed=lambda: None)
        sinks = [ears.track_opened("ben", "TR_1") for ears in (holder, standby)]
        standby.joined("ben", "Ben")
        taking: asyncio.Task[Holder] | None = None

        async def take_over() -> Holder:
            await holder.die()
            await asyncio.sleep(away_s)
            await world.settle()
            seam = Seam(world.session, ROW, fresh=False)
            successor = Holder(world.session, maker(world.session, words, delay_s, seam=seam))
            await standby.hand_to(successor, _on_record(world))
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
        standby = StandbyEars(clock, on_closed=lambda: None)
        standby.joined("minji", "김민지")
        standby.chat("q-old", "minji", "김민지", "뭐가 결정됐어?")
        await asyncio.sleep(10)
        died_s = clock.monotonic_s()
        await asyncio.sleep(2)
        standby.chat("q-new", "minji", "김민지", "what was decided?")
        successor = Holder(world.session, maker(world.session, [], 0.0))
        record = _on_record(world)
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
        standby = StandbyEars(LoopClock(), on_closed=lambda: closed.append(True))
        standby.connection(up=False)
        standby.closed("ROOM_DELETED")
        assert closed == [True]
        successor = Holder(world.session, maker(world.session, [], 0.0))
        await standby.hand_to(successor, _on_record(world))
        assert successor.log == [("connection", "False"), ("closed", "ROOM_DELETED")]


@pytest.mark.parametrize("language", WORDS)
async def test_what_was_said_off_the_record_reaches_no_engine(language: str) -> None:
    words = WORDS[language]
    async with meeting_at_work() as world:
        standby = StandbyEars(LoopClock(), on_closed=lambda: None)
        await off_the_record(world, standby.track_opened("ben", "TR_1"))
        await world.settle()
        await followed(world, standby, words)
        assert said_in(world) == [words[n] for n in (0, 1, 4, 5)]
        assert {gap.reason for gap in world.session.manager.meeting.coverage.gaps} == {"off_record"}


@pytest.mark.parametrize("language", WORDS)
async def test_the_last_words_of_one_who_has_just_left_are_heard(language: str) -> None:
    words = WORDS[language]
    async with meeting_at_work() as world:
        standby = StandbyEars(LoopClock(), on_closed=lambda: None)
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
        standby = StandbyEars(LoopClock(), on_closed=lambda: None, may_hear=agreed.__getitem__)
        for said in (0, 2):  # what is heard until the standby has learnt of the no, and behind the yes
            await speak(standby.track_opened("ben", "TR_1"), said, said + 1)
            agreed["ben"] = said == 2
            if said == 0:
                standby.track_closed("TR_1")
                assert standby.kept_bytes == 0
        await followed(world, standby, WORDS["ko"])
        assert said_in(world) == WORDS["ko"][2:4]


def test_what_the_holder_left_half_said_in_the_room_is_known() -> None:
    standby = StandbyEars(HandClock(), on_closed=lambda: None)
    standby.agent_text("m-1/ben@10", "ben", "Ben", "we will", final=False)
    standby.agent_text("m-1/ben@10", "ben", "Ben", "we will ship", final=True)
    standby.agent_text("m-1/minji@20", "minji", "김민지", "출시일은", final=False)
    standby.agent_text("m-1/ben@30", "ben", "Ben", "um", final=False)
    standby.agent_text("m-1/ben@30", "ben", "Ben", "", final=False)
    assert standby.interims == {"m-1/minji@20": "minji"}


async def test_of_a_holder_whose_engine_lags_behind_more_is_kept() -> None:
    clock = LoopClock()
    ears = StandbyEars(clock, on_closed=lambda: None)
    sinks = [ears.track_opened("minji", "TR_1")]
    kept: list[int] = []
    for second in range(300):
        # Of what is said nothing becomes text for three minutes; then all of it.
        ears.keep(second if second < 180 else 0)
        if second == 50:
            sinks.append(ears.track_opened("ben", "TR_2"))
        for sink in sinks:
            sink.push(silence(1000), clock.monotonic_s())
        kept.append(ears.kept_bytes // 32_000)
        await asyncio.sleep(1)
    assert kept[28] == 29
    assert kept[49] == 50, "all there was"
    assert kept[170] in (240, 241, 242), "two minutes of either, and no more"
    assert kept[-1] in (60, 61, 62)
