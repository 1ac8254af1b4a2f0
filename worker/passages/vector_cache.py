"""Line vectors of meetings of the record, kept between the questions about them.

A meeting that is over is read anew for each question, and with it all that was worked out. Vectors of lines
cost the most of that, so they are kept by what the line says, in the process that answers. They are derived,
and lost with it: the next question makes those that it needs again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from context.primitives.vectors import Vectors

_MOST_VECTORS: Final = 8000
"""Vectors that are kept, some 12 MB: of one or two hundred meetings that are asked about."""

CachedVectors = dict[bytes, Vectors]
"""The vectors of one meeting's lines, by `digest`."""


def digest(text: str) -> bytes:
    """What stands for a line's words, of which none are kept here."""
    return blake2b(text.encode(), digest_size=16).digest()


class VectorCache:
    """The line vectors of the meetings that were asked about last, by meeting."""

    def __init__(self, most: int = _MOST_VECTORS) -> None:
        self._most = most
        self._meetings: OrderedDict[str, CachedVectors] = OrderedDict()

    def of(self, meeting_id: str) -> CachedVectors:
        """The lines that are kept of a meeting, to read and to add to; those of others may make room."""
        lines = self._meetings.setdefault(meeting_id, {})
        self._meetings.move_to_end(meeting_id)
        while len(self._meetings) > 1 and sum(map(len, self._meetings.values())) > self._most:
            self._meetings.popitem(last=False)
        return lines

    def keep_only(self, meeting_id: str, texts: Iterable[str]) -> None:
        """Drop what is kept of lines that a meeting no longer has: they were erased or corrected."""
        lines = self.of(meeting_id)
        gone = lines.keys() - set(map(digest, texts))
        for key in gone:
            del lines[key]
