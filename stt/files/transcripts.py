"""Reads transcripts: WebVTT, SRT, JSONL and plain notes. A cue or a line is one utterance, never merged.

The parsers are our own: an error has to name the line it stands in, broken cues must not vanish
(webvtt-py drops them without a word and keeps no line numbers), and voices, speaker prefixes and
old encodings have to come through.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from context.language.edits import EDIT_MARK
from stt.files.audio import BadInput
from stt.files.folder import read_lines

UNKNOWN_SPEAKER: Final = "speaker"
"""Who speaks where a file names nobody."""
MAX_TEXT_CHARS: Final = 4_000_000
"""A line with more characters is refused: nobody has said that."""

_SUFFIXES: Final = (".vtt", ".srt", ".jsonl", ".ndjson", ".txt")
_MAX_MS: Final = 7 * 24 * 3600 * 1000
_MAX_SPEAKER_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class TextLine:
    """One utterance of a transcript. Times are in ms from the meeting's start."""

    index: int
    """From 0, in the order of the file; a line without words has a number and no `TextLine`."""
    speaker: str
    """Who speaks, as an id: the same name is the same person."""
    name: str
    """The speaker's name as people see it."""
    text: str
    start_ms: int
    end_ms: int
    times_derived: bool = False
    """Whether a time is missing in the file and was derived from a speaking rate."""


Numbered = tuple[int, str]
"""A line's number in the file, from 1, and the line."""
Warn = Callable[[str], None]
"""Takes a message of one line for the user, about something that was not read as it is written."""


class _Row(NamedTuple):
    """One line or cue as the file has it."""

    number: int
    speaker: str
    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    name: str = ""
    told: str = ""
    """How its times are written in the file, for a warning."""


class _Wrong(Exception):
    """What is wrong in which line, before the file's name is added (`BadInput`)."""

    def __init__(self, number: int, problem: str) -> None:
        super().__init__(problem)
        self.number = number


def is_transcript(path: Path) -> bool:
    """Whether `read_transcript` knows the kind of this file, by its suffix."""
    return path.suffix.lower() in _SUFFIXES


def read_transcript(path: Path, warn: Warn | None = None) -> list[TextLine]:
    """Read all lines of a transcript file. Raises `BadInput`.

    A line that ends before it begins is taken to end where it begins; `warn` is called once for the file.
    """
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise BadInput(path, f"unknown kind of transcript {suffix or '(no suffix)'}; one of {known}")
    numbered = read_lines(path)
    try:
        match suffix:
            case ".vtt" | ".srt":
                rows = _cues(numbered, vtt=suffix == ".vtt")
            case ".txt":
                rows = _notes(numbered)
            case _:
                rows = _json_rows(numbered)
        lines, backwards = _placed(rows)
    except _Wrong as wrong:
        raise BadInput(path, str(wrong), line=wrong.number) from wrong.__cause__
    if not lines:
        raise BadInput(path, "nothing is said in it; an empty transcript can't be replayed")
    if backwards and warn is not None:
        (number, told), more = backwards[0], len(backwards) - 1
        others = f" (so do {more} more)" if more else ""
        mend = "taken as over where it begins; mend the times"
        warn(f"{path}:{number}: {told} ends before it begins{others}: {mend}")
    return lines


def _placed(rows: Iterable[_Row]) -> tuple[list[TextLine], list[Numbered]]:
    """Give each row its times; returns also, as (number, times), those that ended before they began."""
    lines: list[TextLine] = []
    backwards: list[Numbered] = []
    clock_ms = 0
    for index, row in enumerate(rows):
        text = _one_line(row.text)
        if len(text) > MAX_TEXT_CHARS:
            much = f"{len(text)} characters in one line"
            raise _Wrong(row.number, f"{much}; split it (at most {MAX_TEXT_CHARS})")
        start_ms, end_ms = row.start_ms, row.end_ms
        derived = start_ms is None or end_ms is None
        if start_ms is None:
            start_ms = clock_ms + PAUSE_MS if clock_ms else 0
            if end_ms is not None:
                start_ms = max(0, min(start_ms, end_ms - speaking_ms(text)))
        if end_ms is None or (derived and end_ms == 0):  # an end alone at 0 says nothing
            end_ms = start_ms + speaking_ms(text)
        if end_ms < start_ms:
            backwards.append((row.number, row.told))
            end_ms = start_ms
        if text:  # one without words says nothing, but keeps its number
            clock_ms = max(clock_ms, end_ms)
            name = row.name or row.speaker
            lines.append(TextLine(index, row.speaker, name, text, start_ms, end_ms, derived))
    return lines, backwards


