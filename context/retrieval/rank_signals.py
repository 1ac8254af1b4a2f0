"""Signals: what the ranker sees of each utterance of a meeting for a question, counted from the index.

Every signal is causal and free of the language: densities of the question's terms around an utterance
at eight widths, how many of them meet there, how far the best passages are, what lies between and how
much of their words is here, whose turn it is, and where in the meeting it stands. Widths are in words of
talk, not in turns: a committee's turns are twenty times as long as a chat's. Of a long meeting only some
stretches are looked at (`ConsideredDocuments`), as if they were all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.retrieval.bm25 import term_weight
from context.retrieval.lexical import Floats, LexicalIndex, Places
from context.retrieval.question_subject import Subject

OWN: Final = 0
"""The column of the utterance's own BM25 score."""
HALF_WIDTHS: Final = (15, 30, 60, 120, 240, 480, 960, 1920)
"""Words to each side of an utterance that a width takes in; the four below choose some, by their places."""
_PASSAGES: Final = (1, 3, 4)
"""The widths that are scored as passages, with terms that saturate."""
_FEEDBACK: Final = (2, 4, 5)
_SPEAKING: Final = (1, 3, 4)
_SIDES: Final = (2, 4, 5)
_SATURATION: Final = 0.012
_PEAKS: Final = 3
_PEAK_APART: Final = 150.0
_FAR_ABOVE: Final = 3.0
"""The highest likeness that counts: one deviation above the usual, which is 2."""


