"""What the readers of transcripts share: a file's text, its rows, what is to be told about it, its error."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

Numbered = tuple[int, str]
"""A line's number in the file, from 1, and the line."""

MAX_MS: Final = 7 * 24 * 3600 * 1000
"""A later time is none: no meeting lasts a week."""
_SHORT_CHARS: Final = 40
_STAMP: Final = re.compile(r"(?:(\d+):)?(\d+):(\d{1,2})(?:[.,](\d{1,3}))?")


class Row(NamedTuple):
    """One line or cue as the file has it."""

    number: int
    """The line in the file where it begins."""
    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str | None = None
    """Who speaks, as an id, where the format itself tells it; None: a label in the text may."""
    name: str = ""
    """The speaker's name, where it is not the id."""
    told: str = ""
    """How its times are written in the file, for a message."""
    times_derived: bool = False
    judged: bool = False
    """Whether the format tells that nobody is named: what looks like a label in the text is words, too."""


class Script(NamedTuple):
    """What a reader finds in a file."""

    rows: list[Row]
    began: datetime | None = None
    """When the meeting began, as the file tells it, in the time zone of who saved it; None: it does not."""


class Note(NamedTuple):
    """What was dropped, made up or not understood; it repeats nothing of what was said."""

    text: str
    line: int | None = None

    def told(self, path: object) -> str:
        """The note as one line for the user, with the file and the line in front."""
        return f"{path}:{self.line}: {self.text}" if self.line is not None else f"{path}: {self.text}"


class Notes(list[Note]):
    """The notes on one file."""

    def tell(self, text: str, lines: Sequence[int] = (), *, more: str = "so in {} more") -> None:
        """Add a note on the first of `lines`; how many others it holds for stands behind it."""
        others = len(lines) - 1
        note = f"{text} ({more.format(others)})" if others > 0 else text
        self.append(Note(note, (lines[0] or None) if lines else None))


class Wrong(Exception):
    """What is wrong in which line, before the file's name is added (`BadInput`)."""

    def __init__(self, number: int | None, problem: str) -> None:
        super().__init__(problem)
        self.number = number


def stamp_ms(text: str) -> int | None:
    """A time as `1:02:03.5`, `62:03` or `0:03` in ms; None where it is none or lies beyond a week."""
    match = _STAMP.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups("0")
    if max(len(hours), len(minutes)) > 6:
        return None
    ms = ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(fraction.ljust(3, "0"))
    return ms if ms <= MAX_MS else None


def seconds_ms(value: object) -> int | None:
    """Seconds as a JSON number in ms; None where it is no number, negative or beyond a week."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(value * 1000) if 0 <= value * 1000 <= MAX_MS else None


def short(raw: str) -> str:
    """The beginning of a line of the file, for a message."""
    raw = raw.strip()
    return raw if len(raw) <= _SHORT_CHARS else raw[: _SHORT_CHARS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file, as its readers get it."""

    lines: Sequence[Numbered]
    suffix: str
    """The file's ending in small letters, with its point."""

    @property
    def said(self) -> list[Numbered]:
        """The lines on which something stands, without blanks at their ends."""
        return [(number, line.strip()) for number, line in self.lines if line.strip()]

    @property
    def text(self) -> str:
        """All lines in one."""
        return "\n".join(line for _, line in self.lines)
