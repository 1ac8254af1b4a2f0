"""Which points are worth a note: those that tell something of the meeting's matter, unlike small talk.

A point is a sentence, with the question that it answers where it tells little without it. Two logistic
regressions judge it. The first one reads its words (`context.reading.note_words`). The second one has the log
odds of the first, the figures, days and rare words that the point names, whether it answers a question, and
how many sentences of others near it name one of its rare words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.evidence.facts import facts, matter
from context.language.first_person import says_i
from context.plain.antecedents import is_elliptical
from context.plain.dialogue import Dialogue
from context.plain.mentions import NAMING_RARITY, has_pronoun, named_things
from context.reading.acts import ACTS
from context.reading.note_words import noting_log_odds
from context.reading.replacing import rarity
from context.retrieval.answer_kinds import gives, kind_asked

WEIGHTS_FILE: Final = Path(__file__).with_name("noteworthy.json")
"""The file with mean, spread and weight of each signal of the second one, and its bias."""
MIN_CHANCE: Final = 0.55
"""The least chance of what is noted."""
_NEAR_SENTENCES: Final = 12
"""So many sentences to each side are near."""
_RAREST_WORDS: Final = 3
"""How many of a point's rarest words give a signal by their rarity."""
_BARE_KINDS: Final = ("how_much", "when")
"""The kinds of answers that tell little without their question."""
_COURTESY: Final = ACTS.index("courtesy")


def noteworthy(dialogue: Dialogue, places: Sequence[int]) -> list[tuple[int, ...]]:
    """The points that the sentences at `places` make and that are likely enough worth a note; maybe none.

    Each is the places of its sentences (`point_at`), in the order of `places`.
    """
    points = [point_at(dialogue, place) for place in places]
    if not points:
        return []
    own = [noting_log_odds(point_text(dialogue, point)) for point in points]
    scale = _regression()
    mean, spread, weights = (np.array(scale[name]) for name in ("mean", "spread", "weights"))
    values = (noting_signals(dialogue, points, own) - mean) / spread
    chances = 1 / (1 + np.exp(-(values @ weights + scale["bias"])))
    return [point for point, chance in zip(points, chances, strict=True) if chance >= MIN_CHANCE]


def point_at(dialogue: Dialogue, place: int) -> tuple[int, ...]:
    """The places of the point that a sentence makes, to be read alone: an answer stands behind its question.

    That is where it is a bare figure or day, or can't be read without the question.
    """
    asked = dialogue.question_before(place)
    if asked is None:
        return (place,)
    kind, text = kind_asked(dialogue.sentences[asked].text), dialogue.sentences[place].text
    is_bare = kind in _BARE_KINDS and gives(kind, text)
    return (asked, place) if is_bare or is_elliptical(dialogue, place) else (place,)


def point_text(dialogue: Dialogue, point: Sequence[int]) -> str:
    """The words of a point."""
    return " ".join(dialogue.sentences[place].text for place in point)


def noting_signals(
    dialogue: Dialogue, points: Sequence[Sequence[int]], own: Sequence[float]
) -> NDArray[np.float64]:
    """The signals of the second regression [points, signals]; `own`: the log odds of each by its words."""
    rare = [
        frozenset(word for word in matter(said.text) if rarity(word) >= NAMING_RARITY)
        for said in dialogue.sentences
    ]
    return np.array(
        [
            [
                log_odds,
                dialogue.acts.log_odds[point[-1], _COURTESY],
                *_own_signals(point_text(dialogue, point)),
                *_near_signals(dialogue, point[-1], rare),
            ]
            for point, log_odds in zip(points, own, strict=True)
        ],
        dtype=np.float64,
    )


def _own_signals(text: str) -> list[float]:
    """The signals of a point's form, and of the things, figures and days that it names."""
    named, about = facts(text), matter(text)
    rarest = sorted((rarity(word) for word in about), reverse=True)[:_RAREST_WORDS]
    return [
        len(text.split()),
        len(text),
        len(named.numbers),
        len(named.dates) + len(named.days) + len(named.weekdays),
        bool(named.negated),
        len(about),
        *rarest,
        *[0.0] * (_RAREST_WORDS - len(rarest)),
        says_i(text),
        len(named_things(text)),
        has_pronoun(text),
    ]


def _near_signals(dialogue: Dialogue, place: int, rare: Sequence[frozenset[str]]) -> list[float]:
    """Whether a sentence answers a question, and how many near it, before and behind, name its rare words."""
    turn = dialogue.turn_id(place)
    before = range(max(0, place - _NEAR_SENTENCES), place)
    behind = range(place + 1, min(len(rare), place + 1 + _NEAR_SENTENCES))
    shared = [
        sum(dialogue.turn_id(other) != turn and bool(rare[place] & rare[other]) for other in side)
        for side in (before, behind)
    ]
    return [dialogue.question_before(place) is not None, *shared]


@cache
def _regression() -> Mapping[str, Any]:
    return dict(json.loads(WEIGHTS_FILE.read_text("utf-8")))
