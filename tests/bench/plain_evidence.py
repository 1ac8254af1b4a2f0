"""Plain ways of finding evidence, to measure ours beside: BM25 smoothed over turns, and the newest lines.

As published with the task, so that its figures come out the same: terms without function words and
endings, the speaker's name among them; a line costs 1.3 tokens a word, its prefix included.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance

_STOP_TEXT: Final = """
a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't could couldn't did didn't do does doesn't doing don't down during each few for from further get
go going gonna got had has have haven't having he her here hers him his how i if in into is isn't it its it's just kind
know like lot make maybe me mean might mm more most much my no nor not now of off oh okay ok on one only or other our
ours out over own people put really right said same say see she should so some something sort still such sure take than
that that's the their them then there these they thing things think this those through to too um uh under up us use very
want was way we well were what when where which while who why will with would yeah yep yes you your disfmarker
vocalsound pause gap mhm hmm huh s t m re ve ll d n don actually basically little bit let good need
"""  # as published
_STOP: Final = frozenset(_STOP_TEXT.split())
_WORD: Final = re.compile(r"[a-z0-9]+")
_MARK: Final = re.compile(r"\{[^}]*\}|<[^>]*>")
_ENDINGS: Final = (
    *("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "es", "s", "ly"),
)
_K1: Final = 1.2
_B: Final = 0.75
_WIDTH: Final = 16
_RECENT: Final = 0.2
_FULL: Final = 0.98


class PlainEvidence:
    """Both methods over the turns heard so far."""

    def __init__(self, utterances: Sequence[Utterance]) -> None:
        lines = [f"{said.speaker_name}: {said.text}" for said in utterances]
        self._cost = [math.ceil(1.3 * len(line.split())) for line in lines]
        self._counts = [Counter(_terms(line)) for line in lines]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._in = Counter(term for counts in self._counts for term in counts)

    def smoothed(self, question: str, budget: int) -> set[int]:
        """BM25 per turn, smoothed over neighbouring turns; the best first."""
        return self._fill(self._order(question), budget, set())

    def with_newest(self, question: str, budget: int) -> set[int]:
        """A fifth of the budget for the newest turns, the rest as `smoothed`."""
        newest = self._fill(range(len(self._cost) - 1, -1, -1), int(budget * _RECENT), set())
        left = budget - sum(self._cost[place] for place in newest)
        return self._fill(self._order(question), left, newest)

    def by_rank(self, scores: Sequence[float] | NDArray[Any], budget: int) -> set[int]:
        """The turns with the best scores of somebody else's, smoothed over neighbouring turns as well."""
        return self._fill(self._smoothed(np.asarray(scores, dtype=np.float64)), budget, set())

    def _order(self, question: str) -> list[int]:
        return self._smoothed(self._scores(_terms(question)))

    def _smoothed(self, scores: NDArray[np.float64]) -> list[int]:
        steps = np.arange(-3 * _WIDTH, 3 * _WIDTH + 1)
        kernel = np.exp(-(steps**2) / (2 * _WIDTH**2))
        if len(kernel) <= len(scores):
            scores = np.convolve(scores, kernel, "same")[: len(scores)]
        return [int(place) for place in np.argsort(-scores, kind="stable")]

    def _scores(self, asked: Iterable[str]) -> NDArray[np.float64]:
        count = len(self._counts)
        average = max(1e-9, sum(self._lengths) / max(1, count))
        scores = np.zeros(count)
        for term in asked:
            weight = math.log(1 + (count - self._in[term] + 0.5) / (self._in[term] + 0.5))
            for place, counts in enumerate(self._counts):
                if found := counts.get(term):
                    norm = _K1 * (1 - _B + _B * self._lengths[place] / average)
                    scores[place] += weight * found * (_K1 + 1) / (found + norm)
        return scores

    def _fill(self, order: Iterable[int], budget: int, already: set[int]) -> set[int]:
        got, used = set(already), 0
        for place in order:
            if place not in got and used + self._cost[place] <= budget:
                got.add(place)
                used += self._cost[place]
            if used >= _FULL * budget:
                break
        return got


def _terms(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(_MARK.sub(" ", text.lower())) if word not in _STOP]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
