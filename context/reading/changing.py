"""Whether a statement says by its own words that it changes a value, and names no other matter.

"12월 19일로 바꾸기로 하죠" and "let's move it to the nineteenth" name only a value and a verb of change;
"20명 말고 15명으로 하죠" and "fifteen, not twenty" name the value that they give up. What they change the
words can't say, and the trees of `context.reading.replacing` see nothing in common; the talk says it, where
just one decision before has a value of that sort (`context.statements.ledger`).
"""

from __future__ import annotations

import re
from typing import Final

from context.evidence.facts import Facts, agree, clash, facts, matter_in_order
from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.reading.aligning import FOUND_SCORE, likeness
from context.retrieval.index_terms import stem, words

_LISTS: Final = closed_lists("changing")
_VERBS_KO: Final = tuple(_LISTS["verbs_ko"])
_VERBS_EN: Final = frozenset(map(stem, _LISTS["verbs_en"]))
_BESIDE_KO: Final = frozenset(_LISTS["beside_ko"])
_BESIDE_EN: Final = frozenset(map(stem, _LISTS["beside_en"]))
_GIVEN_UP_KO: Final = re.compile(rf"(?:\S+\s)?\S+?\s?(?:{'|'.join(_LISTS['gives_up_ko'])})")
_GIVEN_UP_EN: Final = re.compile(
    rf"\b(?:{'|'.join(_LISTS['gives_up_en'])})(?:\s(?!(?:but|to)\b)[^\s,]+){{1,4}}", re.IGNORECASE
)
_FIGURE_KO: Final = re.compile(r"\d\S*")
"""A figure with what it counts and its particle."""


def may_change(later: str, earlier: str) -> bool:
    """Whether `later` says that it changes a value, of a sort that `earlier` names, too, and nothing else."""
    before = facts(earlier)
    changes = clash(facts(later), before) and any(map(_changes, words(later)))
    if "?" in later or not (changes or gives_up(later, before)):
        return False
    told = _FIGURE_KO.sub(" ", later) if has_hangul(later) else later
    named = [word for word in matter_in_order(told) if not names_nothing(word)]
    former = matter_in_order(earlier)
    return all(any(likeness(word, other) >= FOUND_SCORE for other in former) for word in named)


def gives_up(later: str, before: Facts) -> bool:
    """Whether it names a value of those before as one that it gives up, and beside it another of its sort."""
    given_up, kept = _parted(later)
    return agree(given_up, before) and clash(kept, before)


def puts_another(text: str) -> bool:
    """Whether a text names a value, and another in whose place it puts that: "fifteen, not twenty"."""
    given_up, kept = _parted(text)
    return bool(given_up) and clash(kept, given_up)


def without_given_up(text: str) -> str:
    """A text without the value that it gives up, where it names another in its place.

    A day without its month ("7월 6일 말고 13일로") is left beside the one that tells the month.
    """
    given_up, kept = _parted(text)
    leans = bool(given_up.dates and kept.days) and not kept.dates
    return text if leans or not puts_another(text) else _split(text)[1]


def _parted(text: str) -> tuple[Facts, Facts]:
    """The facts of what a text gives up by its words, and of the rest."""
    given_up, kept = _split(text)
    return facts(given_up), facts(kept)


def _split(text: str) -> tuple[str, str]:
    """What a text gives up by its words, and the rest."""
    found = (_GIVEN_UP_KO if has_hangul(text) else _GIVEN_UP_EN).search(text)
    if found is None:
        return "", text
    return found.group(), f"{text[: found.start()]} {text[found.end() :]}"


def _changes(word: str) -> bool:
    return word.startswith(_VERBS_KO) if has_hangul(word) else stem(word) in _VERBS_EN


def names_nothing(word: str) -> bool:
    """Whether a word only tells that something is changed: move, instead, 말고."""
    return _changes(word) or word in (_BESIDE_KO if has_hangul(word) else _BESIDE_EN)
