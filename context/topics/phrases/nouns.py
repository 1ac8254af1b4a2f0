"""Which words of a sentence are nouns: a small linear tagger, Korean and English.

A Korean word is read as a noun and what hangs on it (출장이래 → 출장); each place at which the noun may
end is weighed, and against all of them that the word is none (보고, 있잖아). An English word is a noun,
an adjective that may stand before one, or neither ("to book a booking"). What tells is the word, its
ends, and the words beside it.

The weights are learnt from sentences that two analysers of word classes have tagged
(`tests/training/nouns.py`). Each feature is a number by a hash that is the same on every machine, so no
vocabulary is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from context.language.closed_lists import closed_lists
from context.language.korean import final

FEATURE_BUCKETS: Final = 1 << 18
"""Features are numbers below it."""
NOUN: Final = "N"
ADJECTIVE: Final = "A"
OTHER_TAG: Final = "O"
TAGS_EN: Final = (NOUN, ADJECTIVE, OTHER_TAG)
_MAX_TAIL_LETTERS: Final = 6
"""Letters that hang on a Korean noun, at most."""
_SHORT_TAILS: Final = frozenset("은는이가을를의도로와과만에랑들요야나께씩")
"""All that may hang on a noun as one letter."""
_NO_NOUN_ODDS: Final = 40
"""So much less a word has to look like a noun than like none: nouns are what is never seen in training."""
_WEIGHTS: Final = "nouns.npz"

_PARTICLES: Final = frozenset(closed_lists("naming")["particles"])
_BEHIND_CONSONANTS: Final = frozenset("은이을과")
_SOUND_PARTICLES: Final = _BEHIND_CONSONANTS | frozenset("는가를와")
"""Particles that stand only behind a consonant, and those that stand only behind a vowel."""
_LONG_PARTICLES: Final = (3, 2)
"""Letters of a particle that no noun ends with by chance."""
_MIN_NOUN_LETTERS: Final = 2

Weights = NDArray[np.int8]


def korean_noun(tokens: Sequence[str], place: int) -> str:
    """The noun that the Korean word at `place` begins with; "" where the word is none."""
    word = tokens[place]
    weights = _weights()
    best, found = _sum(weights, features_of_none(tokens, place)) - _NO_NOUN_ODDS, ""
    for length in lengths(word):
        worth = _sum(weights, features_of_noun(tokens, place, length))
        if worth > best:
            best, found = worth, word[:length]
    return found


def whole(noun: str, token: str) -> str:
    """The noun, with what does not fit behind it as a particle: 성과평|가 is 성과평가, 오케|이 is 오케이.

    What nobody doubts is a particle is no part of it: 귀마개부터, 칠십까지|인데요.
    """
    tail = token[len(noun) :]
    for size in _LONG_PARTICLES:
        if len(noun) >= size + _MIN_NOUN_LETTERS and noun[-size:] in _PARTICLES:
            return noun[:-size]
    fits = not noun or tail not in _SOUND_PARTICLES or (final(noun[-1]) != "") == (tail in _BEHIND_CONSONANTS)
    return noun if fits else token


def english_kind(tokens: Sequence[str], place: int) -> str:
    """What the English word at `place` is: `NOUN`, `ADJECTIVE` or `OTHER_TAG`."""
    weights = _weights()
    own = list(english_features(tokens, place))
    return max(TAGS_EN, key=lambda kind: _sum(weights, [hashed(f"{kind} {each}") for each in own]))


def lengths(word: str) -> list[int]:
    """How long the noun in a Korean word may be."""
    least = max(1, len(word) - _MAX_TAIL_LETTERS)
    return [size for size in range(least, len(word) + 1) if size != len(word) - 1 or word[-1] in _SHORT_TAILS]


def features_of_noun(tokens: Sequence[str], place: int, length: int) -> list[int]:
    """The features of reading the first `length` letters of a Korean word as a noun."""
    word, before, after = tokens[place], _beside(tokens, place - 1), _beside(tokens, place + 1)
    noun, tail = word[:length], word[length:]
    return [
        hashed(each)
        for each in (
            f"n {noun}",
            f"e1 {noun[-1]}",
            f"e2 {noun[-2:]}",
            f"b2 {noun[:2]} {min(length, 4)}",
            f"t {tail}",
            f"et {noun[-1]} {tail}",
            f"lt {min(length, 4)} {tail}",
            f"ta {tail} {after[:2]}",
            f"tz {tail} {after[-2:]}",
            f"bt {before[-2:]} {tail}",
            f"w {word}",
        )
    ]


def features_of_none(tokens: Sequence[str], place: int) -> list[int]:
    """The features of reading a Korean word as no noun."""
    word, before, after = tokens[place], _beside(tokens, place - 1), _beside(tokens, place + 1)
    return [
        hashed(each)
        for each in (
            f"o {word}",
            f"o1 {word[-1]}",
            f"o2 {word[-2:]}",
            f"o3 {word[-3:]}",
            f"ob {word[:2]}",
            f"oc {word[0]}",
            f"ol {min(len(word), 6)}",
            f"oa {word[-1]} {after[:2]}",
            f"oz {word[-1]} {after[-2:]}",
            f"op {before[-2:]} {word[-1]}",
        )
    ]


def english_features(tokens: Sequence[str], place: int) -> Iterator[str]:
    """What tells of an English word what it is, before it is hashed with the kind."""
    word = tokens[place].lower().removesuffix("'s")
    before, after = _beside(tokens, place - 1).lower(), _beside(tokens, place + 1).lower()
    yield f"w {word}"
    yield f"e2 {word[-2:]}"
    yield f"e3 {word[-3:]}"
    yield f"e4 {word[-4:]}"
    yield f"p {before}"
    yield f"a {after}"
    yield f"pe {before} {word[-3:]}"
    yield f"ae {after} {word[-3:]}"
    yield f"p2 {_beside(tokens, place - 2).lower()} {before}"
    yield f"az {after[-3:]}"
    yield f"pz {before[-3:]} {word[-2:]}"
    yield f"wa {word} {after[-2:]}"
    yield f"pw {before} {word}"
    yield f"c {place > 0 and tokens[place][:1].isupper()}"


def hashed(feature: str) -> int:
    """The number of a feature."""
    return crc32(feature.encode("utf-8", "surrogatepass")) % FEATURE_BUCKETS


def _beside(tokens: Sequence[str], place: int) -> str:
    return tokens[place] if 0 <= place < len(tokens) else "^"


def _sum(weights: memoryview, features: Sequence[int]) -> int:
    return sum([weights[each] for each in features])


@cache
def _weights() -> memoryview:
    """A byte for each feature; a view gives plain numbers, ten times as fast as an array."""
    with files(__package__).joinpath(_WEIGHTS).open("rb") as file, np.load(file) as kept:
        return memoryview(kept["weights"].astype(np.int8).tobytes()).cast("b")
