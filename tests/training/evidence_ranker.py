"""Train the ranker of evidence: `python -m tests.training.evidence_ranker --data DIR --out FILE`.

Plain numpy, one thread. On QMSum's train split only; val tells when to stop trying, it is never trained
on. Each question is asked at the meeting's end or some turns after its evidence, as users ask. The loss
is the cross entropy between where the evidence's words are and where the net expects them, with a
little of the plain yes-or-no loss.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.retrieval.evidence import considered_documents
from context.retrieval.lexical import LexicalIndex
from context.retrieval.question_subject import subject_of
from context.retrieval.rank_signals import Signals
from context.retrieval.ranker import KERNEL_TAPS, STEPS, Floats, Ranker, Weights, neighbours
from tests.bench.qmsum import LabelledMeeting, meetings_in

DELAYS: Final = (0, 50, 150, 400, None)
"""Turns between the last of the evidence and the question; None: the meeting's end."""
_HIDDEN: Final = 40
_EPOCHS: Final = 8
_BATCH: Final = 8
_RATE: Final = 3e-3
_DECAY: Final = 1e-2
_DROPPED: Final = 0.15
_AT_THE_END: Final = 0.35
_EVERY_ROW: Final = 7


@dataclass(frozen=True, slots=True)
class Example:
    """One question at one moment: signals, words per utterance, and which are evidence."""

    rows: Floats
    words: Floats
    evidence: Floats


def examples_of(meeting: LabelledMeeting) -> Iterator[dict[int | None, Example]]:
    """For each question of a meeting, the examples by delay."""
    index = LexicalIndex(meeting.utterances)
    count = len(meeting.utterances)
    for question in meeting.questions:
        found: dict[int | None, Example] = {}
        for delay in DELAYS:
            upto = count if delay is None else min(count, max(question.evidence) + 1 + delay)
            at = considered_documents(subject_of(question.text, index.names), index, upto, whole=count)
            truth = np.zeros(upto, dtype=np.float32)
            truth[[place for place in question.evidence if place < upto]] = 1.0
            found[delay] = Example(
                rows=Signals(subject_of(question.text, index.names), at).table(over=upto == count),
                words=at.sizes,
                evidence=truth,
            )
        yield found


