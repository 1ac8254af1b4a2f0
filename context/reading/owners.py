"""The owner of a task that was given out: somebody who is there, somebody else who is named, or nobody.

A linear head says by the words how likely the speaker takes the task on, another one which words name the
person who is to do it (`context.reading.doers`). Small trees weigh both, for each person, with who is called
by name, who spoke before, and who says yes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.language.korean import has_hangul
from context.language.spoken_sentences import SpokenSentence
from context.primitives.person_names import called
from context.reading.acts import ACTS, log_odds
from context.reading.doers import Doer, doers, name_tokens
from context.reading.linear import head, trees

SURE_CHANCE: Final = 0.6
"""A person whose probability is lower owns no task."""
TAKING_HEAD: Final = Path(__file__).with_name("taking.npz")
OWNER_TREES: Final = Path(__file__).with_name("owners.npz")
_SENTENCES_BEHIND: Final = 4
"""So many sentences behind the task are read for an acceptance."""
_PLACEHOLDER_NAMES: Final = ("Ann", "민지")
"""The English and the Korean name that stand for all names."""
_NO_PLACE: Final = 99
"""The place that stands for a name that is not there."""
_CACHE_SIZE: Final = 512
_YES, _NO, _TASK = ACTS.index("acceptance"), ACTS.index("rejection"), ACTS.index("task")

Floats = NDArray[np.float32]


def owner_of(sentences: Sequence[SpokenSentence], place: int, names: Sequence[str]) -> str | None:
    """The name of whoever owns the task that the sentence at `place` gives out; None for nobody.

    `names`: who is there; somebody else whom the sentence names may own it, too, and is told with a title.
    """
    text = sentences[place].text
    doers_named = doers(text)
    names = [*names, *other_candidates(doers_named, names)]
    if not names:
        return None
    takes_on = taking_chance(anonymised(text, doers_named, names))
    rows = np.stack(
        [
            candidate_signals(sentences, place, name, takes_on, doers_named=doers_named, names=names)
            for name in names
        ]
    )
    chances = 1 / (1 + np.exp(-trees(OWNER_TREES).scores(rows)))
    best = int(chances.argmax())
    return names[best] if chances[best] >= SURE_CHANCE else None


def other_candidates(doers_named: Sequence[Doer], names: Sequence[str]) -> list[str]:
    """The names of those who may do it, of `doers_named` in a sentence, who are none of `names`."""
    others = (doer.name for doer in doers_named if not any(called(name, doer.name) for name in names))
    return list(dict.fromkeys(others))


def anonymised(text: str, doers_named: Sequence[Doer], names: Sequence[str]) -> str:
    """The text with one and the same name in the place of everybody who may do it and of all `names`."""
    words = name_tokens(text)
    for doer in reversed(doers_named):
        rest = words[doer.words[-1]].removeprefix(doer.name.split()[-1])
        words[doer.words.start : doer.words.stop] = [_placeholder_name(doer.name) + rest]
    return " ".join(
        _placeholder_name(word) if any(called(name, word) for name in names) else word for word in words
    )


def _placeholder_name(word: str) -> str:
    return _PLACEHOLDER_NAMES[has_hangul(word)]


@lru_cache(maxsize=_CACHE_SIZE)
def taking_chance(text: str) -> float:
    """How likely, 0 to 1, whoever says `text` takes its task on, rather than gives it to somebody else."""
    return head(TAKING_HEAD).probabilities(text)["speaker"]


def candidate_signals(
    sentences: Sequence[SpokenSentence],
    place: int,
    name: str,
    takes_on: float,
    *,
    doers_named: Sequence[Doer],
    names: Sequence[str],
) -> Floats:
    """The signals of the candidate `name`, one of `names`, for the task at `place` [signals].

    `takes_on`: `taking_chance` of its text without names. `doers_named`: the `doers` of its text.
    """
    sentence = sentences[place]
    speaker = sentence.utterance.speaker_name
    before = next(
        (each for each in reversed(sentences[:place]) if each.utterance.speaker_name != speaker), None
    )
    behind = [
        each
        for each in sentences[place + 1 : place + 1 + _SENTENCES_BEHIND]
        if each.utterance.speaker_name != speaker
    ]
    answers = [log_odds(each.text) for each in behind if each.utterance.speaker_name == name]
    turn = [each for each in sentences if each.utterance.id == sentence.utterance.id]
    return np.array(
        [
            name == speaker,
            takes_on,
            *_mention_signals(sentence.text, name, doers_named),
            any(called(other, sentence.text) for other in names if other not in (name, speaker)),
            any(called(name, each.text) for each in turn if each is not sentence),
            *_previous_speaker_signals(before, name),
            bool(behind) and behind[0].utterance.speaker_name == name,
            bool(answers),
            *((answers[0][act] for act in (_YES, _TASK, _NO)) if answers else (-6.0, -6.0, -6.0)),
            "?" in sentence.text,
            len(sentence.text.split()),
            *log_odds(sentence.text),
        ],
        dtype=np.float32,
    )


def _mention_signals(
    text: str, name: str, doers_named: Sequence[Doer]
) -> tuple[float, float, float, float, float]:
    """Whether a text names the candidate, where, and first of all; how likely they do it, and another."""
    mentions = [doer for doer in doers_named if doer.name == name or called(name, doer.name)]
    others = [doer.chance for doer in doers_named if doer not in mentions]
    return (
        bool(mentions) or called(name, text),
        min((doer.words.start for doer in mentions), default=_NO_PLACE),
        called(name, " ".join(text.split()[:1])),
        max((doer.chance for doer in mentions), default=0.0),
        max(others, default=0.0),
    )


def _previous_speaker_signals(before: SpokenSentence | None, name: str) -> tuple[bool, bool, bool]:
    """Whether the sentence `before`, by another speaker, is the candidate's, names them, and asks."""
    if before is None:
        return False, False, False
    return before.utterance.speaker_name == name, called(name, before.text), "?" in before.text
