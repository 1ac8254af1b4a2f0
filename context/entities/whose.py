"""Of whom something is told: what is said of health is one person's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.first_person import says_i
from context.language.korean import has_hangul
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.names import called
from context.retrieval.terms import words

_LISTS: Final = closed_lists("people")
_OTHERS: Final = frozenset((*_LISTS["others_ko"], *_LISTS["others_en"]))
"""Of whom people tell that are seldom in the room."""
_ENDINGS: Final = _LISTS["others_endings"]
_I_DO: Final = frozenset(_LISTS["i_do_en"])
_THIRD: Final = frozenset(_LISTS["third_en"])
_TITLES: Final = frozenset(_LISTS["titles_en"])
_TITLED: Final = tuple(f"{title}{end}" for title in _LISTS["titles_ko"] for end in _LISTS["titled_endings"])
_CARERS: Final = _LISTS["carers_ko"]
_HONOURED: Final = _LISTS["honoured"]
_HEARSAY: Final = _LISTS["hearsay"]


def whose(text: str, speaker: str, names: Sequence[str]) -> str:
    """Of whom `text`, as `speaker` said it, tells: of the speaker, or of the one other whom it names.

    Who says I tells of themselves, whomever they address. "" where several of `names` are named, where it
    asks who, and where it tells of a daughter, a patient: whose is then not known.
    """
    said = mentioned(text, speaker, names)
    if said is not None:
        return said
    return "" if kind_asked(text) == "who" else speaker


def mentioned(text: str, speaker: str, names: Sequence[str]) -> str | None:
    """Of whom a clause says that it tells, "" for somebody who is away; None where it says nothing of it."""
    said = words(text)
    if any(is_another(word) for word in said):
        return ""
    others = [name for name in names if name != speaker and called(name, text)]
    is_subject = not _I_DO.isdisjoint(said)
    if says_i(text) and (is_subject or has_hangul(text) or not _has_a_third_subject(said)):
        return speaker
    if others:
        return others[0] if len(others) == 1 else ""
    if not is_subject and _has_a_third_subject(said):
        return ""
    if not _THIRD.isdisjoint(said) or not _TITLES.isdisjoint(said) or _is_of_another(text):
        return ""
    return None


def is_another(word: str) -> bool:
    """A daughter, daughters, daughter's; 딸은, 환자분들께서."""
    for ending in ("'s", "s") if word.isascii() else _ENDINGS:
        if word in _OTHERS:
            return True
        word = word.removesuffix(ending)
    return word in _OTHERS


def _has_a_third_subject(said: Sequence[str]) -> bool:
    """Tom takes warfarin, our manager has gout. Not so: the cough has stopped, had a stroke."""
    for place, word in enumerate(said):
        before = said[place - 1] if place else ""
        after = said[place + 1] if place + 1 < len(said) else ""
        if word in _LISTS["third_verbs"]:
            return True
        is_called = bool(before) and before not in _LISTS["no_person"]
        if is_called and word in _LISTS["third_past"] and after not in _LISTS["thing_has"]:
            return True
        if is_called and word in ("is", "was") and after in _LISTS["third_states"]:
            return True
        if word.endswith("'s") and word not in _LISTS["no_third_s"] and after in _LISTS["third_states"]:
            return True
    return False


def _is_of_another(text: str) -> bool:
    """박 과장님은 …, … 드신대요: of oneself nobody speaks so."""
    said = [word.strip(".,!?") for word in text.split()]
    titled = any(word.endswith(_TITLED) and not word.startswith(_CARERS) for word in said)
    return titled or (bool(said) and said[-1].endswith((*_HONOURED, *_HEARSAY)))
