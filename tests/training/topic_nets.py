"""Train the nets of `context.topics.boundary.model`: `python -m tests.training.topic_nets --data DIR`.

A tool of development: it needs jax, scikit-learn and scipy, which the product does not. The meetings, and
how the edges of utterances sound, are those of `train_topics`; so are the numbers of a candidate, which
come from `Scorer` itself. What an edge sounds like is cross-fitted, by series of meetings in English and by
sittings in Korean: an excerpt that was heard in training would sound surer than any that is met.
"""

from __future__ import annotations

import argparse
import importlib
import random
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.topics.boundary.boundary_features import NAMES, SURROUNDING_FEATURES
from context.topics.boundary.model import LATER_STEPS, STEPS
from tests.bench.topics import assembly_meetings, qmsum_meetings
from tests.training.topic_boundaries import Examples, joined, sounds

Floats = NDArray[np.float32]
_NAMES: Final = (*NAMES, *SURROUNDING_FEATURES, "sound")
_COUNTS: Final = ("len", "turn", "maxA", "maxB", "aw", "bw", "usual", "away", "place", "words", "ask")
"""Beginnings of the names of numbers whose logarithm is looked at."""
_BACK: Final = LATER_STEPS + 4
"""Candidates back that a net is asked about while it is trained; from `LATER_STEPS` on they only teach it."""
_BATCH: Final = 8
_RATE: Final = 3e-3
_DECAY: Final = 1e-2
_WARM: Final = 30
_UNUSED: Final = 1e30


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a language's nets are trained."""

    near: float
    """Spread of the soft label around a beginning, in utterances."""
    length: int
    """Candidates of a meeting that are learnt from at once."""
    rounds: int
    width: int
    dropped: float
    hidden: float
    """The share of a candidate's numbers that is hidden."""
    noise: float


ENGLISH: Final = Recipe(near=4.0, length=320, rounds=500, width=32, dropped=0.25, hidden=0.15, noise=0.15)
KOREAN: Final = Recipe(near=1.5, length=160, rounds=500, width=32, dropped=0.25, hidden=0.15, noise=0.15)
_FEW: Final = 10
_AS_OFTEN: Final = 8
"""A whole sitting is learnt from so many times as often as joined excerpts."""


def train(
    meetings: Sequence[Examples], heard: Sequence[Floats], recipe: Recipe, seeds: int
) -> dict[str, Any]:
    """`seeds` nets, as the arrays that are written."""
    jax = importlib.import_module("jax")
    logged = np.array([place for place, name in enumerate(_NAMES) if name.startswith(_COUNTS)])
    rows = [np.column_stack([m.passed, s]).astype(np.float32) for m, s in zip(meetings, heard, strict=True)]
    for each in rows:
        each[:, logged] = np.log1p(np.maximum(each[:, logged], 0.0))
    sample = np.concatenate([each[::5] for each in rows])
    mean, spread = sample.mean(0), sample.std(0) + 1e-3
    spread[sample.std(0) == 0.0] = _UNUSED
    rows = [np.clip((each - mean) / spread, -4.0, 4.0) for each in rows]
    wanted = [np.exp(-((m.away / recipe.near) ** 2) / 2).astype(np.float32) for m in meetings]
    step = _stepper(recipe)
    members = []
    for seed in range(seeds):
        dice = np.random.default_rng(seed)
        key = jax.random.PRNGKey(seed)
        weights = _fresh(dice, len(_NAMES), recipe.width)
        first = second = {name: np.zeros_like(each) for name, each in weights.items()}
        order: list[int] = []
        for time in range(1, recipe.rounds + 1):
            batch = []
            for _ in range(_BATCH):
                order = order or dice.permutation(len(rows)).tolist()
                number = order.pop()
                batch.append(_excerpt(rows[number], wanted[number], recipe.length, dice))
            key, used = jax.random.split(key)
            stacked = [np.stack(each) for each in zip(*batch, strict=True)]
            weights, first, second = step(weights, first, second, float(time), *stacked, used)
        members.append({name: np.asarray(each) for name, each in weights.items()})
    return _written(members) | {"mean": mean, "spread": spread, "logged": logged}


def _stepper(recipe: Recipe) -> Any:
    """One step of AdamW on a batch, compiled."""
    jax, jnp = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    forward = _forward(recipe)

    def loss(weights: Any, seen: Any, truth: Any, counts: Any, key: Any) -> Any:
        logits = forward(weights, seen, key)
        return ((jnp.logaddexp(0.0, logits) - truth * logits) * counts).sum() / counts.sum()

    def step(weights: Any, first: Any, second: Any, time: Any, *batch: Any) -> Any:
        slope = jax.grad(loss)(weights, *batch)
        norm = jnp.sqrt(sum((each * each).sum() for each in slope.values()))
        slope = {name: each * jnp.minimum(1.0, 1.0 / (norm + 1e-9)) for name, each in slope.items()}
        rate = _RATE * jnp.minimum(time / _WARM, 0.51 + 0.5 * jnp.cos(jnp.pi * time / recipe.rounds))
        first = {name: 0.9 * first[name] + 0.1 * each for name, each in slope.items()}
        second = {name: 0.99 * second[name] + 0.01 * each**2 for name, each in slope.items()}
        moved = {}
        for name, each in weights.items():
            fading = _DECAY * (5 if name == "skip" else 1) * each
            rise = (first[name] / (1 - 0.9**time)) / (jnp.sqrt(second[name] / (1 - 0.99**time)) + 1e-8)
            moved[name] = each - rate * (rise + fading)
        return moved, first, second

    return jax.jit(step)


