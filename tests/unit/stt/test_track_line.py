"""The line's promise under any engine: one outcome per stretch, in the order of the sound, nothing left."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from stt.heard import Heard, Interim, Missed, Nothing, TrackEvent
from stt.segment import EngineBusy, EngineFailed
from stt.transcription import Patience
from stt.turn_queue import LineOptions, QueuedTurn, TurnQueue
from tests.fakes.speech import Act, FakeEngine, tone
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


@settings(max_examples=60, deadline=None)
@given(st.lists(acts, max_size=30), stretches, st.integers(1, 3), st.floats(2, 30))
def test_one_outcome_each_in_order(
    script: list[Act], spoken: list[tuple[int, float, bool]], in_flight: int, waiting_s: float
) -> None:
    async def scenario() -> None:
        engine = FakeEngine(list(script))
        events: list[TrackEvent] = []
        options = LineOptions(in_flight, waiting_s, Patience(base_s=6.0))
        line = TurnQueue("mina", "TR_1", engine, events.append, language="auto", options=options)
        now_ms, turns, expected = 0, list[QueuedTurn](), list[int]()
        for tenths, pause_s, gap in spoken:
            turn = line.join(now_ms, now_ms)
            turns.append(turn)
            for _ in range(tenths):
                await asyncio.sleep(0.1)
                line.grow(turn, tone(100))
            now_ms += tenths * 100
            line.end(turn, now_ms, now_ms)
            expected.append(now_ms)
            await asyncio.sleep(pause_s)
            now_ms += int(pause_s * 1000) + 1
            if gap:
                line.note_gap(now_ms, now_ms + 500, "track_lost")
                now_ms += 500
                expected.append(now_ms)
            assert line.backlog_s >= 0
        await line.finish(300)
        assert engine.at_once == 0
        assert engine.most_at_once <= in_flight
        outcomes = [event for event in events if not isinstance(event, Interim)]
        assert [outcome.track_end_ms for outcome in outcomes] == expected
        settled = [outcome.key for outcome in outcomes if outcome.key]
        assert settled == [turn.key for turn in turns]
        assert line.backlog_s == 0
        assert line.outstanding_from_ms is None
        _interims_precede_their_outcome(events)
        lost = [outcome.reason for outcome in outcomes if isinstance(outcome, Missed)]
        assert set(lost) <= {"overload", "stt_error", "stt_timeout", "track_lost"}

    run_virtual(scenario())


def _interims_precede_their_outcome(events: list[TrackEvent]) -> None:
    settled: set[str | None] = set()
    for event in events:
        match event:
            case Interim(key=key):
                assert key not in settled
            case Heard(key=key) | Nothing(key=key) | Missed(key=key):
                settled.add(key)
