"""Does the talk use other words than before? A causal measure with bounded cost per utterance.

Each utterance becomes a bag of hashed features: character bigrams of Hangul words, words of Latin
script without function words. Two neighbouring stretches of about the same number of words are
compared by a weighted cosine; features that occur all over this meeting weigh little.
"""

from __future__ import annotations

import base64
import math
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.uint32]

BUCKETS: Final = 4096
_LONGEST: Final = 600
REMEMBERED: Final = 80
"""So many utterances back the talk is compared; a later decision never needs more."""
_WORD_WEIGHT: Final = 10
_BIGRAM_WEIGHT: Final = 3
"""How much of a stretch a feature fills, in tenths of a word: whole numbers, so that sums are exact."""
_LOG: Final = np.log1p(np.arange(REMEMBERED * _LONGEST + 1))
"""log(1 + count), looked up instead of computed."""
_NUMBERS: Final = np.arange(BUCKETS)
_BLOCK: Final = 5
"""Document frequency is counted over blocks of so many utterances."""
_WORD: Final = re.compile(r"[a-z][a-z']{2,}|\d{3,}")
_HANGUL_FIRST: Final = np.uint32(0xAC00)
_SYLLABLES: Final = np.uint32(0xD7A4 - 0xAC00)
_PAIR: Final = np.uint32(65_599)
_SCATTER: Final = np.uint32(2_654_435_761)
_SHIFT: Final = np.uint32(20)
"""Multiplicative hashing: the upper 12 bits of the product choose one of the 4096 buckets."""
STOPWORDS: Final = frozenset(
    """
    a about actually again ah all also am an and any are as at back be because been being bit but by
    can can't come could did didn't do does doesn't don't done down even for from get go going gonna
    good got had has have having he her here him his hmm how i i'd i'll i'm i've if in into is isn't
    it it's its just kind know let let's like look lot make many may maybe me mean might mm more
    most much must my need no not now of off oh ok okay on one only or other our out over people
    really right said say see shall she should so some something sort still sure take than that
    that's the their them then there these they they're thing things think this those time to too uh
    um up us very want was wasn't way we we'd we'll we're we've well were what when where which
    while who whom whose why will with won't would yeah yep yes you you'd you'll you're you've your
    """.split()  # noqa: SIM905  a list of 200 words, one a line, is no easier to read
)
"""Words of talk that tell nothing about its topic."""


def features(text: str) -> tuple[Features, int]:
    """The hashed features of an utterance, and how much of a stretch they fill, in tenths of a word.

    The same on every machine and in every run.
    """
    text = text[:_LONGEST].lower()
    words = [zlib.crc32(word[:6].encode()) % BUCKETS for word in _WORD.findall(text) if word not in STOPWORDS]
    found = np.array(words, dtype=np.uint32)
    if text.isascii():
        return found, len(words) * _WORD_WEIGHT
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")
    hangul = codes - _HANGUL_FIRST < _SYLLABLES  # below the first syllable it wraps around
    bigrams = ((codes[:-1] * _PAIR + codes[1:]) * _SCATTER >> _SHIFT)[hangul[:-1] & hangul[1:]]
    filled = len(words) * _WORD_WEIGHT + len(bigrams) * _BIGRAM_WEIGHT
    return np.concatenate((bigrams, found)) if words else bigrams, filled


@dataclass(frozen=True, slots=True)
class Drop:
    """How alike the talk before and from utterance `at` on is: 0 (nothing shared) to 1."""

    at: int
    similarity: float


