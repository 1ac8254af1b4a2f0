"""The trained models: the table of words, how utterances sound at their edges, trees over a candidate's
numbers, and a small convolution along the candidates.

Weights come with the package and are evaluated with numpy alone; `tests/training/topic_boundaries.py` and
`tests/training/topic_nets.py` make them.

The trees look at one candidate's numbers. The net goes through the candidates in order, and each of its
layers sees, beside the newest candidate, what it made of two earlier ones, farther back from layer to layer:
some 120 utterances altogether. With the numbers of candidate `j` it says how likely a topic began at
`j`, `j - 1`, … `j - LATER`: the later, the more has been heard of what follows. Several nets, trained from
different beginnings, are averaged. Each layer remembers as much as it looks back, so that a candidate costs
the same however long the meeting is.
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
DEPTH: Final = 4
_POWERS: Final = (1 << np.arange(DEPTH)).astype(np.float64)
STEPS: Final = (1, 2, 4, 8)
"""How many candidates back each layer looks, and as many again."""
LATER: Final = 4
"""Candidates heard after one, at most, when its chance is asked for."""
_MOST: Final = 4.0
"""Standard deviations that count."""


@dataclass(frozen=True, slots=True)
class WordTable:
    """Row of each word; weights 0–15; vectors already multiplied by the weight."""

    rows: dict[str, int]
    weights: list[int]
    vectors: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Model:
    """The trees for one language, by which boundaries between topics are scored."""

    korean: bool
    edges: list[list[int]]
    """Weight of each bucket, for each of the five utterances around a candidate."""
    edge_bias: float
    features: NDArray[np.intp]
    """Tree by level: which number is asked about."""
    borders: NDArray[np.float64]
    leaves: NDArray[np.float64]
    """Tree by leaf, flat."""
    offsets: NDArray[np.intp]
    bias: float

    def sounds(self, around: Sequence[tuple[int, ...]]) -> float:
        """How much the edges of the utterances around a candidate sound like a beginning."""
        total = 0
        for weights, buckets in zip(self.edges, around, strict=True):
            total += sum([weights[bucket] for bucket in buckets])
        return total / 32.0 + self.edge_bias

    def logit(self, row: Sequence[float], around: Sequence[tuple[int, ...]]) -> float:
        """How likely a topic begins here, as a logit."""
        numbers = np.array([*row, self.sounds(around)], dtype=np.float64)
        leaf = (numbers.take(self.features) > self.borders) @ _POWERS
        return float(self.leaves.take(leaf.astype(np.intp) + self.offsets).sum()) + self.bias


Memory = list[list[Floats]]
"""What each layer of a net was given for the newest candidates, oldest first."""


@dataclass(frozen=True, slots=True)
class Net:
    """Members side by side: the first axis of each array but `mean`, `spread`, `logged`, `skip`."""

    mean: Floats
    spread: Floats
    logged: NDArray[np.intp]
    """Counts: their logarithm is looked at."""
    enter: Floats
    """All members' first layers, side by side: numbers by members times width."""
    enter_bias: Floats
    mixes: tuple[Floats, ...]
    """Per layer: member, three candidates times width, width."""
    biases: tuple[Floats, ...]
    out: Floats
    """Members times width, by candidates back; the members' mean is in the weights."""
    skip: Floats
    bias: Floats

    def hear(self, numbers: Sequence[float], memory: Memory) -> list[float]:
        """The next candidate's numbers: logits that a topic begins at it, at the one before, …"""
        seen = np.array(numbers, dtype=np.float32)
        seen[self.logged] = np.log1p(np.maximum(seen.take(self.logged), 0.0))
        seen = np.minimum(np.maximum((seen - self.mean) / self.spread, -_MOST), _MOST)
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
    """Of a net that has heard nothing."""
    return [[] for _ in STEPS]


def dumped_memory(memory: Memory) -> list[list[Any]]:
    """For the snapshot, by layer: how many candidates, the shape of each, and the numbers."""
    return [
        [len(given), *given[0].shape, packed(np.stack(given).astype("<f4").tobytes())] if given else []
        for given in memory
    ]


def loaded_memory(dumped: Sequence[Sequence[Any]]) -> Memory:
    """From what `dumped_memory` gave."""
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
    """The table that comes with the package."""
    data = _arrays("words")
    words = data["words"].tobytes().decode().split("\n")
    weights = data["weights"]
    vectors = data["vectors"].astype(np.int32) * weights[:, None].astype(np.int32)
    return WordTable({word: row for row, word in enumerate(words)}, weights.tolist(), vectors)


@cache
def models() -> tuple[Model, Model]:
    """The trees for English and for Korean."""
    data = _arrays("model")
    return _model(data, "en"), _model(data, "ko")


@cache
def nets() -> tuple[Net, Net]:
    """The nets for English and for Korean."""
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
