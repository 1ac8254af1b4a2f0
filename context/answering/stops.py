"""When searching again is given up (seed 002 §3.7.4–6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

Stop = Literal["good", "off", "most_rewrites", "same_documents", "no_gain", "deadline"]

MOST_REWRITES: Final = 2
SAME_DOCUMENTS: Final = 0.8
LEAST_GAIN: Final = 0.05
GOOD: Final = 0.6
"""From this overall quality on nothing more is looked for."""


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard: what two searches found in common over what they found at all; 1 where both found nothing."""
    if not one and not other:
        return 1.0
    return len(one & other) / len(one | other)


def stop(
    quality: float,
    *,
    rewrites: int,
    most_rewrites: int,
    documents: Sequence[frozenset[str]],
    scores: Sequence[float],
    remaining_s: float,
    needed_s: float,
) -> Stop | None:
    """Why no further search is made, or None where one is. `documents`: hashes found, search by search."""
    if quality >= GOOD:
        return "good"
    if rewrites >= min(most_rewrites, MOST_REWRITES):
        return "most_rewrites"
    if remaining_s < needed_s:
        return "deadline"
    if len(documents) >= 2 and overlap(documents[-1], documents[-2]) > SAME_DOCUMENTS:
        return "same_documents"
    if len(scores) >= 2 and scores[-1] - max(scores[:-1]) < LEAST_GAIN:
        return "no_gain"
    return None
