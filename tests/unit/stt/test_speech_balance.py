"""What the voice detector heard is, at any moment, what was transcribed, wordless, lost, or still waits."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from stt.heard import Heard, Missed, Nothing, TrackEvent
from stt.outage import Outage
from stt.track import Track
from stt.transcription import Patience
from stt.turn_queue import LineOptions, TurnQueue
from tests.fakes.speech import Act, FakeEngine, LevelVad, play, silence, tone
from tests.fakes.virtual_time import run_virtual
from tests.unit.stt.test_track_line import acts, stretches


class Ledger:
    """Adds up what a line tells."""

    def __init__(self) -> None:
        self.heard_ms = self.settled_ms = self.unheard_ms = 0
        self.events: list[TrackEvent] = []

    def spoke(self, speech_ms: int) -> None:
        self.heard_ms += speech_ms

    def take(self, event: TrackEvent) -> None:
        self.events.append(event)
        match event:
            case Heard():
                self.settled_ms += event.speech_ms
            case Nothing():
                self.settled_ms += event.end_ms - event.start_ms
            case Missed() if event.reason == "track_lost":
                self.unheard_ms += event.end_ms - event.start_ms
            case Missed():
                self.settled_ms += event.end_ms - event.start_ms


@settings(max_examples=60, deadline=None)
@given(st.lists(acts, max_size=30), stretches, st.integers(1, 3), st.floats(2, 30), st.floats(0, 90))
def test_the_sum_balances_whatever_the_engine_does(
    script: list[Act],
    spoken: list[tuple[int, float, bool]],
    in_flight: int,
    waiting_s: float,
    deadline_s: float,
) -> None:
    async def scenario() -> None:
        ledger = Ledger()
        options = LineOptions(in_flight, waiting_s, Patience(base_s=6.0, away_s=20.0), kept_s=waiting_s + 5)
        line = TurnQueue(
            "mina",
            "TR_1",
            FakeEngine(list(script)),
            ledger.take,
            language="auto",
            options=options,
            on_speech=ledger.spoke,
            outage=Outage(),
        )
        now_ms = expected_ms = 0
        for tenths, pause_s, gap in spoken:
            turn = line.join(now_ms, now_ms)
            for _ in range(tenths):
                await asyncio.sleep(0.1)
                line.grow(turn, tone(100))
                assert ledger.heard_ms == ledger.settled_ms + line.waiting_speech_ms
            line.end(turn, now_ms + tenths * 100 - 40, now_ms + tenths * 100)
            expected_ms += tenths * 100 - 40
            now_ms += tenths * 100
            await asyncio.sleep(pause_s)
            assert ledger.heard_ms == ledger.settled_ms + line.waiting_speech_ms == expected_ms
            now_ms += int(pause_s * 1000) + 1
            if gap:
                line.note_gap(now_ms, now_ms + 500, "track_lost")
                now_ms += 500
        await line.finish(deadline_s)
        assert line.waiting_speech_ms == 0
        assert ledger.heard_ms == ledger.settled_ms == expected_ms
        assert ledger.unheard_ms == 500 * sum(gap for _, _, gap in spoken)
        await line.aclose()

    run_virtual(scenario())


def test_a_tracks_speech_is_the_detectors_and_its_sound_is_what_was_not_digital_silence() -> None:
    async def scenario() -> None:
        ledger = Ledger()
        loop = asyncio.get_running_loop()
        track = Track(
            "mina",
            "TR_1",
            FakeEngine([Act("네, 좋습니다"), Act("")]),
            LevelVad(),
            ledger.take,
            origin_s=loop.time(),
            on_speech=ledger.spoke,
        )
        sound = [silence(500), tone(2000), silence(1000), bytes(32 * 1000), tone(1000), silence(1000)]
        await play(track.push, b"".join(sound), clock_s=loop.time)
        await track.finish(20)
        heard, nothing = ledger.events[-2:]
        assert isinstance(heard, Heard)
        assert isinstance(nothing, Nothing)
        assert abs(heard.speech_ms - 2000) <= 100
        assert abs(nothing.end_ms - nothing.start_ms - 1000) <= 100
        assert ledger.heard_ms == ledger.settled_ms
        assert track.sound_ms == 5500
        await track.aclose()

    run_virtual(scenario())