# --- WebVTT and SRT -------------------------------------------------------------------------------

_STAMP = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*(-?){_STAMP}\s*-->\s*(-?){_STAMP}(?:\s.*)?$")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)*[ \t]+([^>]*)>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:[a-z]+(?:\.[^\s>]*)*(?:\s[^>]*)?|[\d:.]+)>|\{\\[^}]*\}", re.IGNORECASE)
_PREFIX = re.compile(r"\s*(?:-\s*)?([^\W\d_][^:：\n]{0,39}?)\s*[:：](?!//)\s*(?=\S)")
_EDITED = re.compile(rf"\s*(?:<c\.edited>{EDIT_MARK}</c>|<i>{EDIT_MARK}</i>(?=\s*\Z))")
"""Behind words that somebody edited Moim's own subtitles say so; nobody said it."""
_HEADED_BLOCK = re.compile(r"(NOTE|STYLE|REGION)(\s|$)")
_HOW: Final = "write `00:00:01.000 --> 00:00:02.000`"


def _cues(numbered: Iterable[Numbered], *, vtt: bool) -> Iterator[_Row]:
    """Find out who speaks in each cue: by its voice tag, or by `Name: text` where a file has that throughout.

    A cue without a name then belongs to the last speaker.

    A single colon in a sentence makes nobody a speaker: half of the nameless cues must have one.
    """
    found = _voiced(iter(numbered), vtt=vtt)
    cues = [cue._replace(text=_TAG.sub("", _EDITED.sub("", cue.text))) for cue in found]
    nameless = [cue for cue in cues if not cue.speaker]
    prefixed = 2 * sum(_PREFIX.match(cue.text) is not None for cue in nameless) >= max(1, len(nameless))
    last = ""
    for cue in cues:
        named = _PREFIX.match(cue.text) if prefixed and not cue.speaker else None
        speaker = cue.speaker or (named[1] if named else "")
        if prefixed:
            speaker = last = speaker or last
        name = _one_line(html.unescape(speaker)) or UNKNOWN_SPEAKER
        text = cue.text[named.end() :] if named else cue.text
        yield cue._replace(speaker=name, text=html.unescape(text))


def _voiced(numbered: Iterator[Numbered], *, vtt: bool) -> Iterator[_Row]:
    """Read the cues of a file, one row for each voice in them: `<v Ann>…</v><v Ben>…` are two."""
    if vtt:
        number, first = next(numbered, (1, ""))
        if not re.match(r"WEBVTT(\s|$)", first):
            raise _Wrong(number, "no WebVTT: its first line must be `WEBVTT`")
    for blank, lines in groupby(numbered, key=lambda line: not line[1].strip()):
        block = list(lines)
        if blank or (vtt and "-->" not in block[0][1] and _HEADED_BLOCK.match(block[0][1])):
            continue
        at = next((i for i, (_, line) in enumerate(block[:2]) if "-->" in line), None)
        if at is None:
            header = vtt and block[0][0] <= 2
            if header or (len(block) == 1 and block[0][1].strip().isdigit()):  # an SRT number without a cue
                continue
            raise _Wrong(block[0][0], f"a cue without times; {_HOW} above it")
        number, timing = block[at]
        start_ms, end_ms = _times(number, timing)
        row = _Row(number, "", "", start_ms, end_ms, told=f"the cue {_short(timing)}")
        payload = "\n".join(text for _, text in block[at + 1 :])
        parts = _VOICE.split(payload) if vtt else [payload]
        if parts[0].strip() or len(parts) == 1:
            yield row._replace(text=parts[0])
        for speaker, text in zip(parts[1::2], parts[2::2], strict=True):
            yield row._replace(speaker=speaker, text=text)


