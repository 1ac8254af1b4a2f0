"""How much a question asks for, and how many passages that is worth (seed 002 §3.4.2)."""

from __future__ import annotations

from typing import Final, Literal

from context.features import Features

QueryComplexity = Literal["simple", "moderate", "complex"]

_SIMPLE: Final = (1, 20)
_MODERATE: Final = (3, 50)
"""Most concepts and most characters."""


def complexity_of(question: str, concepts: int) -> QueryComplexity:
    """`concepts`: how many things the question names."""
    chars = len(question.strip())
    if concepts <= _SIMPLE[0] and chars <= _SIMPLE[1]:
        return "simple"
    if concepts <= _MODERATE[0] and chars <= _MODERATE[1]:
        return "moderate"
    return "complex"


def k_for(complexity: QueryComplexity, features: Features) -> int:
    """Passages to fetch: 3, 8 or 15 by default."""
    match complexity:
        case "simple":
            return features.simple_query_k
        case "moderate":
            return features.moderate_query_k
        case "complex":
            return features.complex_query_k
