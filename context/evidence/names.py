"""Whom a claim names, and whether its evidence does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from context.language.korean import has_hangul

_SENTENCE: Final = re.compile(r"(?<=[.!?。？！])\s+|\n+")
_LIKE: Final = 80
"""Likeness in percent from which on a name that speech recognition garbled is taken for itself."""
_ROLE_WORDS: Final = """
project user interface industrial marketing manager designer expert grad phd professor postdoc the chair
speaker participant member product head team chief data design sales dr mr mrs ms hon
"""
_ROLES: Final = frozenset(_ROLE_WORDS.split())
"""Words of a name that mean other things as well."""
_CAPITALISED_WORDS: Final = """
january february march april may june july august september october november december english
korean the this that they
"""
_CAPITALISED: Final = frozenset(_CAPITALISED_WORDS.split())


def names_stand(text: str, spoken: str, names: Sequence[str], before: str = "") -> bool:
    """Whether everybody that a claim names was named, or spoke, in its evidence.

    `names`: of the participants. Other names may come from `before`, what it was said to, where
    the evidence itself names nobody.
    """
    for name in names:
        if is_called(name, text) and not is_named(name, spoken):
            return False
    if has_hangul(text) or has_hangul(spoken):
        return True
    heard = spoken if _proper_nouns(spoken) else f"{spoken}\n{before}"
    words = set(re.findall(r"[a-z]{2,}", heard.lower()))
    return all(
        any(known.startswith(word[:4]) or fuzz.ratio(word, known) >= _LIKE for known in words)
        for word in _proper_nouns(text)
    )


def is_named(name: str, spoken: str) -> bool:
    """Whether somebody was named, or spoke, in `spoken`, by whatever they are called."""
    return any(_names(part, spoken, loosely=True) for part in called_by(name) or (name,))


def is_called(name: str, text: str) -> bool:
    """Whether a claim speaks of somebody."""
    return any(_names(part, text) for part in called_by(name))


@lru_cache(maxsize=1024)
def called_by(name: str) -> tuple[str, ...]:
    """What a person is called by: the whole name, its words, a Korean given name."""
    parts = [name, *(part for part in name.split() if len(part) > 2 and part.lower() not in _ROLES)]
    if has_hangul(name) and len(name) == 3:
        parts.append(name[1:])
    return tuple(part for part in dict.fromkeys(parts) if part.strip() and part.lower() not in _ROLES)


def without_people(text: str, names: Sequence[str]) -> str:
    """The text without those people, and without the particles of their names: 정 대리가."""
    for called in (each for name in names for each in called_by(name)):
        text = re.sub(rf"{re.escape(called)}[가-힣]*", " ", text)
    return text


def _names(part: str, text: str, *, loosely: bool = False) -> bool:
    if has_hangul(part):
        return re.search(rf"(?<![가-힣]){re.escape(part)}", text) is not None or (loosely and part in text)
    flags = re.IGNORECASE if loosely else 0
    return re.search(rf"\b{re.escape(part)}\b", text, flags) is not None


def _proper_nouns(text: str) -> list[str]:
    """Capitalised words within a sentence, days and months apart."""
    found = []
    for sentence in _SENTENCE.split(text):
        for match in re.finditer(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b", sentence):
            word = match.group().lower()
            if word not in _CAPITALISED and not word.endswith("day"):
                found.append(word)
    return found
