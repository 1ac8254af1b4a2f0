"""What a linear head sees of a sentence: its words, pairs of words, and the letters within them.

Letters make one head do for both languages: Korean puts what English says in words of its own into
endings (정했 / 정하기로 / 안 정한), and people misspell. Each feature is a number below `WIDTH`, by a hash
that is the same on every machine, so that no vocabulary has to be kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

WIDTH: Final = 1 << 14
"""Features. Of 4,000 requests some 20,000 differ; what falls together costs a head little."""
_SHORTEST, _LONGEST = 2, 4
_MOST_CHARS: Final = 400
_END: Final = 6
"""Letters."""
_WORD: Final = re.compile(r"\w+|[?!]")


def counted(
    text: str, width: int = WIDTH, *, with_endings: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The features of `text`, ascending and below `width`, and how often each occurs (damped by a logarithm).

    `with_endings`: also three words in a row, longer parts of words, and how the text ends, stop included.
    """
    grams = chain(_grams(text), _endings(text)) if with_endings else _grams(text)
    counts = Counter(crc32(gram.encode()) % width for gram in grams)
    features = np.array(sorted(counts), dtype=np.int64)
    often = np.array([counts[feature] for feature in features.tolist()], dtype=np.float32)
    return features, np.log1p(often)


def _grams(text: str) -> Iterator[str]:
    words = _WORD.findall(_plain(text))
    yield from (f"w {word}" for word in words)
    yield from (f"p {one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True))
    for word in words:
        padded = f" {word} "
        for length in range(_SHORTEST, _LONGEST + 1):
            yield from (padded[i : i + length] for i in range(len(padded) - length + 1))


def _endings(text: str) -> Iterator[str]:
    plain = _plain(text)
    words = ["^", *_WORD.findall(plain), "$"]
    yield from (
        f"t {one} {two} {three}" for one, two, three in zip(words, words[1:], words[2:], strict=False)
    )
    for word in words[1:-1]:
        padded = f" {word} "
        yield from (padded[i : i + _LONGEST + 1] for i in range(len(padded) - _LONGEST))
    close = "".join(plain.split())[-_END:]
    yield from (f"e {close[-length:]}" for length in range(1, len(close) + 1))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()[:_MOST_CHARS]
