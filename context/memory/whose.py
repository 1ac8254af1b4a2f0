"""Of whom something is told: what is said of health is one person's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.first_person import says_i
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.names import called
from context.retrieval.terms import words

_LISTS: Final = closed_lists("people")
_OTHERS: Final = frozenset((*_LISTS["others_ko"], *_LISTS["others_en"]))
"""Of whom people tell that are seldom in the room."""
_ENDINGS: Final = _LISTS["others_endings"]


def whose(text: str, speaker: str, names: Sequence[str]) -> str:
    """Of whom `text`, as `speaker` said it, tells: of the speaker, or of the one other whom it names.

    Who says I tells of themselves, whomever they address. "" where several of `names` are named, where it
    asks who, and where it tells of a daughter, a patient: whose is then not known.
    """
    if any(_is_another(word) for word in words(text)):
        return ""
    if says_i(text):
        return speaker
    others = [name for name in names if name != speaker and called(name, text)]
    if not others and kind_asked(text) != "who":
        return speaker
    return others[0] if len(others) == 1 else ""


def _is_another(word: str) -> bool:
    """A daughter, daughters, daughter's; 딸은, 환자분들께서."""
    for ending in ("'s", "s") if word.isascii() else _ENDINGS:
        if word in _OTHERS:
            return True
        word = word.removesuffix(ending)
    return word in _OTHERS