class Trail:
    """The features of the newest utterances, and how common each feature is in this meeting.

    All features lie one after another in one array, so that a stretch of talk is a slice of it; where
    an utterance's features begin, and how many words went before, stands in two lists.
    """

    def __init__(self, *, width: float, least: float) -> None:
        """Stretches of `width` words are compared; one with fewer than `least` tells nothing."""
        self._width = round(width * _WORD_WEIGHT)
        self._least = round(least * _WORD_WEIGHT)
        self._first = 1
        """The number of the utterance that the lists begin with."""
        self._features: NDArray[np.intp] = np.empty(1024, dtype=np.intp)
        self._begins = [0]
        """Where each utterance's features begin; the last entry is where the next one's will."""
        self._filled = [0]
        """Tenths of words before each utterance, likewise."""
        self._frequency: NDArray[np.int32] = np.zeros(BUCKETS, dtype=np.int32)
        self._blocks = 0
        self._block = np.zeros(BUCKETS, dtype=np.bool_)
        """The features in the open block."""
        self._in_block = 0

    def add(self, number: int, text: str) -> None:
        """Hear utterance `number`, the next one."""
        found = self._append(number, text)
        self._block[found] = True
        self._in_block += 1
        if self._in_block == _BLOCK:
            self._frequency += self._block
            self._blocks += 1
            self._block.fill(False)
            self._in_block = 0

    def _append(self, number: int, text: str) -> Features:
        found, filled = features(text)
        if len(self._begins) == 1:
            self._first = number
        elif len(self._begins) > 2 * REMEMBERED:
            self._forget()
        begin = self._begins[-1]
        end = begin + len(found)
        if end > len(self._features):
            self._features = np.concatenate((self._features, np.empty(max(begin, len(found)), dtype=np.intp)))
        self._features[begin:end] = found
        self._begins.append(end)
        self._filled.append(self._filled[-1] + filled)
        return found

    def _forget(self) -> None:
        """Let go of what is too old: seldom, so that it costs little."""
        gone = len(self._begins) - REMEMBERED
        offset = self._begins[gone]
        self._features = np.concatenate((self._features[offset:], np.empty(offset, dtype=np.intp)))
        self._begins = [begin - offset for begin in self._begins[gone:]]
        del self._filled[:gone]
        self._first += gone

    def drop(self, start: int) -> Drop | None:
        """Compare the newest words with as many before them, inside the topic from `start`.

        None where one side is too short.
        """
        filled, first = self._filled, self._place(start)
        border = bisect_right(filled, filled[-1] - self._width) - 1
        if border < first or filled[border] - filled[first] < self._least:
            return None
        return self._deepest((border,), first)

    def deepest(self, start: int, borders: Iterable[int]) -> Drop | None:
        """The deepest drop at one of `borders` (utterances, ascending), compared with all that followed."""
        filled, first, end = self._filled, self._place(start), len(self._filled) - 1
        places = [
            place
            for place in (border - self._first for border in borders)
            if first <= place <= end
            and filled[place] - filled[first] >= self._least
            and filled[-1] - filled[place] >= self._least
        ]
        return self._deepest(places, first) if places else None

    def _place(self, number: int) -> int:
        """Where an utterance stands in the lists, or the oldest that is remembered."""
        return max(number - self._first, len(self._begins) - 1 - REMEMBERED, 0)

    def _deepest(self, borders: Sequence[int], first: int) -> Drop:
        filled, begins = self._filled, self._begins
        lefts = [max(first, bisect_right(filled, filled[b] - self._width, 0, b + 1) - 1) for b in borders]
        offset = begins[min(lefts)]
        talk = self._features[offset : begins[-1]]
        # Only a few hundred of all buckets occur here: number these, and the rest is short vectors.
        occurs = np.zeros(BUCKETS, dtype=np.bool_)
        occurs[talk] = True
        vocabulary = occurs.nonzero()[0]
        size = len(vocabulary)
        numbers = np.empty(BUCKETS, dtype=np.intp)
        numbers[vocabulary] = _NUMBERS[:size]
        talk = numbers[talk]
        blocks = max(1, self._blocks)
        weights = np.log(blocks / (self._frequency[vocabulary] + blocks / max(4, blocks)) + 1.0)
        best = Drop(0, 2.0)
        for left, border in zip(lefts, borders, strict=True):
            similarity = _cosine(talk[begins[left] - offset :], begins[border] - begins[left], weights)
            if similarity < best.similarity:
                best = Drop(self._first + border, similarity)
        return best

    def dump(self) -> dict[str, Any]:
        """For the snapshot: the frequencies; the rows come from the archive."""
        packed = zlib.compress(self._frequency.astype("<i4").tobytes(), 1)
        remembered = len(self._begins) - 1
        return {
            "first": self._first + max(0, remembered - REMEMBERED) if remembered else 0,
            "blocks": self._blocks,
            "open_block": self._in_block,
            "frequency": base64.b64encode(packed).decode(),
        }

    def load(self, dumped: dict[str, Any], texts: Sequence[tuple[int, str]]) -> None:
        """From the snapshot and the utterances from `first` on."""
        self._blocks = dumped["blocks"]
        self._in_block = dumped["open_block"]
        for place, (number, text) in enumerate(texts):
            found = self._append(number, text)
            if place >= len(texts) - self._in_block:
                self._block[found] = True
        raw = zlib.decompress(base64.b64decode(dumped["frequency"]))
        self._frequency = np.frombuffer(raw, dtype="<i4").astype(np.int32)


def _cosine(talk: NDArray[np.intp], border: int, weights: NDArray[np.float64]) -> float:
    """How alike the features before and from place `border` on are, both sides computed at once."""
    size = len(weights)
    talk = talk.copy()
    talk[border:] += size
    counts = np.bincount(talk, minlength=2 * size).reshape(2, size)
    sides = _LOG[counts] * weights
    (left, product), (_, right) = (sides @ sides.T).tolist()
    norm = math.sqrt(left * right)
    return float(product / norm) if norm else 0.0
