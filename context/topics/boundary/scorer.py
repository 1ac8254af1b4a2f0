"""How likely a topic begins at an utterance, once what follows it has been heard.

Theory of operation
-------------------
Every utterance is read once. The candidate `AHEAD_UTTERANCES` back is then described by what was said
before and after it: likeness of neighbouring stretches, words that begin and end, who speaks how much,
turn lengths, cues. `AROUND_UTTERANCES` later its neighbours are described too, and models that were
trained on real meetings say how likely a topic begins there: trees that look at this candidate, and a net
that has gone along all candidates (`model`). All of that is constant work per utterance, and nothing waits
for a pause.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from context.models import Utterance
from context.topics.boundary import boundary_features
from context.topics.boundary.boundary_features import (
    AHEAD_UTTERANCES,
    AROUND_UTTERANCES,
    BEHIND_UTTERANCES,
    CURVE_PLACES,
    NAMES,
    STEP_UTTERANCES,
)
from context.topics.boundary.chains import KEPT_COUNT, Chains
from context.topics.boundary.model import (
    LATER_STEPS,
    Model,
    dumped_memory,
    empty_memory,
    loaded_memory,
    models,
    nets,
    packed,
    unpacked,
)
from context.topics.boundary.talk_likeness import Likeness
from context.topics.boundary.utterance_window import UtteranceWindow
from context.topics.boundary.words import read
from context.topics.phrases.cues import Cue

_WAITING_CANDIDATES: Final = AROUND_UTTERANCES // STEP_UTTERANCES
"""So many newest candidates are described and have no score yet."""
_ROWS: Final = (AROUND_UTTERANCES + BEHIND_UTTERANCES) // STEP_UTTERANCES + 1
"""So many newest candidates are kept."""
_LIKENESS: Final = NAMES.index("l12_12")
_BY_NET: Final = (0.5, 0.8)
"""The net's share of the logit, in English and Korean; the trees say the rest."""
_MAX_GAIN: Final = 2.5
"""At most so many times the trees' chance: where nothing changes, the net goes by how long topics are."""
_UNMISTAKABLE_LIKENESS: Final = -0.6
"""Twelve utterances that share so little with the twelve before them are another matter, whatever else
speaks against it; one in some thousand candidates of real meetings is so unlike."""


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a topic begins at utterance `at`, 0–1."""

    at: int
    chance: float
    korean: bool


class Scorer:
    """Scores candidates, some thirty utterances late; hears every utterance of a meeting once, in order."""

    def __init__(self, trained: tuple[Model, Model] | None = None) -> None:
        """`trained`: trees for English and for Korean in the place of those of the package."""
        self._models = trained or models()
        self._nets = nets()
        self._memory = empty_memory()
        self._korean = False
        """Whether `_memory` is the Korean net's; where the language changes, the other net begins anew."""
        self._followed = 0
        """The newest candidate that the net has heard."""
        self.window = UtteranceWindow()
        self._likeness = Likeness()
        self._chains = Chains()
        self._rows: list[list[float]] = []
        """Features of candidates up to `_described`; the newest `_WAITING_CANDIDATES` wait for a score."""
        self._curves: list[list[float]] = []
        """The `CURVES` among these features."""
        self._means: list[list[float]] = []
        """The mean of each curve up to each candidate."""
        self._sums = [0.0] * len(CURVE_PLACES)
        """The sum of each curve over all candidates."""
        self._described = 0
        """The newest candidate that is described, by utterance."""

    def hear(self, number: int, text: str, speaker: str, cue: Cue | None) -> Score | None:
        """Hear utterance `number`, the next one; give the score of the candidate that is due, if one is."""
        turn = read(text)
        self.window.add(number, turn, speaker, cue)
        self._likeness.add(number, turn.vector, turn.weight)
        self._chains.add(number, turn.keys)
        if number < AHEAD_UTTERANCES:
            return None
        if number % STEP_UTTERANCES == 0:  # a candidate is described at one utterance and scored at the next
            self._describe(number + 1 - AHEAD_UTTERANCES)
            if len(self._curves) > _ROWS:
                del self._rows[0], self._curves[0], self._means[0]
            return None
        logits = self._follow(len(self._rows) - 1)
        place = len(self._rows) - 1 - _WAITING_CANDIDATES
        return self._score(place, logits[LATER_STEPS]) if place >= 0 else None

    def rest(self) -> list[Score]:
        """The scores that are still due, in order, from what has been heard; it goes on hearing as before."""
        return copy(self).last_scores()

    def last_scores(self) -> list[Score]:
        """The scores that are still due, in order; this scorer hears nothing any more (see `rest`)."""
        self._rows, self._curves, self._means = self._rows[:], self._curves[:], self._means[:]
        self._memory = [given[:] for given in self._memory]
        heard, newest = self._followed, self.window.newest
        first = max(0, len(self._rows) - _WAITING_CANDIDATES - (newest % STEP_UTTERANCES == 0))
        for number in range(
            self._described + STEP_UTTERANCES if self._described else 1, newest + 1, STEP_UTTERANCES
        ):
            self._describe(number)
        last = len(self._rows) - 1
        logits = {place: self._follow(place) for place in range(last + 1) if self._at(place) > heard}
        scores = []
        for place in range(first, last + 1):
            later = min(LATER_STEPS, last - place)
            scores.append(self._score(place, logits[place + later][later]))
        return scores

    def _describe(self, number: int) -> None:
        row = boundary_features.describe(number, self.window, self._likeness, self._chains)
        curve = [row[place] for place in CURVE_PLACES]
        self._sums = [total + value for total, value in zip(self._sums, curve, strict=True)]
        self._described = number
        self._rows.append(row)
        self._curves.append(curve)
        count = (number + 1) // STEP_UTTERANCES
        self._means.append([total / count for total in self._sums])

    def _follow(self, place: int) -> list[float]:
        """Let the net hear the candidate at `place`, its next one; the logits that `Net.hear` gives."""
        at = self._at(place)
        model = self.model(at)
        if model.korean != self._korean:
            self._memory, self._korean = empty_memory(), model.korean
        self._followed = at
        return self._nets[model.korean].hear(
            [*self.passing(place), model.sounds(self.edges(at))], self._memory
        )

    def _score(self, place: int, by_net: float) -> Score:
        row, at = self.row(place), self._at(place)
        model = self.model(at)
        by_trees = model.logit(row, self.edges(at))
        chance = _chance(by_trees)
        if model.korean == self._korean:
            both = _chance(by_trees + _BY_NET[model.korean] * (by_net - by_trees))
            chance = min(both, _MAX_GAIN * chance)
        if row[_LIKENESS] < _UNMISTAKABLE_LIKENESS:
            chance = max(chance, -row[_LIKENESS])
        return Score(at, chance, model.korean)

    def _at(self, place: int) -> int:
        """The utterance of the candidate at `place`."""
        return self._described - STEP_UTTERANCES * (len(self._rows) - 1 - place)

    def passing(self, place: int) -> list[float]:
        """The newest candidate's features for the net; its dips, yet unknown, are an earlier one's."""
        count = len(CURVE_PLACES)
        past = boundary_features.surroundings(self._curves, place, self._means[place])[count:]
        before = place - _WAITING_CANDIDATES
        dips = [0.0] * count
        if before >= 0:
            dips = boundary_features.surroundings(self._curves, before, self._means[before])[:count]
        return [*self._rows[place], *dips, *past]

    def row(self, place: int) -> list[float]:
        """The features `NAMES` and `SURROUNDING_FEATURES` of a candidate, by its place of those kept."""
        return self._rows[place] + boundary_features.surroundings(self._curves, place, self._means[place])

    def edges(self, at: int) -> Sequence[tuple[int, ...]]:
        """The `Turn.edges` of each of the five utterances around `at`; empty where there is no utterance."""
        p = at - self.window.first
        return [self.window.edges[x] if 0 <= x < len(self.window.edges) else () for x in range(p - 2, p + 3)]

    def model(self, at: int) -> Model:
        """The trees for the language of most utterances around `at`."""
        p = at - self.window.first
        around = self.window.hangul[max(0, p - AROUND_UTTERANCES) : p + AHEAD_UTTERANCES]
        english, korean = self._models
        return korean if 2 * sum(around) > len(around) else english

    def dump(self) -> dict[str, Any]:
        """Give for a snapshot, JSON-able, what does not follow from the newest utterances."""
        return {
            "talk": self.window.dump(),
            "total": packed(self._likeness.total.astype("<i8").tobytes()),
            "total_weight": self._likeness.total_weight,
            "chains": self._chains.dump(),
            "rows": self._rows[-_WAITING_CANDIDATES - 1 :],
            "curves": self._curves[:],
            "means": self._means[-_WAITING_CANDIDATES - 1 :],
            "sums": self._sums,
            "described": self._described,
            "along": {
                "korean": self._korean,
                "heard": self._followed,
                "given": dumped_memory(self._memory),
            },
        }

    def load(self, dumped: dict[str, Any], archive: Sequence[Utterance]) -> None:
        """Take the state from a snapshot, as `dump` gave it; `archive` are the utterances up to it."""
        newest = archive[-KEPT_COUNT:]
        turns = [read(utterance.text) for utterance in newest]
        first = len(archive) - len(newest) + 1
        for number, turn in enumerate(turns, first):
            self._likeness.add(number, turn.vector, turn.weight)
            self._chains.add(number, turn.keys)
        self.window.load(
            dumped["talk"], first, [(t, u.speaker_id) for t, u in zip(turns, newest, strict=True)]
        )
        self._likeness.total = np.frombuffer(unpacked(dumped["total"]), dtype="<i8").astype(np.int64)
        self._likeness.total_weight = dumped["total_weight"]
        self._chains.load(dumped["chains"])
        gone = len(dumped["curves"]) - len(dumped["rows"])
        self._curves = list(dumped["curves"])
        self._rows = [[]] * gone + dumped["rows"]
        self._means = [[]] * gone + dumped["means"]
        self._sums, self._described = dumped["sums"], dumped["described"]
        along = dumped["along"]
        self._memory = loaded_memory(along["given"])
        self._korean, self._followed = along["korean"], along["heard"]


def _chance(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
