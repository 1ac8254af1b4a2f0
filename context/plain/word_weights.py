"""How much the words of a question weigh: a word that is seldom said in meetings tells more of its matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.reading.replacing import rarity
from context.retrieval.index_terms import stem
from context.retrieval.question_subject import coverage

_MIN_WORD_WEIGHT: Final = 0.3
"""A word that is said in every meeting weighs so much of one that is not."""


def missing_weights(topic: Sequence[str], text: str) -> tuple[float, float]:
    """The weight of the rarest of the words `topic` that a text lacks, and the share of all that it lacks."""
    weights = [max(_MIN_WORD_WEIGHT, rarity(stem(word))) for word in topic]
    lost = [weight * (1 - coverage((word,), text)) for weight, word in zip(weights, topic, strict=True)]
    return max(lost, default=0.0), sum(lost) / (sum(weights) or 1.0)


def named_weight(topic: Sequence[str], text: str) -> float:
    """The share of the weight of the words `topic` that a text names, 0 to 1; 0 where there are none."""
    return 1.0 - missing_weights(topic, text)[1] if topic else 0.0
