"""Moim's own minutes in Markdown: the transcript at their end (`context.export.minutes`)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from context.export.markup import plain
from context.export.minutes import UNCLEAR_MARK, WORDS
from stt.files.rows import Notes, Row, Script, Source, stamp_ms

_TURN: Final = re.compile(
    r"- (?P<time>\d+:\d{2}:\d{2}) \*\*(?P<who>(?:\\.|[^\\*])+)\*\*(?: _\((?:\\.|[^\\_])+\)_)*: "
    r"(?P<text>.*) \[#\d+\]"
)
_MEETING_TIMES: Final = re.compile(r"(\d{4}-\d{2}-\d{2} \d{2}:\d{2})–\d{2}:\d{2} \(.*\).*")
_HEADS: Final = frozenset(f"## {words['transcript']}" for words in WORDS.values())
_DAY_MS: Final = 24 * 3600 * 1000


def fits(source: Source) -> bool:
    """Whether Moim's heading of the transcript stands in it, and turns below."""
    return any(line in _HEADS for _, line in source.said) and any(
        _TURN.fullmatch(line) for _, line in source.said
    )


def read(source: Source, notes: Notes) -> Script:
    """Read the transcript; all that Moim wrote above it is made anew."""
    lines = source.said
    head = next(place for place, (_, line) in enumerate(lines) if line in _HEADS)
    dated = next((match for _, line in lines[:head] if (match := _MEETING_TIMES.fullmatch(line))), None)
    began = datetime.fromisoformat(dated[1]) if dated else None
    rows, left_out = [], []
    for number, line in lines[head + 1 :]:
        if (turn := _TURN.fullmatch(line)) is None:
            left_out.append(number)
            continue
        at_ms = stamp_ms(turn["time"])
        if began is not None and at_ms is not None:  # a time of day
            at_ms = (at_ms - (began.hour * 60 + began.minute) * 60_000) % _DAY_MS
        rows.append(
            Row(number, plain(turn["text"].replace(UNCLEAR_MARK, "")), at_ms, speaker=plain(turn["who"]))
        )
    notes.tell("Moim's minutes: the transcript alone is read, the minutes are made anew")
    if left_out:
        notes.tell("a line that is no turn of the transcript is left out", left_out, more="and {} more")
    return Script(rows, began)