def train(examples: Sequence[dict[int | None, Example]], seed: int, epochs: int = _EPOCHS) -> Ranker:
    """One net, trained with AdamW on a cosine schedule."""
    chance = np.random.default_rng(seed)
    sample = np.concatenate([each[None].rows[::_EVERY_ROW] for each in examples])
    mean, spread = sample.mean(0), sample.std(0) + 1e-3
    scaler = Ranker(mean, spread, ())
    weights = _fresh(chance, sample.shape[1])
    optimiser = _AdamW(weights, steps=epochs * (len(examples) // _BATCH))
    for epoch in range(epochs):
        order = chance.permutation(len(examples))
        losses: list[float] = []
        for start in range(0, len(order) - _BATCH + 1, _BATCH):
            gradient = {name: np.zeros_like(array) for name, array in weights.items()}
            for number in order[start : start + _BATCH]:
                example = _at_some_moment(examples[number], chance)
                losses.append(_learn(weights, scaler.scaled(example.rows), example, gradient, chance))
            optimiser.step(gradient)
        sys.stderr.write(f"seed {seed} epoch {epoch + 1}: loss {np.mean(losses):.4f}\n")
    return Ranker(mean, spread, (weights,))


def save(rankers: Sequence[Ranker], path: Path) -> None:
    """Members side by side, in half precision."""
    members = [member for ranker in rankers for member in ranker.members]
    arrays: dict[str, NDArray[Any]] = {
        name: np.stack([member[name] for member in members]).astype(np.float16) for name in members[0]
    }
    arrays |= {"mean": rankers[0].mean, "spread": rankers[0].spread}
    np.savez_compressed(path, allow_pickle=False, **arrays)


def _at_some_moment(by_delay: dict[int | None, Example], chance: np.random.Generator) -> Example:
    if chance.random() < _AT_THE_END:
        return by_delay[None]
    return by_delay[DELAYS[chance.integers(len(DELAYS) - 1)]]


def _fresh(chance: np.random.Generator, signals_count: int) -> Weights:
    def normal(*shape: int, spread: float) -> Floats:
        return (chance.standard_normal(shape) * spread).astype(np.float32)

    weights = {
        "in": normal(signals_count, _HIDDEN, spread=signals_count**-0.5),
        "in_bias": np.zeros(_HIDDEN, dtype=np.float32),
        "out": normal(_HIDDEN, spread=0.01),
        "past": np.zeros(signals_count, dtype=np.float32),
    }
    for layer in range(len(STEPS)):
        weights[f"mix{layer}"] = normal(
            KERNEL_TAPS * _HIDDEN, _HIDDEN, spread=(KERNEL_TAPS * _HIDDEN) ** -0.5
        )
        weights[f"mix_bias{layer}"] = np.zeros(_HIDDEN, dtype=np.float32)
    return weights


def _learn(
    weights: Weights, rows: Floats, example: Example, gradient: Weights, chance: np.random.Generator
) -> float:
    """Add one example's gradient; its loss."""
    rows = rows * _kept(chance, rows.shape[1], _DROPPED / 2)
    entered = rows @ weights["in"] + weights["in_bias"]
    hidden = [np.maximum(entered, 0)]
    seen: list[Floats] = []
    mixed: list[Floats] = []
    masks: list[Floats] = []
    for layer, step in enumerate(STEPS):
        seen.append(neighbours(hidden[-1], step))
        mixed.append(seen[-1] @ weights[f"mix{layer}"] + weights[f"mix_bias{layer}"])
        masks.append(_kept(chance, _HIDDEN, _DROPPED))
        hidden.append(hidden[-1] + np.maximum(mixed[-1], 0) * masks[-1])
    scores = hidden[-1] @ weights["out"] + rows @ weights["past"]
    loss, slope = _loss(scores, example)
    gradient["out"] += hidden[-1].T @ slope
    gradient["past"] += rows.T @ slope
    back = slope[:, None] * weights["out"]
    for layer in range(len(STEPS) - 1, -1, -1):
        inner = back * masks[layer] * (mixed[layer] > 0)
        gradient[f"mix{layer}"] += seen[layer].T @ inner
        gradient[f"mix_bias{layer}"] += inner.sum(0)
        back = back + _gather((inner @ weights[f"mix{layer}"].T).astype(np.float32), STEPS[layer])
    back = back * (entered > 0)
    gradient["in"] += rows.T @ back
    gradient["in_bias"] += back.sum(0)
    return loss


def _loss(scores: Floats, example: Example) -> tuple[float, Floats]:
    """Where the evidence's words are against where they are expected; and its slope."""
    words = example.words + 1e-3
    share = example.evidence * words
    share = share / max(1.0, float(share.sum()))
    weighed = np.exp(scores - scores.max()) * words
    expected = weighed / weighed.sum()
    listwise = -float((share * np.log(np.maximum(expected, 1e-12) / words)).sum())
    chance = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    yes_no = words / words.sum()
    plain = np.logaddexp(0, scores) - example.evidence * scores
    slope = float(share.sum()) * expected - share + yes_no * (chance - example.evidence)
    return listwise + float((yes_no * plain).sum()), slope.astype(np.float32)


def _gather(spread_out: Floats, step: int) -> Floats:
    """The transpose of `neighbours`."""
    count, width = len(spread_out), spread_out.shape[1] // KERNEL_TAPS
    reach = step * (KERNEL_TAPS // 2)
    padded = np.zeros((count + 2 * reach, width), dtype=np.float32)
    for tap in range(KERNEL_TAPS):
        padded[tap * step : tap * step + count] += spread_out[:, tap * width : (tap + 1) * width]
    return padded[reach : reach + count]


def _kept(chance: np.random.Generator, width: int, dropped: float) -> Floats:
    return ((chance.random(width) >= dropped) / (1 - dropped)).astype(np.float32)


class _AdamW:
    def __init__(self, weights: Weights, steps: int) -> None:
        self._weights, self._steps, self._taken = weights, steps, 0
        self._first = {name: np.zeros_like(array) for name, array in weights.items()}
        self._second = {name: np.zeros_like(array) for name, array in weights.items()}

    def step(self, gradient: Weights) -> None:
        self._taken += 1
        norm = float(np.sqrt(sum(float(np.square(g / _BATCH).sum()) for g in gradient.values())))
        shrink = min(1.0, 1.0 / max(norm, 1e-9)) / _BATCH
        done = self._taken / self._steps
        rate = _RATE * (min(1.0, done * 15) if done < 1 / 15 else 0.02 + 0.49 * (1 + np.cos(np.pi * done)))
        for name, array in self._weights.items():
            slope = gradient[name] * shrink
            self._first[name] += 0.1 * (slope - self._first[name])
            self._second[name] += 0.001 * (slope**2 - self._second[name])
            first = self._first[name] / (1 - 0.9**self._taken)
            second = self._second[name] / (1 - 0.999**self._taken)
            np.subtract(array, rate * (first / (np.sqrt(second) + 1e-8) + _DECAY * array), out=array)


def main() -> None:
    """Read, train, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=[2], help="one net each; the best of 0-2 on val"
    )
    args = parser.parse_args()
    examples = [each for meeting in meetings_in(args.data, "train") for each in examples_of(meeting)]
    save([train(examples, seed) for seed in args.seeds], args.out)


if __name__ == "__main__":
    main()
