"""Turns below a line with a name and a time: Otter, CLOVA Note, Teams (.docx), Word, Fireflies' copied text.

`Hana Lee  0:03`, and the words below it until the next such line. The copied transcript of YouTube has
times alone, and Zoom's saved captions a name in brackets. What stands above the first turn is the file's
heading: it holds the meeting's date, and is no one's words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, NamedTuple

from context.language.labels import Form, form
from context.text import one_line
from stt.files.rows import Notes, Numbered, Row, Script, Source, stamp_ms

_TIME: Final = r"\(?(?P<time>(?:\d{1,2}:)?\d{1,3}:\d{2})\)?"
_NAME_FIRST: Final = re.compile(rf"\[?(?P<name>[^\[\]]*?[^\[\]:\s])?\]?:?\s*{_TIME}")
_TIME_FIRST: Final = re.compile(rf"{_TIME}(?:\s+(?P<name>\S.*))?")
_CAPTION: Final = re.compile(r"\[[^\[\]]+\] \d{2}:\d{2}:\d{2}")
"""Zoom's saved captions, whose times are times of day."""
_FOOTER: Final = re.compile(r"Transcribed by https://otter\.ai|(?:https?://)?clovanote\.naver\.com\S*")
_TEAMS_OWN: Final = re.compile(
    r".* (?:started|stopped) transcription|.* a (?:commencé|arrêté) la transcription"
)
_YOUTUBES: Final = re.compile(r"\d+ (?:seconds?|minutes?)(?:, \d+ seconds?)?")
_KOREAN_DATE: Final = re.compile(
    r"(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})\.?(?:\s*\S요일|\s+[월화수목금토일])?\s+(오전|오후)\s?(\d{1,2}):(\d{2})"
)
_ENGLISH_DATES: Final = ("%B %d, %Y, %I:%M%p", "%d %B %Y, %I:%M%p", "%d %B %Y, %H:%M")
_LEAST: Final = 2
_MOST_ABOVE: Final = 15
_MOST_ABOVE_TIMES: Final = 3
"""Lines above the first turn are its heading; more of them are words."""
_LONGEST: Final = 250
"""Characters of a line that heads a turn."""
_NOON: Final = 12


class _Head(NamedTuple):
    place: int
    name: str
    at_ms: int


def fits(source: Source) -> bool:
    """Whether at least two lines head a turn; one is enough where the program says whose file it is."""
    lines = list(source.lines)
    heads = _heads(lines)
    named = any(_FOOTER.fullmatch(line.strip()) or _TEAMS_OWN.fullmatch(line.strip()) for _, line in lines)
    if len(heads) < (1 if named else _LEAST):
        return False
    above = [line for _, line in lines[: heads[0].place] if line.strip()]
    return len(above) <= (_MOST_ABOVE if heads[0].name else _MOST_ABOVE_TIMES)


def read(source: Source, notes: Notes) -> Script:
    """Read the turns. A turn without a name in its line is the unknown speaker's."""
    lines = list(source.lines)
    heads = _heads(lines)
    above = [(number, line) for number, line in lines[: heads[0].place] if line.strip()]
    if above:
        text = "what stands above the first turn is taken as the file's heading, not as words"
        notes.tell(text, [number for number, _ in above], more="and {} more")
    rows = list(_turns(lines, heads, notes))
    if not any(head.name for head in heads):
        rows = [row for row in rows if not _YOUTUBES.fullmatch(row.text)]
    return Script(rows, next(filter(None, (_date(line) for _, line in above)), None))


def _turns(lines: Sequence[Numbered], heads: Sequence[_Head], notes: Notes) -> Iterator[Row]:
    left_out = []
    ends = [head.place for head in heads[1:]] + [len(lines)]
    captions = all(_CAPTION.fullmatch(lines[head.place][1].strip()) for head in heads)
    zero_ms = heads[0].at_ms if captions else 0
    for head, end in zip(heads, ends, strict=True):
        words = []
        for number, line in lines[head.place + 1 : end]:
            if _FOOTER.fullmatch(line.strip()) or _TEAMS_OWN.fullmatch(line.strip()):
                left_out.append(number)
            elif head.name or not _YOUTUBES.fullmatch(line.strip()):
                words.append(line)
        yield Row(lines[head.place][0], "\n".join(words), head.at_ms - zero_ms, speaker=head.name or None)
    if left_out:
        notes.tell("a line of the program that wrote the file is left out", left_out, more="and {} more")


def _heads(lines: Sequence[Numbered]) -> list[_Head]:
    """The lines that head a turn, all in one form and in time's order."""
    return max(
        (_likely(lines, list(_all_heads(lines, each))) for each in (_NAME_FIRST, _TIME_FIRST)), key=len
    )


def _likely(lines: Sequence[Numbered], found: list[_Head]) -> list[_Head]:
    apart = [head for head in found if head.place == 0 or not lines[head.place - 1][1].strip()]
    if 2 * len(apart) > len(found):
        found = apart
    uses = Counter(head.name for head in found)
    if 2 * uses[""] >= len(found):
        found = [head for head in found if not head.name]
    else:
        sure = {head.name for head in found if head.name and form(head.name) >= Form.NAME}
        often = {name for name, count in uses.items() if name and count > 1 and sure}
        found = [head for head in found if head.name in sure | often]
    kept = _in_order(found)
    follows = [after.place > before.place + 1 for before, after in pairwise(kept)]
    return kept if 2 * sum(follows) >= len(follows) else []


def _in_order(heads: Sequence[_Head]) -> list[_Head]:
    """As many lines as can stand in the order of time: a sentence that ends in a time does not fit in."""
    ends: list[int] = []
    chains: list[int] = []
    before: list[int] = []
    for place, head in enumerate(heads):
        at = bisect_right(ends, head.at_ms)
        before.append(chains[at - 1] if at else -1)
        ends[at : at + 1] = [head.at_ms]
        chains[at : at + 1] = [place]
    kept = []
    place = chains[-1] if chains else -1
    while place >= 0:
        kept.append(heads[place])
        place = before[place]
    return kept[::-1]


def _all_heads(lines: Sequence[Numbered], pattern: re.Pattern[str]) -> Iterator[_Head]:
    for place, (_, line) in enumerate(lines):
        found = pattern.fullmatch(line.strip()) if len(line) <= _LONGEST else None
        at_ms = stamp_ms(found["time"]) if found else None
        name = one_line(found["name"] or "") if found else ""
        if at_ms is not None and (not name or form(name) is not Form.NONE):
            yield _Head(place, name, at_ms)


def _date(line: str) -> datetime | None:
    if (found := _KOREAN_DATE.search(line)) is not None:
        year, month, day, hour, minute = (int(found[group]) for group in (1, 2, 3, 5, 6))
        hour = hour % _NOON + (_NOON if found[4] == "오후" else 0)
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
