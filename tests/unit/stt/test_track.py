"""One participant's track on virtual time: order, patience, bounds, and a clean end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from stt.backlog import Backlog
from stt.endpointer import Endpointer, EndpointerOptions
from stt.segment import BYTES_PER_MS, Segment, Stretch
from stt.track import Track
from stt.track_events import Heard, Interim, Missed, TrackEvent, Wordless
from stt.transcription import Patience
from stt.turn_queue import TurnQueueOptions
from tests.fakes.speech import Act, FakeEngine, LevelVad, play, silence, tone
from tests.fakes.virtual_time import in_virtual_time

PATIENCE = Patience(base_s=10.0, per_second=1.0)


class Room:
    """A track, its engine, and what came of it."""

    def __init__(
        self,
        *script: Act | str,
        engine: FakeEngine | None = None,
        track_id: str = "TR_1",
        endpointer: Endpointer | None = None,
        kept_s: float = 3600.0,
        **options: Any,
    ) -> None:
        self.engine = engine or FakeEngine(list(script))
        self.vad = LevelVad()
        self.events: list[TrackEvent] = []
        self.at_s: list[float] = []
        self.origin_s = asyncio.get_running_loop().time()
        self.track = Track(
            "mina",
            track_id,
            self.engine,
            self.vad,
            self._take,
            language="ko",
            origin_s=self.origin_s,
            endpointer=endpointer,
            backlog=Backlog(kept_s * 0.032),
            options=TurnQueueOptions(**{"patience": PATIENCE, **options}),
        )

    def _take(self, event: TrackEvent) -> None:
        self.events.append(event)
        self.at_s.append(asyncio.get_running_loop().time() - self.origin_s)

    async def hears(self, *sounds: bytes) -> None:
        await play(self.track.push, b"".join(sounds), clock_s=asyncio.get_running_loop().time)

    @property
    def heard(self) -> list[Heard]:
        return [event for event in self.events if isinstance(event, Heard)]

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.heard]

    @property
    def missed(self) -> list[Missed]:
        return [event for event in self.events if isinstance(event, Missed)]


@asynccontextmanager
async def room(*script: Act | str, **options: Any) -> AsyncIterator[Room]:
    it = Room(*script, **options)
    try:
        yield it
    finally:
        await it.track.aclose()


@dataclass
class Poisoned(FakeEngine):
    """Does `act` with stretches that begin before `until_ms`, and hears the others."""

    act: Act = field(default_factory=Act)
    until_ms: int = 0

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        bad = int(stretch.id.partition("@")[2]) < self.until_ms
        self.script = [self.act if bad else Act("네")]
        async for segment in super().transcribe(stretch):
            yield segment


WORD = tone(600)
PAUSE = silence(1_400)
"""A word and its pause take 2 s."""


@pytest.mark.parametrize("text", ["네, 좋습니다.", "Yes, let's do that."])
@in_virtual_time
async def test_a_word_is_heard_with_its_times(text: str) -> None:
    async with room(text) as it:
        await it.hears(silence(3_000), WORD, PAUSE)
        (heard,) = it.heard
        assert heard.text == text
        assert abs(heard.start_ms - 3_000) <= 32
        assert abs(heard.end_ms - 3_600) <= 32
        assert heard.key == f"mina:TR_1@{heard.start_ms}"
        assert heard.participant == "mina"
        assert heard.track_id == "TR_1"
        assert heard.end_ms <= heard.track_end_ms <= 4_200
        assert heard.confidence == 0.9
        given = it.engine.heard[heard.key]
        assert len(given) / BYTES_PER_MS >= 300 + 600 + 500, "pre-roll, voice, silence"


@in_virtual_time
async def test_two_tracks_of_one_person_that_begin_in_the_same_millisecond_have_keys_of_their_own() -> None:
    async with room("화면의 소리") as screen, room("Let's see.", track_id="TR_2") as voice:
        await asyncio.gather(*(it.hears(silence(500), WORD, PAUSE) for it in (screen, voice)))
        (first,), (second,) = screen.heard, voice.heard
        assert first.start_ms == second.start_ms
        assert first.key != second.key


@in_virtual_time
async def test_interims_come_while_it_grows_and_share_the_key() -> None:
    async with room(Act("회의를 시작합시다", interims=("회의", "회의를", "회의를 시작"))) as it:
        await it.hears(silence(500), WORD, PAUSE)
        interims = [event for event in it.events if isinstance(event, Interim)]
        assert [interim.text for interim in interims] == ["회의", "회의를", "회의를 시작"]
        assert {interim.key for interim in interims} == {it.heard[0].key}
        assert it.events[-1] is it.heard[0]


@in_virtual_time
async def test_sound_that_waits_is_bounded_oldest_first() -> None:
    async with room(*[Act(str(n), delay_s=8) for n in range(2)], kept_s=6.0) as it:
        await it.hears(silence(500), *[WORD, PAUSE] * 8)
        await it.track.finish(60)
        reasons = {missed.reason for missed in it.missed}
        assert reasons == {"overload"}
        starts = [event.start_ms for event in it.events if isinstance(event, Heard | Missed)]
        assert starts == sorted(starts)
        assert len(starts) == 8
        assert it.texts[:2] == ["0", "1"]
        last = it.events[-1]
        assert isinstance(last, Heard), "the newest sound is kept"


@in_virtual_time
async def test_a_monologue_that_waits_is_given_up_while_it_grows() -> None:
    async with room(Act("a", delay_s=40), Act("b", delay_s=40), kept_s=6.0) as it:
        await it.hears(silence(500), WORD, PAUSE, WORD, PAUSE, tone(8_000), PAUSE)
        await it.track.finish(240)
        (missed,) = it.missed
        assert missed.reason == "overload"
        assert missed.end_ms - missed.start_ms >= 7_900


@pytest.mark.parametrize(
    "error",
    # gRPC raises the last one for a call that its server cancelled
    [ValueError("empty text"), TimeoutError("socket"), OSError("reset"), asyncio.CancelledError()],
)
@in_virtual_time
async def test_a_stretch_that_fails_while_others_become_text_costs_itself_only(error: BaseException) -> None:
    async with room(engine=Poisoned(act=Act(error=error), until_ms=1_000)) as it:
        await it.hears(silence(500), WORD, PAUSE, WORD, PAUSE)
        await it.track.finish(20)
        assert [missed.reason for missed in it.missed] == ["stt_error"]
        assert it.texts == ["네"]
        assert it.missed[0].key == f"mina:TR_1@{it.missed[0].start_ms}"
        assert it.events.index(it.missed[0]) < it.events.index(it.heard[0])
        assert 5 <= it.engine.calls.count(it.missed[0].key) <= 7


@in_virtual_time
async def test_stretches_in_trouble_leave_the_engine_to_others_and_hold_the_track_for_seconds_only() -> None:
    async with room(engine=Poisoned(act=Act(error=ValueError("no")), until_ms=4_000)) as it:
        await it.hears(silence(1_000), *[WORD, PAUSE] * 6, silence(20_000))
        assert [missed.reason for missed in it.missed] == ["stt_error"] * 2
        assert it.texts == ["네"] * 4


@in_virtual_time
async def test_an_engine_that_stops_before_the_end_has_failed() -> None:
    async with room(Act(stops_early=True), Act("끝까지")) as it:
        await it.hears(silence(500), WORD, PAUSE)
        assert it.texts == ["끝까지"]


@in_virtual_time
async def test_a_hang_is_cancelled_and_tried_once_more() -> None:
    async with room(Act(hangs=True), Act("깨어났어요")) as it:
        await it.hears(silence(500), WORD, PAUSE)
        await it.track.finish(60)
        assert it.texts == ["깨어났어요"]
        assert it.engine.cancelled == 1


@in_virtual_time
async def test_a_stretch_that_hangs_while_others_are_answered_is_a_gap_in_the_end() -> None:
    async with room(engine=Poisoned(act=Act(hangs=True), until_ms=1_000)) as it:
        await it.hears(silence(500), *[WORD, PAUSE, silence(4_000)] * 9)
        await it.track.finish(90)
        (missed,) = it.missed
        assert missed.reason == "stt_timeout"
        assert it.texts == ["네"] * 8
        assert it.at_s[it.events.index(missed)] <= 60


@in_virtual_time
async def test_an_engine_that_never_answers_is_waited_for() -> None:
    async with room(*[Act(hangs=True)] * 12) as it:
        await it.hears(silence(500), WORD, PAUSE)
        await it.track.finish(600)
        assert it.missed == []
        assert len(it.texts) == 1


@in_virtual_time
async def test_two_failures_while_it_grows_leave_a_last_attempt_with_all_of_it() -> None:
    at_once = Act(error=ConnectionError("refused"), error_at_once=True)
    async with room(at_once, at_once, Act("끝나고 들었어요")) as it:
        await it.hears(silence(500), tone(3_000), PAUSE)
        assert it.texts == ["끝나고 들었어요"]
        assert len(it.engine.heard[it.heard[0].key]) >= len(tone(3_000))
    async with room(engine=Poisoned(act=at_once, until_ms=1_000)) as it:
        await it.hears(silence(500), tone(3_000), PAUSE, WORD, PAUSE)
        await it.track.finish(20)
        (missed,) = it.missed
        assert missed.reason == "stt_error"
        assert missed.end_ms - missed.start_ms >= 2_950


@in_virtual_time
async def test_noise_without_words_says_nothing_but_moves_on() -> None:
    async with room(Act(""), Act("...")) as it:
        await it.hears(silence(500), WORD, PAUSE, WORD, PAUSE)
        assert [type(event) for event in it.events] == [Wordless, Wordless]
        assert it.track.heard_until_ms >= 4_400


@in_virtual_time
async def test_mute_ends_the_word_at_once() -> None:
    async with room("방금 한 말") as it:
        await it.hears(silence(500), WORD)
        assert it.track._growing
        it.track.flush()
        assert not it.track._growing
        await asyncio.sleep(0.1)
        assert it.texts == ["방금 한 말"]
        await it.hears(silence(3_000), WORD, PAUSE)
        assert len(it.heard) == 2


@in_virtual_time
async def test_finish_waits_for_the_last_words_and_keeps_its_deadline() -> None:
    async with room(Act("goodbye", delay_s=3)) as it:
        await it.hears(silence(500), WORD)
        await it.track.finish(10)
        assert it.texts == ["goodbye"]
        it.track.push(WORD, asyncio.get_running_loop().time())
        assert it.track._growing is None
    async with room(Act("too late", delay_s=9), Act("in time", delay_s=0)) as it:
        await it.hears(silence(500), WORD, PAUSE, WORD)
        began_s = asyncio.get_running_loop().time()
        await it.track.finish(2)
        assert asyncio.get_running_loop().time() - began_s <= 2.01
        assert [missed.reason for missed in it.missed] == ["stt_timeout"]
        assert it.texts == ["in time"]


@in_virtual_time
async def test_an_engine_that_ignores_its_cancellation_does_not_hold_up_the_end() -> None:
    class Stubborn(FakeEngine):
        async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
            async for _ in stretch.sound:
                pass
            while True:
                try:
                    await asyncio.sleep(60)
                    break
                except asyncio.CancelledError:
                    continue
            yield Segment("너무 늦은 말", 0, 100, final=True)

    events: list[TrackEvent] = []
    loop = asyncio.get_running_loop()
    track = Track("mina", "TR_1", Stubborn(), LevelVad(), events.append, origin_s=loop.time())
    await play(track.push, silence(500) + WORD + PAUSE, clock_s=loop.time)
    began_s = loop.time()
    await track.finish(3)
    assert loop.time() - began_s <= 5.1
    assert [type(event) for event in events] == [Missed]
    await asyncio.sleep(120)
    assert len(events) == 1, "what comes after the end is not told"


@in_virtual_time
async def test_aclose_stops_everything_and_says_no_more() -> None:
    async with room(Act(hangs=True), Act(hangs=True)) as it:
        await it.hears(silence(500), WORD, PAUSE, WORD)
        await it.track.aclose()
        assert it.engine.at_once == 0
        assert it.events == []


@in_virtual_time
async def test_off_the_record_nothing_is_heard_and_the_gap_is_told() -> None:
    async with room("before", "after") as it:
        await it.hears(silence(500), WORD)
        it.track.pause()
        await it.hears(WORD, PAUSE, WORD, PAUSE)
        it.track.resume()
        await it.hears(silence(500), WORD, PAUSE)
        assert it.texts == ["before", "after"]
        (missed,) = it.missed
        assert missed.reason == "off_record"
        assert abs(missed.start_ms - 1_100) <= 1
        assert abs(missed.end_ms - 5_100) <= 1
        assert len(it.engine.calls) == 2


@in_virtual_time
async def test_a_track_that_opens_off_the_record_misses_only_what_it_got() -> None:
    async with room() as it:
        it.track.pause()
        await asyncio.sleep(30)
        await it.hears(WORD)
        it.track.resume()
        (missed,) = it.missed
        assert abs(missed.start_ms - 30_000) <= 1


@in_virtual_time
async def test_a_lost_connection_ends_the_word_and_is_told() -> None:
    async with room("하나", "둘") as it:
        await it.hears(silence(500), WORD)
        await asyncio.sleep(4)
        await it.hears(WORD, PAUSE)
        await it.track.finish(5)
        assert it.texts == ["하나", "둘"]
        (missed,) = it.missed
        assert missed.reason == "track_lost"
        assert missed.end_ms - missed.start_ms == 4_000
        assert it.heard[1].start_ms >= missed.end_ms - 1
        assert [type(event) for event in it.events] == [Heard, Missed, Heard]


@in_virtual_time
async def test_everything_up_to_the_oldest_outstanding_word_is_heard() -> None:
    async with room(Act("slow", delay_s=6), Act("fast")) as it:
        await it.hears(silence(2_000), WORD, PAUSE, WORD, PAUSE)
        assert it.track.heard_until_ms <= 2_000
        await it.track.finish(20)
        assert it.track.heard_until_ms >= 6_000


@in_virtual_time
async def test_a_listener_that_raises_does_not_stop_the_line() -> None:
    async with room("하나", "둘") as it:
        texts: list[str] = []

        def refuse_first(event: TrackEvent) -> None:
            if not texts:
                texts.append("refused")
                raise LookupError("no such meeting")
            it._take(event)

        it.track.queue._on_event = refuse_first
        await it.hears(silence(500), WORD, PAUSE, WORD, PAUSE)
        assert it.texts == ["둘"]


@in_virtual_time
async def test_a_speech_without_a_pause_comes_in_parts_that_meet() -> None:
    options = EndpointerOptions(longest_ms=6_000, search_ms=2_000)
    async with room(endpointer=Endpointer(options)) as it:
        await it.hears(silence(1_000), tone(20_000), PAUSE)
        await it.track.finish(10)
        assert len(it.heard) >= 4
        given = b"".join(it.engine.heard[heard.key] for heard in it.heard)
        assert tone(20_000) in given
        for one, two in zip(it.heard, it.heard[1:], strict=False):
            assert one.end_ms == two.start_ms


@in_virtual_time
async def test_frames_of_any_size_give_the_same_turns() -> None:
    spans = []
    sound = silence(1_000) + WORD + PAUSE + tone(200) + PAUSE
    for frame_ms in (10, 20, 50, 60):
        async with room() as it:
            await play(it.track.push, sound, frame_ms=frame_ms, clock_s=asyncio.get_running_loop().time)
            spans.append([(heard.start_ms, heard.end_ms) for heard in it.heard])
    assert all(len(span) == 2 for span in spans)
    assert all(
        abs(a - b) <= 32
        for span in spans
        for one, other in zip(span, spans[0], strict=True)
        for a, b in zip(one, other, strict=True)
    )


@in_virtual_time
async def test_a_quiet_track_never_asks_the_voice_detector() -> None:
    async with room() as it:
        await it.hears(silence(60_000))
        assert it.vad.windows == 0


@in_virtual_time
async def test_a_turn_tells_when_its_voice_came_in_its_stretch_ended_and_its_text_came() -> None:
    async with room(Act("안녕하세요", delay_s=0.3)) as it:
        await it.hears(silence(1000), tone(1000), silence(1000))
        await it.track.finish()
    (heard,) = it.heard
    moments = heard.moments
    assert moments is not None
    assert moments.voice_s is not None
    voice_s = moments.voice_s - it.origin_s
    assert voice_s == pytest.approx(2.0, abs=0.06), "frames are 50 ms, windows 32"
    assert moments.ended_s - it.origin_s == pytest.approx(voice_s + 0.5, abs=0.06)
    assert moments.frame_s == moments.ended_s, "on virtual time"
    assert moments.text_s == pytest.approx(moments.ended_s + 0.3, abs=0.01)


@in_virtual_time
async def test_the_silence_window_is_not_made_longer_by_the_sizes_of_frames_and_windows() -> None:
    waits = [await _waited_s(voice_ms, silence(1000)) for voice_ms in range(1000, 1150, 7)]
    assert waits == pytest.approx([0.5] * len(waits), abs=0.001), "ten frames, never eleven"


@in_virtual_time
async def test_what_ended_early_is_not_lost_and_the_next_turn_is_its_own() -> None:
    async with room(Act("네"), Act("And then")) as it:
        await it.hears(silence(700), tone(1005), silence(1000), tone(1011), silence(1000))
        await it.track.finish()
    assert it.texts == ["네", "And then"]
    first, second = it.heard
    assert first.end_ms == pytest.approx(1705, abs=35)
    assert second.start_ms == pytest.approx(2705, abs=35)
    for heard in it.heard:
        sound = it.engine.heard[heard.key]
        assert len(sound) / BYTES_PER_MS >= 300 + 1000 + 500, "pre-roll, voice, silence"


@in_virtual_time
async def test_sound_that_is_not_quiet_is_for_the_detector_to_judge() -> None:
    murmur = tone(1000, amplitude=250)  # over the gate's level, and no voice
    waits = [await _waited_s(ms, murmur) for ms in range(1000, 1150, 15)]
    assert max(waits) == pytest.approx(0.55, abs=0.001), "the window is 512 ms then, and frames are 50"
    assert min(waits) == pytest.approx(0.5, abs=0.001)


async def _waited_s(voice_ms: int, after: bytes) -> float:
    """From the frame with the last of the voice to the one that ended the stretch."""
    async with room(Act("네")) as it:
        await it.hears(silence(700), tone(voice_ms), after)
        await it.track.finish()
    moments = it.heard[0].moments
    assert moments is not None
    assert moments.frame_s is not None
    assert moments.voice_s is not None
    return moments.frame_s - moments.voice_s
