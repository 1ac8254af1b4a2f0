"""What the second step of `acts` sees of a sentence: its own log odds, those around it, and who speaks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.language.korean import has_hangul
from context.language.said import Said
from context.retrieval.lexical import called

Floats = NDArray[np.float32]
_AROUND: Final = (-4, -3, -2, -1, 1, 2, 3, 4, 5)
_REACH: Final = 6
"""So many sentences before and behind the next one by somebody else may stand, or the strongest sign."""
_STRETCH: Final = 15
"""The manner of talk is that of so many sentences to both sides."""
_NOTHING: Final = -6.0
"""Stands for the log odds of a sentence that is not there."""
_FEW_WORDS: Final = 2
_WORD: Final = re.compile(r"\w+")


def surroundings(said: Sequence[Said], own: Floats) -> Floats:
    """One row a sentence [sentences, signals]. `own`: their log odds [sentences, acts]."""
    form = _form(said)
    speakers = [sentence.utterance.speaker_id for sentence in said]
    parts = [own, form, _manner(form, own)]
    parts += [_shifted(step, own, form, speakers) for step in _AROUND]
    words = [frozenset(_WORD.findall(sentence.text.lower())) for sentence in said]
    parts += [_of_others(step, own, form, speakers, words) for step in (1, -1)]
    parts += [_strongest(step, own) for step in (1, -1)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _form(said: Sequence[Said]) -> Floats:
    """Length, marks, script, place in its turn, and whether somebody else is called by name."""
    turns: dict[int, int] = {}
    for sentence in said:
        turns[sentence.utterance.id] = turns.get(sentence.utterance.id, 0) + 1
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
        for other in range(place + step, place + step * (_REACH + 1), step):
            if not 0 <= other < len(own):
                break
            if speakers[other] != speakers[place]:
                shared = len(words[place] & words[other]) / (1 + len(words[place] | words[other]))
                found[place] = (*own[other], form[other, 1], form[other, 2], abs(other - place), shared)
                break
    return found


def _strongest(step: int, own: Floats) -> Floats:
    """The highest log odds of each act among the next few sentences, forwards or backwards."""
    found = np.full(own.shape, _NOTHING, dtype=np.float32)
    for away in range(1, _REACH + 1):
        if away >= len(own):
            break
        if step > 0:
            found[:-away] = np.maximum(found[:-away], own[away:])
        else:
            found[away:] = np.maximum(found[away:], own[:-away])
    return found
