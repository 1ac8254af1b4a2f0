"""The line's promise under any engine: one outcome per stretch, in the order of the sound, and the sum balances.

What the voice detector heard is, at any moment, what was transcribed, wordless, lost, or still waits.
"""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from stt.backlog import Backlog
from stt.segment import EngineBusy, EngineFailed
from stt.track import Track
from stt.track_events import Heard, Interim, Missed, TrackEvent, Wordless
from stt.transcription import Patience
from stt.turn_queue import QueuedTurn, TurnQueue, TurnQueueOptions
from tests.fakes.speech import Act, FakeEngine, LevelVad, play, silence, tone
from tests.fakes.virtual_time import run_virtual

acts = st.one_of(
    st.builds(Act, text=st.sampled_from(["회의를 시작합시다", "Let's start", ""]), delay_s=st.floats(0, 15)),
    st.builds(Act, text=st.just("네"), interims=st.just(("네",)), delay_s=st.floats(0, 3)),
    st.builds(
        Act,
        error=st.sampled_from([EngineBusy("full"), EngineFailed("no"), ValueError("empty"), TimeoutError()]),
        error_at_once=st.booleans(),
        delay_s=st.floats(0, 3),
    ),
    st.just(Act(hangs=True)),
    st.just(Act(stops_early=True)),
)
stretches = st.lists(
    st.tuples(st.integers(1, 40), st.floats(0, 6), st.booleans()),  # tenths of sound, pause after, gap after
    min_size=1,
    max_size=12,
)


class Ledger:
    """Adds up what a line tells."""

    def __init__(self) -> None:
        self.heard_ms = self.settled_ms = self.unheard_ms = 0
        self.events: list[TrackEvent] = []

    def spoke(self, speech_ms: int) -> None:
        self.heard_ms += speech_ms

    def take(self, event: TrackEvent) -> None:
        match event:
            case Interim():
                settled = {other.key for other in self.events if not isinstance(other, Interim)}
                assert event.key not in settled
            case Heard():
                self.settled_ms += event.speech_ms
            case Missed() if event.reason == "track_lost":
                self.unheard_ms += event.end_ms - event.start_ms
            case Wordless() | Missed():
                self.settled_ms += event.end_ms - event.start_ms
        self.events.append(event)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(acts, max_size=30), stretches, st.integers(1, 3), st.floats(2, 30), st.sampled_from([0, 20, 300])
)
def test_one_outcome_each_in_order_and_the_sum_balances_whatever_the_engine_does(
    script: list[Act],
    spoken: list[tuple[int, float, bool]],
    in_flight: int,
    waiting_s: float,
    deadline_s: float,
) -> None:
    async def scenario() -> None:
        ledger, engine = Ledger(), FakeEngine(list(script))
        options, backlog = TurnQueueOptions(in_flight, Patience(base_s=6.0)), Backlog(waiting_s * 0.032)
        line = TurnQueue(
            "mina", "TR_1", engine, ledger.take, options=options, on_speech=ledger.spoke, backlog=backlog
        )
        now_ms = expected_ms = 0
        turns, ends = list[QueuedTurn](), list[int]()
        for tenths, pause_s, gap in spoken:
            turn = line.join(now_ms, now_ms)
            turns.append(turn)
            for _ in range(tenths):
                await asyncio.sleep(0.1)
                line.grow(turn, tone(100))
                assert ledger.heard_ms == ledger.settled_ms + line.waiting_speech_ms
            now_ms += tenths * 100
            line.end(turn, now_ms - 40, now_ms)
            expected_ms += tenths * 100 - 40
            ends.append(now_ms)
            await asyncio.sleep(pause_s)
            assert ledger.heard_ms == ledger.settled_ms + line.waiting_speech_ms == expected_ms
            now_ms += int(pause_s * 1000) + 1
            if gap:
                line.note_gap(now_ms, now_ms + 500, "track_lost")
                now_ms += 500
                ends.append(now_ms)
            assert line.backlog_s >= 0
        await line.finish(deadline_s)
        assert engine.at_once == 0
        assert engine.most_at_once <= in_flight
        outcomes = [event for event in ledger.events if not isinstance(event, Interim)]
        assert [outcome.track_end_ms for outcome in outcomes] == ends
        assert [outcome.key for outcome in outcomes if outcome.key] == [turn.key for turn in turns]
        assert (line.backlog_s, line.waiting_speech_ms, line.outstanding_from_ms) == (0, 0, None)
        assert ledger.heard_ms == ledger.settled_ms == expected_ms
        assert backlog.size_bytes == 0
        assert ledger.unheard_ms == 500 * sum(gap for _, _, gap in spoken)
        await line.aclose()

    run_virtual(scenario())


def test_a_tracks_speech_is_the_detectors_and_its_sound_is_what_was_not_digital_silence() -> None:
    async def scenario() -> None:
        ledger, engine = Ledger(), FakeEngine([Act("네, 좋습니다"), Act("")])
        loop = asyncio.get_running_loop()
        track = Track(
            "mina", "TR_1", engine, LevelVad(), ledger.take, origin_s=loop.time(), on_speech=ledger.spoke
        )
        sound = [silence(500), tone(2000), silence(1000), bytes(32 * 1000), tone(1000), silence(1000)]
        await play(track.push, b"".join(sound), clock_s=loop.time)
        await track.finish(20)
        heard, nothing = ledger.events[-2:]
        assert isinstance(heard, Heard)
        assert isinstance(nothing, Wordless)
        assert abs(heard.speech_ms - 2000) <= 100
        assert abs(nothing.end_ms - nothing.start_ms - 1000) <= 100
        assert ledger.heard_ms == ledger.settled_ms
        assert track.sound_ms == 5500
        await track.aclose()

    run_virtual(scenario())
