"""WebVTT, SubRip and SBV: cues, each with its times above its words.

WebVTT after W3C's specification (the WebVTT parser algorithm): a cue ends at an empty line or at the next
times, a line of blanks is a part of it, and what stands above the times is its id, whatever that is. SubRip
has no specification: as players read it, a cue lasts until the next times, with empty lines and figures in
it, and only a number just above times is a counter. Both are read more widely where the times are meant
clearly: without milliseconds, with minutes above 59. A parser of our own: webvtt-py and pysubs2 drop what
they do not read, without a word, and keep no line numbers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from context.export.subtitles import MARK
from context.language.edits import EDIT_MARK
from context.primitives.text import many_lines, one_line
from stt.files.rows import Notes, Numbered, Row, Script, Source, Wrong, short, stamp_ms

_STAMP: Final = r"(?:\d+:)?\d+:\d{1,2}(?:[.,]\d{1,3})?"
_ARROW: Final = re.compile(rf"\s*(-?)({_STAMP})\s*-->\s*(-?)({_STAMP})(?:\s.*)?")
_COMMA: Final = re.compile(rf"\s*(-?)({_STAMP}),(-?)({_STAMP})\s*")
_LIKE_TIMES: Final = re.compile(r"\s*-?\d+\s?[:.,]\s?\d.*-->")
_THIN_ARROW: Final = re.compile(rf"\s*{_STAMP}\s*->\s*{_STAMP}\s*")
_COMMENT: Final = re.compile(r"(NOTE|STYLE|REGION)(\s|$)")
_MEND: Final = "write `00:00:01.000 --> 00:00:02.000`"

_VOICE: Final = re.compile(r"<v(?:\.[^\s<>.]*)*(?:[ \t\n]([^<>]*))?>|</v>", re.IGNORECASE)
_TAG: Final = re.compile(
    r"</?(?:c|i|b|u|s|v|ruby|rt|lang|font|span)(?:\.[^\s<>.]*)*(?:\s[^<>]*)?/?>|<\d+(?::\d+)+(?:\.\d+)?>|\{\\[^{}]*\}",
    re.IGNORECASE,
)
_EDITED: Final = re.compile(rf"[ \n]?(?:<c\.edited>{EDIT_MARK}</c>|<i>{EDIT_MARK}</i>(?=\s*\Z))")
"""Behind words that somebody edited Moim's own subtitles say so; nobody said it."""
_OWN_LABEL: Final = re.compile(rf"{MARK}((?:[^:]|:{MARK})*):(?!{MARK}) ?")
"""In front of each cue of Moim's own SubRip stands who speaks, marked so that it is not judged."""
_ROLLED_MS: Final = 100


class _Cue(NamedTuple):
    """A cue: its times, and the lines below them."""

    number: int
    times: str
    start_ms: int
    end_ms: int
    lines: list[Numbered]


def fits_webvtt(source: Source) -> bool:
    """Whether it begins as WebVTT does, or is called so."""
    return source.suffix == ".vtt" or re.match(r"WEBVTT(\s|$)", source.lines[0][1]) is not None


def fits_subrip(source: Source) -> bool:
    """Whether it begins with a cue of SubRip, or is called so."""
    first = [line for _, line in source.said[:2]]
    begins = bool(first) and (_ARROW.fullmatch(first[0]) is not None or first[0].isdecimal())
    return source.suffix == ".srt" or (begins and any(_ARROW.fullmatch(line) for line in first))


def fits_sbv(source: Source) -> bool:
    """Whether it begins with the times of a cue of SBV, or is called so."""
    lines = source.said
    return source.suffix == ".sbv" or bool(lines and _COMMA.fullmatch(lines[0][1]))


def read_webvtt(source: Source, notes: Notes) -> Script:
    """Read WebVTT; `<v Ann>…</v><v Ben>…` in one cue are two rows."""
    number, first = source.lines[0]
    if not re.match(r"WEBVTT(\s|$)", first):
        raise Wrong(number, "no WebVTT: its first line must be `WEBVTT`")
    header, below = (
        _until_empty(source.lines[1:]) if not _is_times(source.lines[1:2]) else ([], source.lines[1:])
    )
    if any("-->" in line for _, line in header):
        header, below = [], list(source.lines[1:])
    lost: list[int] = []
    rows: list[Row] = []
    above, cues = _cues(below, _ARROW)
    lost += _blocks_without_times(above)
    for cue in cues:
        own, rest = _until_empty(cue.lines)
        lost += _blocks_without_times(rest)
        rows += _voiced(cue._replace(lines=own))
    if lost:
        notes.tell("a block without times, which WebVTT leaves out", lost)
    return Script(_unrolled(rows, notes))


def read_subrip(source: Source, notes: Notes) -> Script:
    """Read SubRip, and the older .docx of Teams, where the first line of each cue is a name."""
    above, cues = _cues(source.lines, _ARROW)
    _refuse(above)
    rows = []
    for cue in cues:
        row = _row(cue, _joined(cue.lines))
        if own := _OWN_LABEL.match(row.text):
            row = row._replace(speaker=one_line(own[1]), text=row.text[own.end() :])
        elif source.suffix == ".docx":
            name, _, text = row.text.strip().partition("\n")
            row = row._replace(speaker=one_line(name) or None, text=text)
        rows.append(row._replace(text=_plain(row.text)))
    return Script(_unrolled(rows, notes))


def read_sbv(source: Source, notes: Notes) -> Script:
    """Read SBV, as YouTube and Google Meet write it."""
    above, cues = _cues(source.lines, _COMMA)
    _refuse(above)
    rows = [_row(cue, _plain(_joined(cue.lines).replace("[br]", "\n"))) for cue in cues]
    return Script(_unrolled(rows, notes))


