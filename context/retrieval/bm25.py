"""BM25, by which words rank a meeting's utterances and the passages of others: its constants and weights."""

from __future__ import annotations

import math
from typing import Final

K1: Final = 1.2
"""How soon a further mention of a term counts for less."""
B: Final = 0.6
"""How much a long text has to have more mentions than a short one, 0 to 1."""


def term_weight(found: int, total: int) -> float:
    """The weight (inverse document frequency) of a term that stands in `found` of `total` texts."""
    return math.log(1 + (max(total, found) - found + 0.5) / (found + 0.5))
