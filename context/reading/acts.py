"""What a sentence of talk does: it decides, gives out a task, leaves something open, or none of these.

Two learnt steps. By its own words a sentence gets the log odds of each act (`OWN_ACTS`), which are sums of
weights of its letters and words and of the frame that these stand in. In its place in the talk it is read
again by small boosted trees that see the log odds of the sentences around it and who says them
(`surroundings`): "금요일 어때요?" decides nothing until somebody else says yes. Weights and scores: `python
-m tests.training acts`.
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

from context.language.korean import has_hangul
from context.language.said import Said
from context.primitives.person_names import called
from context.reading.linear import features_of, trees

Act = Literal["decision", "task", "open", "proposal", "acceptance", "rejection", "courtesy"]
OWN_ACTS: Final[tuple[Act, ...]] = (
    "decision", "task", "open", "proposal", "acceptance", "rejection", "courtesy",
)  # fmt: skip
"""The acts, in the order of the columns of log odds; a sentence may do several.

`task` gives one out or takes it on, `open` leaves something open. `courtesy` greets, nods, announces or ends,
and says nothing of any matter.
"""
SETTLING_ACTS: Final[tuple[Act, ...]] = OWN_ACTS[:3]
"""The acts that a summary keeps; they are read in context."""
WIDTH: Final = 1 << 17
"""Features of the first step are numbers below it."""
BY_ITSELF: Final = Path(__file__).with_name("acts.npz")
"""The weights of the first step."""
IN_TALK: Final = Path(__file__).with_name("acts_in_talk.npz")
"""The trees of the second step."""
_SETTLED_ODDS: Final = 1.0
_CACHE_SIZE: Final = 2048

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Acts:
    """What the sentences of a stretch of talk do."""

    own: Floats
    """Log odds of each of `OWN_ACTS`, by a sentence's own words [sentences, acts]."""
    likely: Floats
    """How likely it does each of `SETTLING_ACTS` where it stands, 0 to 1 [sentences, 3]."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnWords:
    """The first step, a logistic regression for each act: one weight per feature and act."""

    common: frozenset[str]
    """The commonest words, which make a sentence's frame."""
    rarity: NDArray[np.float32]
    """How much a feature tells, by how few sentences have it [WIDTH]."""
    weights: NDArray[np.float32]
    """[WIDTH, acts]"""
    bias: NDArray[np.float32]
    """[acts]"""

    def log_odds(self, text: str) -> Floats:
        """The log odds of a sentence by its words [columns]: of `OWN_ACTS`, then of `SETTLING_ACTS`."""
        features, often = features_of(text, WIDTH, frame_words=self.common)
        values = often * self.rarity[features]
        norm = float(np.linalg.norm(values)) or 1.0
        return np.asarray((values / norm) @ self.weights[features] + self.bias, dtype=np.float32)


def acts_of(said: Sequence[Said]) -> Acts:
    """What each sentence of a stretch of talk does; `said`, which may be empty, is in order."""
    if not said:
        return Acts(np.zeros((0, len(OWN_ACTS)), np.float32), np.zeros((0, len(SETTLING_ACTS)), np.float32))
    odds = np.stack([_odds(sentence.text) for sentence in said])
    rows = surroundings(said, odds)
    talk = [trees(IN_TALK, f"{act}_") for act in SETTLING_ACTS]
    likely = np.stack([1 / (1 + np.exp(-each.scores(rows))) for each in talk], axis=1)
    return Acts(odds[:, : len(OWN_ACTS)], likely.astype(np.float32))


def settling_in(said: Sequence[Said], least: float = 0.5) -> dict[Act, tuple[int, ...]]:
    """The ids of the utterances that are, with a chance of `least`, a decision; likewise those of tasks."""
    likely = acts_of(said).likely
    found: dict[Act, tuple[int, ...]] = {}
    for place, act in enumerate(SETTLING_ACTS[:2]):
        rows = zip(said, likely, strict=True)
        ids = dict.fromkeys(sentence.utterance.id for sentence, row in rows if row[place] >= least)
        found[act] = tuple(ids)
    return found


def log_odds(text: str) -> Floats:
    """The log odds of each of `OWN_ACTS` for a sentence by its own words alone [acts]."""
    return _odds(text)[: len(OWN_ACTS)]


@lru_cache(maxsize=_CACHE_SIZE)
def _odds(text: str) -> Floats:
    return own_words(BY_ITSELF).log_odds(text)


