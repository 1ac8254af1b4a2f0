"""What can be counted about each utterance of a meeting in the light of a question.

Every signal is causal and free of the language: densities of the question's terms around an utterance
at eight widths, how many of them meet there, how far the best passages are, what lies between and how
much of their words is here, whose turn it is, and where in the meeting it stands. Widths are in words of
talk, not in turns: a committee's turns are twenty times as long as a chat's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.retrieval.lexical import Floats
from context.retrieval.questions import MANNERS, Subject
from context.retrieval.stretches import Stretches, Talk

OWN: Final = 0
"""The column of the utterance's own BM25 score."""
HALF_WIDTHS: Final = (15, 30, 60, 120, 240, 480, 960, 1920)
_PASSAGES: Final = (1, 3, 4)
"""Which of the widths are passages of their own, with terms that saturate."""
_FEEDBACK: Final = (2, 4, 5)
_SPEAKING: Final = (1, 3, 4)
_SIDES: Final = (2, 4, 5)
_SATURATION: Final = 0.012
_PEAKS: Final = 3
_PEAK_APART: Final = 150.0
_FAR_ABOVE: Final = 3.0
"""A likeness of a standard deviation above the usual, or more."""


def signals(subject: Subject, stretches: Stretches, *, over: bool) -> Floats:
    """One row per document of `stretches`, one column per signal. `over`: nothing more will be said."""
    return _Signals(subject, stretches).table(over=over)


class _Signals:
    def __init__(self, subject: Subject, stretches: Stretches) -> None:
        self._subject, self._at = subject, stretches
        self._count = len(stretches.documents)
        self._middle = stretches.before[:-1] + stretches.sizes / 2
        starts, ends = stretches.before[:-1], stretches.before[:-1] + stretches.sizes
        self._first = [np.searchsorted(ends, self._middle - half, side="right") for half in HALF_WIDTHS]
        self._last = [np.searchsorted(starts, self._middle + half, side="left") for half in HALF_WIDTHS]
        self._columns: list[Floats] = []

    def table(self, *, over: bool) -> Floats:
        weights, counts = self._terms()
        total = float(weights.sum()) or 1.0
        mass = (weights[:, None] * np.minimum(counts, 3)).sum(0) / total
        self._own(weights / total, counts)
        density = self._densities(mass)
        passage = self._passages(weights / total, counts)
        self._one_sided(mass)
        peaks = self._peaks(passage, density)
        talk = Talk(self._at, self._middle)
        self._distances(peaks, talk.likeness())
        strange = talk.feedback(peaks, self._height, self._subject)
        for width, near in zip(_FEEDBACK, self._around(strange, _FEEDBACK), strict=True):
            thick = near / (2 * HALF_WIDTHS[width])
            self._add(thick * float(self._at.sizes.mean()), thick / (thick.max() or 1.0))
        self._speaking()
        self._standing(over=over)
        self._asking(weights, density, mass)
        return np.stack([np.asarray(column, dtype=np.float32) for column in self._columns], axis=1)

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
            weights.append(share * math.log(1 + (heard - said + 0.5) / (said + 0.5)))
            row = np.zeros(self._count + 1, dtype=np.float32)
            row[row_of[posting.documents]] = posting.counts
            rows.append(row[:-1])
        if not rows:
            return np.zeros(1), np.zeros((1, self._count), dtype=np.float32)
        return np.array(weights), np.stack(rows)

    def _own(self, weights: NDArray[np.float64], counts: Floats) -> None:
        """BM25 of the utterance itself, and of its neighbours."""
        lengths = self._at.index.lengths(self._at.upto)
        norms = 1.2 * (0.4 + 0.6 * lengths[self._at.documents] / max(1.0, float(lengths.mean())))
        own = (weights[:, None] * 2.2 * counts / (counts + norms)).sum(0)
        self._add(own, own / (own.max() or 1.0))
        padded = np.pad(own, 2)
        self._add(*(padded[2 + step : 2 + step + self._count] for step in (-2, -1, 1, 2)))

    def _densities(self, mass: NDArray[Any]) -> list[NDArray[np.float64]]:
        found = []
        for half, near in zip(HALF_WIDTHS, self._around(mass, range(len(HALF_WIDTHS))), strict=True):
            density = near / (2 * half)
            self._add(density * 100, density / (density.max() or 1.0))
            found.append(density)
        return found

    def _passages(self, weights: NDArray[np.float64], counts: Floats) -> NDArray[np.float64]:
        """BM25 and coverage of passages; returns the scores of the middle width."""
        middle = np.zeros(self._count)
        for width, near in zip(_PASSAGES, self._around(counts, _PASSAGES), strict=True):
            score = (weights[:, None] * near / (near + 2 * HALF_WIDTHS[width] * _SATURATION)).sum(0)
            self._add(score, score / (score.max() or 1.0), (weights[:, None] * (near > 0)).sum(0))
            if width == _PASSAGES[1]:
                middle = score
        return middle

    def _one_sided(self, mass: NDArray[Any]) -> None:
        running = np.append(0.0, np.cumsum(mass, dtype=np.float64))
        here = np.arange(self._count)
        for width in _SIDES:
            left = running[here] - running[self._first[width]]
            right = running[self._last[width]] - running[here + 1]
            self._add(left, right)

    def _peaks(self, passage: NDArray[np.float64], density: Sequence[NDArray[np.float64]]) -> list[int]:
        """The best passages' middles, best first, apart from each other."""
        wide = density[4]
        self._height = passage + 0.5 * wide / (wide.max() or 1.0)
        left = self._height.copy()
        peaks: list[int] = []
        while len(peaks) < _PEAKS and (not peaks or left.max() > -1):
            peak = int(left.argmax())
            peaks.append(peak)
            left[np.abs(self._middle - self._middle[peak]) <= _PEAK_APART] = -2.0
        return peaks

    def _distances(self, peaks: Sequence[int], likeness: NDArray[np.float64]) -> None:
        """How far the peaks are, how they compare, and the least likeness of talk on the way there."""
        away = self._middle[None, :] - self._middle[list(peaks)][:, None]
        best = self._height[peaks[0]] or 1.0
        for number in range(2):
            place = min(number, len(peaks) - 1)
            self._add(np.log1p(np.abs(away[place]) / 20) * np.sign(away[place]))
            self._add(np.full(self._count, self._height[peaks[place]] / best))
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
        """Is it, or is around it, one whose words are asked for?"""
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
        self,
        weights: NDArray[np.float64],
        density: Sequence[NDArray[np.float64]],
        mass: NDArray[Any],
    ) -> None:
        """What holds for the question as a whole: the same in every row."""
        ones = np.ones(self._count)
        self._add(*(ones * manner for manner in self._subject.manners))
        assert len(self._subject.manners) == MANNERS
        said = int((weights > 0).sum())
        known = len(self._subject.terms)
        self._add(ones * said, ones * (1 - said / max(1, known)), ones * float(weights.max()))
        usual = float(mass.sum()) / self._at.heard or 1.0
        self._add(*(ones * float(density[width].max()) / usual for width in (3, 5)))
