"""What of the best passages fits a budget: whole passages, none twice, neighbours where there is room.

The seed's bounds (002 §3.5.3): stop when full, at most k. A passage that does not fit is passed over for
a shorter one further down. What room is left when k are in goes to the passages next to the best ones,
from the same source: an answer often stands right behind the question that was found.

One order out of many: reciprocal rank fusion, and what a whole source says for each of its passages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from context.corpora.passage import Passage

_NEIGHBOURS_OF: Final = 2
_ALIKE_CHARS: Final = 200


@dataclass(slots=True)
class Packed:
    """What fits, best first (neighbours last), and what it comes to."""

    passages: list[Passage] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    tokens: int = 0


def pack(
    ranked: Sequence[tuple[Passage, float]],
    *,
    k: int,
    budget_tokens: int,
    count: Callable[[str], int],
    known: Mapping[str, Passage] | None = None,
) -> Packed:
    """At most `k` of `ranked` and `budget_tokens` by `count`. `known`: by id, where neighbours are found."""
    packed = Packed()
    seen: set[str] = set()
    texts: set[str] = set()

    def take(passage: Passage, score: float) -> bool:
        alike = " ".join(passage.text.split())[:_ALIKE_CHARS]
        if passage.id in seen or alike in texts:
            return False
        tokens = count(passage.searched)
        if packed.tokens + tokens > budget_tokens:
            return False
        seen.add(passage.id)
        texts.add(alike)
        packed.passages.append(passage)
        packed.scores.append(score)
        packed.tokens += tokens
        return True

    for passage, score in ranked:
        if len(packed.passages) >= k:
            break
        take(passage, score)
    if known:
        for passage, score in list(zip(packed.passages, packed.scores, strict=True))[:_NEIGHBOURS_OF]:
            for position in (passage.position + 1, passage.position - 1):
                beside = known.get(f"{passage.source_id}:{position}")
                if beside is not None and len(packed.passages) < k:
                    take(beside, score)
    return packed


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
