"""Does the talk use other words than before? A causal measure with bounded cost per utterance.

Each utterance becomes a bag of hashed features: character bigrams of Hangul words, words of Latin
script without function words. Two neighbouring stretches of about the same number of words are
compared by a weighted cosine; features that occur all over this meeting weigh little.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.int32]

BUCKETS: Final = 4096
_LONGEST: Final = 600
REMEMBERED: Final = 80
"""So many utterances back the talk is compared; a later decision never needs more."""
_BIGRAM_WORDS: Final = 0.3
_LOG: Final = np.log1p(np.arange(REMEMBERED * _LONGEST + 1)).astype(np.float32)
"""log(1 + count), looked up instead of computed."""
_BLOCK: Final = 5
"""Document frequency is counted over blocks of so many utterances."""
_WORD: Final = re.compile(r"[a-z][a-z']{2,}|\d{3,}")
_HANGUL_FIRST: Final = 0xAC00
_HANGUL_LAST: Final = 0xD7A3
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


@dataclass(frozen=True, slots=True)
class Row:
    """The hashed features of one utterance, the same on every machine and in every run."""

    number: int
    features: Features
    words: float
    """How many content words they stand for; a Hangul bigram counts as `_BIGRAM_WORDS` of one."""


def row(number: int, text: str) -> Row:
    """The features of an utterance."""
    text = text[:_LONGEST].lower()
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")
    hangul = (codes >= _HANGUL_FIRST) & (codes <= _HANGUL_LAST)
    pairs = hangul[:-1] & hangul[1:]
    bigrams = ((codes[:-1] * 65_599 + codes[1:])[pairs] * _SCATTER >> _SHIFT).astype(np.int32)
    words = [zlib.crc32(word[:6].encode()) % BUCKETS for word in _WORD.findall(text) if word not in STOPWORDS]
    found = np.concatenate((bigrams, np.array(words, dtype=np.int32)))
    return Row(number, found, len(words) + len(bigrams) * _BIGRAM_WORDS)


@dataclass(frozen=True, slots=True)
class Drop:
    """How alike the talk before and from utterance `at` on is: 0 (nothing shared) to 1."""

    at: int
    similarity: float


class Trail:
    """The features of the newest utterances, and how common each feature is in this meeting."""

    def __init__(self) -> None:
        self._rows: deque[Row] = deque(maxlen=REMEMBERED)
        self._frequency: NDArray[np.int32] = np.zeros(BUCKETS, dtype=np.int32)
        self._blocks = 0
        self._block: list[Row] = []
        self._weights: NDArray[np.float32] | None = None

    def add(self, number: int, text: str) -> None:
        """Hear utterance `number`."""
        heard = row(number, text)
        self._rows.append(heard)
        self._block.append(heard)
        if len(self._block) == _BLOCK:
            self._frequency[np.unique(_joined(self._block))] += 1
            self._blocks += 1
            self._block = []
            self._weights = None

    def drop(self, start: int, *, width: float, least: float, at: int | None = None) -> Drop | None:
        """Compare the newest `width` words with as many before them, inside the topic from `start`.

        With `at`, the border lies before that utterance instead. None where one side has fewer than
        `least` words.
        """
        right: list[Row] = []
        left: list[Row] = []
        after = before = 0.0
        for heard in reversed(self._rows):
            if heard.number < start:
                break
            if not left and (after < width if at is None else heard.number >= at):
                right.append(heard)
                after += heard.words
            elif before < width:
                left.append(heard)
                before += heard.words
            else:
                break
        if before < least or after < least:
            return None
        return Drop(right[-1].number, self._cosine(left, right))

    def _cosine(self, left: list[Row], right: list[Row]) -> float:
        if self._weights is None:
            share = self._frequency / max(1, self._blocks)
            weights = np.log(1.0 + 1.0 / (share + 1.0 / max(4.0, self._blocks)))
            self._weights = weights.astype(np.float32)
        a = _LOG[np.bincount(_joined(left), minlength=BUCKETS)] * self._weights
        b = _LOG[np.bincount(_joined(right), minlength=BUCKETS)] * self._weights
        norm = float(np.sqrt((a @ a) * (b @ b)))
        return float(a @ b) / norm if norm else 0.0

    def dump(self) -> dict[str, Any]:
        """For the snapshot: the frequencies; the rows come from the archive."""
        packed = zlib.compress(self._frequency.astype("<i4").tobytes(), 1)
        return {
            "first": self._rows[0].number if self._rows else 0,
            "blocks": self._blocks,
            "open_block": len(self._block),
            "frequency": base64.b64encode(packed).decode(),
        }

    def load(self, dumped: dict[str, Any], texts: Iterable[tuple[int, str]]) -> None:
        """From the snapshot and the utterances from `first` on."""
        rows = [row(number, text) for number, text in texts]
        self._rows.extend(rows)
        self._blocks = dumped["blocks"]
        self._block = rows[len(rows) - dumped["open_block"] :]
        raw = zlib.decompress(base64.b64decode(dumped["frequency"]))
        self._frequency = np.frombuffer(raw, dtype="<i4").astype(np.int32)
        self._weights = None


def _joined(rows: list[Row]) -> Features:
    return np.concatenate([heard.features for heard in rows])
