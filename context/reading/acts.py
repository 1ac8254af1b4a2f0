"""Dialogue acts of sentences: one decides, gives out a task, leaves something open, or does none of these.

They are learnt in two steps. By its own words a sentence gets the log odds of each act (`ACTS`), which are
sums of weights of its letters and words and of the frame that these stand in. In its place in the talk it is
read again by small boosted trees that see the log odds of the sentences around it and who says them
(`context_signals`): "금요일 어때요?" decides nothing until somebody else says yes.
`python -m tests.training acts` makes weights and scores.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from context.evidence.facts import facts
from context.language.dates import moments_in
from context.language.first_person import says_i
from context.language.korean import has_hangul
from context.language.spoken_sentences import SpokenSentence
from context.primitives.person_names import called
from context.reading.linear import features_of, trees

DialogueAct = Literal["decision", "task", "open", "proposal", "acceptance", "rejection", "courtesy"]
ACTS: Final[tuple[DialogueAct, ...]] = (
    "decision", "task", "open", "proposal", "acceptance", "rejection", "courtesy",
)  # fmt: skip
"""The acts, in the order of the columns of log odds; a sentence may do several.

`task` gives one out or takes it on, `open` leaves something open. `courtesy` greets, nods, announces or ends,
and says nothing of any matter.
"""
SETTLING_ACTS: Final[tuple[DialogueAct, ...]] = ACTS[:3]
"""The acts that a summary keeps; the second step reads them in context."""
FEATURE_BUCKETS: Final = 1 << 17
"""How many hash buckets the features of the first step have; a feature is a number below it."""
SENTENCE_HEAD: Final = Path(__file__).with_name("acts.npz")
"""The file with the weights of the first step."""
CONTEXT_TREES: Final = Path(__file__).with_name("acts_in_talk.npz")
"""The file with the trees of the second step."""
_MIN_SETTLING_LOG_ODDS: Final = 1.0
_CACHE_SIZE: Final = 2048

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class DialogueActs:
    """The dialogue acts of consecutive sentences."""

    log_odds: Floats
    """Log odds of each of `ACTS`, by a sentence's own words [sentences, acts]."""
    chances: Floats
    """The chance of each of `SETTLING_ACTS`, of a sentence in its place, 0 to 1 [sentences, 3]."""
    asks: NDArray[np.bool_]
    """Whether each asks: by its mark, or by its words where there is no mark at its end [sentences]."""


@dataclass(frozen=True, slots=True, eq=False)
class ActHead:
    """The first step: a logistic regression for each act, with one weight per feature and act."""

    frame_words: frozenset[str]
    """The commonest words, which make up a sentence's frame."""
    rarity: NDArray[np.float32]
    """How much a feature tells, by how few sentences have it [FEATURE_BUCKETS]."""
    weights: NDArray[np.float32]
    """The weights of the features [FEATURE_BUCKETS, columns]."""
    bias: NDArray[np.float32]
    """The intercepts [columns]."""

    def log_odds(self, text: str) -> Floats:
        """The log odds of a sentence by its words [columns].

        Of `ACTS`, then of `SETTLING_ACTS` as meetings have them, that it decides or gives a task out, that it
        asks.
        """
        features, log_counts = features_of(text, FEATURE_BUCKETS, frame_words=self.frame_words)
        values = log_counts * self.rarity[features]
        norm = float(np.linalg.norm(values)) or 1.0
        return np.asarray((values / norm) @ self.weights[features] + self.bias, dtype=np.float32)


def acts_of(sentences: Sequence[SpokenSentence]) -> DialogueActs:
    """The dialogue acts of each of `sentences`, which stand in the order of talk and may be none."""
    if not sentences:
        none = np.zeros((0, len(ACTS)), np.float32)
        return DialogueActs(none, none[:, : len(SETTLING_ACTS)], np.zeros(0, np.bool_))
    odds = np.stack([_all_log_odds(sentence.text) for sentence in sentences])
    rows = context_signals(sentences, odds)
    act_trees = [trees(CONTEXT_TREES, f"{act}_") for act in SETTLING_ACTS]
    chances = np.stack([1 / (1 + np.exp(-boosted.scores(rows))) for boosted in act_trees], axis=1)
    asks = [
        "?" in each.text or _asks_unmarked(each.text, odd)
        for each, odd in zip(sentences, odds[:, -1], strict=True)
    ]
    return DialogueActs(odds[:, : len(ACTS)], chances.astype(np.float32), np.array(asks, np.bool_))


