"""The trained models of the scorer: word vectors, trees over a candidate's features, and a small convolution.

Weights come with the package and are evaluated with numpy alone; `tests/training/topic_boundaries.py` and
`tests/training/topic_nets.py` make them.

The trees look at the features (`features`) of one candidate. The net goes through the candidates in order,
and each of its layers sees, beside the newest candidate, what it made of two earlier ones, farther back from
layer to layer (dilated causal convolution): some 120 utterances altogether. With the features of candidate
`j` it says how likely a topic began at `j`, `j - 1`, … `j - LATER_STEPS`: the later, the more has been heard
of what follows. Several nets, trained from different initial weights, are averaged. Each layer remembers as
much as it looks back, so that a candidate costs the same however long the meeting is.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
DIMENSIONS: Final = 48
"""How many numbers a word's vector has."""
DEPTH: Final = 4
"""How many questions each tree asks."""
_POWERS: Final = (1 << np.arange(DEPTH)).astype(np.float64)
STEPS: Final = (1, 2, 4, 8)
"""How many candidates back each layer looks, and as many again."""
LATER_STEPS: Final = 4
"""Candidates heard after one, at most, when its chance is asked for."""
_MAX_DEVIATIONS: Final = 4.0
"""Standard deviations; more count as so many."""


@dataclass(frozen=True, slots=True)
class WordTable:
    """The row of each word; by row its weight, 0 to 15, and its vector times that weight [`DIMENSIONS`]."""

    rows: dict[str, int]
    weights: list[int]
    vectors: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Model:
    """The boosted trees for one language, and a linear model of the words at utterances' edges."""

    korean: bool
    edges: list[list[int]]
    """Weight of each bucket of words (`Turn.edges`), for each of five utterances around a candidate."""
    edge_bias: float
    features: NDArray[np.intp]
    """The feature that is asked about [trees, `DEPTH`]; all nodes of a level ask the same."""
    borders: NDArray[np.float64]
    """The value above which the answer is yes [trees, `DEPTH`]."""
    leaves: NDArray[np.float64]
    """What a leaf adds [trees * 2 ** `DEPTH`]."""
    offsets: NDArray[np.intp]
    """Where the leaves of a tree begin [trees]."""
    bias: float

    def sounds(self, around: Sequence[tuple[int, ...]]) -> float:
        """How much the edges of the utterances `around` a candidate sound like a beginning, as a logit."""
        total = 0
        for weights, buckets in zip(self.edges, around, strict=True):
            total += sum([weights[bucket] for bucket in buckets])
        return total / 32.0 + self.edge_bias

    def logit(self, row: Sequence[float], around: Sequence[tuple[int, ...]]) -> float:
        """How likely a topic begins at a candidate, as a logit: its features, and the edges `around` it."""
        numbers = np.array([*row, self.sounds(around)], dtype=np.float64)
        leaf = (numbers.take(self.features) > self.borders) @ _POWERS
        return float(self.leaves.take(leaf.astype(np.intp) + self.offsets).sum()) + self.bias


Memory = list[list[Floats]]
"""What each layer of a net was given for the newest candidates, oldest first."""


@dataclass(frozen=True, slots=True)
class Net:
    """The nets for one language, called members, side by side in each array."""

    mean: Floats
    """The mean of each feature in training, which is taken off."""
    spread: Floats
    """The standard deviation of each, by which it is divided."""
    logged: NDArray[np.intp]
    """Features that are counts: their logarithm is looked at."""
    enter: Floats
    """First layers [features, members * width]."""
    enter_bias: Floats
    """[members, 1, width]"""
    mixes: tuple[Floats, ...]
    """The weights of each further layer [members, 3 candidates * width, width]."""
    biases: tuple[Floats, ...]
    out: Floats
    """Last layers [members * width, candidates back]; that the members are averaged is in the weights."""
    skip: Floats
    """Straight from the features to the logits [features, candidates back]."""
    bias: Floats

    def hear(self, numbers: Sequence[float], memory: Memory) -> list[float]:
        """Hear the features of the next candidate: logits that a topic begins at it, at the one before, …

        `memory` is of the candidates before, and is brought up to this one.
        """
        seen = np.array(numbers, dtype=np.float32)
        seen[self.logged] = np.log1p(np.maximum(seen.take(self.logged), 0.0))
        seen = np.minimum(np.maximum((seen - self.mean) / self.spread, -_MAX_DEVIATIONS), _MAX_DEVIATIONS)
        members = len(self.enter_bias)
        hidden = np.maximum((seen @ self.enter).reshape(members, 1, -1) + self.enter_bias, 0.0)
        for step, given, mix, bias in zip(STEPS, memory, self.mixes, self.biases, strict=True):
            nothing = np.zeros_like(hidden)
            two = given[-2 * step] if len(given) >= 2 * step else nothing
            one = given[-step] if len(given) >= step else nothing
            given.append(hidden)
            del given[: -2 * step]
            hidden = hidden + np.maximum(np.concatenate((hidden, one, two), axis=2) @ mix + bias, 0.0)
        logits: list[float] = (hidden.ravel() @ self.out + seen @ self.skip + self.bias).tolist()
        return logits


