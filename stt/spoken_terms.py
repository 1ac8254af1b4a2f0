"""What may be said in a stretch and is easily misheard, as an engine that takes a prompt is told of it. Pure.

Measured on the packaged Whisper (docs/measurements.md): a dozen likely terms help, more only cost time, and
terms in letters that the spoken language has not do harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from context.language.korean import has_hangul

MAX_TOLD_TERMS: Final = 12
"""So many terms are told at most."""
_MAX_TOLD_TOKENS: Final = 60
"""So many of Whisper's tokens they have together at most, by our estimate."""
_OF_SYLLABLE, _OF_LETTER = 1.2, 0.35
"""Tokens that a Korean syllable and another letter take, about."""

Terms = Callable[[], tuple[str, ...]]
"""Gives what may be said just now and is easily misheard, the likeliest first: see `Stretch.terms`."""


def no_terms() -> tuple[str, ...]:
    """Expect nothing: `Terms` for whoever knows nothing of what may be said."""
    return ()


def told(terms: Sequence[str], language: str) -> tuple[str, ...]:
    """Choose what a model is told of `terms` for a stretch in `language` (`auto`: not known), the best first.

    Of English speech these are the terms without Hangul; of Korean speech, which has both, no more in other
    letters than in Hangul.
    """
    chosen: list[str] = []
    room = float(_MAX_TOLD_TOKENS)
    latin = hangul = 0
    most_latin = max(1, sum(map(has_hangul, terms[:MAX_TOLD_TERMS])))
    for term in terms:
        korean = has_hangul(term)
        tokens = 1 + sum(_OF_SYLLABLE if has_hangul(letter) else _OF_LETTER for letter in term)
        if not term.strip() or "<|" in term or tokens > room:  # a mark of Whisper's is no term
            continue
        if korean and language not in {"ko", "auto"}:
            continue
        if language == "ko" and not korean and latin >= most_latin:
            continue
        latin, hangul = latin + (not korean), hangul + korean
        chosen.append(term)
        room -= tokens
        if len(chosen) == MAX_TOLD_TERMS:
            break
    return tuple(chosen)


def prompt_of(terms: Sequence[str]) -> str:
    """Write terms as the text that is said to stand before the speech; "" for none.

    It ends as a sentence does: behind an open list the model leaves the marks out of its own.
    """
    return ", ".join(terms) + "." if terms else ""
