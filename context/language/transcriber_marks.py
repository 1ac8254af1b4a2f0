"""A transcriber's marks in a text: {vocalsound}, <laugh>. Nobody said them."""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = re.compile(r"\{[A-Za-z_ ]{1,30}\}|<[A-Za-z_ ]{1,30}>")
"""The mark of a transcriber: {vocalsound}, <laugh>."""
_MIN_LETTER_SHARE: Final = 0.75


def plain(text: str) -> str:
    """Give `text` on one line, without a transcriber's marks."""
    if "{" in text or "<" in text:
        text = _MARK.sub(" ", text)
    return " ".join(text.split())


def legible(text: str) -> str:
    """Give `text` as it is shown: on one line, and without a transcriber's marks, if it can be recognised so.

    It can where three in four of its word triples stay without them.
    """
    bare, words = plain(text), text.split()
    if len(words) == len(bare.split()):
        return bare
    before, after = _triples(words), _triples(bare.split())
    return bare if len(before & after) >= _MIN_LETTER_SHARE * len(before) else " ".join(words)


def _triples(words: list[str]) -> set[tuple[str, ...]]:
    return set(zip(words, words[1:], words[2:], strict=False)) or {tuple(words)}
