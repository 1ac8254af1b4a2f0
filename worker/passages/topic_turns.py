"""Where the meaning of a live meeting's talk turns: its newest words are embedded beside it.

What comes back goes to the detector of topics (`context.topics.boundary.meaning`), which may then confirm a
candidate or doubt it. Nothing waits for this: what comes late, or never, leaves the words to decide. Like
the indexer of passages it lets answers go first, since both use the machine's one embedding engine.
"""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from context.meeting import Meeting
from context.ports import PortError, Refused
from context.topics.boundary.meaning import Piece, PieceCutter, newest
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
