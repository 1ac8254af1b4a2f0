"""One order out of many: reciprocal rank fusion, and what a whole source says for each of its passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

RRF_K: Final = 60


def rrf_fusion(rankings: Sequence[Sequence[str]], weights: Sequence[float] = ()) -> list[tuple[str, float]]:
    """(key, score), best first; equals by their first appearance. A key twice in one ranking counts once."""
    scores: dict[str, float] = {}
    for number, ranking in enumerate(rankings):
        share = weights[number] if weights else 1.0
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            scores[key] = scores.get(key, 0.0) + share / (RRF_K + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def with_sources(
    ranked: Sequence[tuple[str, float]], source_of: Mapping[str, str], chances: Mapping[str, float]
) -> list[tuple[str, float]]:
    """The same, each passage raised by the chance that its source is the one asked about: at most doubled."""
    raised = [(key, score * (1 + chances.get(source_of[key], 0.0))) for key, score in ranked]
    return sorted(raised, key=lambda item: -item[1])
