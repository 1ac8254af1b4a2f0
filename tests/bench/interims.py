"""Words while one speaks: how soon, how firm, and what they cost the finals, by the packaged model in a real room.

One, two and four people talk at once, each a line of a recorded meeting and then a pause, first with interims and
then without. A client in a process of its own notes each text and when it was there. A line's sound counts from
its first voice and to its last, as the detector hears them, at the microphone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from rapidfuzz.distance import Levenshtein

from stt.endpointer import SpeechEnded, SpeechStarted
from stt.files.audio import read_pcm
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from stt.vad import SileroVad, SpeechDetector
from tests.bench.figures import Figure, percentile
from tests.bench.live import Ground, audio_folder, measured, moim_in, say
from tests.bench.processes import load

_MEETINGS: Final = ("ko-release-planning", "en-sprint-review")
_SPEAKERS: Final = (1, 2, 4)
_LINES: Final = {1: 20, 2: 24, 4: 32}
"""How many lines are said in each play, in both languages in turn."""
_PAUSE_S: Final = 1.6
_LEAD_S: Final = 2.0
_SETTLE_S: Final = 12.0
_NEAR_S: Final = 1.0
_FITS_S: Final = 0.25
_LEAD_MS: Final = 500
_LIMIT_S: Final = 1500.0
_FIRST_P50_S: Final = 1.6
_FIRST_P95_S: Final = 2.5
_TAKEN_BACK: Final = 0.02


class Line(NamedTuple):
    """A line as it is played."""

    speaker: str
    at_s: float
    text: str
    pcm: bytes
    language: str


@dataclass(slots=True)
class Shown:
    """What came of one line."""

    line: Line
    first_voice_s: float
    last_voice_s: float
    texts: list[Mapping[str, Any]] = field(default_factory=list)
    """What the listener read of its segments, in order."""

    @property
    def finals(self) -> list[Mapping[str, Any]]:
        """The final of each segment."""
        return [told for told in self.texts if "segment" in told]

    @property
    def first_s(self) -> float | None:
        """From the first voice to the first text."""
        return self.texts[0]["received_s"] - self.first_voice_s if self.texts else None

    @property
    def final_s(self) -> float | None:
        """From the last voice to the last final."""
        return self.finals[-1]["received_s"] - self.last_voice_s if self.finals else None

    @property
    def errors(self) -> int:
        """Letters that the finals have wrong, or not at all."""
        return Levenshtein.distance(
            letters(self.line.text), letters(" ".join(told["text"] for told in self.finals))
        )


def interims() -> list[Figure]:
    """Seconds to the first text, shares of firm words, and finals with and without interims."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    lines = await asyncio.to_thread(spoken)
    found: dict[tuple[str, int], list[Shown]] = {}
    notes: dict[tuple[str, int], str] = {}
    for mode in ("on", "off"):
        async with ground.moim({"STT_ENGINE": "whisper", "STT_INTERIMS": mode}):
            for speakers in _SPEAKERS:
                found[mode, speakers] = await _play(ground, speakers, lines)
                notes[mode, speakers] = load()
    figures = _of_words(found["on", 1], notes["on", 1])
    for speakers in _SPEAKERS:
        figures += _of_finals(found["on", speakers], found["off", speakers], speakers, notes["on", speakers])
    return figures


async def _play(ground: Ground, speakers: int, of: Sequence[Line]) -> list[Shown]:
    async with ground.stage(f"interims-{speakers}") as stage, ground.listener(stage):
        players = [stage.player(f"speaker-{number}") for number in range(speakers)]
        free_s = [_LEAD_S + number * 0.7 for number in range(speakers)]
        lines = []
        for said in of[: _LINES[speakers]]:
            number = free_s.index(min(free_s))
            line = said._replace(speaker=players[number].identity, at_s=free_s[number])
            players[number].say(line.pcm, line.at_s)
            free_s[number] += len(line.pcm) / BYTES_PER_MS / 1000 + _PAUSE_S
            lines.append(line)
        for player in players:
            await player.join()
        await ground.registry.want(stage.room)
        await moim_in(players[0])
        stage.begin()
        say(f"{speakers} at once: {len(lines)} lines in {max(free_s):.0f} s")
        await stage.until(max(free_s) + _SETTLE_S)
        assert stage.started_s is not None
        return matched(lines, stage.started_s, ground.told("listener"))


