"""How likely a topic begins at an utterance, once what follows it has been heard.

Theory of operation
-------------------
Every utterance is read once. The candidate `AHEAD` utterances back is then described by what was said
before and after it: likeness of neighbouring stretches, words that begin and end, who speaks how much,
turn lengths, cues. `AROUND` utterances later its neighbours are described too, and models that were
trained on real meetings say how likely a topic begins there: trees that look at this candidate, and a net
that has gone along all candidates (`net`). All of that is constant work per utterance, and nothing waits
for a pause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from context.models import Utterance
from context.topics.boundary import features
from context.topics.boundary.chains import KEPT, Chains
from context.topics.boundary.features import AHEAD, AROUND, BEHIND, CURVE_PLACES, NAMES, STEP
from context.topics.boundary.meaning import Likeness
from context.topics.boundary.model import (
    LATER,
    Memory,
    Model,
    Net,
    models,
    nets,
    packed,
    unpacked,
    word_table,
)
from context.topics.boundary.talk import Talk
from context.topics.boundary.words import Reader
from context.topics.cues import Cue

_WAITING: Final = AROUND // STEP
"""Described candidates that have no score yet."""
_ROWS: Final = (AROUND + BEHIND) // STEP + 1
_LIKENESS: Final = NAMES.index("l12_12")
_BY_NET: Final = (0.5, 0.8)
"""Of the logit, English and Korean; the trees say the rest."""
_BEYOND: Final = 2.5
"""Times the trees' chance, at most: where nothing changes, the net goes by how long topics are."""
_UNMISTAKABLE: Final = -0.6
"""Twelve utterances that share so little with the twelve before them are another matter, whatever else
speaks against it; one in some thousand candidates of real meetings is so unlike."""


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a topic begins at utterance `at`, 0–1."""

    at: int
    chance: float
    korean: bool


class Scorer:
    """Hears utterances, gives scores, some thirty utterances late."""

    def __init__(
        self, trained: tuple[Model, Model] | None = None, along: tuple[Net, Net] | None = None
    ) -> None:
        """`trained`, `along`: other trees and nets than those of the package, English and Korean."""
        self._reader = Reader(word_table())
        self._models = trained or models()
        self._nets = along or nets()
        self._memory = Memory()
        self._korean = False
        """Which net `_memory` is of; the other one begins anew."""
        self._followed = 0
        """The newest candidate that the net has heard."""
        self.talk = Talk()
        self._likeness = Likeness()
        self._chains = Chains()
        self._rows: list[list[float]] = []
        """Descriptions of the candidates up to `_described`; the newest `_WAITING` wait for their score."""
        self._curves: list[list[float]] = []
        self._means: list[list[float]] = []
        """Mean of each curve so far, per candidate that waits."""
        self._sums = [0.0] * len(CURVE_PLACES)
        self._described = 0

    def hear(self, number: int, text: str, speaker: str, cue: Cue | None) -> Score | None:
        """Hear utterance `number`, the next one; the score of the candidate that is due, if any."""
        turn = self._reader.read(text)
        self.talk.add(number, turn, speaker, cue)
        self._likeness.add(number, turn.vector, turn.weight)
        self._chains.add(number, turn.keys, turn.weight)
        if number < AHEAD:
            return None
        if number % STEP == 0:  # a candidate is described at one utterance and scored at the next
            self._describe(number + 1 - AHEAD)
            return None
        logits = self._follow(len(self._rows) - 1)
        place = len(self._rows) - 1 - _WAITING
        return self._score(place, logits[LATER]) if place >= 0 else None

    def rest(self) -> Iterator[Score]:
        """The scores that are still due, from what has been heard: the meeting is over."""
        rows, curves = list(self._rows), list(self._curves)
        means, sums, described = list(self._means), list(self._sums), self._described
        memory, korean, followed = self._memory.copy(), self._korean, self._followed
        waiting = min(len(rows), _WAITING + (self.talk.newest % STEP == 0))
        for number in range(described + STEP if described else 1, self.talk.newest + 1, STEP):
            self._describe(number, forget=False)
            waiting += 1
        last = len(self._rows) - 1
        logits = {place: self._follow(place) for place in range(last + 1) if self._at(place) > followed}
        found = []
        for place in range(last + 1 - waiting, last + 1):
            later = min(LATER, last - place)
            found.append(self._score(place, logits[place + later][later]))
        self._rows, self._curves, self._means, self._sums, self._described = (
            rows,
            curves,
            means,
            sums,
            described,
        )
        self._memory, self._korean, self._followed = memory, korean, followed
        return iter(found)

    def _describe(self, number: int, *, forget: bool = True) -> None:
        row = features.describe(number, self.talk, self._likeness, self._chains)
        curve = [row[place] for place in CURVE_PLACES]
        self._sums = [total + value for total, value in zip(self._sums, curve, strict=True)]
        self._described = number
        self._rows.append(row)
        self._curves.append(curve)
        count = (number + 1) // STEP
        self._means.append([total / count for total in self._sums])
        if forget and len(self._curves) > _ROWS:
            del self._rows[0], self._curves[0], self._means[0]

    def _follow(self, place: int) -> list[float]:
        """The net hears the candidate at `place`, the next one: its logits, see `Net.hear`."""
        at = self._at(place)
        model = self.model(at)
        if model.korean != self._korean:
            self._memory, self._korean = Memory(), model.korean
        self._followed = at
        net = self._nets[1 if model.korean else 0]
        return net.hear([*self.passing(place), model.sounds(self.edges(at))], self._memory)

    def _score(self, place: int, by_net: float) -> Score:
        row, at = self.row(place), self._at(place)
        model = self.model(at)
        by_trees = model.logit(row, self.edges(at))
        chance = _chance(by_trees)
        if model.korean == self._korean:
            both = _chance(by_trees + _BY_NET[model.korean] * (by_net - by_trees))
            chance = min(both, _BEYOND * chance)
        if row[_LIKENESS] < _UNMISTAKABLE:
            chance = max(chance, -row[_LIKENESS])
        return Score(at, chance, model.korean)

    def _at(self, place: int) -> int:
        """The utterance of the candidate at `place`."""
        return self._described - STEP * (len(self._rows) - 1 - place)

    def passing(self, place: int) -> list[float]:
        """All numbers of the newest candidate; how it dips is not known yet, so how an earlier one does."""
        past = features.surroundings(self._curves, place, self._means[place])[len(CURVE_PLACES) :]
        before = place - _WAITING
        if before < 0:
            return [*self._rows[place], *[0.0] * len(CURVE_PLACES), *past]
        dips = features.surroundings(self._curves, before, self._means[before])[: len(CURVE_PLACES)]
        return [*self._rows[place], *dips, *past]

    def row(self, place: int) -> list[float]:
        """All numbers of a described candidate."""
        return self._rows[place] + features.surroundings(self._curves, place, self._means[place])

    def edges(self, at: int) -> Sequence[tuple[int, ...]]:
        """How the utterances around `at` begin and end."""
        p = at - self.talk.first
        return [self.talk.edges[x] if 0 <= x < len(self.talk.edges) else () for x in range(p - 2, p + 3)]

    def model(self, at: int) -> Model:
        """The model for the language that is spoken around `at`."""
        p = at - self.talk.first
        around = self.talk.hangul[max(0, p - AROUND) : p + AHEAD]
        return self._models[1 if 2 * sum(around) > len(around) else 0]

    def dump(self) -> dict[str, Any]:
        """For the snapshot: what the newest utterances do not tell."""
        return {
            "talk": self.talk.dump(),
            "total": packed(self._likeness.total.astype("<i8").tobytes()),
            "total_weight": self._likeness.total_weight,
            "chains": self._chains.dump(),
            "rows": [list(row) for row in self._rows[-_WAITING - 1 :]],
            "curves": [list(curve) for curve in self._curves],
            "means": [list(mean) for mean in self._means[-_WAITING - 1 :]],
            "sums": list(self._sums),
            "described": self._described,
            "along": {"korean": self._korean, "heard": self._followed, "given": self._memory.dump()},
        }

    def load(self, dumped: dict[str, Any], archive: Sequence[Utterance]) -> None:
        """From the snapshot and the archive."""
        newest = archive[-KEPT:]
        turns = [self._reader.read(utterance.text) for utterance in newest]
        first = len(archive) - len(newest) + 1
        for number, turn in enumerate(turns, first):
            self._likeness.add(number, turn.vector, turn.weight)
            self._chains.add(number, turn.keys, turn.weight)
        self.talk.load(dumped["talk"], first, [(t, u.speaker_id) for t, u in zip(turns, newest, strict=True)])
        self._likeness.total = np.frombuffer(unpacked(dumped["total"]), dtype="<i8").astype(np.int64)
        self._likeness.total_weight = dumped["total_weight"]
        self._chains.load(dumped["chains"])
        gone = len(dumped["curves"]) - len(dumped["rows"])
        self._curves = [list(curve) for curve in dumped["curves"]]
        self._rows = [[]] * gone + [list(row) for row in dumped["rows"]]
        self._means = [[]] * gone + [list(mean) for mean in dumped["means"]]
        self._sums = list(dumped["sums"])
        self._described = dumped["described"]
        along = dumped.get("along")
        if along is None:  # from before there was a net: it begins anew
            self._memory, self._followed = Memory(), self._described
            return
        self._memory.load(along["given"])
        self._korean, self._followed = along["korean"], along["heard"]


def _chance(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
