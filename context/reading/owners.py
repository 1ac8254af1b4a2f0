"""Who owns a task that was given out: one of the people who are there, somebody else who is named, or nobody.

A linear head says by the words how likely the speaker takes the task on, another one which words name whoever
is to do it (`context.reading.doers`). Small trees weigh both, for each person, with who is called by name,
who spoke before, and who says yes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.language.korean import has_hangul
from context.language.said import Said
from context.primitives.person_names import called
from context.reading.acts import OWN_ACTS, log_odds
from context.reading.doers import Doer, doers, words_of
from context.reading.linear import head, trees

SURE_CHANCE: Final = 0.6
"""A person whose probability is lower owns no task."""
TAKING: Final = Path(__file__).with_name("taking.npz")
OWNERS: Final = Path(__file__).with_name("owners.npz")
_LINES_BEHIND: Final = 4
"""So many sentences behind the task are read for a yes."""
_ANYBODY: Final = ("Ann", "민지")
"""The English and the Korean name that stand for all."""
_NOWHERE: Final = 99
"""The place of a name that is not there."""
_CACHE_SIZE: Final = 512
_YES, _NO, _TASK = OWN_ACTS.index("acceptance"), OWN_ACTS.index("rejection"), OWN_ACTS.index("task")

Floats = NDArray[np.float32]


def owner_of(said: Sequence[Said], place: int, names: Sequence[str]) -> str | None:
    """Who owns the task that the sentence at `place` of `said` gives out; None for nobody.

    `names`: who is there; somebody else whom the sentence names may own it, too, and is told with a title.
    """
    text = said[place].text
    found = doers(text)
    names = [*names, *named_beside(found, names)]
    if not names:
        return None
    takes = taking(unnamed(text, found, names))
    rows = np.stack([traits(said, place, name, takes, found=found, names=names) for name in names])
    likely = 1 / (1 + np.exp(-trees(OWNERS).scores(rows)))
    best = int(likely.argmax())
    return names[best] if likely[best] >= SURE_CHANCE else None


def named_beside(found: Sequence[Doer], names: Sequence[str]) -> list[str]:
    """Who else than `names` may do it, of those `found` in a sentence."""
    others = (each.name for each in found if not any(called(name, each.name) for name in names))
    return list(dict.fromkeys(others))


def unnamed(text: str, found: Sequence[Doer], names: Sequence[str]) -> str:
    """The words of a text, in which one name stands for each that may do it and for all of `names`."""
    words = words_of(text)
    for each in reversed(found):
        rest = words[each.words[-1]].removeprefix(each.name.split()[-1])
        words[each.words.start : each.words.stop] = [_anybody(each.name) + rest]
    return " ".join(_anybody(word) if any(called(name, word) for name in names) else word for word in words)


def _anybody(word: str) -> str:
    return _ANYBODY[has_hangul(word)]


@lru_cache(maxsize=_CACHE_SIZE)
def taking(text: str) -> float:
    """How likely, 0 to 1, whoever says `text` takes its task on, rather than gives it to somebody else."""
    return head(TAKING).probabilities(text)["speaker"]


def traits(
    said: Sequence[Said], place: int, name: str, takes: float, *, found: Sequence[Doer], names: Sequence[str]
) -> Floats:
    """What the trees see of the candidate `name`, one of `names`, for the task at `place`.

    `takes`: `taking` of its text without names. `found`: the `doers` of its text.
    """
    sentence = said[place]
    speaker = sentence.utterance.speaker_name
    before = next((each for each in reversed(said[:place]) if each.utterance.speaker_name != speaker), None)
    behind = [
        each for each in said[place + 1 : place + 1 + _LINES_BEHIND] if each.utterance.speaker_name != speaker
    ]
    answers = [log_odds(each.text) for each in behind if each.utterance.speaker_name == name]
    turn = [each for each in said if each.utterance.id == sentence.utterance.id]
    return np.array(
        [
            name == speaker,
            takes,
            *_of_the_words(sentence.text, name, found),
            any(called(other, sentence.text) for other in names if other not in (name, speaker)),
            any(called(name, each.text) for each in turn if each is not sentence),
            *_of_the_other(before, name),
            bool(behind) and behind[0].utterance.speaker_name == name,
            bool(answers),
            *((answers[0][act] for act in (_YES, _TASK, _NO)) if answers else (-6.0, -6.0, -6.0)),
            "?" in sentence.text,
            len(sentence.text.split()),
            *log_odds(sentence.text),
        ],
        dtype=np.float32,
    )


def _of_the_words(text: str, name: str, found: Sequence[Doer]) -> tuple[float, float, float, float, float]:
    """Whether a text names the candidate, where, and first of all; how likely they do it, and another."""
    own = [each for each in found if each.name == name or called(name, each.name)]
    others = [each.likely for each in found if each not in own]
    return (
        bool(own) or called(name, text),
        min((each.words.start for each in own), default=_NOWHERE),
        called(name, " ".join(text.split()[:1])),
        max((each.likely for each in own), default=0.0),
        max(others, default=0.0),
    )


def _of_the_other(before: Said | None, name: str) -> tuple[bool, bool, bool]:
    """Whether the sentence `before`, by another speaker, is the candidate's, names them, and asks."""
    if before is None:
        return False, False, False
    return before.utterance.speaker_name == name, called(name, before.text), "?" in before.text