def matched(lines: Sequence[Line], began_s: float, log: str) -> list[Shown]:
    """What the listener read, by the line that it was of: the nearest of its speaker by where it begins."""
    told = [json.loads(row) for row in log.splitlines() if row.startswith("{")]
    told = [each for each in told if each.keys() & {"interim", "segment"} and each["received_s"] > began_s]
    shown = []
    for line in lines:
        first_s, last_s = _voice(line.pcm)
        shown.append(Shown(line, began_s + line.at_s + first_s, began_s + line.at_s + last_s))
    starts = {_segment(each): int(_segment(each).rpartition("@")[2]) / 1000 for each in told}
    if not starts:
        return shown
    who = {_segment(each): each["speaker"] for each in told}
    zero_s = _zero_s(shown, [(who[segment], start_s) for segment, start_s in starts.items()])
    for each in told:
        start_s = zero_s + starts[_segment(each)]
        own = [one for one in shown if one.line.speaker == each["speaker"]]
        of = [one for one in own if one.first_voice_s - _NEAR_S < start_s < one.last_voice_s + _NEAR_S]
        if of:
            min(of, key=lambda one: abs(one.first_voice_s - start_s)).texts.append(each)
    for one in shown:
        one.texts.sort(key=lambda each: each["received_s"])
    return shown


def _zero_s(shown: Sequence[Shown], segments: Sequence[tuple[str, float]]) -> float:
    """When the meeting's clock began: the moment by which most segments begin where a line of theirs does."""

    def fitting(zero_s: float) -> int:
        return sum(
            any(
                one.line.speaker == who and abs(one.first_voice_s - zero_s - start_s) < _FITS_S
                for one in shown
            )
            for who, start_s in segments
        )

    candidates = {
        one.first_voice_s - start_s for one in shown for who, start_s in segments if one.line.speaker == who
    }
    return max(sorted(candidates), key=fitting)


def _segment(told: Mapping[str, Any]) -> str:
    return str(told.get("interim") or told.get("segment"))


# ---- figures ----------------------------------------------------------------------------------


def _of_words(shown: Sequence[Shown], note: str) -> list[Figure]:
    firsts = [first_s for one in shown if (first_s := one.first_s) is not None]
    early = sum(bool(one.texts) and "interim" in one.texts[0] for one in shown)
    read = [words for one in shown for words in _segments(one)]
    figures = [
        Figure(
            "first text after the first voice, one speaker, p50",
            percentile(firsts, 0.5),
            "s",
            _FIRST_P50_S,
            note=f"{len(firsts)} of {len(shown)} lines, {early} with words before their final, {note}",
        ),
        Figure("the same, p95", percentile(firsts, 0.95), "s", _FIRST_P95_S),
    ]
    for language in ("ko", "en"):
        of = [words for words in read if words.language == language]
        firm = sum(words.firm for words in of)
        figures += [
            Figure(
                f"firm words that a later reading takes back, {language}",
                sum(words.taken_back for words in of) / max(1, firm),
                "",
                _TAKEN_BACK,
                note=f"of {firm}",
            ),
            Figure(
                f"firm words that the final says otherwise, {language}",
                sum(words.changed for words in of) / max(1, firm),
                "",
                _TAKEN_BACK,
                note=f"of {firm}",
            ),
            Figure(
                f"tentative share of the words under way, {language}",
                sum(words.tentative for words in of) / max(1, sum(words.shown for words in of)),
                "",
            ),
        ]
    return figures


def _of_finals(on: Sequence[Shown], off: Sequence[Shown], speakers: int, note: str) -> list[Figure]:
    late_on, late_off = ([late for one in each if (late := one.final_s) is not None] for each in (on, off))
    errors_on, errors_off = (
        sum(one.errors for one in each) / sum(len(letters(one.line.text)) for one in each)
        for each in (on, off)
    )
    firsts = [first_s for one in on if (first_s := one.first_s) is not None]
    return [
        Figure(
            f"last voice to the final, {speakers} at once, p95",
            percentile(late_on, 0.95),
            "s",
            None,
            "without interims",
            percentile(late_off, 0.95),
            note=f"p50 {percentile(late_on, 0.5):.2f}, without {percentile(late_off, 0.5):.2f}; "
            f"{len(late_on)} of {len(on)} lines, without {len(late_off)}; "
            f"first text p50 {percentile(firsts, 0.5):.2f}, p95 {percentile(firsts, 0.95):.2f}; {note}",
        ),
        Figure(
            f"errors of the finals' letters, {speakers} at once",
            errors_on,
            "",
            None,
            "without interims",
            errors_off,
        ),
    ]


