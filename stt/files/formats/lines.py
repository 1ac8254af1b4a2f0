"""Plain text: `Name: text` on each line, with or without a time in front of the name or behind it.

`[00:00:03] Hana: …`, `Hana (00:00:03): …`, `[오전 10:02] 김민지: …`, `Hana⇥…`, `00:58:04⇥Hana:⇥…` (Zoom's
chat of a cloud recording). A time of day, which has a date or says whether it is before noon, counts from the
first one. Who speaks is judged over the whole file (`stt.files.speakers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from context.language.labels import Form, form, label_of
from stt.files.formats.half_days import HALF_OF_DAY, hour_of_day
from stt.files.rows import Notes, Numbered, Row, Script, Source, short, stamp_ms

TIME: Final = r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_AT_TIME: Final = (
    rf"(?:(?P<day>\d{{4}}[-./]\s?\d{{1,2}}[-./]\s?\d{{1,2}})\.?[T,\s]\s*)?(?:(?P<half>{HALF_OF_DAY})\s?)?(?P<start>{TIME})"
    rf"(?:\s?(?P<noon>{HALF_OF_DAY}))?(?:\s?(?:-->|[-–~])\s?(?P<end>{TIME}))?"
)
_BRACKETS: Final = re.compile(rf"[\[({{]{_AT_TIME}[\])}}]\s*(?:[-–|]\s+)?(?P<text>\S.*)", re.DOTALL)
_TIME_BEFORE: Final = re.compile(rf"{_AT_TIME}\s+(?:[-–|]\s+)?(?P<text>\S.*)", re.DOTALL)
_TIME_BEHIND_NAME: Final = re.compile(
    rf"(?P<name>\S[^:：\n]{{0,199}}?)\s*[\[({{]{_AT_TIME}[\])}}]\s*(?:[:：]\s*)?(?P<text>[^\s:：].*)",
    re.DOTALL,
)
_TIME_AFTER_COLON: Final = re.compile(
    rf"(?P<name>\S[^:：\n]{{0,199}}?)\s*[:：]\s*[\[({{]{_AT_TIME}[\])}}]\s*(?P<text>\S.*)", re.DOTALL
)
_TIMES: Final = (_BRACKETS, _TIME_BEFORE, _TIME_BEHIND_NAME, _TIME_AFTER_COLON)
_STRONG_NAME: Final = re.compile(r"\*\*([^*\n]{1,200}?):?\*\*(\s*[\[(]\d[\d:.]*[\])])?\s*:?\s*")
"""A name as Markdown has it."""
_TABBED: Final = re.compile(r"(?:(?P<at>[\d:.]+)\t)?(?P<name>[^\t:：]{1,60})\t(?P<text>[^\t]+)")
_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS


def fits(_: Source) -> bool:
    """Any text may be notes: this reader is asked last."""
    return True


def read(source: Source, _: Notes) -> Script:
    """Read each line as what one speaker says; a label alone on its line holds for those just below it."""
    lines = _untabbed(source.said)
    timed = _timed([line for _, line in lines])
    rows = [row_of(number, line, timed) for number, line in _joined(lines)]
    clocks = [match for _, line in lines if timed and (match := timed.fullmatch(_bare(line)))]
    if not clocks or not any(match["day"] or match["half"] or match["noon"] for match in clocks):
        return Script(rows)
    first_ms = min(row.start_ms for row in rows if row.start_ms is not None)
    rows = [
        row if row.start_ms is None else row._replace(start_ms=row.start_ms - first_ms, end_ms=None)
        for row in rows
    ]
    zero = datetime(1, 1, 1)  # noqa: DTZ001 - in the zone of who wrote it
    return Script(rows, zero + timedelta(milliseconds=first_ms) if clocks[0]["day"] else None)


def _untabbed(lines: Sequence[Numbered]) -> list[Numbered]:
    """The lines; where most are columns of names and words, with a colon between them."""
    matches = [_TABBED.fullmatch(line) for _, line in lines]
    if 2 * sum(match is not None for match in matches) <= len(lines):
        return list(lines)
    return [
        (
            number,
            line
            if match is None
            else f"{match['at'] + ' ' if match['at'] else ''}{match['name']}: {match['text']}",
        )
        for (number, line), match in zip(lines, matches, strict=True)
    ]


def _joined(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """The lines; a label alone on its line with those just below it in one, until the next label."""
    block: list[str] = []
    first = last = 0
    for number, line in lines:
        label = label_of(line)
        if block and number == last + 1 and (label is None or label.form < Form.NAME) and not _alone(line):
            block.append(line)
        else:
            if block:
                yield first, "\n".join(block)
            block = [line] if _alone(line) else []
            first = number
            if not block:
                yield number, line
        last = number
    if block:
        yield first, "\n".join(block)


def _alone(line: str) -> bool:
    return line.endswith((":", "：")) and form(line[:-1].strip()) is not Form.NONE


def _timed(lines: Sequence[str]) -> re.Pattern[str] | None:
    """The way in which this file writes times: that of most of its lines; None: it has none."""
    often = {pattern: sum(pattern.fullmatch(_bare(line)) is not None for line in lines) for pattern in _TIMES}
    best = max(_TIMES, key=lambda pattern: often[pattern])
    return best if 2 * often[best] >= max(1, len(lines)) else None


def row_of(number: int, line: str, timed: re.Pattern[str] | None) -> Row:
    """A line as a row; `timed`: the way in which the file writes times."""
    line = _bare(line)
    match = timed.fullmatch(line) if timed is not None else None
    if match is None:
        return Row(number, line)
    start_ms = stamp_ms(match["start"])
    if start_ms is not None and (half := match["half"] or match["noon"]):
        hour, rest_ms = divmod(start_ms, _HOUR_MS)
        start_ms = hour_of_day(hour, half) * _HOUR_MS + rest_ms
    if start_ms is not None and match["day"]:
        start_ms += _day_ms(match["day"])
    end_ms = stamp_ms(match["end"]) if match["end"] else None
    text = match["text"] if timed in (_BRACKETS, _TIME_BEFORE) else f"{match['name']}: {match['text']}"
    return Row(number, text, start_ms, end_ms, told=short(line[: match.start("text")]))


def _day_ms(day: str) -> int:
    """How long a day lies behind the first one, in ms; 0 where there is no such day."""
    try:
        return (date(*map(int, re.findall(r"\d+", day))).toordinal() - 1) * _DAY_MS
    except ValueError:
        return 0


def _bare(line: str) -> str:
    """A line without Markdown's signs around its name."""
    return _STRONG_NAME.sub(r"\1\2: ", line, count=1) if line.startswith("**") else line
