"""Traces of erased words: which texts rest on them.

What cites an erased utterance is known by its evidence. What cites nothing (a topic's name, an answer's
words, a summary of the thread) is known by its words: it rests on erased words if it holds a word that was
said nowhere else. Korean words are compared by pairs of syllables, so that particles and endings hide
nothing. A text that holds such a word by chance goes, too: to lose a topic's name is better than to keep an
erased word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from context.retrieval.index_terms import STOPWORDS

_WORD: Final = re.compile(r"[가-힣]+|[^\W_가-힣]+")


class Traces:
    """Tells which texts and which evidence rest on the words that go."""

    def __init__(self, gone: Mapping[int, str], kept: Mapping[int, str], *, everything: bool = False) -> None:
        """`gone` and `kept`: texts of the meeting's utterances by id. `everything`: all words go."""
        self.gone, self.kept = gone, kept
        self.everything = everything
        self._marks = _pieces(gone.values()) - _pieces(kept.values())

    def rests(self, text: str | None) -> bool:
        """Whether a text holds a word that only erased utterances hold; False for no text."""
        if not text:
            return False
        return self.everything or not self._marks.isdisjoint(_pieces([text]))

    def left(self, evidence: Iterable[int]) -> tuple[int, ...]:
        """The cited utterances that are not erased."""
        return () if self.everything else tuple(cited for cited in evidence if cited not in self.gone)


def _pieces(texts: Iterable[str]) -> set[str]:
    pieces: set[str] = set()
    for text in texts:
        for word in _WORD.findall(text.casefold()):
            if "가" <= word[0] <= "힣":
                pieces.update(a + b for a, b in pairwise(word))
            elif len(word) > 1 and word not in STOPWORDS:
                pieces.add(word)
    return pieces
