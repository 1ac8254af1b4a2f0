"""Where the meaning of a live meeting's talk turns: its newest words are embedded beside it.

What comes back goes to the detector of topics (`context.topics.boundary.meaning`), which may then confirm a
candidate or doubt it. Nothing waits for this: what comes late, or never, leaves the words to decide. Like
the indexer of passages it lets answers go first, since both use the machine's one embedding engine.

The vector of each line of a meeting: what was said alone, for finding what answers a question.

Passages are found by what a stretch of talk is about; which of its lines answers takes the lines
themselves. While a meeting is live they are embedded as they are spoken, a few at a time; of one that is
looked up in the record, those that a question is likely to need are embedded when it is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

import numpy as np
import structlog

from context.meeting import Meeting
from context.ports import PortError, Refused
from context.topics.boundary.meaning import Piece, PieceCutter, newest
from context.vectors import Vectors
from worker.passages.store import TextEmbedder

log = structlog.get_logger(__name__)

_BATCH: Final = 4
"""Pieces at a time, some 0.1 s of the engine: a meeting that was taken over has more of them."""
_STALE: Final = 40
"""Pieces that wait; where the engine was away for longer, the oldest have nothing left to decide."""


class TopicMeaning:
    """One meeting's; its indexer runs it."""

    def __init__(
        self,
        meeting: Meeting,
        embedder: TextEmbedder | None,
        *,
        look_every_s: float,
        patience_s: float,
    ) -> None:
        """Without an embedder there is nothing to do."""
        self._meeting, self._embedder = meeting, embedder
        self._look_every_s, self._patience_s = look_every_s, patience_s
        self._cutter = PieceCutter()
        self._read = newest(meeting.utterances)
        self._waiting: list[Piece] = []

    async def run(self) -> None:
        """Until cancelled, or refused. What fails is tried again; nothing of it reaches the meeting."""
        while self._embedder is not None:
            pause_s = self._look_every_s
            try:
                if not self._meeting.invocations.wanted() and await self.step():
                    pause_s = 0.0
            except Refused as error:
                log.warning("topics_without_embeddings", error=str(error))
                return
            except PortError as error:
                pause_s = self._patience_s
                log.info("topics_wait_for_embeddings", error=str(error), retry_s=pause_s)
            except Exception:
                pause_s = self._patience_s
                log.exception("topic_embedding_failed")
            await asyncio.sleep(pause_s)

    async def step(self) -> bool:
        """Read on, and embed some of what is there; True where there is more. Raises as the embedder."""
        self._cut()
        batch = self._waiting[:_BATCH]
        if not batch or self._embedder is None:
            return False
        rows = await self._embedder.embed([piece.text for piece in batch])
        del self._waiting[: len(batch)]
        meaning = self._meeting.changes.boundaries.detector.meaning
        for piece, row in zip(batch, rows, strict=True):
            meaning.take(piece, row)
        return bool(self._waiting)

    def _cut(self) -> None:
        utterances = self._meeting.utterances
        self._read = max(self._read, newest(utterances))  # so far behind, nothing is left to decide
        for utterance in utterances[self._read :]:
            self._waiting += self._cutter.add(utterance)
        self._read = len(utterances)
        del self._waiting[:-_STALE]


_LINES_BATCH: Final = 8
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
        wanted = self.missing(range(count - 1, max(-1, count - 1 - most), -1))[:_LINES_BATCH]
        await self._embed(wanted)
        return bool(wanted)

    async def embed(self, places: Iterable[int]) -> None:
        """Embed those of `places` that have no vector, in order; what is done stays. Raises `PortError`."""
        wanted = self.missing(places)
        for start in range(0, len(wanted), _LINES_BATCH):
            await self._embed(wanted[start : start + _LINES_BATCH])

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
