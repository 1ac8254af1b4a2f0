"""Where a turn ends: what longer and shorter windows of silence make of the recorded meetings' lines.

A line is *split* where more than one stretch of speech holds some of it, and a stretch is *merged* where it
holds more than one line of its speaker.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from stt.endpointer import Endpointer, EndpointerOptions, SpeechEnded, SpeechStarted
from stt.files.audio import read_pcm
from stt.files.folder import read_folder
from stt.segment import SAMPLE_RATE_HZ
from stt.vad import SileroVad, SpeechDetector
from tests.bench.figures import Figure

_AUDIO: Final = Path(__file__).parents[1] / "data" / "audio"
_FRAME_MS: Final = 50
_WINDOWS_MS: Final = (350, 400, 450, 500, 550, 600, 700)
_IN_IT_S: Final = 0.15
"""A stretch holds some of a line where they overlap by so much."""

Spans = list[tuple[float, float]]
"""From, to, in seconds of the meeting."""


def turns() -> list[Figure]:
    """Lines that are split, by window; noted: stretches, those that are merged, lines that are missed."""
    tracks = [each for folder in sorted(_AUDIO.iterdir()) for each in _tracks(folder)]
    figures = []
    for window_ms in _WINDOWS_MS:
        split = merged = missed = stretches = 0
        for path, lines in tracks:
            found = _stretches(path, window_ms)
            held = [sum(_overlap_s(line, each) > _IN_IT_S for each in found) for line in lines]
            split += sum(parts > 1 for parts in held)
            missed += held.count(0)
            merged += sum(sum(_overlap_s(line, each) > _IN_IT_S for line in lines) > 1 for each in found)
            stretches += len(found)
        lines_in_all = sum(len(lines) for _, lines in tracks)
        name = f"lines split where {window_ms} ms of silence end a turn"
        note = f"{stretches} stretches, {merged} merged, {missed} lines missed"
        if window_ms == EndpointerOptions().silence_ms:
            note = f"the default: {note}"
        figures.append(Figure(name, split, f"of {lines_in_all}", note=note))
    return figures


def _tracks(folder: Path) -> list[tuple[Path, Spans]]:
    lines = json.loads((folder / "meeting.json").read_text("utf-8"))["lines"]
    return [
        (
            track.path,
            [(line["start_s"], line["end_s"]) for line in lines if line["speaker"] == track.participant],
        )
        for track in read_folder(folder).tracks
    ]


def _stretches(path: Path, silence_ms: int) -> Spans:
    detector = SpeechDetector(SileroVad(), Endpointer(EndpointerOptions(silence_ms=silence_ms)))
    found: Spans = []
    began_s = 0.0
    sample = 0
    for pcm in [*read_pcm(path, chunk_ms=_FRAME_MS), bytes(2 * SAMPLE_RATE_HZ)]:
        for event in detector.push(sample, pcm):
            if isinstance(event, SpeechStarted):
                began_s = event.voiced_sample / SAMPLE_RATE_HZ
            elif isinstance(event, SpeechEnded):
                found.append((began_s, event.voiced_sample / SAMPLE_RATE_HZ))
        sample += len(pcm) // 2
    return found


def _overlap_s(one: tuple[float, float], other: tuple[float, float]) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])
