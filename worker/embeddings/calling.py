"""The one retry layer around an embedder, its breaker and its deadlines.

A question's vector is worth waiting for a moment only: without it, words alone decide.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import numpy as np
import structlog

from context.ports import Embedder, Refused, Unavailable
from context.vectors import Vectors
from worker.agent.breaker import Breaker

log = structlog.get_logger(__name__)

QUERY_DEADLINE_S: Final = 1.5
"""Of the 8 s until an answer's first words."""
TEXTS_DEADLINE_S: Final = 60.0
_RETRY_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 2.0
_REMEMBERED: Final = 32
_UNIT_WITHIN: Final = 1e-2


class CalledEmbedder:
    """An `Embedder` with one quick retry, deadlines, and a breaker before it."""

    def __init__(
        self,
        embedder: Embedder,
        breaker: Breaker | None = None,
        *,
        query_deadline_s: float = QUERY_DEADLINE_S,
        texts_deadline_s: float = TEXTS_DEADLINE_S,
    ) -> None:
        self.name = embedder.name
        self.breaker = breaker or Breaker()
        self._embedder = embedder
        self._query_deadline_s, self._texts_deadline_s = query_deadline_s, texts_deadline_s
        self._dim: int | None = None
        self._asked: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def is_resting(self) -> bool:
        """True while the breaker lets nothing through."""
        return self.breaker.is_open

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text; none for none, without a call."""
        if not texts:
            return np.zeros((0, self._dim or 0), dtype=np.float32)
        rows = await self._call(lambda: self._embedder.embed(texts), self._texts_deadline_s)
        return self._demand(rows, len(texts))

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question; the last few are remembered: several steps of an answer want the same."""
        if (known := self._asked.get(text)) is not None:
            return known
        row = await self._call(lambda: self._embedder.embed_query(text), self._query_deadline_s)
        whole: Vectors = self._demand(row[np.newaxis], 1)[0]
        self._asked[text] = whole
        if len(self._asked) > _REMEMBERED:
            self._asked.popitem(last=False)
        return whole

    async def _call(self, attempt: Callable[[], Awaitable[Vectors]], deadline_s: float) -> Vectors:
        try:
            async with asyncio.timeout(deadline_s):
                return await self._with_retry(attempt)
        except TimeoutError as error:
            self.breaker.failed()
            raise Unavailable(f"{self.name} gave no vectors in {deadline_s:g} s") from error

    async def _with_retry(self, attempt: Callable[[], Awaitable[Vectors]]) -> Vectors:
        for last_try in (False, True):
            if not self.breaker.admit():
                raise Unavailable(f"{self.name} failed repeatedly and is left alone for a while")
            try:
                vectors = await attempt()
            except Unavailable as error:
                self.breaker.failed()
                pause_s = max(_RETRY_PAUSE_S, error.retry_after_s or 0.0)
                if last_try or pause_s > _LONGEST_PAUSE_S or self.breaker.is_open:
                    raise
                log.info("embed_retry", model=self.name, error=str(error), pause_s=pause_s)
                await asyncio.sleep(pause_s)
            except Refused:
                self.breaker.failed()
                raise
            else:
                self.breaker.succeeded()
                return vectors
        raise AssertionError("the last try returns or raises")

    def _demand(self, rows: Vectors, count: int) -> Vectors:
        """Vectors that can be compared with the earlier ones, or `Refused`: never quietly others."""
        if rows.ndim != 2 or len(rows) != count:
            raise Refused(f"{self.name} gave {len(rows)} vectors for {count} texts")
        if self._dim is not None and rows.shape[1] != self._dim:
            raise Refused(f"{self.name} gave {rows.shape[1]} numbers per vector, before that {self._dim}")
        # This finds what is no number as well. Squares: the same, and no code of numpy's in Python.
        if not (abs((rows * rows).sum(axis=1) - 1.0) <= 2 * _UNIT_WITHIN).all():
            raise Refused(f"{self.name} gave vectors that are not of length 1")
        self._dim = rows.shape[1]
        return rows
