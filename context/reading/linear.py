"""The two kinds of learnt models (heads), evaluated with numpy: linear ones over text, trees over signals.

A linear head (`LinearHead`) sees of a sentence its words, pairs of words, and the letters within them
(`features_of`). It has a sum of weights for each class, and from the sums calibrated probabilities. Letters
make one head do for both languages: Korean puts what English says in words of its own into endings
(정했 / 정하기로 / 안 정한), and people misspell. Each feature is a number below `WIDTH`, by a hash that is
the same on every machine, so that no vocabulary has to be kept.

Boosted trees (`Trees`) split on one signal after another, and the leaf of each tree adds to the score.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from context.language.korean import has_hangul

MEANING_COUNTS: Final = 6.0
"""How much a vector weighs beside words and letters, which together have the length 1."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead:
    """Multinomial logistic regression on `features_of` a text and, where there is one, on its embedding."""

    classes: tuple[str, ...]
    rarity: NDArray[np.float32]
    """How much a feature tells, by how few rows have it [WIDTH]."""
    weights: NDArray[np.float32]
    """[WIDTH, classes]"""
    of_meaning: NDArray[np.float32]
    """Weights of an embedding [dimensions, classes]; without rows where the head works without embeddings."""
    usual: NDArray[np.float32]
    """The mean embedding, which is taken off first [dimensions]."""
    bias: NDArray[np.float32]
    """[classes]"""
    temperature: float
    """The sums are divided by it, so that of what is called 80 % sure some 80 % are right."""

    def probabilities(self, text: str, meaning: NDArray[np.float32] | None = None) -> Mapping[str, float]:
        """How likely each class is, 0 to 1, in the order of `classes`; they add up to 1.

        `meaning`: the text's embedding, a unit vector, where the head was trained with one.
        """
        features, often = features_of(text)
        values = often * self.rarity[features]
        norm = float(np.linalg.norm(values)) or 1.0
        sums = (values / norm) @ self.weights[features] + self.bias
        if len(self.of_meaning) and meaning is not None:
            sums = sums + MEANING_COUNTS * (meaning - self.usual) @ self.of_meaning
        likely = np.exp((sums - sums.max()) / self.temperature)
        return dict(zip(self.classes, (likely / likely.sum()).tolist(), strict=True))


WIDTH: Final = 1 << 14
"""Features are numbers below it. 4,000 requests have some 20,000; that some share a number costs little."""
_SHORTEST, _LONGEST = 2, 4
"""Letters of a part of a word."""
_MOST_CHARS: Final = 400
"""Characters of a text that are read."""
_END: Final = 6
"""Letters of a text's end, at most, that are a feature."""
_FRAMES: Final = (2, 3, 4)
"""Words of a piece of a frame."""
_MOST_WORDS, _STEP = 27, 4
"""Lengths are told apart up to so many words, in such steps."""
_WORD: Final = re.compile(r"\w+|[?!]")


def features_of(
    text: str, width: int = WIDTH, *, frame_words: frozenset[str] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The features of `text`, ascending and below `width`, and log(1 + how often) of each [features].

    `frame_words`: the commonest words. With them also three words in a row, longer parts of words, how the
    text ends, stop included, and an English text's frame: what stands around its rarer words.
    """
    grams = _grams(text)
    if frame_words is not None:
        grams = chain(grams, _endings(text), () if has_hangul(text) else _frame(text, frame_words))
    counts = Counter(crc32(gram.encode()) % width for gram in grams)
    features = np.array(sorted(counts), dtype=np.int64)
    often = np.array([counts[feature] for feature in features.tolist()], dtype=np.float32)
    return features, np.log1p(often)


def _grams(text: str) -> Iterator[str]:
    words = words_of(text)
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


def words_of(text: str) -> list[str]:
    """The words of a text as features see them, and its question and exclamation marks."""
    return _WORD.findall(_plain(text))


def _frame(text: str, common: frozenset[str]) -> Iterator[str]:
    """Runs of words of which the rarer ones are blanked but for an ending: `^ the _ goes to _s`."""
    words = ["^", *(word if word in common else _blank(word) for word in words_of(text)), "$"]
    for length in _FRAMES:
        yield from (f"f {' '.join(words[i : i + length])}" for i in range(len(words) - length + 1))
    yield from (f"s {one} {other}" for one, other in zip(words, words[2:], strict=False))
    yield f"l {min(len(words), _MOST_WORDS) // _STEP}"


def _blank(word: str) -> str:
    if any(char.isdigit() for char in word):
        return "#"
    return "_" + next((ending for ending in ("ing", "ed", "s") if word.endswith(ending)), "")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()[:_MOST_CHARS]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Some hundred small boosted trees. Arrays are [trees, nodes]; a node that is a leaf points at itself."""

    signal: NDArray[np.int64]
    """The column on which a node splits."""
    threshold: NDArray[np.float32]
    """A row whose signal is at most so much goes left."""
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    """The nodes to go on to."""
    value: NDArray[np.float32]
    """What a leaf adds to the score."""
    depth: int
    """Of the deepest tree."""

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """One score [rows], log odds as a rule, per row of signals [rows, signals]; there may be no row."""
        # All rows walk down all trees at once, by flat numbers of nodes, and who has come to a leaf walks no
        # more: a third of the time of going on to the deepest leaf, and a question waits for it.
        count, nodes = self.signal.shape
        roots = np.arange(count, dtype=np.intp) * nodes
        signal, threshold = self.signal.ravel(), self.threshold.ravel()
        onwards = np.stack([self.right + roots[:, None], self.left + roots[:, None]], axis=-1).ravel()
        is_leaf = onwards[::2] == np.arange(count * nodes)
        values = np.ascontiguousarray(rows).ravel()
        ends, here = np.tile(roots, len(rows)), np.tile(roots, len(rows))
        row = np.repeat(np.arange(len(rows), dtype=np.intp) * rows.shape[1], count)
        walking = np.arange(len(ends))
        while len(walking):
            goes_left = values.take(signal.take(here) + row) <= threshold.take(here)
            here = onwards.take(2 * here + goes_left)
            ends[walking] = here
            on = np.flatnonzero(~is_leaf.take(here))
            walking, here, row = walking.take(on), here.take(on), row.take(on)
        total: NDArray[np.float32] = self.value.ravel().take(ends).reshape(len(rows), count).sum(axis=1)
        return total


@cache
def head(path: Path) -> LinearHead:
    """The head in a file that `tests.training` wrote, read once."""
    with np.load(path) as kept:
        arrays = {name: kept[name].astype(np.float32) for name in kept.files if name != "classes"}
        classes = tuple(str(name) for name in kept["classes"])
    return LinearHead(classes=classes, temperature=float(arrays.pop("temperature")), **arrays)


@cache
def trees(path: Path, prefix: str = "") -> Trees:
    """The trees in a file that `tests.training` wrote, read once; `prefix`: which of several in the file."""
    with np.load(path) as kept:
        nodes = {name: kept[f"{prefix}{name}"].astype(np.int64) for name in ("signal", "left", "right")}
        values = {name: kept[f"{prefix}{name}"].astype(np.float32) for name in ("threshold", "value")}
        return Trees(**nodes, **values, depth=int(kept[f"{prefix}depth"]))
