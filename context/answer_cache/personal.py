"""Does an answer hold for its asker alone? By what a model was shown of the asker, and what it made of it.

Nearly every prompt says who asks, and that alone makes no answer personal. A doubt makes it so: a miss costs
time, a leak costs trust. Korean leaves "I" out ("뭐 해야 하죠?"), so the answer is read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.first_person import says_i
from context.retrieval.names import called
from context.retrieval.questions import coverage, topic_words
from context.retrieval.terms import words

_LISTS: Final = closed_lists("people")
_YOU: Final = frozenset(_LISTS["you_en"])


def is_for_asker_alone(
    question: str, answer: str, *, name: str = "", health: bool = False, tasks: Sequence[str] = ()
) -> bool:
    """Whether somebody else who asks the same must not get this answer.

    `name`: of the asker. `health`: whether the model was shown something of the asker's health, which may
    bear on anything. `tasks`: the asker's tasks that it was shown; they count where the answer takes up one.
    """
    if health or says_i(question) or called(name, answer) or _addresses(answer):
        return True
    return any(coverage(topic_words(task), answer) > 0 for task in tasks)


def _addresses(answer: str) -> bool:
    said = words(answer)
    return not _YOU.isdisjoint(said) or any(word.startswith(_LISTS["you_ko"]) for word in said)
