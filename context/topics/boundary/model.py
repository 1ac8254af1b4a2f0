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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

DEPTH: Final = 4
_POWERS: Final = (1 << np.arange(DEPTH)).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Model:
    """The trained weights for one language, by which boundaries between topics are scored."""

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


@lru_cache(maxsize=1)
def models() -> tuple[Model, Model]:
    """Load the weights for English and for Korean, once."""
    with files("context.topics.boundary").joinpath("model.npz").open("rb") as file, np.load(file) as data:
        return _model(data, "en"), _model(data, "ko")


def _model(data: Any, language: str) -> Model:
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


DIMENSIONS: Final = 48


@dataclass(frozen=True, slots=True)
class WordTable:
    """Row of each word; weights 0–15; vectors already multiplied by the weight."""

    rows: dict[str, int]
    weights: list[int]
    vectors: NDArray[np.int32]


@lru_cache(maxsize=1)
def word_table() -> WordTable:
    """The table that comes with the package."""
    with files("context.topics.boundary").joinpath("words.npz").open("rb") as file, np.load(file) as data:
        words = data["words"].tobytes().decode().split("\n")
        weights = data["weights"]
        vectors = data["vectors"].astype(np.int32) * weights[:, None].astype(np.int32)
    return WordTable({word: row for row, word in enumerate(words)}, weights.tolist(), vectors)


Floats = NDArray[np.float32]
STEPS: Final = (1, 2, 4, 8)
"""How many candidates back each layer looks, and as many again."""
LATER: Final = 4
"""Candidates heard after one, at most, when its chance is asked for."""
_MOST: Final = 4.0
"""Standard deviations that count."""


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
        for layer, step in enumerate(STEPS):
            two, one = memory.recall(layer, step, hidden)
            mixed = np.concatenate((hidden, one, two), axis=2) @ self.mixes[layer]
            hidden = hidden + np.maximum(mixed + self.biases[layer], 0.0)
        logits: list[float] = (hidden.ravel() @ self.out + seen @ self.skip + self.bias).tolist()
        return logits


class Memory:
    """What each layer was given for the newest candidates."""

    def __init__(self) -> None:
        self._given: list[list[Floats]] = [[] for _ in STEPS]

    def recall(self, layer: int, step: int, newest: Floats) -> tuple[Floats, Floats]:
        """What the layer was given twice `step` candidates ago, and once; nothing, where there was none."""
        given = self._given[layer]
        two = given[-2 * step] if len(given) >= 2 * step else np.zeros_like(newest)
        one = given[-step] if len(given) >= step else np.zeros_like(newest)
        given.append(newest)
        del given[: -2 * step]
        return two, one

    def copy(self) -> Memory:
        """To go on with without changing this one."""
        other = Memory()
        other._given = [list(given) for given in self._given]
        return other

    def dump(self) -> list[list[Any]]:
        """For the snapshot: how many, of which shape, and the numbers."""
        return [
            [len(given), *given[0].shape, packed(np.stack(given).astype("<f4").tobytes())] if given else []
            for given in self._given
        ]

    def load(self, dumped: Sequence[Sequence[Any]]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self._given = [_unpacked(*given) if given else [] for given in dumped]


@lru_cache(maxsize=1)
def nets() -> tuple[Net, Net]:
    """Load the weights for English and for Korean, once."""
    with files("context.topics.boundary").joinpath("nets.npz").open("rb") as file, np.load(file) as data:
        return _net(data, "en"), _net(data, "ko")


def _net(data: Any, language: str) -> Net:
    def part(name: str) -> Floats:
        found: Floats = data[f"{language}_{name}"].astype(np.float32)
        return found

    return Net(
        mean=part("mean"),
        spread=part("spread"),
        logged=data[f"{language}_logged"].astype(np.intp),
        enter=part("enter"),
        enter_bias=part("enter_bias"),
        mixes=tuple(part(f"mix{layer}") for layer in range(len(STEPS))),
        biases=tuple(part(f"layer_bias{layer}") for layer in range(len(STEPS))),
        out=part("out"),
        skip=part("skip"),
        bias=part("bias"),
    )


def packed(raw: bytes) -> str:
    """Bytes for a snapshot: compressed, and written as text."""
    return base64.b64encode(zlib.compress(raw, 1)).decode()


def unpacked(text: str) -> bytes:
    """The bytes that `packed` wrote."""
    return zlib.decompress(base64.b64decode(text))


def _unpacked(count: int, members: int, one: int, width: int, written: str) -> list[Floats]:
    raw = np.frombuffer(unpacked(written), dtype="<f4").astype(np.float32)
    return list(raw.reshape(count, members, one, width))