class Signals:
    """One row per document of some stretches, one column per signal."""

    def __init__(self, subject: Subject, considered: ConsideredDocuments) -> None:
        self._subject, self._at = subject, considered
        self._count = len(considered.documents)
        starts, ends = considered.before[:-1], considered.before[:-1] + considered.sizes
        self._middle = considered.before[:-1] + considered.sizes / 2
        self._first = [np.searchsorted(ends, self._middle - half, side="right") for half in HALF_WIDTHS]
        self._last = [np.searchsorted(starts, self._middle + half, side="left") for half in HALF_WIDTHS]
        self._columns: list[Floats] = []

    def table(self, *, over: bool) -> Floats:
        """Count all signals, a row per document, a column per signal. `over`: the meeting has ended."""
        weights, counts = self._terms()
        total = float(weights.sum()) or 1.0
        mass = (weights[:, None] * np.minimum(counts, 3)).sum(0) / total
        self._own(weights / total, counts)
        density = self._densities(mass)
        passage = self._passages(weights / total, counts)
        self._one_sided(mass)
        height = passage + 0.5 * density[4] / (density[4].max() or 1.0)
        peaks = self._peaks(height)
        talk = TermPlaces(self._at, self._middle)
        self._distances(peaks, height, talk.likeness())
        strange = talk.feedback(peaks, height, self._subject)
        for width, near in zip(_FEEDBACK, self._around(strange, _FEEDBACK), strict=True):
            thick = near / (2 * HALF_WIDTHS[width])
            self._add(thick * float(self._at.sizes.mean()), thick / (thick.max() or 1.0))
        self._speaking()
        self._standing(over=over)
        self._asking(weights, density, mass)
        return np.stack(self._columns, axis=1)

    def _add(self, *columns: NDArray[Any]) -> None:
        self._columns.extend(np.asarray(column, dtype=np.float32) for column in columns)

    def _around(self, values: NDArray[Any], widths: Iterable[int]) -> Iterator[NDArray[np.float64]]:
        """Sums of `values` (…, documents) over the talk within a width of each document's middle."""
        running = np.zeros((*values.shape[:-1], self._count + 1))
        np.cumsum(values, axis=-1, out=running[..., 1:])
        for width in widths:
            yield running[..., self._last[width]] - running[..., self._first[width]]

    def _terms(self) -> tuple[NDArray[np.float64], Floats]:
        """The weight of each term that was said, and its counts per document."""
        at, heard = self._at, self._at.upto
        weights: list[float] = []
        rows: list[Floats] = []
        row_of = np.full(heard, self._count)  # one row beyond the last takes what is not looked at
        row_of[at.documents] = np.arange(self._count)
        for term, share in self._subject.terms.items():
            posting = at.index.posting(term, heard)
            if posting is None:
                continue
            said = len(posting.documents)
            weights.append(share * term_weight(said, heard))
            row = np.zeros(self._count + 1, dtype=np.float32)
            row[row_of[posting.documents]] = posting.counts
            rows.append(row[:-1])
        if not rows:
            return np.zeros(1), np.zeros((1, self._count), dtype=np.float32)
        return np.array(weights), np.stack(rows)

    def _own(self, weights: NDArray[np.float64], counts: Floats) -> None:
        """Add BM25 of the utterance itself, and of its neighbours."""
        lengths = self._at.index.lengths(self._at.upto)
        norms = 1.2 * (0.4 + 0.6 * lengths[self._at.documents] / max(1.0, float(lengths.mean())))
        own = (weights[:, None] * 2.2 * counts / (counts + norms)).sum(0)
        padded = np.pad(own, 2)
        self._add(own, own / (own.max() or 1.0))
        self._add(*(padded[2 + step : 2 + step + self._count] for step in (-2, -1, 1, 2)))

    def _densities(self, mass: NDArray[Any]) -> list[NDArray[np.float64]]:
        found = []
        for half, near in zip(HALF_WIDTHS, self._around(mass, range(len(HALF_WIDTHS))), strict=True):
            density = near / (2 * half)
            self._add(density * 100, density / (density.max() or 1.0))
            found.append(density)
        return found

    def _passages(self, weights: NDArray[np.float64], counts: Floats) -> NDArray[np.float64]:
        """Add BM25 and coverage of passages; return the scores of the middle width."""
        scores = []
        for width, near in zip(_PASSAGES, self._around(counts, _PASSAGES), strict=True):
            score = (weights[:, None] * near / (near + 2 * HALF_WIDTHS[width] * _SATURATION)).sum(0)
            self._add(score, score / (score.max() or 1.0), (weights[:, None] * (near > 0)).sum(0))
            scores.append(score)
        middle: NDArray[np.float64] = scores[1]
        return middle

    def _one_sided(self, mass: NDArray[Any]) -> None:
        running = np.append(0.0, np.cumsum(mass, dtype=np.float64))
        here = np.arange(self._count)
        for width in _SIDES:
            left = running[here] - running[self._first[width]]
            right = running[self._last[width]] - running[here + 1]
            self._add(left, right)

    def _peaks(self, height: NDArray[np.float64]) -> list[int]:
        """The rows in the middle of the best passages, best first, apart from each other."""
        left = height.copy()
        peaks: list[int] = []
        while len(peaks) < _PEAKS and left.max() > -1:
            peak = int(left.argmax())
            peaks.append(peak)
            left[np.abs(self._middle - self._middle[peak]) <= _PEAK_APART] = -2.0
        return peaks

    def _distances(
        self, peaks: Sequence[int], height: NDArray[np.float64], likeness: NDArray[np.float64]
    ) -> None:
        """Add how far the peaks are, how they compare, and the least likeness of talk on the way there."""
        away = self._middle[None, :] - self._middle[list(peaks)][:, None]
        best = height[peaks[0]] or 1.0
        for place in (0, min(1, len(peaks) - 1)):
            self._add(np.log1p(np.abs(away[place]) / 20) * np.sign(away[place]))
            self._add(np.full(self._count, height[peaks[place]] / best))
        self._add(np.log1p(np.abs(away).min(0) / 20), likeness)
        nearest = np.abs(away).argmin(0)
        barrier = np.full(self._count, _FAR_ABOVE)
        for number, peak in enumerate(peaks):
            way = np.full(self._count, _FAR_ABOVE)
            way[peak + 1 :] = np.minimum.accumulate(likeness[peak + 1 :])
            way[:peak] = np.minimum.accumulate(likeness[1 : peak + 1][::-1])[::-1]
            barrier = np.where(nearest == number, way, barrier)
        self._add(np.minimum(barrier, _FAR_ABOVE))

    def _speaking(self) -> None:
        """Add whether those whose words are asked for speak here, and how much around."""
        at = self._at
        speakers = at.index.speakers(at.upto)[at.documents]
        theirs = np.isin(speakers, list(self._subject.speakers)).astype(np.float32)
        self._add(theirs, np.full(self._count, float(bool(self._subject.speakers))))
        own, all_ = self._around(theirs * at.sizes, _SPEAKING), self._around(at.sizes, _SPEAKING)
        self._add(*(part / np.maximum(1, whole) for part, whole in zip(own, all_, strict=True)))

    def _standing(self, *, over: bool) -> None:
        at = self._at
        self._add(np.log1p((at.heard - at.position) / 50), np.log1p(at.position / 50))
        self._add(at.position / at.heard, np.full(self._count, math.log(at.heard)))
        self._add(np.full(self._count, float(over)))
        self._add(np.log1p(at.sizes), np.log1p(next(self._around(np.ones(self._count), (2,)))))

    def _asking(
        self, weights: NDArray[np.float64], density: Sequence[NDArray[np.float64]], mass: NDArray[Any]
    ) -> None:
        """Add what holds for the question as a whole: the same in every row."""
        said, known = int((weights > 0).sum()), len(self._subject.terms)
        usual = float(mass.sum()) / self._at.heard or 1.0
        values = (
            *self._subject.manners,
            said,
            1 - said / max(1, known),
            float(weights.max()),
            *(float(density[width].max()) / usual for width in (3, 5)),
        )
        self._add(*(np.full(self._count, float(value)) for value in values))


