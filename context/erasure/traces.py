"""Which texts rest on words that go.

What cites an erased utterance is known by its evidence. What cites nothing (a topic's name, an answer's
words, a summary of the thread) is known by its words: it rests on what goes if it holds a word that nobody
said but there. Korean words are compared by pairs of syllables, so that particles and endings hide nothing.
A text that holds such a word by chance goes, too: a topic's name too few is better than a word too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from context.retrieval.lexical import STOPWORDS

_WORD: Final = re.compile(r"[가-힣]+|[^\W_가-힣]+")


class Traces:
    """Tells what rested on the words that go."""

    def __init__(self, gone: Mapping[int, str], kept: Mapping[int, str], *, everything: bool = False) -> None:
        """`gone` and `kept`: the meeting's utterances by id. `everything`: any text rests on what goes."""
        self.gone, self.kept = gone, kept
        self.everything = everything
        self._marks = _pieces(gone.values()) - _pieces(kept.values())

    def rests(self, text: str | None) -> bool:
        """Whether a text that cites nothing was made of what goes."""
        if not text:
            return False
        return self.everything or not self._marks.isdisjoint(_pieces([text]))

    def left(self, evidence: Iterable[int]) -> tuple[int, ...]:
        """What of the cited utterances is still there."""
        return () if self.everything else tuple(cited for cited in evidence if cited not in self.gone)


def _pieces(texts: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        for word in _WORD.findall(text.casefold()):
            if "가" <= word[0] <= "힣":
                found.update(a + b for a, b in pairwise(word))
            elif len(word) > 1 and word not in STOPWORDS:
                found.add(word)
    return found
