"""The vector of each line of a meeting: what was said alone, for finding what answers a question.

Passages are found by what a stretch of talk is about; which of its lines answers takes the lines
themselves. While a meeting is live they are embedded as they are spoken, a few at a time; of one that is
looked up in the record, those that a question is likely to need are embedded when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from context.meeting import Meeting
from context.vectors import Vectors
from worker.passages.store import TextEmbedder

_BATCH: Final = 8
"""Lines at a time: some 0.2 s of the engine."""


class LineVectors:
    """Unit vectors of one meeting's utterances, by place; a row of zeros where there is none yet."""

    def __init__(self, meeting: Meeting, embedder: TextEmbedder) -> None:
        self._meeting, self._embedder = meeting, embedder
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._there = np.zeros(0, dtype=bool)

    def rows(self) -> Vectors:
        """All of them [utterances, dimensions]."""
        count = len(self._meeting.utterances)
        self._make_room(count, self._rows.shape[1])
        return self._rows[:count]

    def missing(self, places: Iterable[int]) -> list[int]:
        """Those of `places` without a vector."""
        count = len(self._meeting.utterances)
        self._make_room(count, self._rows.shape[1])
        return [place for place in places if 0 <= place < count and not self._there[place]]

    def forget(self, places: Iterable[int]) -> None:
        """These lines read otherwise now."""
        for place in places:
            if place < len(self._there):
                self._rows[place], self._there[place] = 0, False

    async def newest(self, most: int) -> bool:
        """Embed some of the latest lines; True where any was. Raises `PortError`."""
        count = len(self._meeting.utterances)
        wanted = self.missing(range(count - 1, max(-1, count - 1 - most), -1))[:_BATCH]
        await self._embed(wanted)
        return bool(wanted)

    async def embed(self, places: Iterable[int]) -> None:
        """Embed those of `places` that have no vector, in order; what is done stays. Raises `PortError`."""
        wanted = self.missing(places)
        for start in range(0, len(wanted), _BATCH):
            await self._embed(wanted[start : start + _BATCH])

    async def _embed(self, places: list[int]) -> None:
        if not places:
            return
        said = self._meeting.utterances
        rows = await self._embedder.embed([said[place].text for place in places])
        self._make_room(len(said), rows.shape[1])
        self._rows[places], self._there[places] = rows, True

    def _make_room(self, count: int, width: int) -> None:
        if count > len(self._there) or width != self._rows.shape[1]:
            room = max(64, 2 * count) if count > len(self._there) else len(self._there)
            rows = np.zeros((room, width), dtype=np.float32)
            if width == self._rows.shape[1]:
                rows[: len(self._rows)] = self._rows
            there = np.zeros(room, dtype=bool)
            there[: len(self._there)] = self._there
            self._rows, self._there = rows, there
