"""The seam between the answering graph and the corpora."""

from __future__ import annotations

from typing import Protocol

from context.corpora.passage import Passage
from context.corpora.query import Query
from context.models import Frozen


class Retrieved(Frozen):
    """What came of one retrieval."""

    passages: tuple[Passage, ...] = ()
    """Best first, none twice, together at most the budget."""
    scores: tuple[float, ...] = ()
    """Beside each passage its fused score (RRF): comparable within one retrieval only."""
    tokens: int = 0
    """What the passages' texts and prefixes come to, by true count."""
    degraded: tuple[str, ...] = ()
    """The parts that were away, by name: `embeddings`, `earlier`, `document`."""


class Retriever(Protocol):
    """Looks a query up in every corpus that it names."""

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        """At most `k` passages and `budget_tokens`. Never raises for a part that is away."""
        ...
