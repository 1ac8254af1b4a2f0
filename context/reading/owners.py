"""Who owns a task that was given out: one of the people who are there, or nobody.

A linear head says by the words how likely the speaker takes the task on; small trees weigh that, for each
person, with who is called by name, who spoke before, and who says yes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.language.said import Said
from context.reading.acts import OWN, log_odds
from context.reading.linear import head, trees
from context.retrieval.lexical import called

SURE: Final = 0.5
"""A person whose probability is lower owns no task."""
TAKING: Final = Path(__file__).with_name("taking.npz")
OWNERS: Final = Path(__file__).with_name("owners.npz")
_BEHIND: Final = 4
"""So many sentences behind the task are read for a yes."""
_REMEMBERED: Final = 512
_YES, _NO, _TASK = OWN.index("acceptance"), OWN.index("rejection"), OWN.index("task")

Floats = NDArray[np.float32]


def owner_of(said: Sequence[Said], place: int, names: Sequence[str]) -> str | None:
    """Who of `names` owns the task that the sentence at `place` of `said` gives out; None for nobody."""
    if not names:
        return None
    rows = np.stack([traits(said, place, name, taking(said[place].text)) for name in names])
    likely = 1 / (1 + np.exp(-trees(OWNERS).scores(rows)))
    best = int(likely.argmax())
    return names[best] if likely[best] >= SURE else None


@lru_cache(maxsize=_REMEMBERED)
def taking(text: str) -> float:
    """How likely, 0 to 1, whoever says `text` takes its task on, rather than gives it to somebody else."""
    return head(TAKING).probabilities(text)["speaker"]


def traits(said: Sequence[Said], place: int, name: str, takes: float) -> Floats:
    """What the trees see of the candidate `name` for the task at `place`; `takes`: `taking` of its text."""
    sentence = said[place]
    speaker = sentence.utterance.speaker_name
    before = next((each for each in reversed(said[:place]) if each.utterance.speaker_name != speaker), None)
    behind = [
        each for each in said[place + 1 : place + 1 + _BEHIND] if each.utterance.speaker_name != speaker
    ]
    answers = [log_odds(each.text) for each in behind if each.utterance.speaker_name == name]
    turn = [each for each in said if each.utterance.id == sentence.utterance.id]
    start = " ".join(sentence.text.split()[:2])
    return np.array(
        [
            name == speaker,
            takes,
            called(name, sentence.text),
            called(name, start),
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


def _of_the_other(before: Said | None, name: str) -> tuple[bool, bool, bool]:
    """Whether the sentence `before`, by another speaker, is the candidate's, names them, and asks."""
    if before is None:
        return False, False, False
    return before.utterance.speaker_name == name, called(name, before.text), "?" in before.text
