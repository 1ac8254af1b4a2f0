"""Turns below a line with a name and a time: Otter, CLOVA Note, Teams (.docx), Word, Fireflies' copied text.

`Hana Lee  0:03`, and the words below it until the next such line. The copied transcript of YouTube has
times alone, and Zoom's saved captions a name in brackets. Whatever has the shape of such a line ends the
turn before it, so that nobody's words fall to who spoke before; where it is not sure that it heads a turn,
it is words of the unknown speaker's itself. What stands above the first turn is the file's heading: it
holds the meeting's date, and is no one's words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from context.language.labels import Form, form, label_of
from context.primitives.text import MAX_NAME_CHARS, one_line
from stt.files.formats.half_days import hour_of_day
from stt.files.rows import Notes, Numbered, Row, Script, Source, stamp_ms

_TIME: Final = r"(?P<time>(?:\d{1,2}:)?\d{1,3}:\d{2})"
_NAME: Final = r"(?P<name>[^:：]*?[^:：\s])"
_AT_TIME: Final = rf"(?:\({_TIME}\)|{_TIME.replace('time', 'bare')})"
_NAME_FIRST: Final = re.compile(rf"(?:{_NAME}(?P<colon>:)?(?:\s+|(?=\()))?{_AT_TIME}")
_TIME_FIRST: Final = re.compile(rf"{_AT_TIME}(?:\s+{_NAME})?")
_CAPTION: Final = re.compile(r"\[[^\[\]]+\] \d{2}:\d{2}:\d{2}")
"""Zoom's saved captions, whose times are times of day."""
_FOOTER: Final = re.compile(r"Transcribed by https://otter\.ai|(?:https?://)?clovanote\.naver\.com\S*")
_TEAMS_OWN: Final = re.compile(
    r".* (?:started|stopped) transcription|.* a (?:commencé|arrêté) la transcription"
)
_YOUTUBES: Final = re.compile(
    r"\d+ (?:second|minute|hour)s?(?:, \d+ (?:second|minute)s?)*|(?:\d+시간\s?)?(?:\d+분\s?)?\d+[초분]"
)
_KOREAN_DATE: Final = re.compile(
    r"(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})\.?(?:\s*\S요일|\s+[월화수목금토일])?\s+(오전|오후)\s?(\d{1,2}):(\d{2})"
)
_ENGLISH_DATES: Final = ("%B %d, %Y, %I:%M%p", "%d %B %Y, %I:%M%p", "%d %B %Y, %H:%M")
_MAX_CHARACTERS: Final = MAX_NAME_CHARS + 50
"""Characters of a line that heads a turn."""
_MOST_ABOVE_TIMES: Final = 3
"""So many lines stand above YouTube's first time; more of them are words."""
_DAY_MS: Final = 24 * 3600 * 1000


class _Head(NamedTuple):
    place: int
    name: str
    at_ms: int
    apart: bool
    """Whether an empty line stands above it, or nothing."""
    marked: bool
    """Whether it has a colon in front of the time, or brackets around the name."""


class _Turn(NamedTuple):
    head: _Head
    trusted: bool
    at_ms: int | None
    """None where its time does not fit in."""
    known: bool = False
    """Whether its name heads other turns, too."""


def fits(source: Source) -> bool:
    """Whether lines head turns in it, and it is no file of `Name: text`."""
    lines = list(source.lines)
    turns = _turns(lines)
    if not turns:
        return False
    if not turns[0].head.name:
        above = [line for _, line in lines[: turns[0].head.place] if line.strip()]
        return len(turns) > 1 and len(above) <= _MOST_ABOVE_TIMES
    labelled = sum((label := label_of(line)) is not None and bool(label.rest) for _, line in lines)
    return _is_signed(lines) or (len(turns) > 1 and labelled <= len(turns))


def read(source: Source, notes: Notes) -> Script:
    """Read the turns. One without a name in its line is the unknown speaker's."""
    lines = list(source.lines)
    turns = _turns(lines)
    above = [(number, line) for number, line in lines[: turns[0].head.place] if line.strip()]
    if above:
        text = "what stands above the first turn is taken as the file's heading, not as words"
        notes.tell(text, [number for number, _ in above], more="and {} more")
    rows = list(_rows(lines, turns, notes))
    return Script(rows, next(filter(None, (_date(line) for _, line in above)), None))


def _rows(lines: Sequence[Numbered], turns: Sequence[_Turn], notes: Notes) -> Iterator[Row]:
    left_out: list[int] = []
    silent: list[int] = []
    ends = [turn.head.place for turn in turns[1:]] + [len(lines)]
    captions = all(_CAPTION.fullmatch(lines[turn.head.place][1].strip()) for turn in turns)
    zero_ms = turns[0].at_ms or 0 if captions else 0
    nameless = not any(turn.head.name for turn in turns)
    for turn, end in zip(turns, ends, strict=True):
        number, own = lines[turn.head.place]
        below = lines[turn.head.place + 1 : end]
        left_out += [place for place, line in below if _is_programs(line, nameless=nameless)]
        words = [line for _, line in below if not _is_programs(line, nameless=nameless)]
        has_words = any(map(one_line, words))
        if turn.trusted and has_words:
            at_ms = None if turn.at_ms is None else turn.at_ms - zero_ms
            yield Row(number, "\n".join(words), at_ms, speaker=_bare(turn.head.name) or None, judged=True)
        elif turn.trusted and (turn.known or nameless):
            silent.append(number)
        else:  # nothing that may be words is lost
            yield Row(number, "\n".join([own, *words]), judged=True)
    if silent:
        notes.tell("a turn without words is left out", silent, more="and {} more")
    if left_out:
        notes.tell("a line of the program that wrote the file is left out", left_out, more="and {} more")


