"""The part of a meeting that is looked at for a question, and what its talk is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.retrieval.lexical import Floats, LexicalIndex, Places
from context.retrieval.questions import Subject

_APART: Final = 5000.0
"""So many words lie, as it were, between two stretches that are not neighbours."""
_REACH: Final = 100.0
"""Words to either side that belong to a moment."""
_FEEDBACK_TERMS: Final = 25
_HASHED: Final = 64
_MIX: Final = 2654435761


@dataclass(frozen=True, slots=True)
class Stretches:
    """Some of a meeting's documents, in order, as if they were all: where each stands, and what it holds."""

    index: LexicalIndex
    upto: int
    """So many documents were heard."""
    documents: Places
    sizes: Floats = field(init=False)
    before: NDArray[np.float64] = field(init=False)
    """Words before each document, and after the last: n + 1 numbers, gaps widened."""
    heard: float = field(init=False)
    """Words of the whole meeting so far."""
    position: Floats = field(init=False)
    """Words of the whole meeting before the middle of each document."""

    def __post_init__(self) -> None:
        every = self.index.sizes(self.upto).astype(np.float64)
        total = np.cumsum(every)
        sizes = every[self.documents]
        jumps = np.diff(self.documents, prepend=self.documents[0] - 1) > 1
        start = np.cumsum(sizes) - sizes + np.cumsum(jumps) * _APART
        object.__setattr__(self, "sizes", sizes.astype(np.float32))
        object.__setattr__(self, "before", np.append(start, start[-1] + sizes[-1]))
        object.__setattr__(self, "heard", max(1.0, float(total[-1])))
        object.__setattr__(self, "position", (total[self.documents] - sizes / 2).astype(np.float32))


class Talk:
    """Which words stand where: how alike neighbouring talk is, and what the best passages talk of."""

    def __init__(self, stretches: Stretches, middle: NDArray[np.float64]) -> None:
        """`middle`: words before the middle of each document."""
        self._at, self._middle = stretches, middle
        self._count = len(stretches.documents)
        documents = stretches.documents
        runs = np.split(documents, np.flatnonzero(np.diff(documents) > 1) + 1)
        parts = [stretches.index.terms_of(int(run[0]), int(run[-1]) + 1) for run in runs]
        self._terms = np.concatenate([terms for terms, _ in parts])
        owners = np.concatenate([owner for _, owner in parts])
        self._rows = np.searchsorted(documents, owners)
        self._size = int(self._terms.max()) + 1 if len(self._terms) else 1
        self._frequency = np.bincount(self._terms, minlength=self._size)

    def likeness(self) -> NDArray[np.float64]:
        """How alike the talk before and after each document is; usual in this meeting is 2, deviation 1."""
        running = np.zeros((self._count + 1, _HASHED))
        np.cumsum(self._hashed(), axis=0, out=running[1:])
        starts = self._at.before[:-1]
        first = np.searchsorted(starts, starts - _REACH)
        last = np.searchsorted(starts, starts + _REACH)
        before, after = running[:-1] - running[first], running[last] - running[:-1]
        lengths = np.sqrt((before**2).sum(1) * (after**2).sum(1))
        likeness = (before * after).sum(1) / np.maximum(lengths, 1e-9)
        spread = float(likeness.std()) or 1.0
        usual: NDArray[np.float64] = (likeness - likeness.mean()) / spread + 2.0
        return usual

    def feedback(self, peaks: Sequence[int], height: NDArray[np.float64], subject: Subject) -> NDArray[Any]:
        """How much of the words that the best passages share, and the question lacks, is in each document."""
        strength = np.zeros(self._size)
        for peak in peaks:
            near = np.abs(self._middle - self._middle[peak]) <= _REACH
            there = np.bincount(self._terms[near[self._rows]], minlength=self._size)
            strength += height[peak] * np.log1p(there)
        rarity = np.log(1 + self._count / np.maximum(1, self._frequency))
        strength *= rarity * ((self._frequency > 1) & (self._frequency <= 0.2 * self._count + 1))
        strength[self._at.index.numbers_of(subject.terms, self._size)] = 0.0
        chosen = np.zeros(self._size, dtype=bool)
        chosen[np.argsort(-strength, kind="stable")[:_FEEDBACK_TERMS]] = True
        hits = chosen[self._terms]
        mass: NDArray[Any] = np.bincount(
            self._rows[hits], weights=(strength * rarity)[self._terms[hits]], minlength=self._count
        )
        return mass / (mass.mean() or 1.0)

    def _hashed(self) -> NDArray[Any]:
        """Each document's rarer terms in a few columns, signed: sums of them are alike as the texts are."""
        usual = self._frequency[self._terms] <= 0.15 * self._count + 3
        terms, rows = self._terms[usual], self._rows[usual]
        mixed = (terms * _MIX) & 0xFFFFFFFF
        signs = np.where((mixed >> 20) & 1, 1.0, -1.0)
        weights = signs * np.log(1 + self._count / np.maximum(1, self._frequency[terms]))
        cells = rows * _HASHED + (mixed >> 8) % _HASHED
        table: NDArray[Any] = np.bincount(cells, weights, self._count * _HASHED)
        return table.reshape(self._count, _HASHED)
