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
from context.reading.aligning import SAME_STEM_SIMILARITY, bigram_similarity
from context.retrieval.index_terms import stem, words

_LISTS: Final = closed_lists("changing")
_CHANGE_VERBS_KO: Final = tuple(_LISTS["verbs_ko"])
_CHANGE_VERBS_EN: Final = frozenset(map(stem, _LISTS["verbs_en"]))
_EMPTY_WORDS_KO: Final = frozenset(_LISTS["beside_ko"])
_EMPTY_WORDS_EN: Final = frozenset(map(stem, _LISTS["beside_en"]))
_GIVEN_UP_KO: Final = re.compile(rf"(?:\S+\s)?\S+?\s?(?:{'|'.join(_LISTS['gives_up_ko'])})")
_GIVEN_UP_EN: Final = re.compile(
    rf"\b(?:{'|'.join(_LISTS['gives_up_en'])})(?:\s(?!(?:but|to)\b)[^\s,]+){{1,4}}", re.IGNORECASE
)
_FIGURE_KO: Final = re.compile(r"\d\S*")
"""A figure with what it counts and its particle."""


def may_change(later: str, earlier: str) -> bool:
    """Whether `later` says that it changes a value, of a sort that `earlier` names, too, and nothing else."""
    former_facts = facts(earlier)
    changes = clash(facts(later), former_facts) and any(map(_is_change_verb, words(later)))
    if "?" in later or not (changes or gives_up_value(later, former_facts)):
        return False
    text = _FIGURE_KO.sub(" ", later) if has_hangul(later) else later
    new_words = [word for word in matter_in_order(text) if not names_nothing(word)]
    former_words = matter_in_order(earlier)
    return all(
        any(bigram_similarity(word, other) >= SAME_STEM_SIMILARITY for other in former_words)
        for word in new_words
    )


def gives_up_value(later: str, former: Facts) -> bool:
    """Whether it names one of the values of `former` as given up, and beside it another of its sort."""
    given_up, kept = _facts_apart(later)
    return agree(given_up, former) and clash(kept, former)


def replaces_own_value(text: str) -> bool:
    """Whether a text names a value together with the one that it replaces: "fifteen, not twenty"."""
    given_up, kept = _facts_apart(text)
    return bool(given_up) and clash(kept, given_up)


def without_given_up_value(text: str) -> str:
    """A text without the value that it gives up, where it names another in its place.

    A day without its month ("7월 6일 말고 13일로") is left beside the one that tells the month.
    """
    given_up, kept = _facts_apart(text)
    leans = bool(given_up.dates and kept.days) and not kept.dates
    return text if leans or not replaces_own_value(text) else _given_up_apart(text)[1]


def _facts_apart(text: str) -> tuple[Facts, Facts]:
    """The facts of the part of a text that it gives up by its words, and of the rest."""
    given_up, kept = _given_up_apart(text)
    return facts(given_up), facts(kept)


def _given_up_apart(text: str) -> tuple[str, str]:
    """The part of a text that it gives up by its words, "" where there is none, and the rest."""
    match = (_GIVEN_UP_KO if has_hangul(text) else _GIVEN_UP_EN).search(text)
    if match is None:
        return "", text
    return match.group(), f"{text[: match.start()]} {text[match.end() :]}"


def _is_change_verb(word: str) -> bool:
    return word.startswith(_CHANGE_VERBS_KO) if has_hangul(word) else stem(word) in _CHANGE_VERBS_EN


def names_nothing(word: str) -> bool:
    """Whether a word only tells that something is changed: move, instead, 말고."""
    return _is_change_verb(word) or word in (_EMPTY_WORDS_KO if has_hangul(word) else _EMPTY_WORDS_EN)