def _asks_unmarked(text: str, log_odds: float) -> bool:
    return log_odds > 0 and text.rstrip()[-1:].isalnum()


def settling_utterances(
    sentences: Sequence[SpokenSentence], min_chance: float = 0.5
) -> dict[DialogueAct, tuple[int, ...]]:
    """The ids of the utterances that have a chance of `min_chance` to be a decision, and to be a task."""
    chances = acts_of(sentences).chances
    utterances: dict[DialogueAct, tuple[int, ...]] = {}
    for place, act in enumerate(SETTLING_ACTS[:2]):
        rows = zip(sentences, chances, strict=True)
        ids = dict.fromkeys(sentence.utterance.id for sentence, row in rows if row[place] >= min_chance)
        utterances[act] = tuple(ids)
    return utterances


def log_odds(text: str) -> Floats:
    """The log odds of each of `ACTS` for a sentence by its own words alone [acts]."""
    return _all_log_odds(text)[: len(ACTS)]


@lru_cache(maxsize=_CACHE_SIZE)
def _all_log_odds(text: str) -> Floats:
    return act_head(SENTENCE_HEAD).log_odds(text)


def act_of(text: str) -> DialogueAct | None:
    """The likeliest act of a sentence by its own words; None where none is likelier than not.

    What settles something has to be more than that: half of the labelled sentences do, in talk hardly any.
    """
    odds = log_odds(text)
    best = int(odds.argmax())
    return (
        ACTS[best] if odds[best] > (_MIN_SETTLING_LOG_ODDS if ACTS[best] in SETTLING_ACTS else 0.0) else None
    )


def is_courtesy(text: str) -> bool:
    """Whether a sentence only greets, nods, announces or ends, by its words; a single word always does."""
    return len(text.split()) == 1 or act_of(text) == "courtesy"


@cache
def act_head(path: Path) -> ActHead:
    """The weights in a file that `tests.training` wrote, read once."""
    with np.load(path) as file:
        arrays = {name: file[name].astype(np.float32) for name in ("rarity", "weights", "bias")}
        return ActHead(frame_words=frozenset(file["common"].tolist()), **arrays)


_NEIGHBOUR_STEPS: Final = (-4, -3, -2, -1, 1, 2, 3, 4, 5)
_REACH_SENTENCES: Final = 6
"""Sentences away, at most, for the next one by somebody else, and for the highest log odds nearby."""
_STYLE_WINDOW_SENTENCES: Final = 15
"""The style of talk is measured over so many sentences to both sides."""
_MISSING_LOG_ODDS: Final = -6.0
"""The log odds that stand for a sentence that is not there."""
_FEW_WORDS: Final = 2
_WORD: Final = re.compile(r"\w+")
_COURTESY: Final = ACTS.index("courtesy")
_OF_NEIGHBOURS: Final = [*range(len(ACTS)), -1]
"""The columns of log odds that are signals of a sentence's neighbours: its acts, and whether it asks."""


def context_signals(sentences: Sequence[SpokenSentence], odds: Floats) -> Floats:
    """The signals by which the trees judge each sentence in its place [sentences, signals].

    `odds`: the log odds of the sentences by their words (`ActHead.log_odds`) [sentences, columns].
    """
    own, form = odds[:, _OF_NEIGHBOURS], _form_signals(sentences)
    speakers = [sentence.utterance.speaker_id for sentence in sentences]
    bigrams = [_bigrams(sentence.text) for sentence in sentences]
    groups = [odds, form, _style_signals(form, own)]
    groups += [_neighbour_signals(step, own, form, speakers, bigrams) for step in _NEIGHBOUR_STEPS]
    words = [frozenset(_WORD.findall(sentence.text.lower())) for sentence in sentences]
    groups += [_other_speaker_signals(step, own, form, speakers, words) for step in (1, -1)]
    groups += [_strongest_nearby(step, own) for step in (1, -1)]
    return np.concatenate(groups, axis=1).astype(np.float32)