def _forward(recipe: Recipe) -> Callable[[Any, Any, Any], Any]:
    """What `Net.hear` does, for whole excerpts, with parts left out at random."""
    jax, jnp = importlib.import_module("jax"), importlib.import_module("jax.numpy")

    def kept(key: Any, like: Any, dropped: float) -> Any:
        return jax.random.bernoulli(key, 1 - dropped, (like.shape[0], 1, like.shape[2])) / (1 - dropped)

    def forward(weights: Any, seen: Any, key: Any) -> Any:
        keys = jax.random.split(key, len(STEPS) + 3)
        seen = seen + recipe.noise * jax.random.normal(keys[0], seen.shape)
        seen = seen * kept(keys[1], seen, recipe.hidden)
        hidden = jax.nn.relu(seen @ weights["enter"] + weights["enter_bias"])
        for layer, step in enumerate(STEPS):
            one, two = (
                jnp.pad(hidden, ((0, 0), (back * step, 0), (0, 0)))[:, : hidden.shape[1]] for back in (1, 2)
            )
            mixed = jnp.concatenate((hidden, one, two), axis=2) @ weights[f"mix{layer}"]
            mixed = jax.nn.relu(mixed + weights[f"bias{layer}"])
            hidden = hidden + mixed * kept(keys[layer + 2], mixed, recipe.dropped)
        hidden = hidden * kept(keys[-1], hidden, recipe.dropped)
        return hidden @ weights["out"] + seen @ weights["skip"] + weights["bias"]

    return forward


def _fresh(dice: np.random.Generator, numbers: int, width: int) -> dict[str, Floats]:
    def normal(*shape: int, spread: float) -> Floats:
        return (dice.standard_normal(shape) * spread).astype(np.float32)

    weights = {
        "enter": normal(numbers, width, spread=numbers**-0.5),
        "enter_bias": np.zeros(width, dtype=np.float32),
        "out": normal(width, _BACK, spread=0.02),
        "skip": np.zeros((numbers, _BACK), dtype=np.float32),
        "bias": np.full(_BACK, -2.0, dtype=np.float32),
    }
    for layer in range(len(STEPS)):
        weights[f"mix{layer}"] = normal(3 * width, width, spread=(3 * width) ** -0.5)
        weights[f"bias{layer}"] = np.zeros(width, dtype=np.float32)
    return weights


def _excerpt(
    rows: Floats, wanted: Floats, length: int, dice: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Some of a meeting: numbers, what is wanted of the candidates 0, 1, … back, and what that counts."""
    begin = max(0, int(dice.integers(-40, len(rows) - length + 1))) if len(rows) > length else 0
    end = min(len(rows), begin + length)
    seen = np.zeros((length, rows.shape[1]), dtype=np.float32)
    truth = np.zeros((length, _BACK), dtype=np.float32)
    counts = np.zeros((length, _BACK), dtype=np.float32)
    seen[: end - begin] = rows[begin:end]
    for back in range(_BACK):
        known = 15 if begin else back
        truth[known : end - begin, back] = wanted[begin + known - back : end - back]
        counts[known : end - begin, back] = 1.0 / max(80, end - begin)
    return seen, truth, counts


def _written(members: Sequence[dict[str, Floats]]) -> dict[str, Any]:
    """Members side by side in half precision; what is linear in them is averaged."""
    count, used = len(members), LATER_STEPS + 1
    arrays = {
        "enter": np.concatenate([each["enter"] for each in members], axis=1),
        "enter_bias": np.stack([each["enter_bias"][None] for each in members]),
        "out": np.concatenate([each["out"][:, :used] for each in members]) / count,
        "skip": np.mean([each["skip"][:, :used] for each in members], axis=0),
        "bias": np.mean([each["bias"][:used] for each in members], axis=0),
    }
    for layer in range(len(STEPS)):
        arrays[f"mix{layer}"] = np.stack([each[f"mix{layer}"] for each in members])
        arrays[f"layer_bias{layer}"] = np.stack([each[f"bias{layer}"][None] for each in members])
    return {name: each.astype(np.float16) for name, each in arrays.items()}


def main() -> None:
    """Train both languages' nets and write them."""
    parser = argparse.ArgumentParser(description="Train the nets of where topics begin.")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="a folder with qmsum/ and kna/"
    )
    parser.add_argument("--out", type=Path, default=Path("context/topics/boundary/nets.npz"))
    parser.add_argument("--seeds", type=int, default=4, help="nets a language")
    parser.add_argument(
        "--quick", action="store_true", help="of a few meetings, not for use: whether it runs"
    )
    given = parser.parse_args()
    few = _FEW if given.quick else None
    for_english, for_korean = (replace(each, rounds=few or each.rounds) for each in (ENGLISH, KOREAN))
    english = [Examples(m, korean=False) for m in qmsum_meetings(given.data, "train")[:few]]
    series = [place * 5 // len(english) for place in range(len(english))]  # a series is in one place there
    trained = {"en": train(english, sounds(english, series, 3)[0], for_english, given.seeds)}
    sittings = assembly_meetings(given.data, "qblock")[:few]
    korean: list[Examples] = []
    halves: list[int] = []
    often: list[int] = []
    for half in (0, 1):
        own = sittings[half::2]
        often += [*range(len(korean), len(korean) + len(own))] * _AS_OFTEN
        mixed = joined(own, few or 130, random.Random(zlib.crc32(b"moim") + half))
        korean += [Examples(m, korean=True) for m in (*own, *mixed)]
        often += range(len(korean) - len(mixed), len(korean))
        halves += [half] * (len(korean) - len(halves))
    heard = sounds(korean, halves, 1)[0]
    trained["ko"] = train([korean[n] for n in often], [heard[n] for n in often], for_korean, given.seeds)
    np.savez_compressed(
        given.out,
        **{f"{language}_{name}": each for language, parts in trained.items() for name, each in parts.items()},
    )


if __name__ == "__main__":
    main()
