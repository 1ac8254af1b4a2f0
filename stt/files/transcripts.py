"""Meetings as text: WebVTT, SRT, JSONL and notes. A cue or a line is one utterance, never merged.

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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from stt.files.audio import BadInput
from stt.files.folder import read_lines

UNKNOWN_SPEAKER: Final = "speaker"
MAX_TEXT_CHARS: Final = 4_000_000
"""A longer line is refused: nobody has said that."""

_SUFFIXES: Final = (".vtt", ".srt", ".jsonl", ".ndjson", ".txt")
_MAX_MS: Final = 7 * 24 * 3600 * 1000
_MAX_SPEAKER_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a transcript."""

    index: int
    """From 0, in the order of the file; a line without words has a number and no `TextLine`."""
    speaker: str
    """Who, as an id: the same name is the same person."""
    name: str
    text: str
    start_ms: int
    end_ms: int
    times_derived: bool = False
    """The file gives no times: these come from a speaking rate."""


Cue = tuple[int, str, str, int, int]
"""Line number, speaker or empty, text, start and end in ms."""
Warn = Callable[[str], None]
"""Takes one line for the user about what was read otherwise than it stands there."""


def is_transcript(path: Path) -> bool:
    """Whether `read_transcript` knows the kind of this file, by its suffix."""
    return path.suffix.lower() in _SUFFIXES


def read_transcript(path: Path, warn: Warn | None = None) -> list[TextLine]:
    """All lines of a transcript file. Raises `BadInput`.

    What ends before it begins is taken to end where it begins; `warn` is told, in one line for the file.
    """
    backwards = _Backwards()
    match path.suffix.lower():
        case ".vtt":
            lines = _from_cues(path, _vtt_cues(path, read_lines(path), backwards))
        case ".srt":
            lines = _from_cues(path, _srt_cues(path, read_lines(path), backwards))
        case ".jsonl" | ".ndjson":
            lines = _from_jsonl(path, read_lines(path), backwards)
        case ".txt":
            lines = _from_notes(path, read_lines(path))
        case suffix:
            known = ", ".join(_SUFFIXES)
            raise BadInput(path, f"unknown kind of transcript {suffix or '(no suffix)'}; one of {known}")
    if not lines:
        raise BadInput(path, "nothing is said in it; an empty transcript can't be replayed")
    if backwards.lines and warn is not None:
        warn(f"{path}:{backwards.told()}")
    return lines


@dataclass(slots=True)
class _Backwards:
    """Lines whose end lies before their start."""

    lines: list[tuple[int, str]] = field(default_factory=list)
    """Number in the file, and what stands there."""

    def end_ms(self, number: int, start_ms: int, end_ms: int, what: str) -> int:
        """The end to go by."""
        if end_ms < start_ms:
            self.lines.append((number, what))
        return max(start_ms, end_ms)

    def told(self) -> str:
        """`LINE: what stands there, what is made of it`; the first one, and how many more."""
        (number, what), more = self.lines[0], len(self.lines) - 1
        others = f" (so do {more} more)" if more else ""
        return (
            f"{number}: {what} ends before it begins{others}: taken as over where it begins; mend the times"
        )


# --- WebVTT and SRT -------------------------------------------------------------------------------

_STAMP = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*(-?){_STAMP}\s*-->\s*(-?){_STAMP}(?:\s.*)?$")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)*[ \t]+([^>]*)>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:[a-z]+(?:\.[^\s>]*)*(?:\s[^>]*)?|[\d:.]+)>|\{\\[^}]*\}", re.IGNORECASE)
_PREFIX = re.compile(r"\s*(?:-\s*)?([^\W\d_][^:：\n]{0,39}?)\s*[:：](?!//)\s*(?=\S)")
_HEADED_BLOCK = re.compile(r"(NOTE|STYLE|REGION)(\s|$)")


def _vtt_cues(path: Path, lines: Iterable[tuple[int, str]], backwards: _Backwards) -> Iterator[Cue]:
    numbered = iter(lines)
    number, first = next(numbered, (1, ""))
    if not re.match(r"WEBVTT(\s|$)", first):
        raise BadInput(path, "no WebVTT: its first line must be `WEBVTT`", line=number)
    for block in _blocks(numbered):
        if "-->" not in block[0][1] and _HEADED_BLOCK.match(block[0][1]):
            continue
        if (cue := _cue(path, block, backwards, header=block[0][0] <= 2)) is None:
            continue
        at, start, end, payload = cue
        for speaker, text in _voices("\n".join(payload)):
            yield at, speaker, text, start, end


