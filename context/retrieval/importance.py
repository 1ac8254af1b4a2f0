"""Which sentences carry a stretch of talk."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from context.language.korean import has_hangul
from context.language.numbers import heard, stated
from context.retrieval.terms import exact_terms, terms

_FIGURE: Final = 0.3
_NAME: Final = 0.2
_SHORT: Final = 3
_SHORT_CHARS: Final = 8
_LONG: Final = 40
_NO_NAMES: Final = frozenset(
    [
        *("I", "I'm", "I'll", "I've", "I'd", "Yes", "No", "OK", "Okay"),
        *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ]
)
"""Closed lists that English writes with a capital."""


def importance(texts: Sequence[str]) -> list[float]:
    """How much each sentence says of the whole, roughly 0 to 2: centrality, figures, names, place, length."""
    bags = [Counter(exact_terms(text)) for text in texts]
    spread = Counter(term for bag in bags for term in bag)
    weight = {term: math.log(1 + len(texts) / count) for term, count in spread.items()}
    centre: Counter[str] = Counter()
    norms: list[float] = []
    for bag in bags:
        norm = math.sqrt(sum((count * weight[term]) ** 2 for term, count in bag.items())) or 1.0
        norms.append(norm)
        for term, count in bag.items():
            centre[term] += count * weight[term] / norm  # type: ignore[assignment]  # a Counter of floats
    likeness = [
        sum(count * weight[term] * centre[term] for term, count in bag.items()) / norm
        for bag, norm in zip(bags, norms, strict=True)
    ]
    highest = max(likeness, default=0.0) or 1.0
    return [
        alike / highest + _bonus(text) + (0.1 if place == 0 else 0.0)
        for place, (text, alike) in enumerate(zip(texts, likeness, strict=True))
    ]


def _bonus(text: str) -> float:
    count = len(text.split())
    bonus = _FIGURE * bool(stated(text) or heard(text)) + _NAME * _names_something(text)
    if count < _SHORT or len(text) < _SHORT_CHARS:
        bonus -= 0.5
    elif count > _LONG:
        bonus -= 0.2
    return bonus


def _names_something(text: str) -> bool:
    """Letters of another script within Korean; in English a capital inside the sentence."""
    found = (
        text.split()
        if has_hangul(text)
        else [word for word in text.split()[1:] if word.rstrip(".,!?") not in _NO_NAMES]
    )
    return any("A" <= word[0] <= "Z" for word in found)


def likeness(one: str, other: str) -> float:
    """Shared terms over all terms, 0 to 1."""
    first, second = set(terms(one)), set(terms(other))
    return len(first & second) / len(first | second) if first and second else 0.0
