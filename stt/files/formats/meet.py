"""Google Meet's transcript, as text, Markdown or Word: `Name: text` on each line between Meet's own lines.

A time alone on a line, every few minutes, is that of the turn below it.
"""

from __future__ import annotations

import re
from typing import Final

from stt.files.formats.lines import TIME, row_of
from stt.files.rows import Notes, Row, Script, Source, stamp_ms

_TIME_ALONE: Final = re.compile(rf"#*\s*({TIME})")
_END: Final = re.compile(
    r"#*\s*(?:Transcription|Meeting) ended after [\d:]+.*"
    r"|\*?This editable transcript was computer generated .*"
)
_HEAD: Final = re.compile(r"#*\s*(?:📖\s*)?(?:.{1,200} - )?Transcript")
_HEAD_WITHIN_LINES: Final = 15
"""So many lines of the file may be its heading."""


def fits(source: Source) -> bool:
    """Whether Meet's heading stands in it, and one of its last lines or a time just below the heading."""
    lines, head = source.said, _heading(source)
    timed = any(_TIME_ALONE.fullmatch(line) for _, line in lines[head : head + 1])
    return head > 0 and (timed or any(_END.fullmatch(line) for _, line in lines))


def read(source: Source, notes: Notes) -> Script:
    """Read the turns between Meet's heading and its last lines."""
    lines, head = source.said, _heading(source)
    rows: list[Row] = []
    left_out = [number for number, _ in lines[:head]]
    since_ms: int | None = None
    for number, line in lines[head:]:
        if _END.fullmatch(line):
            left_out.append(number)
        elif (alone := _TIME_ALONE.fullmatch(line)) is not None:
            since_ms = stamp_ms(alone[1])
        else:
            rows.append(row_of(number, line, None)._replace(start_ms=since_ms))
            since_ms = None
    notes.tell("a line of the program that wrote the file is left out", left_out, more="and {} more")
    return Script(rows)


def _heading(source: Source) -> int:
    """How many of the lines on which something stands are Meet's heading."""
    heads = [
        place for place, (_, line) in enumerate(source.said[:_HEAD_WITHIN_LINES]) if _HEAD.fullmatch(line)
    ]
    return heads[-1] + 1 if heads else 0
