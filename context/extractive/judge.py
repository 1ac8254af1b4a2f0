"""Which sentences of English talk settle something or give work, by weights learnt from labelled talk.

Two linear models over the features of `reading` and `exchange`: sums of weights, no more. They are the means
of several, each trained on other excerpts and with half of the features (`worker.bench.train_decisions`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from context.extractive.exchange import CLEAN, described
from context.extractive.reading import read
from context.extractive.sentences import Said

WEIGHTS: Final = Path(__file__).with_name("weights.json")
APART: Final = 4
"""So many utterances lie between two statements of one kind, where both are no more than likely."""
_FILLER: Final = re.compile(r"\b(?:uh|um|mm|hmm|yeah|uh-huh)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Model:
    """What is summed up for one kind of statement."""

    bias: float
    weights: dict[str, float]

    def score(self, features: frozenset[str]) -> float:
        """The log odds that a sentence with these features is of the kind."""
        weights = self.weights
        return self.bias + sum([weights[name] for name in features if name in weights])


@dataclass(frozen=True, slots=True)
class Judge:
    """Both models, and the words that they know."""

    known: frozenset[str]
    decision: Model
    action: Model

    def features(self, said: Sequence[Said]) -> list[frozenset[str]]:
        """The features of each sentence."""
        readings = [read(sentence.text, self.known) for sentence in said]
        return described(said, readings, clean=is_clean(said))

    def scores(self, said: Sequence[Said]) -> list[tuple[float, float]]:
        """How likely each sentence is a decision, and an action: log odds."""
        return [(self.decision.score(each), self.action.score(each)) for each in self.features(said)]


@cache
def judge() -> Judge:
    """The trained one; read once."""
    found = json.loads(WEIGHTS.read_text("utf-8"))
    models = {
        kind: Model(
            found[kind]["bias"], {name: float(weight) for name, weight in found[kind]["weights"].items()}
        )
        for kind in ("decision", "action")
    }
    return Judge(frozenset(found["known"].split()), models["decision"], models["action"])


def is_clean(said: Sequence[Said]) -> bool:
    """Whether hardly anybody says uh: talk that has been tidied, or a speech model's that leaves it out."""
    words = sum(sentence.text.count(" ") + 1 for sentence in said)
    return sum(len(_FILLER.findall(sentence.text)) for sentence in said) < CLEAN * words


def picked(said: Sequence[Said], scores: Sequence[float], least: float) -> list[int]:
    """The places of those that score at least so much, the best of each neighbourhood."""
    chosen: list[int] = []
    for place in sorted((i for i, score in enumerate(scores) if score >= least), key=lambda i: -scores[i]):
        number = said[place].utterance.id
        if all(
            said[other].utterance.id == number or abs(said[other].utterance.id - number) > APART
            for other in chosen
        ):
            chosen.append(place)
    return sorted(chosen)