def _srt_cues(path: Path, lines: Iterable[tuple[int, str]], backwards: _Backwards) -> Iterator[Cue]:
    for block in _blocks(lines):
        if (cue := _cue(path, block, backwards)) is None:
            continue
        at, start, end, payload = cue
        yield at, "", "\n".join(payload), start, end


def _blocks(lines: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in lines:
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _cue(
    path: Path, block: list[tuple[int, str]], backwards: _Backwards, *, header: bool = False
) -> tuple[int, int, int, list[str]] | None:
    """Line number, start, end and text of a block; None for a header's remaining lines."""
    timed = next((i for i, (_, line) in enumerate(block[:2]) if "-->" in line), None)
    if timed is None:
        if header or (len(block) == 1 and block[0][1].strip().isdigit()):  # an SRT number without a cue
            return None
        raise BadInput(
            path, "a cue without times; write `00:00:01.000 --> 00:00:02.000` above it", line=block[0][0]
        )
    number, line = block[timed]
    found = _TIMING.match(line)
    if not found:
        raise BadInput(path, f"no times: {_short(line)}; write `00:00:01.000 --> 00:00:02.000`", line=number)
    if found[1] or found[6]:
        raise BadInput(
            path, f"a negative time: {_short(line)}; times count from the meeting's start", line=number
        )
    start, end = _milliseconds(found.groups()[1:5]), _milliseconds(found.groups()[6:10])
    if max(start, end) > _MAX_MS:
        raise BadInput(path, f"a time beyond a week: {_short(line)}; the format is HH:MM:SS.mmm", line=number)
    end = backwards.end_ms(number, start, end, f"the cue {_short(line)}")
    return number, start, end, [text for _, text in block[timed + 1 :]]


def _milliseconds(groups: tuple[str | None, ...]) -> int:
    hours, minutes, seconds, fraction = groups
    assert minutes is not None
    assert seconds is not None
    assert fraction is not None
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 1000 + int(fraction.ljust(3, "0"))


def _voices(payload: str) -> Iterator[tuple[str, str]]:
    """The voices of one cue: `<v Ann>…</v><v Ben>…` are two lines."""
    parts = _VOICE.split(payload)
    if parts[0].strip() or len(parts) == 1:
        yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2], strict=True)


def _from_cues(path: Path, cues: Iterable[Cue]) -> list[TextLine]:
    lines: list[TextLine] = []
    bare = [(number, who, _TAG.sub("", raw), start, end) for number, who, raw, start, end in cues]
    for index, (number, speaker, raw, start, end) in enumerate(_with_prefixes(bare)):
        text = _text(path, html.unescape(raw), number)
        if text:
            name = _one_line(html.unescape(speaker)) or UNKNOWN_SPEAKER
            lines.append(TextLine(index, name, name, text, start, end))
    return lines


def _with_prefixes(cues: list[Cue]) -> Iterator[Cue]:
    """`Name: text` says who speaks, where a file does so throughout; a cue without goes on with the last.

    A single colon in a sentence makes nobody a speaker: half of the nameless cues must have one.
    """
    nameless = [cue for cue in cues if not cue[1]]
    if 2 * sum(_PREFIX.match(cue[2]) is not None for cue in nameless) < max(1, len(nameless)):
        yield from cues
        return
    last = ""
    for number, speaker, text, start, end in cues:
        found = None if speaker else _PREFIX.match(text)
        last = speaker or (found[1] if found else last)
        yield number, last, text[found.end() :] if found else text, start, end


# --- JSONL ----------------------------------------------------------------------------------------


def _from_jsonl(path: Path, numbered: Iterable[tuple[int, str]], backwards: _Backwards) -> list[TextLine]:
    lines: list[TextLine] = []
    clock_ms = 0
    filled = ((number, raw) for number, raw in numbered if raw.strip())
    for index, (number, raw) in enumerate(filled):
        line = _json_line(path, number, raw, backwards, index=index, clock_ms=clock_ms)
        if line.text:  # one without words says nothing, but keeps its number
            clock_ms = max(clock_ms, line.end_ms)
            lines.append(line)
    return lines