def act_of(text: str) -> Act | None:
    """The likeliest act of a sentence by its own words; None where none is likelier than not.

    What settles something has to be more than that: half of the labelled sentences do, in talk hardly any.
    """
    odds = log_odds(text)
    best = int(odds.argmax())
    return (
        OWN_ACTS[best] if odds[best] > (_SETTLED_ODDS if OWN_ACTS[best] in SETTLING_ACTS else 0.0) else None
    )


def is_courtesy(text: str) -> bool:
    """Whether a sentence only greets, nods, announces or ends, by its words; a single word always does."""
    return len(text.split()) == 1 or act_of(text) == "courtesy"


@cache
def own_words(path: Path) -> OwnWords:
    """The weights in a file that `tests.training` wrote, read once."""
    with np.load(path) as kept:
        arrays = {name: kept[name].astype(np.float32) for name in ("rarity", "weights", "bias")}
        return OwnWords(common=frozenset(kept["common"].tolist()), **arrays)


_NEIGHBOUR_STEPS: Final = (-4, -3, -2, -1, 1, 2, 3, 4, 5)
_REACH_LINES: Final = 6
"""So many sentences before and behind the next one by somebody else may stand, or the strongest sign."""
_STRETCH: Final = 15
"""The manner of talk is that of so many sentences to both sides."""
_NOTHING: Final = -6.0
"""Stands for the log odds of a sentence that is not there."""
_FEW_WORDS: Final = 2
_WORD: Final = re.compile(r"\w+")


def surroundings(said: Sequence[Said], odds: Floats) -> Floats:
    """What the trees see of each sentence in its place [sentences, signals].

    `odds`: the log odds of the sentences `said` (`OwnWords.log_odds`) [sentences, columns].
    """
    own, form = odds[:, : len(OWN_ACTS)], _form(said)
    speakers = [sentence.utterance.speaker_id for sentence in said]
    parts = [odds, form, _manner(form, own)]
    parts += [_shifted(step, own, form, speakers) for step in _NEIGHBOUR_STEPS]
    words = [frozenset(_WORD.findall(sentence.text.lower())) for sentence in said]
    parts += [_of_others(step, own, form, speakers, words) for step in (1, -1)]
    parts += [_strongest(step, own) for step in (1, -1)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _form(said: Sequence[Said]) -> Floats:
    """Length, marks, script, place in its turn, and whether somebody else is called by name."""
    turns = Counter(sentence.utterance.id for sentence in said)
    names = frozenset(sentence.utterance.speaker_name for sentence in said)
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
            )
            for sentence in said
        ],
        dtype=np.float32,
    )


def _manner(form: Floats, own: Floats) -> Floats:
    """How people talk here: words a sentence, share of very short ones, how much is mere courtesy."""
    columns = np.stack([form[:, 1], form[:, 1] <= _FEW_WORDS, own[:, -1]], axis=1)
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(columns, axis=0)])
    places = np.arange(len(form))
    first, last = np.maximum(places - _STRETCH, 0), np.minimum(places + _STRETCH + 1, len(form))
    return np.asarray((sums[last] - sums[first]) / (last - first)[:, None], dtype=np.float32)


def _shifted(step: int, own: Floats, form: Floats, speakers: Sequence[str]) -> Floats:
    """What stands `step` sentences further: its log odds, whether it is the same voice, whether it asks."""
    found = np.full((len(own), own.shape[1] + 2), _NOTHING, dtype=np.float32)
    for place in range(max(0, -step), min(len(own), len(own) - step)):
        other = place + step
        found[place] = (*own[other], speakers[place] == speakers[other], form[other, 2])
    return found


def _of_others(
    step: int, own: Floats, form: Floats, speakers: Sequence[str], words: Sequence[frozenset[str]]
) -> Floats:
    """The next sentence by somebody else, forwards or backwards, how far it is and what words it shares."""
    found = np.full((len(own), own.shape[1] + 4), _NOTHING, dtype=np.float32)
    for place in range(len(own)):
        reach = (place + step * away for away in range(1, _REACH_LINES + 1))
        within = (other for other in reach if 0 <= other < len(own))
        other = next((each for each in within if speakers[each] != speakers[place]), None)
        if other is not None:
            shared = len(words[place] & words[other]) / (1 + len(words[place] | words[other]))
            found[place] = (*own[other], form[other, 1], form[other, 2], abs(other - place), shared)
    return found


def _strongest(step: int, own: Floats) -> Floats:
    """The highest log odds of each act among the next few sentences, forwards or backwards."""
    found = np.full(own.shape, _NOTHING, dtype=np.float32)
    for away in range(1, min(_REACH_LINES + 1, len(own))):
        if step > 0:
            found[:-away] = np.maximum(found[:-away], own[away:])
        else:
            found[away:] = np.maximum(found[away:], own[:-away])
    return found
