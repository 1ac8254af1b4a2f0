"""What the cache saved, under the seed's names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from context.answer_cache.likeness import Guard


@dataclass(frozen=True, slots=True)
class LookUp:
    """How one look-up ended."""

    hit: bool
    exact: bool = False
    guard: Guard | None = None
    """Of a miss: who spoke against the nearest kept question; None where nothing was near."""
    tokens_saved: int = 0
    time_saved_ms: float = 0.0


@dataclass(slots=True)
class CacheStatistics:
    """Counts since the cache was made."""

    total_queries: int = 0
    cache_hits: int = 0
    exact_hits: int = 0
    total_tokens_saved: int = 0
    total_time_saved_ms: float = 0.0
    guarded: Counter[Guard] = field(default_factory=Counter)
    """Of questions that were like a kept one and missed: which guard spoke first."""

    @property
    def cache_hit_rate(self) -> float:
        """Hits over queries, 0 to 1."""
        return self.cache_hits / self.total_queries if self.total_queries else 0.0

    def count(self, look_up: LookUp) -> None:
        """A look-up ended."""
        self.total_queries += 1
        self.cache_hits += look_up.hit
        self.exact_hits += look_up.exact
        self.total_tokens_saved += look_up.tokens_saved
        self.total_time_saved_ms += look_up.time_saved_ms
        if look_up.guard is not None:
            self.guarded[look_up.guard] += 1

    def as_dict(self) -> dict[str, Any]:
        """The seed's five, then ours."""
        return {
            "total_queries": self.total_queries,
            "cache_hits": self.cache_hits,
            "cache_hit_rate": self.cache_hit_rate,
            "total_tokens_saved": self.total_tokens_saved,
            "total_time_saved_ms": self.total_time_saved_ms,
            "exact_hits": self.exact_hits,
            "guarded": dict(self.guarded),
        }
