"""Inflected words: what hangs on a Korean noun, and forms of English words that no ending tells."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from context.language.closed_lists import closed_lists, word_sets
from context.language.korean import final

_SETS: Final = word_sets("inflections")
_AMOUNTS: Final = _SETS["amounts"]
_UNINFLECTED_WORDS: Final = _SETS["whole"] | _AMOUNTS
_MAX_PARTICLE_SYLLABLES: Final = 7
"""Most syllables that hang on a noun: 에게서이라고."""
_MISLEADING_ENDINGS: Final = (("sses", 2), ("eds", 1), ("uses", 2), ("used", 2))
"""English endings, and how many of their letters are no part of the word."""
_BASES: Final = {
    form: base
    for base, *forms in (group.split() for group in closed_lists("inflections")["irregular"])
    for form in forms
}


@lru_cache(maxsize=4096)
def noun_length(word: str, *, counted: bool = False) -> int:
    """The syllables of a Korean word without its particles: 1 of 집에서, 2 of 회의, 3 of 출시일은.

    No dictionary is asked, so a noun that ends as a particle does, and that no list holds, loses its end.
    `counted`: it stands behind a figure.
    """
    whole = _AMOUNTS if counted else _UNINFLECTED_WORDS
    least = max(1, len(word) - _MAX_PARTICLE_SYLLABLES)
    lengths = [size for size in range(least, len(word)) if _hangs(word[size:], word[size - 1])]
    lengths.append(len(word))
    return next((size for size in lengths if word[:size] in whole), lengths[0])


def only_hangs(word: str) -> bool:
    """Whether a Korean word is a particle, as behind what is written in other letters: 를 of API를."""
    return _hangs(word, "가") or _hangs(word, "각")


def base(word: str) -> str:
    """The English word that a form is of which endings do not tell, or tell wrong; any other as it is.

    It is pay of paid, process of processes, speed of speeds, focus of focused.
    """
    word = word.removesuffix("'s").strip("'")
    if (known := _BASES.get(word)) is not None:
        return known
    for ending, goes in _MISLEADING_ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[:-goes]
    return word


def _hangs(tail: str, before: str) -> bool:
    """Whether `tail` may stand behind a noun that ends with the syllable `before`."""
    return _is_particle(tail, before) or any(
        tail[:size] in _SETS["cases"]
        and _is_particle(tail[:size], before)
        and _hangs(tail[size:], tail[size - 1])
        for size in range(1, len(tail))
    )


def _is_particle(tail: str, before: str) -> bool:
    if tail in _SETS["after_either"]:
        return True
    sound = final(before)
    if tail in _SETS["after_vowel"] and (not sound or (sound == "ㄹ" and tail.startswith("로"))):
        return True
    return tail in _SETS["after_consonant"] and sound != ""