def _times(number: int, line: str) -> tuple[int, int]:
    found = _TIMING.match(line)
    if not found:
        raise _Wrong(number, f"no times: {_short(line)}; {_HOW}")
    if found[1] or found[6]:
        raise _Wrong(number, f"a negative time: {_short(line)}; times count from the meeting's start")
    stamps = found.groups("0")
    start_ms, end_ms = (
        ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(fraction.ljust(3, "0"))
        for hours, minutes, seconds, fraction in (stamps[1:5], stamps[6:10])
    )
    if max(start_ms, end_ms) > _MAX_MS:
        raise _Wrong(number, f"a time beyond a week: {_short(line)}; the format is HH:MM:SS.mmm")
    return start_ms, end_ms


# --- JSONL and notes ------------------------------------------------------------------------------

_SHAPE: Final = 'write {"speaker": "…", "text": "…"}'


def _json_rows(numbered: Iterable[Numbered]) -> Iterator[_Row]:
    for number, raw in numbered:
        if not raw.strip():
            continue
        try:
            item = json.loads(raw)
        except json.JSONDecodeError as error:
            raise _Wrong(number, f"not JSON ({error.msg}); {_SHAPE}") from error
        except (ValueError, RecursionError) as error:
            why = "nested too deeply, or a number too long"
            raise _Wrong(number, f"not JSON ({why}); {_SHAPE}") from error
        if not isinstance(item, dict):
            raise _Wrong(number, f"not an object: {_short(raw)}; {_SHAPE}")
        for field in ("text", "speaker"):
            value = item.get(field)
            if value is None:
                raise _Wrong(number, f'"{field}" is missing; each line needs "speaker" and "text"')
            if not isinstance(value, str):
                raise _Wrong(number, f'"{field}" must be a string, not {_short(json.dumps(value))}')
        speaker = _one_line(item["speaker"])
        if not speaker:
            raise _Wrong(number, '"speaker" is empty; give the id or the name of who said it')
        if len(speaker) > _MAX_SPEAKER_CHARS:
            much = f"has {len(speaker)} characters (at most {_MAX_SPEAKER_CHARS})"
            raise _Wrong(number, f'"speaker" {much}')
        name = _one_line(item["name"]) if isinstance(item.get("name"), str) else ""
        start_ms, end_ms = _moment(number, item, "start_ms"), _moment(number, item, "end_ms")
        told = f'"end_ms" {end_ms} with "start_ms" {start_ms}'
        yield _Row(number, speaker, item["text"], start_ms, end_ms, name, told)


def _moment(number: int, item: dict[str, Any], field: str) -> int | None:
    value = item.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise _Wrong(number, f'"{field}" must be milliseconds, not {_short(json.dumps(value))}')
    if value < 0:
        raise _Wrong(number, f'"{field}" is negative ({value}); times count from the start')
    if value > _MAX_MS:
        raise _Wrong(number, f'"{field}" is beyond a week ({value}); it counts milliseconds')
    return int(value)


def _notes(numbered: Iterable[Numbered]) -> Iterator[_Row]:
    """Read `Name: text` on every line. A line without a name is refused: who says it would be a guess."""
    for number, raw in numbered:
        if not raw.strip():
            continue
        found = _PREFIX.match(raw)
        if found is None:
            raise _Wrong(number, f"nobody says {_short(raw)!r}; write `Name: text`, no times")
        yield _Row(number, _one_line(found[1]), raw[found.end() :])


# --- text and time --------------------------------------------------------------------------------

PAUSE_MS: Final = 300
"""The pause before a line whose start is derived."""
_MS_PER_SYLLABLE: Final = 180
_MS_PER_LETTER: Final = 65
_LEAST_MS: Final = 300


def speaking_ms(text: str) -> int:
    """Estimate how long it takes to say a text: some 5.5 Korean syllables or 15 letters a second."""
    wide = sum("\u1100" <= char <= "\uffdc" for char in text)
    return max(_LEAST_MS, wide * _MS_PER_SYLLABLE + (len(text) - wide) * _MS_PER_LETTER)


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _one_line(raw: str) -> str:
    """Clean a text: no control or lone surrogate characters, no line breaks, single spaces."""
    return " ".join(_CONTROL.sub(" ", _LONE_SURROGATE.sub("", raw)).split())


def _short(raw: str) -> str:
    raw = raw.strip()
    return raw if len(raw) <= 40 else raw[:39] + "…"
