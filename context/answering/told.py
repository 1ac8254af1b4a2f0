"""The days, times and figures that a text tells, so that a claim can be held against it.

Beside what `facts` finds, the hour of a Korean clock time (일곱 시): a claim that names one and a record that
names another must never pass for the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final

from context.extractive.subjects import Facts, facts
from context.language.numbers import NATIVE_TO_TWELVE

_HOUR: Final = re.compile(
    rf"(?<![가-힣])({'|'.join(sorted(NATIVE_TO_TWELVE, key=len, reverse=True))})\s?시(?!간|즌|스|도|장|작)"
)


@lru_cache(maxsize=512)
def told(text: str) -> Facts:
    """The days, times and figures of a text, and whether it denies."""
    found = facts(text)
    spoken = hours(text)
    return replace(found, numbers=found.numbers | spoken) if spoken else found


def hours(text: str) -> frozenset[float]:
    """The hours of the Korean clock times that a text spells out."""
    return frozenset(float(NATIVE_TO_TWELVE[word]) for word in _HOUR.findall(text))
