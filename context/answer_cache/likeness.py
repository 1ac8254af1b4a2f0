"""Whether the answer to one question also answers another: guards that compare facts, then a trained judge.

No cosine tells "before the release" from "after the release" (both lie at .99), so the judge looks at what
differs: the words that only one of the two has, the endings of those that both have, the order, how far
the vectors lie apart. It is trained from labelled pairs by `python -m tests.training likeness`.

The least cosine of a hit is each encoder's own. Seed 002's .85 means nothing by itself: with
multilingual-e5-small, two questions that have nothing in common lie at .80. The flag
`cache_similarity_threshold` is therefore read on the seed's scale: its .85 is each encoder's calibrated
point, 1 stays 1, 0 is what unrelated questions have, and between them it is linear. The point is where
unrelated questions end, a veto and no more: telling near-misses from paraphrases is the judge's work, for
which no cosine alone is any good (both lie at .88-1.00).
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import exp
from pathlib import Path
from typing import Final, Literal

from context.answer_cache.compared_question import ComparedQuestion
from context.models import Frozen
from context.reading.requests import LIST_INTENTS

Guard = Literal[
    "language", "leaning", "asker", "question", "polarity", "number", "moment", "name", "topic", "encoder",
    "evidence", "newer",
]  # fmt: skip
"""Why a kept answer is not given: in what the questions differ, or what happened since."""
WEIGHTS: Final = Path(__file__).with_name("likeness.json")
_LONGEST_ENDING: Final = 3
_USUAL_COSINE: Final = 0.95
_COSINE_SCALE: Final = 20.0
"""The cosine of two questions that the guards let pass lies within .05 of the usual one."""


def objections(stored: ComparedQuestion, asked: ComparedQuestion) -> tuple[Guard, ...]:
    """The guards that object to answering `asked` with the answer to `stored`: the facts that differ."""
    differ: dict[Guard, bool] = {
        "language": stored.korean != asked.korean,
        "leaning": stored.leaning or asked.leaning,
        "polarity": stored.negated != asked.negated,
        "number": stored.figures != asked.figures,
        "moment": stored.moments != asked.moments,
        "name": stored.names != asked.names,
        "question": (
            stored.intent != asked.intent and not {stored.intent, asked.intent}.isdisjoint(LIST_INTENTS)
        )
        or bool(stored.kind and asked.kind and stored.kind != asked.kind),
        "topic": stored.long or asked.long,
    }
    return tuple(guard for guard, speaks in differ.items() if speaks)


@dataclass(frozen=True, slots=True)
class Judge:
    """A logistic regression over named features: the sum of `bias` and of each weight times its value."""

    bias: float
    weights: Mapping[str, float]
    least: float
    """The least probability with which a question counts as asked before."""

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability that two questions with these `features` are the same, 0 to 1."""
        total = self.bias + sum(
            self.weights.get(weighted_name(name, self.weights), 0.0) * value
            for name, value in features.items()
        )
        return 1 / (1 + exp(-max(-50.0, min(50.0, total))))


def weighted_name(name: str, names: Container[str]) -> str:
    """The name under which a feature is weighted: its own, or "word ?" for a word that is not in `names`."""
    kind, _, rest = name.partition(" ")
    return f"{kind} ?" if rest and kind in ("word", "ending") and name not in names else name


@cache
def _judge() -> Judge:
    """The judge that `tests.training` wrote; read once."""
    return Judge(**json.loads(WEIGHTS.read_text("utf-8")))


def is_same(stored: ComparedQuestion, asked: ComparedQuestion, cosine: float) -> bool:
    """Whether the trained judge takes two questions, none of whose facts differ, for the same.

    The same words in another order never are: "the app calls the server" and "the server calls the app".
    """
    judge, seen = _judge(), features(stored, asked, cosine)
    return not seen["only moved"] and judge.probability(seen) >= judge.least


