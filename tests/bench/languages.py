"""Which language `auto` reads a stretch in, with the packaged Whisper on the recorded meetings' sound.

Their lines (true cuts) and each third of the pieces of 0.6 to 2 s that these are cut into are put in the order of
several meetings: of one language, with a single stretch of the other, of somebody who changes over, mixed. The
baseline is each stretch by itself, as it was before: the likelier of Korean and English, another one from a share
of 0.97 on.

Wrong letters are those of a line beside what was said, and of a piece beside what the model reads when it is
given the right language.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from stt.files.audio import read_pcm
from stt.loudness import loud_ms, power
from stt.providers.whisper import Whisper
from stt.providers.whisper_weights import packaged
from stt.segment import BYTES_PER_MS
from stt.spoken_language import SpokenLanguages, choose, evidence
from tests.bench.figures import Figure
from worker.configuration.settings import Settings

_AUDIO: Final = Path(__file__).parents[1] / "data" / "audio"
_MEETINGS: Final = {"ko": "ko-release-planning", "en": "en-sprint-review"}
_OTHER: Final = {"ko": "en", "en": "ko"}
_PIECES_MS: Final = (600, 1000, 1500, 2000)
_BEFORE_MS, _AFTER_MS = 300, 500
"""The silence that the voice detector leaves around a voice."""
_HEARD_BEFORE: Final = 6
"""So many lines are said before a scene begins."""
_FOREIGN_BEYOND: Final = 0.97
_AUDIBLE: Final = 1 / 20
"""The share of a line's power that a piece of it has at least."""
_EVERY: Final = 3
"""Only each third piece is taken: the model needs minutes for all."""


@dataclass(frozen=True, eq=False)
class Sound:
    """A stretch as an engine gets it."""

    pcm: bytes
    language: str
    speaker: str
    line: int
    said: str | None
    """None for a piece: nobody wrote down what is said in it."""


class Turn(NamedTuple):
    """A stretch in a scene."""

    speaker: str
    sound: Sound
    counts: bool = True
    """Whether it is measured, and not only heard."""


Scene = Sequence[Turn]


@dataclass
class Tally:
    """What became of the stretches of some scenes."""

    stretches: int = 0
    wrong: int = 0
    letters: int = 0
    errors: int = 0

    def add(self, sound: Sound, language: str, letters: int, errors: int) -> None:
        """Count a stretch that was read in a language."""
        self.stretches += 1
        self.wrong += language != sound.language
        self.letters += letters
        self.errors += errors


@dataclass
class Ear:
    """The model, which is asked everything once."""

    whisper: Whisper
    _shares: dict[Sound, Mapping[str, float]] = field(default_factory=dict)
    _texts: dict[tuple[Sound, str], str] = field(default_factory=dict)

    def shares(self, sound: Sound) -> Mapping[str, float]:
        """How likely the model holds each language."""
        if sound not in self._shares:
            wave = np.frombuffer(sound.pcm, "<i2").astype(np.float32) / np.float32(32768)
            ranked = self.whisper._whisper.model.detect_language(self.whisper._encode(wave))[0]
            self._shares[sound] = {token[2:-2]: share for token, share in ranked}
        return self._shares[sound]

    def likeliest(self, sound: Sound) -> str:
        """The language that it holds for the likeliest."""
        shares = self.shares(sound)
        return max(shares, key=lambda code: shares[code])

    def text(self, sound: Sound, language: str) -> str:
        """What it reads in a language; letters alone."""
        if (sound, language) not in self._texts:
            segments = self.whisper.recognise(sound.pcm, language)
            said = "".join(segment.text for segment in segments)
            self._texts[sound, language] = _letters(said)
        return self._texts[sound, language]

    def count(self, tally: Tally, sound: Sound, language: str) -> None:
        """Count a stretch that was read in this language."""
        truth = self.text(sound, sound.language) if sound.said is None else _letters(sound.said)
        tally.add(sound, language, len(truth), Levenshtein.distance(truth, self.text(sound, language)))


def languages() -> list[Figure]:
    """Shares of stretches in a wrong language and of wrong letters, beside each stretch by itself."""
    lines, pieces = {}, {}
    for language, name in _MEETINGS.items():
        lines[language] = list(_lines(_AUDIO / name, language))
        pieces[language] = [each for line in lines[language] for each in _pieces(line)][::_EVERY]
    ear = Ear(Whisper(packaged(Settings.load().process.cache_dir).path, name="whisper-base", workers=1))
    figures: list[Figure] = []
    for name, scenes in _scenes(lines, pieces).items():
        figures += _figures(ear, name, scenes)
    for language in _OTHER:
        accented = [
            each for each in (*lines[language], *pieces[language]) if ear.likeliest(each) not in _OTHER
        ]
        name = f"one speaker, all of {language} that sounds likeliest like neither language"
        figures += _figures(ear, name, [[Turn("mina", each) for each in accented]])
    return figures


def _figures(ear: Ear, name: str, scenes: Sequence[Scene]) -> Iterator[Figure]:
    with_it, alone = Tally(), Tally()
    for scene in scenes:
        _follow(ear, scene, with_it, alone)
    letters, before = (each.errors / max(1, each.letters) for each in (with_it, alone))
    yield Figure(
        f"in a wrong language: {name}",
        with_it.wrong / max(1, with_it.stretches),
        "",
        baseline=f"each by itself, {alone.wrong}",
        baseline_value=alone.wrong / max(1, alone.stretches),
        note=f"{with_it.wrong} of {with_it.stretches}; wrong letters {letters:.3f}, each by itself {before:.3f}",
    )