_GAP_BETWEEN_TEXTS: Final = 5000.0
"""Words that count as lying between two stretches that are not neighbours."""
_REACH_WEIGHT: Final = 100.0
"""Words to either side that belong to a moment."""
_FEEDBACK_TERMS: Final = 25
_HASHED: Final = 64
_MIX_FACTOR: Final = 2654435761


class ConsideredDocuments:
    """Some of a meeting's documents, in order, treated as if they were all of it."""

    def __init__(self, index: LexicalIndex, upto: int, documents: Places) -> None:
        """Take `documents` (ascending, at least one) out of the first `upto` of the index."""
        self.index, self.upto, self.documents = index, upto, documents
        every = index.sizes(upto).astype(np.float64)
        total = np.cumsum(every)
        sizes = every[documents]
        jumps = np.diff(documents, prepend=documents[0] - 1) > 1
        start = np.cumsum(sizes) - sizes + np.cumsum(jumps) * _GAP_BETWEEN_TEXTS
        self.sizes: Floats = sizes.astype(np.float32)
        self.before: NDArray[np.float64] = np.append(start, start[-1] + sizes[-1])
        """Words before each document and up to the end of the last: n + 1 numbers, with gaps widened."""
        self.heard = max(1.0, float(total[-1]))
        """Words of the whole meeting so far."""
        self.position: Floats = (total[documents] - sizes / 2).astype(np.float32)
        """Words of the whole meeting before the middle of each document."""


class TermPlaces:
    """Which terms stand where: how alike neighbouring talk is, and what the best passages talk of."""

    def __init__(self, considered: ConsideredDocuments, middle: NDArray[np.float64]) -> None:
        """`middle`: words before the middle of each document."""
        self._at, self._middle = considered, middle
        self._count = len(considered.documents)
        documents = considered.documents
        runs = np.split(documents, np.flatnonzero(np.diff(documents) > 1) + 1)
        parts = [considered.index.terms_of(int(run[0]), int(run[-1]) + 1) for run in runs]
        self._terms = np.concatenate([terms for terms, _ in parts])
        owners = np.concatenate([owner for _, owner in parts])
        self._rows = np.searchsorted(documents, owners)
        self._size = int(self._terms.max()) + 1 if len(self._terms) else 1
        self._frequency = np.bincount(self._terms, minlength=self._size)

    def likeness(self) -> NDArray[np.float64]:
        """How alike the talk before and after each document is, scaled to mean 2 and deviation 1."""
        running = np.zeros((self._count + 1, _HASHED))
        np.cumsum(self._hashed(), axis=0, out=running[1:])
        starts = self._at.before[:-1]
        first = np.searchsorted(starts, starts - _REACH_WEIGHT)
        last = np.searchsorted(starts, starts + _REACH_WEIGHT)
        before, after = running[:-1] - running[first], running[last] - running[:-1]
        lengths = np.sqrt((before**2).sum(1) * (after**2).sum(1))
        likeness = (before * after).sum(1) / np.maximum(lengths, 1e-9)
        spread = float(likeness.std()) or 1.0
        usual: NDArray[np.float64] = (likeness - likeness.mean()) / spread + 2.0
        return usual

    def feedback(self, peaks: Sequence[int], height: NDArray[np.float64], subject: Subject) -> NDArray[Any]:
        """The weight in each document of terms of the best passages that the question lacks; mean 1."""
        strength = np.zeros(self._size)
        for peak in peaks:
            near = np.abs(self._middle - self._middle[peak]) <= _REACH_WEIGHT
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
        """Each document's rarer terms, hashed with signs into columns whose sums compare as texts do."""
        usual = self._frequency[self._terms] <= 0.15 * self._count + 3
        terms, rows = self._terms[usual], self._rows[usual]
        mixed = (terms * _MIX_FACTOR) & 0xFFFFFFFF
        signs = np.where((mixed >> 20) & 1, 1.0, -1.0)
        weights = signs * np.log(1 + self._count / np.maximum(1, self._frequency[terms]))
        cells = rows * _HASHED + (mixed >> 8) % _HASHED
        table: NDArray[Any] = np.bincount(cells, weights, self._count * _HASHED)
        return table.reshape(self._count, _HASHED)