def _form_signals(sentences: Sequence[SpokenSentence]) -> Floats:
    """Signals of form: length, marks, script, place in the turn, who is called, whether a day is named."""
    turns = Counter(sentence.utterance.id for sentence in sentences)
    names = frozenset(sentence.utterance.speaker_name for sentence in sentences)
    return np.array(
        [
            (
                len(sentence.text),
                len(sentence.text.split()),
                "?" in sentence.text,
                any(char.isdigit() for char in sentence.text),
                has_hangul(sentence.text),
                turns[sentence.utterance.id],
                sentence.place,
                any(called(name, sentence.text) for name in names if name != sentence.utterance.speaker_name),
                says_i(sentence.text),
                bool(moments := moments_in(sentence.text)),
                any(moment.limits for moment in moments),
                bool(facts(sentence.text)),
            )
            for sentence in sentences
        ],
        dtype=np.float32,
    )


def _style_signals(form: Floats, own: Floats) -> Floats:
    """Signals of style around each sentence: words a sentence, share of very short ones, and of courtesy."""
    columns = np.stack([form[:, 1], form[:, 1] <= _FEW_WORDS, own[:, _COURTESY]], axis=1)
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(columns, axis=0)])
    places = np.arange(len(form))
    first, last = (
        np.maximum(places - _STYLE_WINDOW_SENTENCES, 0),
        np.minimum(places + _STYLE_WINDOW_SENTENCES + 1, len(form)),
    )
    return np.asarray((sums[last] - sums[first]) / (last - first)[:, None], dtype=np.float32)


def _neighbour_signals(
    step: int, own: Floats, form: Floats, speakers: Sequence[str], bigrams: Sequence[frozenset[str]]
) -> Floats:
    """Signals of the sentence `step` further: its log odds, whether the speaker is one, whether it asks.

    Also how long it is, whether it names a value, and how much of the shorter one stands in the other.
    """
    signals = np.full((len(own), own.shape[1] + 5), _MISSING_LOG_ODDS, dtype=np.float32)
    for place in range(max(0, -step), min(len(own), len(own) - step)):
        other = place + step
        shared = len(bigrams[place] & bigrams[other]) / (min(len(bigrams[place]), len(bigrams[other])) or 1)
        signals[place] = (
            *own[other],
            speakers[place] == speakers[other],
            form[other, 2],
            form[other, 1],
            form[other, -1],
            shared,
        )
    return signals


def _bigrams(text: str) -> frozenset[str]:
    """Each two letters that stand together in the words of a text."""
    letters = "".join(_WORD.findall(text.lower()))
    return frozenset(letters[i : i + 2] for i in range(len(letters) - 1))


def _other_speaker_signals(
    step: int, own: Floats, form: Floats, speakers: Sequence[str], words: Sequence[frozenset[str]]
) -> Floats:
    """Signals of the nearest sentence by somebody else in one direction: also distance and shared words."""
    signals = np.full((len(own), own.shape[1] + 4), _MISSING_LOG_ODDS, dtype=np.float32)
    for place in range(len(own)):
        reach = (place + step * away for away in range(1, _REACH_SENTENCES + 1))
        within = (other for other in reach if 0 <= other < len(own))
        other = next((candidate for candidate in within if speakers[candidate] != speakers[place]), None)
        if other is not None:
            shared = len(words[place] & words[other]) / (1 + len(words[place] | words[other]))
            signals[place] = (*own[other], form[other, 1], form[other, 2], abs(other - place), shared)
    return signals


def _strongest_nearby(step: int, own: Floats) -> Floats:
    """The highest log odds of each act among the next few sentences, forwards or backwards."""
    strongest = np.full(own.shape, _MISSING_LOG_ODDS, dtype=np.float32)
    for away in range(1, min(_REACH_SENTENCES + 1, len(own))):
        if step > 0:
            strongest[:-away] = np.maximum(strongest[:-away], own[away:])
        else:
            strongest[away:] = np.maximum(strongest[away:], own[:-away])
    return strongest
