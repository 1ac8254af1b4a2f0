"""Real speech through a whole track: gate, the real voice detector, endpointer, line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from stt.track import Track
from stt.track_events import Heard, TrackEvent
from stt.vad import SileroVad
from tests.fakes.speech import FakeEngine, frames
from tests.unit.stt.audio import load

AUDIO = Path(__file__).parents[2] / "data" / "audio"


@pytest.mark.parametrize("noise_dbfs", [None, -44.0])
@pytest.mark.parametrize(
    ("meeting", "track"), [("ko-release-planning", "minji"), ("en-sprint-review", "chloe")]
)
async def test_every_line_is_heard_whole(meeting: str, track: str, noise_dbfs: float | None) -> None:
    told = json.loads((AUDIO / meeting / "meeting.json").read_text())
    lines = [line for line in told["lines"] if line["speaker"] == track]
    wave = load(AUDIO / meeting / told["participants"][track]["track"])
    if noise_dbfs is not None:
        noise = np.random.default_rng(7).standard_normal(len(wave)) * 32768 * 10 ** (noise_dbfs / 20)
        wave = np.clip(wave + noise, -32768, 32767).astype(np.int16)
    events: list[TrackEvent] = []
    hearing = Track(track, "TR_1", FakeEngine(gives_interims=False), SileroVad(), events.append)
    for n, frame in enumerate(frames(wave.tobytes()), 1):
        hearing.push(frame, n * 0.05)
        await asyncio.sleep(0)
    await hearing.finish()

    heard = [event for event in events if isinstance(event, Heard)]
    assert len(heard) == len(events), "nothing missed, nothing empty"
    assert len(lines) <= len(heard) <= len(lines) * 1.25
    for line in lines:
        start_ms, end_ms = line["start_s"] * 1000, line["end_s"] * 1000
        turns = [turn for turn in heard if turn.start_ms < end_ms and turn.end_ms > start_ms]
        assert turns, line
        assert turns[0].start_ms <= start_ms + 250, line
        assert turns[-1].end_ms >= end_ms - 450, "a line's end includes some 0.27 s of silence"
