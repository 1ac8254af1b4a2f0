"""One answer that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from context.answer_cache.evidence import EvidenceMark
from context.answer_cache.occasion import Occasion
from context.answer_cache.reading import Reading

Vector = NDArray[np.float32]


@dataclass(slots=True)
class CacheEntry:
    """A verified answer, the question it answered, and what it rests on."""

    query: str
    response: str
    occasion: Occasion
    reading: Reading
    evidence: tuple[EvidenceMark, ...]
    after_utterance: int
    """The newest utterance when it was made."""
    tokens: int
    """What making it took, in and out; saved by each hit."""
    time_ms: float
    stored_at: datetime
    quality: float = 1.0
    readers: frozenset[str] = frozenset()
    """Who may read all that it rests on; none named: everybody."""
    vector: Vector | None = None
    encoder: str = ""
    hit_count: int = 0

    @property
    def utterances(self) -> tuple[int, ...]:
        """The utterances that it cites."""
        cited = (mark.key.partition(":") for mark in self.evidence)
        return tuple(int(name) for kind, _, name in cited if kind == "utterance")

    def may_be_read_by(self, occasion: Occasion) -> bool:
        """A private answer is its asker's alone, and privately; restricted evidence its readers'."""
        if self.occasion.private and not (occasion.private and occasion.asker == self.occasion.asker):
            return False
        return not self.readers or occasion.asker in self.readers
