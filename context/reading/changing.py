"""Whether a statement says by its own words that it changes a value, and names no other matter.

"12월 19일로 바꾸기로 하죠" and "let's move it to the nineteenth" name only a value and a verb of change. What
they change the words can't say, and the trees of `context.reading.replacing` see nothing in common; the talk
says it, where just one decision before has a value of that sort (`context.statements.ledger`).
"""

from __future__ import annotations

from typing import Final

from context.evidence.facts import clash, facts, matter_in_order
from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.reading.aligning import FOUND_SCORE, likeness
from context.retrieval.index_terms import stem, words

_LISTS: Final = closed_lists("changing")
_VERBS_KO: Final = tuple(_LISTS["verbs_ko"])
_VERBS_EN: Final = frozenset(map(stem, _LISTS["verbs_en"]))
_BESIDE_KO: Final = frozenset(_LISTS["beside_ko"])
_BESIDE_EN: Final = frozenset(map(stem, _LISTS["beside_en"]))


def may_change(later: str, earlier: str) -> bool:
    """Whether `later` says that it changes a value, of a sort that `earlier` names, too, and nothing else."""
    if "?" in later or not clash(facts(later), facts(earlier)) or not any(map(_changes, words(later))):
        return False
    named = [word for word in matter_in_order(later) if not _names_nothing(word)]
    former = matter_in_order(earlier)
    return all(any(likeness(word, other) >= FOUND_SCORE for other in former) for word in named)


def _changes(word: str) -> bool:
    return word.startswith(_VERBS_KO) if has_hangul(word) else stem(word) in _VERBS_EN


def _names_nothing(word: str) -> bool:
    return _changes(word) or word in (_BESIDE_KO if has_hangul(word) else _BESIDE_EN)
