"""Vectors of a meeting's lines, for which of them answers.

Passages are found by what a stretch of talk is about; to tell which of its lines answers takes vectors of
the lines themselves. While a meeting is live they are embedded as they are spoken, a few at a time. Those
that a question is likely to need are embedded when it is asked, before all others; the answer goes without
those that are late, and the next question finds them: also that about a meeting of the record, which is
read anew for each, where `kept` holds them (`worker.passages.vector_cache`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from context.fold.meeting import Meeting
from context.primitives.vectors import Vectors
from worker.passages.passage_store import TextEmbedder, embedded
from worker.passages.vector_cache import CachedVectors, digest

_LINES_BATCH: Final = 8
"""Lines that are embedded at a time, some 0.2 s of the engine."""
_WANTED_BATCH_LINES: Final = 2
"""The same for a question, which has 0.1 s: what is under way when they end is lost to it."""
_MAX_WANTED_LINES: Final = 400
"""Lines that questions have missed, at most."""


class LineVectors:
    """Unit vectors of one meeting's utterances ("lines"), by their places from 0."""

    def __init__(self, meeting: Meeting, embedder: TextEmbedder, kept: CachedVectors | None = None) -> None:
        """Begin with what is `kept` of the meeting's lines; what is made is added to it."""
        self._meeting, self._embedder, self._kept = meeting, embedder, kept
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._there = np.zeros(0, dtype=bool)
        self._wanted: list[int] = []
        """Places that a question needed, the most needed first."""
        if kept:
            self._take_kept(range(len(meeting.utterances)))

    def rows(self) -> Vectors:
        """All vectors [utterances, dimensions]; a row of zeros where there is none yet."""
        count = len(self._meeting.utterances)
        self._make_room(count, self._rows.shape[1])
        return self._rows[:count]

    def missing(self, places: Iterable[int]) -> list[int]:
        """The `places` that have no vector, in their order."""
        count = len(self.rows())
        return [place for place in places if 0 <= place < count and not self._there[place]]

    def forget(self, places: Iterable[int]) -> None:
        """Drop the vectors of lines that read differently now."""
        for place in places:
            if place < len(self._there):
                self._rows[place], self._there[place] = 0, False

    async def newest(self, most: int) -> bool:
        """Embed some lines: those that a question has missed, then the `most` latest.

        False where none lacked a vector. Raises as `embedded`.
        """
        count = len(self._meeting.utterances)
        self._wanted = self.missing(self._wanted)
        latest = range(count - 1, max(-1, count - 1 - most), -1)
        wanted = (self._wanted or self.missing(latest))[:_LINES_BATCH]
        await self._embed(wanted, _LINES_BATCH)
        return bool(wanted)

    async def embed(self, places: Iterable[int]) -> None:
        """Embed the lines at `places` that have no vector, in order, for a question that waits for them.

        It may be cancelled: what is done stays, the rest is embedded before other lines (`newest`). Raises as
        `embedded`.
        """
        self.want(places)
        await self._embed(self.missing(places), _WANTED_BATCH_LINES, for_question=True)

    def want(self, places: Iterable[int]) -> None:
        """Have the lines at `places` that have no vector embedded next (`newest`)."""
        self._wanted = list(dict.fromkeys((*self.missing(places), *self._wanted)))[:_MAX_WANTED_LINES]

    async def _embed(self, wanted: list[int], at_a_time: int, *, for_question: bool = False) -> None:
        for start in range(0, len(wanted), at_a_time):
            batch = self._take_kept(wanted[start : start + at_a_time])
            utterances = self._meeting.utterances
            if not batch:
                continue
            texts = [utterances[place].text for place in batch]
            rows = await embedded(self._embedder, texts, for_question=for_question)
            for place, text, row in zip(batch, texts, rows, strict=True):
                if utterances[place].text == text:  # not corrected or erased meanwhile
                    self._put(place, row)
                    if self._kept is not None:
                        self._kept[digest(text)] = row.copy()  # not the whole batch with it

    def _take_kept(self, places: Iterable[int]) -> list[int]:
        """Take over what is kept of the lines at `places`; those of which nothing is."""
        utterances, cached, left = self._meeting.utterances, self._kept or {}, list[int]()
        for place in places:
            row = cached.get(digest(utterances[place].text)) if cached else None
            if row is None:
                left.append(place)
            else:
                self._put(place, row)
        return left

    def _put(self, place: int, row: Vectors) -> None:
        self._make_room(len(self._meeting.utterances), len(row))
        self._rows[place], self._there[place] = row, True

    def _make_room(self, count: int, width: int) -> None:
        """Make room for `count` lines. Rows of another width become zeros, and still count as there."""
        room = max(64, 2 * count) if count > len(self._there) else len(self._there)
        if (room, width) == self._rows.shape:
            return
        rows, there = np.zeros((room, width), dtype=np.float32), np.zeros(room, dtype=bool)
        there[: len(self._there)] = self._there
        if width == self._rows.shape[1]:
            rows[: len(self._rows)] = self._rows
        self._rows, self._there = rows, there