def _is_programs(line: str, *, nameless: bool = False) -> bool:
    """Whether the program that wrote the file says this; `nameless`: it names nobody, as YouTube does."""
    patterns = (_FOOTER, _TEAMS_OWN, _YOUTUBES) if nameless else (_FOOTER, _TEAMS_OWN)
    return any(pattern.fullmatch(line.strip()) for pattern in patterns)


def _turns(lines: Sequence[Numbered]) -> list[_Turn]:
    """The lines that have the shape of a head, all in one of the two forms; none where nothing proves it."""
    signed = _is_signed(lines)
    candidates = (list(_heads(lines, pattern)) for pattern in (_NAME_FIRST, _TIME_FIRST))
    return max((_likely(heads, signed=signed) for heads in candidates), key=_sure)


def _sure(turns: Sequence[_Turn]) -> int:
    """How many of them have a time alone, or a name that looks like one."""
    return sum(not turn.head.name or form(_bare(turn.head.name)) >= Form.NAME for turn in turns)


def _is_signed(lines: Sequence[Numbered]) -> bool:
    """Whether the program that wrote it says so."""
    return any(_is_programs(line) for _, line in lines)


def _likely(heads: list[_Head], *, signed: bool) -> list[_Turn]:
    """Which of these head a turn: by their place, their name, and the order of time."""
    uses = Counter(head.name for head in heads)
    named = [head for head in heads if head.name]
    if 2 * len(named) <= len(heads):
        chain = _in_order([head for head in heads if not head.name])
        return [_Turn(head, trusted=True, at_ms=head.at_ms) for head in chain]
    apart = 2 * sum(head.apart for head in heads) > len(heads)
    if not (signed or apart or _is_proven(named, uses)):
        return []
    in_order = set(_in_order(heads))
    turns = [_turn(head, uses[head.name], apart=apart, fits=head in in_order) for head in heads]
    # What is left out is a sentence that ends in a time.
    turns = [turn for turn in turns if turn.trusted or turn.head.apart or turn.at_ms is not None]
    return turns if any(turn.trusted for turn in turns) else []


def _is_proven(named: Sequence[_Head], uses: Mapping[str, int]) -> bool:
    """Whether such lines head turns: one comes again, is marked, or has a number that a program gave."""
    certain = any(head.marked or form(_bare(head.name)) is Form.CERTAIN for head in named)
    return certain or any(uses[head.name] > 1 for head in named)


def _turn(head: _Head, uses: int, *, apart: bool, fits: bool) -> _Turn:
    """The turn that a line heads; `apart`: the file has empty lines above them; `fits`: into time."""
    placed = bool(head.name) and apart and head.apart and fits
    return _Turn(head, placed or _is_likely(head, uses), head.at_ms if fits else None, known=uses > 1)


def _is_likely(head: _Head, uses: int) -> bool:
    """Whether its name speaks for it, wherever it stands."""
    often = uses > 1 and head.apart
    return bool(head.name) and (form(_bare(head.name)) >= Form.NAME or often or head.marked)


def _in_order(heads: Sequence[_Head]) -> list[_Head]:
    """The most lines that can stand in the order of time: a sentence that ends in a time does not fit in."""
    ends: list[int] = []
    chains: list[int] = []
    before: list[int] = []
    for place, head in enumerate(heads):
        at = bisect_right(ends, head.at_ms)
        before.append(chains[at - 1] if at else -1)
        ends[at : at + 1] = [head.at_ms]
        chains[at : at + 1] = [place]
    ordered = []
    place = chains[-1] if chains else -1
    while place >= 0:
        ordered.append(heads[place])
        place = before[place]
    return ordered[::-1]


def _heads(lines: Sequence[Numbered], pattern: re.Pattern[str]) -> Iterator[_Head]:
    """The lines of this shape; a time of day that is much earlier than the one before is of the next day."""
    latest_ms = days_ms = 0
    for place, (_, line) in enumerate(lines):
        stripped = line.strip()
        match = pattern.fullmatch(stripped) if len(line) <= _MAX_CHARACTERS else None
        at_ms = stamp_ms(match["time"] or match["bare"]) if match else None
        if match is None or at_ms is None:
            continue
        caption = _CAPTION.fullmatch(stripped) is not None
        if caption and at_ms + days_ms + _DAY_MS // 2 < latest_ms:
            days_ms += _DAY_MS
        latest_ms = at_ms + (days_ms if caption else 0)
        name = one_line(match["name"] or "")
        marked = caption or bool(name and match.groupdict().get("colon"))
        yield _Head(place, name, latest_ms, place == 0 or not lines[place - 1][1].strip(), marked)


def _bare(name: str) -> str:
    """A name without the brackets around it."""
    return name[1:-1].strip() if name[:1] == "[" and name[-1:] == "]" and "[" not in name[1:] else name


def _date(line: str) -> datetime | None:
    if (match := _KOREAN_DATE.search(line)) is not None:
        year, month, day, hour, minute = (int(match[group]) for group in (1, 2, 3, 5, 6))
        hour = hour_of_day(hour, match[4])
        try:
            return datetime(year, month, day, hour, minute)  # noqa: DTZ001 - in the zone of who saved it
        except ValueError:
            return None
    for shape in _ENGLISH_DATES:
        try:
            return datetime.strptime(line.strip(), shape)  # noqa: DTZ007 - in the zone of who saved the file
        except ValueError:
            continue
    return None
