"""A word in letters of a third language in a sentence of the asker's: the rest is read without it.

Small models write a Chinese word in a Korean answer. What the sentence means with it, a verifier judges.
"""

from __future__ import annotations

import re
from typing import Final

from context.evidence.claim_words import written_in

GAP_MARK: Final = "◇"
"""What stands for the word while the rest is read."""
_FOREIGN: Final = re.compile(r"[^\W\d_A-Za-zªºµ\u00c0-\u024f가-힣ㄱ-ㅣ]+")
_QUOTES: Final = frozenset('“”"「」『』')
_MAX_CHARACTERS: Final = 6
_MIN_LETTERS: Final = 4
"""Letters or syllables that have to be left: a word or two is no sentence."""


def with_gap(text: str, language: str) -> tuple[str, str]:
    """`text` with a gap for its one foreign word, and that word; as it is, and "", where it has not one.

    Within quotation marks each letter counts: there is no gap in such a text.
    """
    foreign = _FOREIGN.findall(text)
    if (
        len(foreign) != 1
        or len(foreign[0]) > _MAX_CHARACTERS
        or GAP_MARK in text
        or not _QUOTES.isdisjoint(text)
    ):
        return text, ""
    rest = text.replace(foreign[0], GAP_MARK)
    readable = sum(map(str.isalpha, rest)) >= _MIN_LETTERS and written_in(rest, language)
    return (rest, foreign[0]) if readable else (text, "")