class Words(NamedTuple):
    """Counts of one segment's words under way."""

    language: str
    shown: int
    tentative: int
    firm: int
    """Firm words of its last interim."""
    taken_back: int
    """Firm words that a later interim does not begin with."""
    changed: int
    """Firm words that its final does not have."""


def _segments(shown: Shown) -> Iterator[Words]:
    for segment in dict.fromkeys(map(_segment, shown.texts)):
        told = [each for each in shown.texts if _segment(each) == segment]
        under_way = [each for each in told if "interim" in each and each["text"]]
        final = next((each["text"] for each in told if "segment" in each), "")
        firm = [each["text"][: each["firm"]].split() for each in under_way]
        texts = [each["text"].split() for each in under_way]
        back = sum(
            len(before) - _alike(before, after) for before, after in zip(firm, texts[1:], strict=False)
        )
        count = sum(map(len, texts))
        newest = firm[-1] if firm else []
        yield Words(
            shown.line.language,
            count,
            count - sum(map(len, firm)),
            len(newest),
            back,
            changed_words(newest, final),
        )


def _alike(words: Sequence[str], others: Sequence[str]) -> int:
    pairs = zip(words, others, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if letters(one) != letters(other)), len(words))


def changed_words(firm: Sequence[str], final: str) -> int:
    """How many of these words, with which a text begins, are not wholly in the beginning of its final."""
    said, whole = "".join(map(letters, firm)), letters(final)
    most = min(len(whole), len(said) + 8)
    least = min(most, max(0, len(said) - 8))
    end = min(range(least, most + 1), key=lambda at: Levenshtein.distance(said, whole[:at]))
    same = [False] * len(said)
    for step in Levenshtein.opcodes(said, whole[:end]):
        if step.tag == "equal":
            same[step.src_start : step.src_end] = [True] * (step.src_end - step.src_start)
    changed = at = 0
    for word in map(letters, firm):
        changed += not all(same[at : at + len(word)])
        at += len(word)
    return changed


def letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


# ---- what is said -----------------------------------------------------------------------------


def spoken() -> list[Line]:
    """The lines of both meetings in turn, each cut out of its track."""
    each = [lines_of(name) for name in _MEETINGS]
    return [line for pair in zip(*each, strict=False) for line in pair]


def lines_of(name: str) -> list[Line]:
    folder = audio_folder(name)
    script = json.loads((folder / "meeting.json").read_text("utf-8"))
    tracks = {who: b"".join(read_pcm(folder / of["track"])) for who, of in script["participants"].items()}
    found = []
    for line in script["lines"]:
        start, end = (int(line[key] * 1000) * BYTES_PER_MS for key in ("start_s", "end_s"))
        pcm = tracks[line["speaker"]][start:end]
        found.append(Line("", 0.0, line["text"], pcm, script["language"]))
    return found


def _voice(pcm: bytes) -> tuple[float, float]:
    """Where the voice of a line begins and ends, in seconds of it."""
    lead, tail = bytes(_LEAD_MS * BYTES_PER_MS), bytes(2 * SAMPLE_RATE_HZ)
    detector, sample = SpeechDetector(SileroVad()), 0
    starts, ends = list[int](), list[int]()
    for chunk in (lead, pcm, tail):
        for event in detector.push(sample, chunk):
            if isinstance(event, SpeechStarted):
                starts.append(event.voiced_sample)
            elif isinstance(event, SpeechEnded):
                ends.append(event.voiced_sample)
        sample += len(chunk) // 2
    first, last = (sample / SAMPLE_RATE_HZ - _LEAD_MS / 1000 for sample in (starts[0], ends[-1]))
    return max(0.0, first), last
