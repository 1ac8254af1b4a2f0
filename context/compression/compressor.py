"""Seed 002's `ContextCompressor` (§3.6.3): three strategies, never above the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from context.budget import EstimateTokenizer
from context.compression.abstracting import Abstract, standing
from context.compression.extracting import extracted, tokens_of
from context.compression.statistics import CompressionStatistics
from context.corpora.passage import Passage
from context.features import CompressionStrategy
from context.models import Frozen
from context.ports import PortError, Tokenizer

HYBRID_SHARE: Final = 0.6
"""Hybrid: so much of the original is extracted before a model shortens it to the budget."""


class Compression(Frozen):
    """Passages made shorter, and what that came to."""

    passages: tuple[Passage, ...]
    tokens_before: int
    tokens_after: int
    """Of the passages' texts, by true count."""
    strategy: CompressionStrategy
    """How it was done in the end: `extractive` where a model's wording didn't stand."""


class ContextCompressor:
    """Makes passages shorter with regard to a question; holds statistics only."""

    def __init__(
        self,
        tokenizer: Tokenizer | None = None,
        abstract: Abstract | None = None,
        *,
        clock: Callable[[], float] = lambda: 0.0,
        statistics: CompressionStatistics | None = None,
    ) -> None:
        """`abstract`: asks a model; None leaves extraction. `clock`: seconds, for the statistics alone.

        `statistics`: that are counted on; by default new ones.
        """
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._abstract = abstract
        self._clock = clock
        self.statistics = statistics or CompressionStatistics()

    async def compress(
        self,
        passages: Sequence[Passage],
        query: str,
        target_tokens: int,
        strategy: CompressionStrategy = "extractive",
    ) -> Compression:
        """At most `target_tokens` of text together, passages and sentences in their order.

        What fits is left as it is. Where a model is away, or its wording does not stand, it is extracted.
        """
        began_s = self._clock()
        before = tokens_of(passages, self._tokenizer)
        made: tuple[Passage, ...] | None = None
        if strategy != "extractive" and before > target_tokens > 0:
            made = await self._abstracted(passages, query, target_tokens, before, strategy)
        used: CompressionStrategy = strategy if made is not None else "extractive"
        if made is None:
            made = extracted(passages, query, target_tokens, self._tokenizer)
        after = tokens_of(made, self._tokenizer)
        self.statistics.count(before, after, 1000 * (self._clock() - began_s))
        return Compression(passages=made, tokens_before=before, tokens_after=after, strategy=used)

    async def _abstracted(
        self,
        passages: Sequence[Passage],
        query: str,
        target_tokens: int,
        before: int,
        strategy: CompressionStrategy,
    ) -> tuple[Passage, ...] | None:
        if self._abstract is None:
            return None
        if strategy == "hybrid":
            passages = extracted(passages, query, int(before * HYBRID_SHARE), self._tokenizer)
            if tokens_of(passages, self._tokenizer) <= target_tokens:
                return None  # extraction alone gets there, and may keep more of it
        try:
            written = await self._abstract([passage.text for passage in passages], query, target_tokens)
        except PortError:
            return None
        return standing(written, passages, target_tokens, self._tokenizer)
