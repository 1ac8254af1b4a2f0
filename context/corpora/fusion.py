"""One order out of many: reciprocal rank fusion, and what a whole source says for each of its passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

RRF_K: Final = 60
_OF_SOURCE: Final = 3
"""So many of a source's best passages speak for it."""
_SOURCE_SHARE: Final = 0.15


def fused(rankings: Sequence[Sequence[str]], weights: Sequence[float] = ()) -> list[tuple[str, float]]:
    """(key, score), best first; equals by their first appearance. A key twice in one ranking counts once."""
    scores: dict[str, float] = {}
    for number, ranking in enumerate(rankings):
        share = weights[number] if weights else 1.0
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            scores[key] = scores.get(key, 0.0) + share / (RRF_K + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def with_sources(
    ranked: Sequence[tuple[str, float]], source_of: Mapping[str, str]
) -> list[tuple[str, float]]:
    """The same, a passage raised by how well its source's other passages do: talk has neighbours."""
    best: dict[str, list[float]] = {}
    for key, score in ranked:
        held = best.setdefault(source_of[key], [])
        if len(held) < _OF_SOURCE:
            held.append(score)
    raised = [(key, score + _SOURCE_SHARE * sum(best[source_of[key]])) for key, score in ranked]
    return sorted(raised, key=lambda item: -item[1])