def empty_memory() -> Memory:
    """The memory of a net that has heard no candidate."""
    return [[] for _ in STEPS]


def dumped_memory(memory: Memory) -> list[list[Any]]:
    """The memory for a snapshot, JSON-able: by layer, how many candidates, the shape of each, the numbers."""
    return [
        [len(given), *given[0].shape, packed(np.stack(given).astype("<f4").tobytes())] if given else []
        for given in memory
    ]


def loaded_memory(dumped: Sequence[Sequence[Any]]) -> Memory:
    """The memory from what `dumped_memory` gave."""
    memory = empty_memory()
    for given, layer in zip(memory, dumped, strict=True):
        if layer:
            numbers = np.frombuffer(unpacked(layer[-1]), dtype="<f4").astype(np.float32)
            given.extend(numbers.reshape(layer[:-1]))
    return memory


def packed(raw: bytes) -> str:
    """Bytes for a snapshot: compressed, and written as text."""
    return base64.b64encode(zlib.compress(raw, 1)).decode()


def unpacked(text: str) -> bytes:
    """The bytes that `packed` wrote."""
    return zlib.decompress(base64.b64decode(text))


@cache
def word_table() -> WordTable:
    """The word table that comes with the package, read once."""
    data = _arrays("words")
    words = data["words"].tobytes().decode().split("\n")
    weights = data["weights"]
    vectors = data["vectors"].astype(np.int32) * weights[:, None].astype(np.int32)
    return WordTable({word: row for row, word in enumerate(words)}, weights.tolist(), vectors)


@cache
def models() -> tuple[Model, Model]:
    """The trees for English and for Korean, read once."""
    data = _arrays("model")
    return _model(data, "en"), _model(data, "ko")


@cache
def nets() -> tuple[Net, Net]:
    """The nets for English and for Korean, read once."""
    data = _arrays("nets")
    return _net(data, "en"), _net(data, "ko")


def _arrays(name: str) -> dict[str, NDArray[Any]]:
    with files("context.topics.boundary").joinpath(f"{name}.npz").open("rb") as file, np.load(file) as data:
        return dict(data)


def _model(data: Mapping[str, NDArray[Any]], language: str) -> Model:
    leaves = data[f"{language}_leaves"].astype(np.float64)
    return Model(
        korean=language == "ko",
        edges=data[f"{language}_edges"].tolist(),
        edge_bias=float(data[f"{language}_edge_bias"]),
        features=data[f"{language}_features"].astype(np.intp),
        borders=data[f"{language}_borders"].astype(np.float64),
        leaves=leaves.ravel(),
        offsets=np.arange(len(leaves)) * (1 << DEPTH),
        bias=float(data[f"{language}_bias"]),
    )


def _net(data: Mapping[str, NDArray[Any]], language: str) -> Net:
    parts: dict[str, Any] = {
        name: data[f"{language}_{name}"].astype(np.float32)
        for name in ("mean", "spread", "enter", "enter_bias", "out", "skip", "bias")
    }
    for field, name in (("mixes", "mix"), ("biases", "layer_bias")):
        parts[field] = tuple(
            data[f"{language}_{name}{layer}"].astype(np.float32) for layer in range(len(STEPS))
        )
    return Net(logged=data[f"{language}_logged"].astype(np.intp), **parts)