def shared(stored: ComparedQuestion, asked: ComparedQuestion) -> float:
    """The share of words that two questions have in common (Dice), 0 to 1; 1 for two without words."""
    one, other = set(stored.words), set(asked.words)
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def features(stored: ComparedQuestion, asked: ComparedQuestion, cosine: float) -> dict[str, float]:
    """The features of two questions by name, as the judge sees them; `cosine`: of their vectors."""
    one, other = stored.words, asked.words
    pairs = _paired(one, other)
    taken, taken_too = {i for i, _ in pairs}, {j for _, j in pairs}
    alone = [word for i, word in enumerate(one) if i not in taken]
    alone_too = [word for j, word in enumerate(other) if j not in taken_too]
    left = [*alone, *alone_too]
    moved = any(first[1] > second[1] for first, second in combinations(pairs, 2))
    endings: list[str] = []
    for i, j in pairs:
        if one[i] != other[j]:
            start = _start(one[i], other[j])
            endings += one[i][start:], other[j][start:]
    seen = {
        "cosine": (cosine - _USUAL_COSINE) * _COSINE_SCALE,
        "left": len(left),
        "left by distance": (1 - cosine) * _COSINE_SCALE * len(left),
        "left on both sides": min(len(alone), len(alone_too)),
        "letters left": sum(map(len, left)) / 5,
        "shared": 2 * len(pairs) / (len(one) + len(other)),
        "moved": moved,
        "only moved": moved and not left,
        "kind said once": stored.kind != asked.kind,
        "endings": len(endings) / 2,
        "intents differ": stored.intent != asked.intent,
    }
    return {**seen, **{f"word {word}": 1.0 for word in left}, **{f"ending {each}": 1.0 for each in endings}}


def _paired(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The places of words in both questions, as pairs; Korean ones may end otherwise (출시일은, 출시일이)."""
    pairs: list[tuple[int, int]] = []
    free = dict(enumerate(other))
    for place, word in enumerate(one):
        alike = {at: _alike(word, each) for at, each in free.items()}
        best = max(alike, key=lambda at: (alike[at], -abs(at - place)), default=None)
        if best is not None and alike[best]:
            pairs.append((place, best))
            del free[best]
    return pairs


def _alike(word: str, other: str) -> int:
    """How many letters two forms of one word share, one more if they are equal; 0 for two words."""
    if word == other:
        return len(word) + 1
    start = _start(word, other)
    korean = start > 1 and "가" <= word[0] <= "힣"
    return start if korean and max(len(word), len(other)) - start <= _LONGEST_ENDING else 0


def _start(word: str, other: str) -> int:
    differ = (place for place, (one, two) in enumerate(zip(word, other, strict=False)) if one != two)
    return next(differ, min(len(word), len(other)))


SEED_THRESHOLD: Final = 0.85
"""Seed 002's least likeness of a hit."""


class Calibration(Frozen):
    """What is known of one encoder's cosines between questions."""

    encoder: str
    """The beginning of the encoder's name."""
    unrelated: float
    """The median cosine of two questions that have nothing to do with each other."""
    threshold: float
    """What the seed's .85 is with this encoder: the 99th percentile of unrelated questions."""


CALIBRATIONS: Final = (Calibration(encoder="multilingual-e5-small", unrelated=0.81, threshold=0.90),)


def calibration_of(encoder: str) -> Calibration | None:
    """The calibration of an encoder by its name; None for an unknown one, whose cosines are not used."""
    return next((each for each in CALIBRATIONS if encoder.lower().startswith(each.encoder)), None)


def threshold_for(encoder: str, on_seed_scale: float | None = None) -> float:
    """The least cosine of a hit, by the seed's scale. Raises `LookupError` for an uncalibrated encoder."""
    known = calibration_of(encoder)
    if known is None:
        raise LookupError(f"encoder {encoder!r} is not calibrated for the answer cache")
    on_scale = SEED_THRESHOLD if on_seed_scale is None else min(1.0, max(0.0, on_seed_scale))
    if on_scale >= SEED_THRESHOLD:
        return known.threshold + (on_scale - SEED_THRESHOLD) / (1 - SEED_THRESHOLD) * (1 - known.threshold)
    return known.unrelated + on_scale / SEED_THRESHOLD * (known.threshold - known.unrelated)
