"""Polarity: whether a sentence denies something."""

from __future__ import annotations

from typing import Final

from context.language.closed_lists import closed_lists, holds, spaced

_LISTS: Final = closed_lists("polarity")


def is_negated(text: str) -> bool:
    """Whether a sentence denies something; the 안 of 보안 (security) and "not only" deny nothing."""
    lowered = text.lower()
    for phrase in _LISTS["denies_nothing"]:
        lowered = lowered.replace(phrase, " ")
    return holds(spaced(lowered), _LISTS["negates"])
