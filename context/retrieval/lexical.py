"""An index that grows with the meeting: BM25 over the terms of each utterance.

Theory of operation. A term's posting list is one array of `document << 4 | count`: adding is an append
per distinct term, a query adds up whole arrays with numpy. Nothing is ever rebuilt. Terms that occur
in more than a third of a long meeting say nothing and are skipped.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np

from context.models import Utterance
from context.retrieval.terms import COARSE, terms

_K1: Final = 1.2
_B: Final = 0.6
_COARSE_WEIGHT: Final = 0.3
_COMMON: Final = 0.35
_ENOUGH_TO_JUDGE: Final = 50
_MAX_QUERY_TERMS: Final = 120


class LexicalIndex:
    """What was said, by its words. Utterances may come in any order of id; the same id twice counts once."""

    def __init__(self, utterances: Iterable[Utterance] = ()) -> None:
        self._ids = array("q")
        self._known: set[int] = set()
        self._lengths = array("H")
        self._total = 0
        self._postings: dict[str, array[int]] = {}
        for utterance in utterances:
            self.add(utterance)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, utterance_id: int) -> bool:
        return utterance_id in self._known

    def add(self, utterance: Utterance) -> None:
        """Index one utterance; some 30 µs."""
        if utterance.id in self._known:
            return
        document = len(self._ids) << 4
        counts = Counter(terms(utterance.text))
        postings = self._postings
        for term, count in counts.items():
            posting = postings.get(term)
            if posting is None:
                posting = postings[term] = array("I")
            posting.append(document | (count if count < 16 else 15))
        length = min(sum(counts.values()), 65535)
        self._total += length
        self._lengths.append(length)
        self._ids.append(utterance.id)
        self._known.add(utterance.id)

    def frequency(self, term: str) -> int:
        """In how many utterances a term (as `terms` gives it) occurs."""
        return len(self._postings.get(term, ()))

    def search(self, query: str, k: int = 10) -> list[tuple[int, float]]:
        """The `k` best utterances as (id, score), best first; equal scores by newest. May be empty."""
        size = len(self._ids)
        asked = list(Counter(terms(query)).items())[:_MAX_QUERY_TERMS]
        if not size or not asked or k <= 0:
            return []
        scores = np.zeros(size, dtype=np.float32)
        lengths = np.frombuffer(self._lengths, dtype=np.uint16).astype(np.float32)
        norms = _K1 * (1 - _B + _B * lengths / max(1.0, self._total / size))
        found = False
        for term, _count in asked:
            posting = self._postings.get(term)
            if posting is None or (size > _ENOUGH_TO_JUDGE and len(posting) > size * _COMMON):
                continue
            found = True
            packed = np.array(posting, dtype=np.uint32)
            documents = packed >> 4
            counts = (packed & 15).astype(np.float32)
            weight = math.log(1 + (size - len(posting) + 0.5) / (len(posting) + 0.5))
            if ord(term[0]) >= COARSE:
                weight *= _COARSE_WEIGHT
            scores[documents] += weight * (_K1 + 1) * counts / (counts + norms[documents])
        return self._best(scores, k) if found else []

    def _best(self, scores: np.ndarray[tuple[int], np.dtype[np.float32]], k: int) -> list[tuple[int, float]]:
        candidates = np.flatnonzero(scores)
        if len(candidates) > 4 * k:
            parted = np.argpartition(-scores[candidates], 2 * k)[: 2 * k]
            candidates = candidates[parted]
        ranked = sorted(((float(scores[i]), int(i)) for i in candidates), reverse=True)[:k]
        return [(self._ids[document], score) for score, document in ranked]