def _json_line(
    path: Path, number: int, raw: str, backwards: _Backwards, *, index: int, clock_ms: int
) -> TextLine:
    try:
        item = json.loads(raw)
    except (ValueError, RecursionError) as error:
        why = (
            error.msg
            if isinstance(error, json.JSONDecodeError)
            else "nested too deeply, or a number too long"
        )
        raise BadInput(
            path, f'not JSON ({why}); write {{"speaker": "…", "text": "…"}}', line=number
        ) from error
    if not isinstance(item, dict):
        raise BadInput(
            path, f'not an object: {_short(raw)}; write {{"speaker": "…", "text": "…"}}', line=number
        )
    text = _text(path, _string(path, number, item, "text"), number)
    speaker = _one_line(_string(path, number, item, "speaker"))
    if not speaker:
        raise BadInput(path, '"speaker" is empty; give the id or the name of who said it', line=number)
    if len(speaker) > _MAX_SPEAKER_CHARS:
        raise BadInput(
            path, f'"speaker" has {len(speaker)} characters (at most {_MAX_SPEAKER_CHARS})', line=number
        )
    name = _one_line(item["name"]) if isinstance(item.get("name"), str) else speaker
    start, end = _time(path, number, item, "start_ms"), _time(path, number, item, "end_ms")
    line = TextLine(index, speaker, name or speaker, text, 0, 0)
    if start is not None and end is not None:
        what = f'"end_ms" {end} with "start_ms" {start}'
        return replace(line, start_ms=start, end_ms=backwards.end_ms(number, start, end, what))
    if start is None:
        start = clock_ms + PAUSE_MS if clock_ms else 0
        if end is not None:
            start = max(0, min(start, end - speaking_ms(text)))
    return replace(
        line, start_ms=start, end_ms=max(start, end or start + speaking_ms(text)), times_derived=True
    )


def _string(path: Path, number: int, item: dict[str, Any], field: str) -> str:
    value = item.get(field)
    if value is None:
        raise BadInput(path, f'"{field}" is missing; each line needs "speaker" and "text"', line=number)
    if not isinstance(value, str):
        raise BadInput(path, f'"{field}" must be a string, not {_short(json.dumps(value))}', line=number)
    return value


def _time(path: Path, number: int, item: dict[str, Any], field: str) -> int | None:
    value = item.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise BadInput(path, f'"{field}" must be milliseconds, not {_short(json.dumps(value))}', line=number)
    if value < 0:
        raise BadInput(path, f'"{field}" is negative ({value}); times count from the start', line=number)
    if value > _MAX_MS:
        raise BadInput(path, f'"{field}" is beyond a week ({value}); it counts milliseconds', line=number)
    return int(value)


# --- notes ----------------------------------------------------------------------------------------


def _from_notes(path: Path, numbered: Iterable[tuple[int, str]]) -> list[TextLine]:
    """`Name: text` on every line. Who says a line without a name can only be guessed: it is refused."""
    lines: list[TextLine] = []
    clock_ms = 0
    for index, (number, raw) in enumerate((n, line) for n, line in numbered if line.strip()):
        found = _PREFIX.match(raw)
        if found is None:
            raise BadInput(path, f"nobody says {_short(raw)!r}; write `Name: text`, no times", line=number)
        name, text = _one_line(found[1]), _text(path, raw[found.end() :], number)
        end_ms = clock_ms + speaking_ms(text)
        lines.append(TextLine(index, name, name, text, clock_ms, end_ms, times_derived=True))
        clock_ms = end_ms + PAUSE_MS
    return lines


# --- text and time --------------------------------------------------------------------------------

PAUSE_MS: Final = 300
_MS_PER_SYLLABLE: Final = 180
_MS_PER_LETTER: Final = 65
_LEAST_MS: Final = 300


def speaking_ms(text: str) -> int:
    """How long it takes to say this: some 5.5 Korean syllables or 15 letters a second."""
    wide = sum("\u1100" <= char <= "\uffdc" for char in text)
    return max(_LEAST_MS, wide * _MS_PER_SYLLABLE + (len(text) - wide) * _MS_PER_LETTER)


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _text(path: Path, raw: str, number: int) -> str:
    text = _one_line(raw)
    if len(text) > MAX_TEXT_CHARS:
        raise BadInput(
            path, f"{len(text)} characters in one line; split it (at most {MAX_TEXT_CHARS})", line=number
        )
    return text


def _one_line(raw: str) -> str:
    """No control or lone surrogate characters, no line breaks, single spaces."""
    cleaned = _CONTROL.sub(" ", _LONE_SURROGATE.sub("", raw))
    return " ".join(cleaned.split())


def _short(raw: str) -> str:
    raw = raw.strip()
    return raw if len(raw) <= 40 else raw[:39] + "…"
