"""Plain text: `Name: text` on each line, with or without a time in front of the name or behind it.

`[00:00:03] Hana: …`, `Hana (00:00:03): …`, `00:58:04⇥Hana:⇥…` (the chat of Zoom's cloud recordings). Who
speaks is judged over the whole file (`stt.files.speakers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from context.language.labels import Form, form, label_of
from context.text import one_line
from stt.files.rows import Notes, Numbered, Row, Script, Source, short, stamp_ms

TIME: Final = r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_SPAN: Final = re.compile(rf"\[(?P<start>{TIME}) --> (?P<end>{TIME})\]\s*(?P<text>.*)", re.DOTALL)
_BRACKETS: Final = re.compile(rf"[\[(](?P<start>{TIME})[\])]\s*[-–|]?\s*(?P<text>\S.*)", re.DOTALL)
_BEFORE: Final = re.compile(rf"(?P<start>{TIME})\s+(?:[-–|]\s+)?(?P<text>\S.*)", re.DOTALL)
_BEHIND: Final = re.compile(
    rf"(?P<name>\S[^:：\n]{{0,199}}?)\s*[\[(](?P<start>{TIME})[\])](?P<text>\s*[:：]\s*.*)", re.DOTALL
)
_TIMES: Final = (_SPAN, _BRACKETS, _BEFORE, _BEHIND)
_STRONG: Final = re.compile(r"\*\*([^*\n]{1,200}?):?\*\*\s*:?\s*")
"""A name as Markdown has it."""


def fits(_: Source) -> bool:
    """Any text may be notes: this reader is asked last."""
    return True


def read(source: Source, _: Notes) -> Script:
    """Read each line as what one speaker says; a label alone on its line holds for those just below it."""
    timed = _timed([line for _, line in source.said])
    return Script([row_of(number, line, timed) for number, line in _joined(source.said)])


def _joined(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """The lines; a label alone on its line with those just below it in one, until the next label."""
    block: list[str] = []
    first = last = 0
    for number, line in lines:
        label = label_of(line)
        if block and number == last + 1 and (label is None or not one_line(label.rest)) and not _alone(line):
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
    often = {each: sum(each.fullmatch(_bare(line)) is not None for line in lines) for each in _TIMES}
    best = max(_TIMES, key=lambda each: often[each])
    return best if 2 * often[best] >= max(1, len(lines)) else None


def row_of(number: int, line: str, timed: re.Pattern[str] | None) -> Row:
    """A line as a row; `timed`: the way in which the file writes times."""
    line = _bare(line)
    found = timed.fullmatch(line) if timed is not None else None
    if found is None:
        return Row(number, line)
    start_ms, end_ms = stamp_ms(found["start"]), None
    if timed is _SPAN:
        end_ms = stamp_ms(found["end"])
    text = found["text"] if timed is not _BEHIND else f"{found['name']}{found['text']}"
    return Row(number, text, start_ms, end_ms, told=short(line[: found.start("text")]))


def _bare(line: str) -> str:
    """A line without Markdown's signs around its name."""
    return _STRONG.sub(r"\1: ", line, count=1) if line.startswith("**") else line