def _follow(ear: Ear, scene: Scene, with_it: Tally, alone: Tally) -> None:
    spoken = SpokenLanguages()
    for speaker, sound, counts in scene:
        expected, voice_ms = spoken.expected(speaker), loud_ms(sound.pcm)
        sounded = evidence(ear.shares(sound), expected, voice_ms)
        if ear.text(sound, language := choose(sounded, expected)):  # what has no words is no turn
            spoken.hear(speaker, sounded)
        if counts:
            ear.count(with_it, sound, language)
            ear.count(alone, sound, _by_itself(ear.shares(sound)))


def _by_itself(shares: Mapping[str, float]) -> str:
    likeliest = max(shares, key=lambda code: shares[code])
    if likeliest not in _OTHER and shares[likeliest] > _FOREIGN_BEYOND:
        return likeliest
    return max(_OTHER, key=lambda code: shares.get(code, 0.0))


# ---- the scenes -------------------------------------------------------------------------------

Sounds = Mapping[str, Sequence[Sound]]


def _scenes(lines: Sounds, pieces: Sounds) -> dict[str, list[Scene]]:
    found: dict[str, list[Scene]] = {}
    for ours, other in _OTHER.items():
        said = list(_in_turn(lines[ours], pieces[ours]))
        halves = sorted({each.speaker for each in said})
        found[f"{ours} meeting, lines and pieces"] = [_own(said)]
        for number in (0, 1):
            half = halves[number::2]
            of_half = [each for each in said if each.speaker in half]
            found[f"{ours} meeting, of {' and '.join(half)} alone"] = [_own(of_half)]
        found[f"{ours} meeting, one line in {other}"] = [_one(lines[ours], each) for each in lines[other]]
        for ms in _PIECES_MS:
            short = [each for each in pieces[other] if _voice_ms(each) == ms]
            found[f"{ours} meeting, one piece of {ms / 1000} s in {other}"] = [
                _one(lines[ours], each) for each in short
            ]
        found[f"{ours} meeting, third and fourth of four pieces of 1 s in {other}"] = list(
            _four(lines[ours], [each for each in pieces[other] if _voice_ms(each) == 1000])
        )
        goes_on = list(islice(_in_turn(lines[other], pieces[other]), 24))
        found[f"{ours} meeting whose one speaker goes on in {other}"] = [
            [*_heard(lines[ours], "mina"), *(Turn("mina", each) for each in goes_on)]
        ]
    found["one speaker, lines in both languages in turn"] = [
        [Turn("mina", each) for pair in zip(lines["ko"], lines["en"], strict=False) for each in pair]
    ]
    both = zip(_in_turn(lines["ko"], pieces["ko"]), _in_turn(lines["en"], pieces["en"]), strict=False)
    mixed = [each for pair in both for each in pair]
    found["one speaker, lines and pieces in both languages in turn"] = [
        [Turn("mina", each) for each in mixed]
    ]
    found["speakers of both languages in turn, lines and pieces"] = [_own(mixed)]
    return found


def _own(said: Iterable[Sound]) -> Scene:
    return [Turn(each.speaker, each) for each in said]


def _heard(lines: Sequence[Sound], speaker: str) -> list[Turn]:
    return [Turn(speaker, each, counts=False) for each in lines[:_HEARD_BEFORE]]


def _one(lines: Sequence[Sound], other: Sound) -> Scene:
    return [*_heard(lines, "mina"), Turn("mina", other)]


def _four(lines: Sequence[Sound], pieces: Sequence[Sound]) -> Iterator[Scene]:
    for at in range(0, len(pieces) - 3, 4):
        first = [Turn("mina", each, counts=False) for each in pieces[at : at + 2]]
        yield [*_heard(lines, "mina"), *first, *(Turn("mina", each) for each in pieces[at + 2 : at + 4])]


def _in_turn(lines: Sequence[Sound], pieces: Sequence[Sound]) -> Iterator[Sound]:
    """Each line, and behind it the pieces of it."""
    for line in lines:
        yield line
        yield from [each for each in pieces if each.line == line.line]


# ---- the sound --------------------------------------------------------------------------------


def _lines(folder: Path, language: str) -> Iterator[Sound]:
    data = json.loads((folder / "meeting.json").read_text("utf-8"))
    tracks = {who: b"".join(read_pcm(folder / each["track"])) for who, each in data["participants"].items()}
    for number, line in enumerate(data["lines"]):
        start, end = (int(line[key] * 1000) * BYTES_PER_MS for key in ("start_s", "end_s"))
        pcm = tracks[line["speaker"]][start:end]
        yield Sound(_in_silence(pcm), language, line["speaker"], number, line["text"])


def _pieces(line: Sound) -> Iterator[Sound]:
    """The line cut into pieces of each length, without those in which hardly anything is heard."""
    voice = line.pcm[_BEFORE_MS * BYTES_PER_MS : -_AFTER_MS * BYTES_PER_MS]
    for ms in _PIECES_MS:
        size = ms * BYTES_PER_MS
        for at in range(0, len(voice) - size + 1, size):
            piece = voice[at : at + size]
            if power(piece) > power(voice) * _AUDIBLE:
                yield Sound(_in_silence(piece), line.language, line.speaker, line.line, None)


def _in_silence(voice: bytes) -> bytes:
    return bytes(_BEFORE_MS * BYTES_PER_MS) + voice + bytes(_AFTER_MS * BYTES_PER_MS)


def _voice_ms(sound: Sound) -> int:
    return len(sound.pcm) // BYTES_PER_MS - _BEFORE_MS - _AFTER_MS


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()
