"""What one utterance brings to the scorer: its content words, and how it sounds at its edges.

Every word is looked up once and then remembered: a number for the word's identity (English: the
first six letters, Korean: the stem's first syllables), how much it weighs, and its row in the table
of word vectors, where it has one. The same on every machine and in every run.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.language.closed_lists import STOPWORDS
from context.topics.boundary.model import DIMENSIONS, word_table

HASH_BUCKETS: Final = 512
"""Signed hashing: each word is plus or minus its weight in one of so many places."""
VECTOR_LENGTH: Final = HASH_BUCKETS + DIMENSIONS
"""The length of an utterance's vector: the hashed words, then the sum of the words' vectors."""
MAX_CHARACTERS: Final = 600
"""Characters of an utterance that are looked at."""
CUE_BUCKETS: Final = 4096
"""Words and pairs of words at an utterance's edges are hashed to so many numbers."""
_WORD: Final = re.compile(r"[a-z][a-z']*|\d{3,}|[가-힣]+")
_KO_ENDINGS: Final = frozenset(
    {
        *("에서는", "으로는", "에서", "에게", "까지", "부터", "으로", "이나", "라는", "하고", "에는", "이랑"),
        *("처럼", "보다", "은", "는", "이", "가", "을", "를", "에", "의", "도", "로", "와", "과", "만"),
    }
)
"""Particles: the longest that fits is taken off."""
_UNKNOWN_WEIGHT_EN: Final = 10
_UNKNOWN_WEIGHT_KO: Final = 7
"""Weight of a word that is not in the table."""
_HEAD_WORDS: Final = 8
_TAIL_WORDS: Final = 4
"""Words at an utterance's beginning and end that are its edges."""


@dataclass(frozen=True, slots=True)
class HashedWord:
    """One spelling of a word."""

    key: int
    """The hash by which it is the same word; -1 for no content word."""
    weight: int
    """0 to 15, by how much it tells of the topic."""
    row: int
    """Its row in the table of word vectors; -1 where it has none."""
    head: int
    tail: int
    """Its hashes at an utterance's beginning and end."""


@dataclass(frozen=True, slots=True)
class UtteranceWords:
    """The content words of one utterance, which is all that the boundary scorer compares of it."""

    keys: tuple[tuple[int, int], ...]
    """Hash and weight of each of its content words, once each."""
    weight: int
    """The weight of its content words together."""
    words: int
    """How many it has, content words or not."""
    hangul: bool
    """Whether most of its words are Korean."""
    question: bool
    """Whether it ends with a question mark."""
    edges: tuple[int, ...]
    """Buckets of the words and pairs of words at its beginning and its end."""
    vector: NDArray[np.int32]
    """Its content words: hashed, and by what they mean [`VECTOR_LENGTH`]."""


def read(text: str) -> UtteranceWords:
    """Read one utterance: its content words, and the words at its edges."""
    found = _WORD.findall(text[:MAX_CHARACTERS].lower())
    words = [_word(spelt) for spelt in found]
    content = {word.key: word for word in words if word.key >= 0}
    vector = np.zeros(VECTOR_LENGTH, dtype=np.int32)
    for key, word in content.items():
        vector[key & (HASH_BUCKETS - 1)] += word.weight if key & 1024 else -word.weight
    rows = [word.row for word in content.values() if word.row >= 0]
    if rows:
        vector[HASH_BUCKETS:] = np.add.reduce(word_table().vectors.take(rows, axis=0), axis=0)
    hangul = len([spelt for spelt in found if spelt >= "가"])
    return UtteranceWords(
        keys=tuple([(key, word.weight) for key, word in content.items()]),
        weight=sum([word.weight for word in content.values()]),
        words=len(found),
        hangul=2 * hangul > len(found),
        question="?" in text[-3:],
        edges=_edges(words),
        vector=vector,
    )


@lru_cache(maxsize=2048)  # 400 bytes each; in Korean most words are new ones, and looked up in 5 µs
def _word(spelt: str) -> HashedWord:
    table, shown = word_table(), spelt
    if spelt[0] >= "가":
        shown, stem = spelt[-3:], bare(spelt)[:4]
        row, unknown = table.rows.get(stem, -1), _UNKNOWN_WEIGHT_KO
        key = _hash(stem[:3]) if len(stem) > 1 else -1
    else:
        row, unknown = table.rows.get(spelt, -1), _UNKNOWN_WEIGHT_EN
        key = _hash(spelt[:6]) if len(spelt) > 2 and spelt not in STOPWORDS else -1
    weight = table.weights[row] if row >= 0 else unknown
    return HashedWord(key if weight > 0 else -1, weight, row, _hash("f" + spelt), _hash("l" + shown))


def _edges(words: Sequence[HashedWord]) -> tuple[int, ...]:
    heads, tails = [word.head for word in words[:_HEAD_WORDS]], [word.tail for word in words[-_TAIL_WORDS:]]
    found = {head % CUE_BUCKETS for head in heads}
    found.update([(first * 31 + second) % CUE_BUCKETS for first, second in pairwise(heads)])
    found.update([tail % CUE_BUCKETS for tail in tails])
    found.update([(first * 31 + second) % CUE_BUCKETS for first, second in pairwise(tails)])
    if 0 < len(words) <= 2:
        found.add(sum(heads) * 7 % CUE_BUCKETS)
    return tuple(found)


def bare(word: str) -> str:
    """A Korean word of three syllables or more without its particle; any other word as it is."""
    if len(word) > 2:
        for length in (3, 2, 1):
            if word[-length:] in _KO_ENDINGS:
                return word[:-length]
    return word


def _hash(word: str) -> int:
    return zlib.crc32(word.encode())
