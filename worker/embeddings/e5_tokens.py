"""Text to the token ids of XLM-RoBERTa: the likeliest pieces of each word (SentencePiece, unigram).

Own lines and not `tokenizers`: that one takes 230 MB for these 250,000 pieces. No piece reaches across a
space, so words are cut one by one, and those that come again and again are remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from worker.embeddings.e5_file import E5File

WINDOW: Final = 510
"""Tokens between the marks of beginning and end; longer texts are read in several windows."""
_SPACES: Final = re.compile(" {2,}")
_SPACE: Final = "\u2581"
_UNLIKELY: Final = 10.0
"""How much less likely than the rarest piece a character is that no piece has."""
_REMEMBERED: Final = 50_000


class E5Tokens:
    """The tokenizer of one model."""

    def __init__(self, file: E5File) -> None:
        self._replacements = file.replacements
        self._begin, self._end, self._unknown = file.begin, file.end, file.unknown
        marks = {file.begin, file.end, file.pad, file.unknown}
        self._pieces = {
            piece: (number, float(score))
            for number, (piece, score) in enumerate(zip(file.pieces, file.scores, strict=True))
            if number not in marks
        }
        self._longest = max(map(len, self._pieces))
        self._rarest = float(file.scores.min()) - _UNLIKELY
        self._cut = lru_cache(_REMEMBERED)(self._cut_word)

    def windows(self, text: str) -> Iterator[list[int]]:
        """The ids in windows that the model takes, each with its marks; at least one."""
        ids = self.ids(text)
        for start in range(0, max(1, len(ids)), WINDOW):
            yield [self._begin, *ids[start : start + WINDOW], self._end]

    def ids(self, text: str) -> list[int]:
        """The ids, without marks."""
        normal = _SPACES.sub(" ", text.translate(self._replacements))
        normal = normal.removeprefix(" ")
        return [number for word in normal.split(" ") for number in self._cut(_SPACE + word)]

    def _cut_word(self, word: str) -> tuple[int, ...]:
        """The likeliest pieces of one word: the best way to each place, from left to right."""
        count = len(word)
        best = [0.0] + [-1e30] * count
        came: list[tuple[int, int]] = [(0, 0)] * (count + 1)
        for start in range(count):
            so_far = best[start]
            if so_far + self._rarest > best[start + 1]:
                best[start + 1], came[start + 1] = so_far + self._rarest, (start, self._unknown)
            for end in range(start + 1, min(count, start + self._longest) + 1):
                found = self._pieces.get(word[start:end])
                if found is not None and so_far + found[1] > best[end]:
                    best[end], came[end] = so_far + found[1], (start, found[0])
        ids: list[int] = []
        place = count
        while place:
            place, number = came[place]
            ids.append(number)
        return tuple(reversed(ids))
