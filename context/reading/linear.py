"""The two kinds of learnt models, evaluated with numpy: linear heads over text, boosted trees over signals.

A linear head (`LinearHead`) sees of a sentence its words, pairs of words, and the letters within them
(`features_of`). It has a sum of weights for each class, and from the sums calibrated probabilities. Letters
make one head do for both languages: Korean puts what English says in words of its own into endings
(정했 / 정하기로 / 안 정한), and people misspell. Each feature is a number below `FEATURE_BUCKETS`, by a hash
that is the same on every machine, so that no vocabulary has to be kept.

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

EMBEDDING_WEIGHT: Final = 6.0
"""The weight of an embedding beside words and letters, which together have the length 1."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead:
    """Multinomial logistic regression on `features_of` a text and, where there is one, on its embedding."""

    classes: tuple[str, ...]
    rarity: NDArray[np.float32]
    """How much a feature tells, by how few rows have it [FEATURE_BUCKETS]."""
    weights: NDArray[np.float32]
    """The weights of the features [FEATURE_BUCKETS, classes]."""
    embedding_weights: NDArray[np.float32]
    """Weights of an embedding [dimensions, classes]; without rows where the head works without embeddings."""
    mean_embedding: NDArray[np.float32]
    """The mean embedding, which is taken off first [dimensions]."""
    bias: NDArray[np.float32]
    """The intercepts [classes]."""
    temperature: float
    """The sums are divided by it, so that of what is called 80 % sure some 80 % are right."""

    def probabilities(self, text: str, meaning: NDArray[np.float32] | None = None) -> Mapping[str, float]:
        """How likely each class is, 0 to 1, in the order of `classes`; they add up to 1.

        `meaning`: the text's embedding, a unit vector, where the head was trained with one.
        """
        features, log_counts = features_of(text)
        values = log_counts * self.rarity[features]
        norm = float(np.linalg.norm(values)) or 1.0
        sums = (values / norm) @ self.weights[features] + self.bias
        if len(self.embedding_weights) and meaning is not None:
            sums = sums + EMBEDDING_WEIGHT * (meaning - self.mean_embedding) @ self.embedding_weights
        chances = np.exp((sums - sums.max()) / self.temperature)
        return dict(zip(self.classes, (chances / chances.sum()).tolist(), strict=True))


FEATURE_BUCKETS: Final = 1 << 14
"""How many hash buckets the features have. 4,000 requests have some 20,000 features; that some share a bucket
costs little."""
_MIN_GRAM_LETTERS, _MAX_GRAM_LETTERS = 2, 4
"""Lengths of the parts of words that are features, in letters."""
_MAX_TEXT_CHARS: Final = 400
"""So many characters of a text are read."""
_MAX_ENDING_LETTERS: Final = 6
"""Letters of a text's end, at most, that make a feature."""
_FRAME_WORDS: Final = (2, 3, 4)
"""Lengths of the pieces of a frame, in words."""
_MAX_LENGTH_WORDS, _LENGTH_STEP_WORDS = 27, 4
"""Lengths are told apart up to so many words, in such steps."""
_TOKEN: Final = re.compile(r"\w+|[?!]")


def features_of(
    text: str, width: int = FEATURE_BUCKETS, *, frame_words: frozenset[str] | None = None
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
    log_counts = np.array([counts[feature] for feature in features.tolist()], dtype=np.float32)
    return features, np.log1p(log_counts)


def _grams(text: str) -> Iterator[str]:
    words = feature_words(text)
    yield from (f"w {word}" for word in words)
    yield from (f"p {one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True))
    for word in words:
        padded = f" {word} "
        for length in range(_MIN_GRAM_LETTERS, _MAX_GRAM_LETTERS + 1):
            yield from (padded[i : i + length] for i in range(len(padded) - length + 1))


def _endings(text: str) -> Iterator[str]:
    plain = _normalised(text)
    words = ["^", *_TOKEN.findall(plain), "$"]
    yield from (
        f"t {one} {two} {three}" for one, two, three in zip(words, words[1:], words[2:], strict=False)
    )
    for word in words[1:-1]:
        padded = f" {word} "
        yield from (padded[i : i + _MAX_GRAM_LETTERS + 1] for i in range(len(padded) - _MAX_GRAM_LETTERS))
    close = "".join(plain.split())[-_MAX_ENDING_LETTERS:]
    yield from (f"e {close[-length:]}" for length in range(1, len(close) + 1))


def feature_words(text: str) -> list[str]:
    """The words of a text as features see them, and its question and exclamation marks."""
    return _TOKEN.findall(_normalised(text))


def _frame(text: str, common: frozenset[str]) -> Iterator[str]:
    """Runs of words of which the rarer ones are blanked but for an ending: `^ the _ goes to _s`."""
    words = ["^", *(word if word in common else _blank(word) for word in feature_words(text)), "$"]
    for length in _FRAME_WORDS:
        yield from (f"f {' '.join(words[i : i + length])}" for i in range(len(words) - length + 1))
    yield from (f"s {one} {other}" for one, other in zip(words, words[2:], strict=False))
    yield f"l {min(len(words), _MAX_LENGTH_WORDS) // _LENGTH_STEP_WORDS}"


def _blank(word: str) -> str:
    if any(char.isdigit() for char in word):
        return "#"
    return "_" + next((ending for ending in ("ing", "ed", "s") if word.endswith(ending)), "")


def _normalised(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()[:_MAX_TEXT_CHARS]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Some hundred small boosted trees. Arrays are [trees, nodes]; a node that is a leaf points at itself."""

    signal: NDArray[np.int64]
    """The column of signals on which a node splits."""
    threshold: NDArray[np.float32]
    """A row whose signal is at most so much goes left."""
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    """The nodes to go on to."""
    value: NDArray[np.float32]
    """What a leaf adds to the score."""
    depth: int
    """The depth of the deepest tree."""

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
    with np.load(path) as file:
        arrays = {name: file[name].astype(np.float32) for name in file.files if name != "classes"}
        classes = tuple(str(name) for name in file["classes"])
    return LinearHead(
        classes=classes,
        rarity=arrays["rarity"],
        weights=arrays["weights"],
        embedding_weights=arrays["of_meaning"],
        mean_embedding=arrays["usual"],
        bias=arrays["bias"],
        temperature=float(arrays["temperature"]),
    )


@cache
def trees(path: Path, prefix: str = "") -> Trees:
    """The trees in a file that `tests.training` wrote, read once; `prefix`: which of several in the file."""
    with np.load(path) as file:
        nodes = {name: file[f"{prefix}{name}"].astype(np.int64) for name in ("signal", "left", "right")}
        values = {name: file[f"{prefix}{name}"].astype(np.float32) for name in ("threshold", "value")}
        return Trees(**nodes, **values, depth=int(file[f"{prefix}depth"]))