def _cues(lines: Sequence[Numbered], timing: re.Pattern[str]) -> tuple[list[Numbered], list[_Cue]]:
    """What stands above the first times, and the cues of a file in order."""
    above: list[Numbered] = []
    cues: list[_Cue] = []
    below: list[Numbered] = []
    counts = False
    for number, line in lines:
        match = timing.fullmatch(line)
        if match is None:
            if timing is _ARROW and (_LIKE_TIMES.match(line) or _THIN_ARROW.match(line)):
                raise Wrong(number, f"no times: {short(line)}; {_MEND}")
            below.append((number, line))
            continue
        counts = counts or bool(not cues and below and below[-1][1].strip().isdecimal())
        words = _without_id(below, counts=counts, first=not cues)
        above, cues = (words, cues) if not cues else (above, [*cues[:-1], cues[-1]._replace(lines=words)])
        cues.append(_Cue(number, line, *_times(number, match), []))
        below = []
    if cues:
        cues[-1] = cues[-1]._replace(lines=below)
    return (above, cues) if cues else (below, [])


def _refuse(lines: Sequence[Numbered]) -> None:
    """Refuse words above all times: there is no cue to which they belong."""
    for number, line in lines:
        if line.strip():
            raise Wrong(number, f"a cue without times; {_MEND} above it")


def _is_times(lines: Sequence[Numbered]) -> bool:
    return any(_ARROW.fullmatch(line) for _, line in lines)


def _without_id(lines: list[Numbered], *, counts: bool, first: bool) -> list[Numbered]:
    """The lines between two times without the id of the second, where one stands there.

    `counts`: whether the file counts its cues, so that a number just above times is no word.
    """
    if not lines or not lines[-1][1].strip():
        return lines
    alone = len(lines) == 1 or not lines[-2][1]
    if (alone and (first or len(lines) > 1)) or (counts and lines[-1][1].strip().isdecimal()):
        return lines[:-1]
    return lines


def _times(number: int, match: re.Match[str]) -> tuple[int, int]:
    span = short(match[0])
    if match[1] or match[3]:
        raise Wrong(number, f"a negative time: {span}; times count from the meeting's start")
    start_ms, end_ms = stamp_ms(match[2]), stamp_ms(match[4])
    if start_ms is None or end_ms is None:
        raise Wrong(number, f"a time beyond a week: {span}; the format is HH:MM:SS.mmm")
    return start_ms, end_ms


def _until_empty(lines: Sequence[Numbered]) -> tuple[list[Numbered], list[Numbered]]:
    end = next((place for place, (_, line) in enumerate(lines) if not line), len(lines))
    return list(lines[:end]), list(lines[end:])


def _blocks_without_times(lines: Sequence[Numbered]) -> list[int]:
    """The first lines of the blocks that are neither a comment nor a style."""
    heads = [head for before, head in pairwise([(0, ""), *lines]) if head[1] and not before[1]]
    return [number for number, line in heads if line.strip() and not _COMMENT.match(line)]


def _row(cue: _Cue, text: str) -> Row:
    return Row(cue.number, text, cue.start_ms, cue.end_ms, told=f"the cue {short(cue.times)}")


def _joined(lines: Iterable[Numbered]) -> str:
    return _EDITED.sub("", "\n".join(line for _, line in lines))


def _plain(text: str) -> str:
    """A cue's words without tags, each line in the canonical form."""
    return many_lines(html.unescape(_TAG.sub("", text)))


def _voiced(cue: _Cue) -> Iterator[Row]:
    """A row for each voice in a cue; words beside its span are nobody's."""
    payload = _joined(cue.lines)
    voices: list[str | None] = [None]
    at = 0
    parts: list[tuple[str | None, str]] = []
    for tag in _VOICE.finditer(payload):
        parts.append((voices[-1], payload[at : tag.start()]))
        at = tag.end()
        if tag[0].startswith("</"):
            voices = voices[:-1] or [None]
        else:
            voices = [*voices[-8:], one_line(html.unescape(tag[1] or "")) or None]
    parts.append((voices[-1], payload[at:]))
    spoken = [(voice, _plain(text)) for voice, text in parts]
    worded = [voice_and_text for voice_and_text in spoken if one_line(voice_and_text[1])]
    for voice, text in worded or spoken[:1]:
        yield _row(cue, text)._replace(speaker=voice)


def _unrolled(rows: list[Row], notes: Notes) -> list[Row]:
    """Leave out what rolling captions repeat (YouTube's): most of their cues begin with the line before."""
    shown = [[line for line in map(one_line, row.text.split("\n")) if line] for row in rows]
    again = [
        bool(before and now and now[0] == before[-1] and after.start_ms - earlier.end_ms <= _ROLLED_MS)
        for (before, now), (earlier, after) in zip(pairwise(shown), pairwise(rows), strict=True)
        if after.start_ms is not None and earlier.end_ms is not None
    ]
    grown = sum(repeats and len(now) > 1 for repeats, now in zip(again, shown[1:], strict=True))
    if sum(again) < max(2, len(again) / 2) or 4 * grown < len(again) or any(row.speaker for row in rows):
        return rows
    unrolled = list(rows[:1])
    left_out = []
    for repeats, lines, row in zip(again, shown[1:], rows[1:], strict=True):
        unrolled.append(row._replace(text="\n".join(lines[1:])) if repeats else row)
        left_out += [row.number] * repeats
    notes.tell("captions that roll: a line that was shown before is left out", left_out, more="and {} more")
    return unrolled
