"""Which figures and days the local engine marks as not heard clearly, and which of them were misheard.

The recorded meetings' lines with a figure are heard as they are, in noise, among other voices, faster and
slower, so that figures are misheard often enough to count. The default bound stands beside the one that would be
chosen for each speaker by all others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from context.evidence.figure_places import FigurePlace, Named, figure_places, named
from stt.files.audio import read_pcm
from stt.files.folder import read_folder
from stt.hallucinations import is_hallucinated
from stt.providers.whisper import Whisper
from stt.providers.whisper_weights import resolve
from stt.providers.whisper_window import Floats
from stt.segment import SAMPLE_RATE_HZ
from stt.word_confidence import LEAST_SHARE
from tests.bench.figures import Figure
from worker.configuration.settings import Settings

_AUDIO: Final = Path(__file__).parents[1] / "data" / "audio"
_AROUND_S: Final = 0.28
_BOUNDS: Final = tuple(share / 20 for share in range(1, 20))
_ALSO: Final = {"세 시": 3.0, "한 명": 1.0, "일차": 1.0, "일억": 1e8, "one": 1.0}
"""Figures of the lines that are said in words which may mean something else."""


@dataclass(frozen=True, slots=True)
class _Line:
    language: str
    speaker: str
    text: str
    sound: Floats
    others: Floats
    """Somebody of the other meeting, who speaks meanwhile."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """A figure as it was heard."""

    condition: str
    speaker: str
    share: float
    wrong: bool


def doubt() -> list[Figure]:
    """The share of marked figures that were misheard, and of misheard ones that are marked, by condition."""
    weights = resolve("auto", Settings.load().process.cache_dir)
    whisper = Whisper(weights.path, name=weights.name, workers=1)
    lines = list(_lines())
    heard: list[_Heard] = []
    figures: list[Figure] = []
    for condition, change in _conditions().items():
        found = [each for line in lines for each in _hear(whisper, condition, line, change)]
        figures += _scores(condition, found, lambda _: LEAST_SHARE)
        heard += found
    figures += _scores("all", heard, lambda _: LEAST_SHARE)
    chosen = {
        who: _best([each for each in heard if each.speaker != who]) for who in {e.speaker for e in heard}
    }
    return figures + _scores(
        "all, each speaker by the others' bound", heard, lambda each: chosen[each.speaker]
    )


def _scores(name: str, heard: Sequence[_Heard], bound: Callable[[_Heard], float]) -> list[Figure]:
    wrong = sum(each.wrong for each in heard)
    marks = [each for each in heard if each.share < bound(each)]
    found = sum(each.wrong for each in marks)
    counts = f"{len(heard)} figures, {wrong} misheard, {len(marks)} marked, {found} of them misheard"
    return [
        Figure(f"{name}: marks that are right", round(found / max(1, len(marks)), 2), "", note=counts),
        Figure(f"{name}: misheard figures that are marked", round(found / max(1, wrong), 2), ""),
    ]


def _best(heard: Sequence[_Heard]) -> float:
    """The largest bound with which half of the marks are right: it finds most."""
    good = [0.0]
    for bound in _BOUNDS:
        marks = [each for each in heard if each.share < bound]
        if marks and 2 * sum(each.wrong for each in marks) >= len(marks):
            good.append(bound)
    return max(good)


def _hear(
    whisper: Whisper, condition: str, line: _Line, change: Callable[[_Line], Floats]
) -> Iterator[_Heard]:
    sound = change(line)
    encoded = whisper._encode(sound)
    written = whisper._decode(encoded, line.language, len(sound) / SAMPLE_RATE_HZ)
    if is_hallucinated(written.text, written.scores):
        return
    for place, share in whisper._figure_shares(encoded, written, line.language):
        yield _Heard(condition, line.speaker, share, not _said(place, line.text))


def _said(place: FigurePlace, truth: str) -> bool:
    also: set[Named] = {("figure", value) for words, value in _ALSO.items() if words in truth}
    return place.says <= named(truth) | also


def _lines() -> Iterator[_Line]:
    tracks: dict[tuple[str, str], Floats] = {}
    told = []
    for folder in sorted(_AUDIO.iterdir()):
        meeting = json.loads((folder / "meeting.json").read_text("utf-8"))
        for track in read_folder(folder).tracks:
            pcm = b"".join(read_pcm(track.path, chunk_ms=1000))
            tracks[meeting["language"], track.participant] = (
                np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
            )
        told += [(meeting["language"], line) for line in meeting["lines"] if figure_places(line["text"])]
    for place, (language, line) in enumerate(told):
        sound = _cut(
            tracks[language, line["speaker"]], line["start_s"] - _AROUND_S, line["end_s"] + _AROUND_S
        )
        elsewhere = [track for (other, _), track in tracks.items() if other != language]
        voice = elsewhere[place % len(elsewhere)]
        voice = voice[np.abs(voice) > 1e-3]  # without its pauses
        others = np.resize(np.roll(voice, -place * SAMPLE_RATE_HZ), len(sound))
        yield _Line(language, line["speaker"], line["text"], sound, others.astype(np.float32))


def _cut(track: Floats, start_s: float, end_s: float) -> Floats:
    return track[int(max(0.0, start_s) * SAMPLE_RATE_HZ) : int(end_s * SAMPLE_RATE_HZ)]


def _conditions() -> dict[str, Callable[[_Line], Floats]]:
    """By name, what is done to the sound of a line."""
    changes: dict[str, Callable[[_Line], Floats]] = {"as recorded": lambda line: line.sound}
    for snr_db in (20, 10, 5, 0):
        changes[f"noise, {snr_db} dB"] = lambda line, snr_db=snr_db: _mixed(line.sound, _noise(line), snr_db)
        changes[f"a voice, {snr_db} dB"] = lambda line, snr_db=snr_db: _mixed(line.sound, line.others, snr_db)
    for speed in (0.8, 1.25):
        changes[f"{speed} times as fast"] = lambda line, speed=speed: _faster(line.sound, speed)
    return changes


def _noise(line: _Line) -> Floats:
    """Pink noise, the same for a line each time."""
    drawn = np.random.default_rng(len(line.sound)).standard_normal(len(line.sound))
    spectrum = np.fft.rfft(drawn)
    shaped = spectrum / np.sqrt(np.maximum(1, np.arange(len(spectrum))))
    return np.fft.irfft(shaped, len(line.sound)).astype(np.float32)


def _mixed(sound: Floats, other: Floats, snr_db: float) -> Floats:
    spoken = float(np.mean(np.square(sound[np.abs(sound) > 0.01])))
    scale = np.sqrt(spoken / float(np.mean(np.square(other))) / 10 ** (snr_db / 10))
    return (sound + other * np.float32(scale)).astype(np.float32)


def _faster(sound: Floats, speed: float) -> Floats:
    at = np.arange(int(len(sound) / speed)) * speed
    return np.interp(at, np.arange(len(sound)), sound).astype(np.float32)
