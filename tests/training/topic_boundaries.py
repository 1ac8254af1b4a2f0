"""Train the scorer of `context.topics.boundary` anew: `python -m tests.training.topic_boundaries --data DIR`.

A tool of development: it needs catboost, scikit-learn and scipy, which the product does not. English is
trained on QMSum's train meetings, Korean on whole assembly sittings and on excerpts of them joined at
random. The candidates' numbers come from `Scorer` itself, so what is trained on is what is met.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from context.topics.boundary.boundary_features import NAMES, SURROUNDING_FEATURES
from context.topics.boundary.model import DEPTH, LATER_STEPS, Model
from context.topics.boundary.scorer import Score, Scorer
from context.topics.boundary.words import CUE_BUCKETS
from context.topics.phrases.cues import cue_in
from tests.bench.topics import Labelled, assembly_meetings, qmsum_meetings

_ZONES: Final = 5
_FOLDS: Final = 5
_SCALE: Final = 32
_UNUSED_KO: Final = (
    "voices",
    "lead",
    "new_lead",
    "opener",
    "same",
    "share",
    "turns0",
    "turns1",
    "usual",
    "away",
)
_NOWHERE: Final = ("place", "words")
"""Korean sittings hide who speaks, and are longer than joined excerpts: neither may give it away."""


class Recorder(Scorer):
    """A scorer that keeps what its trees and its net would have been given."""

    def __init__(self) -> None:
        none = np.zeros((1, DEPTH))
        blank = Model(
            korean=False,
            edges=[[0] * CUE_BUCKETS] * _ZONES,
            edge_bias=0.0,
            features=none.astype(np.intp),
            borders=none,
            leaves=np.zeros(1 << DEPTH),
            offsets=np.zeros(1, dtype=np.intp),
            bias=0.0,
        )
        super().__init__((blank, blank))
        self.seen: dict[int, tuple[list[float], Sequence[tuple[int, ...]]]] = {}
        self.passed: dict[int, list[float]] = {}

    def _follow(self, place: int) -> list[float]:
        self.passed[self._at(place)] = self.passing(place)
        return [0.0] * (LATER_STEPS + 1)

    def _score(self, place: int, by_net: float) -> Score:
        score = super()._score(place, by_net)
        self.seen[score.at] = (self.row(place), self.edges(score.at))
        return score


class Examples:
    """One meeting's candidates: numbers, edges, and how near each is to a labelled beginning."""

    def __init__(self, meeting: Labelled, *, korean: bool) -> None:
        recorder = Recorder()
        for number, (speaker, text) in enumerate(zip(meeting.speakers, meeting.texts, strict=True), 1):
            recorder.hear(number, text, speaker, cue_in(text))
        recorder.rest()
        self.turns = np.array(sorted(recorder.seen)) - 1
        self.rows = np.array([recorder.seen[turn + 1][0] for turn in self.turns])
        self.passed = np.array([recorder.passed[turn + 1] for turn in self.turns])
        """The same for the net that goes along."""
        if korean:
            names = (*NAMES, *SURROUNDING_FEATURES)
            hidden = [n for n, name in enumerate(names) if name.startswith(_UNUSED_KO) or name in _NOWHERE]
            self.rows[:, hidden] = 0.0
            self.passed[:, hidden] = 0.0
        self.edges = [recorder.seen[turn + 1][1] for turn in self.turns]
        gold = np.array(meeting.gold or [10**6])
        self.away = np.abs(self.turns[:, None] - gold[None, :]).min(axis=1)
        self.weight = 1.0 / 300 if korean else 1.0 / len(meeting.texts)


def joined(sittings: Sequence[Labelled], count: int, dice: random.Random) -> list[Labelled]:
    """Excerpts of different sittings, one after the other; boundaries where they join."""
    made = []
    for _ in range(count):
        texts: list[str] = []
        gold: list[int] = []
        last: Labelled | None = None
        for _ in range(dice.randint(5, 8)):
            last = dice.choice([sitting for sitting in sittings if sitting is not last])
            length = dice.randint(15, 55)
            first = dice.randint(0, max(0, len(last.texts) - length))
            if texts:
                gold.append(len(texts))
            texts += last.texts[first : first + length]
        made.append(Labelled(["AB"[turn % 2] for turn in range(len(texts))], texts, gold))
    return made


def sounds(meetings: Sequence[Examples], parts: Sequence[int], hit: int) -> tuple[list[Any], Any, float]:
    """What each candidate's edges sound like to the meetings of other parts; then the weights from all."""
    linear, sparse = importlib.import_module("sklearn.linear_model"), importlib.import_module("scipy.sparse")

    def matrix(examples: Examples) -> Any:
        places = [
            (row, zone * CUE_BUCKETS + bucket)
            for row, around in enumerate(examples.edges)
            for zone, buckets in enumerate(around)
            for bucket in buckets
        ]
        rows, columns = zip(*places, strict=True)
        shape = (len(examples.turns), _ZONES * CUE_BUCKETS)
        return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape)

    def fitted(chosen: Sequence[int]) -> tuple[Any, float]:
        model = linear.LogisticRegression(C=0.02, max_iter=100, solver="liblinear")
        weights = np.concatenate([np.full(len(meetings[n].turns), meetings[n].weight) for n in chosen])
        model.fit(
            sparse.vstack([found[n] for n in chosen]),
            np.concatenate([meetings[n].away <= hit for n in chosen]),
            sample_weight=weights / weights.mean(),
        )
        rounded = np.clip(np.round(model.coef_[0] * _SCALE), -127, 127)
        return rounded, float(model.intercept_[0])

    found = [matrix(examples) for examples in meetings]
    every = list(range(len(meetings)))
    sound: list[Any] = [None] * len(meetings)
    for part in sorted(set(parts)):
        weights, bias = fitted([n for n in every if parts[n] != part])
        for n in every:
            if parts[n] == part:
                sound[n] = found[n] @ weights / _SCALE + bias
    return sound, *fitted(every)


def train(meetings: Sequence[Examples], *, near: float, hit: int, rate: float, trees: int) -> dict[str, Any]:
    """Edges by logistic regression, cross-fitted; trees over them and the other numbers."""
    catboost = importlib.import_module("catboost")
    sound, weights, bias = sounds(meetings, [n % _FOLDS for n in range(len(meetings))], hit)
    rows = np.concatenate([np.column_stack([e.rows, s]) for e, s in zip(meetings, sound, strict=True)])
    wanted = np.exp(-((np.concatenate([e.away for e in meetings]) / near) ** 2) / 2)
    heavy = np.concatenate([np.full(len(e.turns), e.weight) for e in meetings])
    forest = catboost.CatBoostClassifier(
        loss_function="CrossEntropy",
        iterations=trees,
        learning_rate=rate,
        depth=DEPTH,
        l2_leaf_reg=30,
        rsm=0.3,
        bootstrap_type="Bernoulli",
        subsample=0.7,
        border_count=48,
        random_seed=1,
        thread_count=1,
        verbose=0,
        allow_writing_files=False,
    )
    forest.fit(catboost.Pool(rows, wanted, weight=heavy / heavy.mean()))
    return {"edges": weights.reshape(_ZONES, CUE_BUCKETS).astype(np.int8), "edge_bias": bias} | _trees(forest)


def _trees(forest: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forest.json"
        forest.save_model(str(path), format="json")
        saved = json.loads(path.read_text())
    numbers = [feature["flat_feature_index"] for feature in saved["features_info"]["float_features"]]
    scale, biases = saved["scale_and_bias"]
    asked, borders, leaves = [], [], []
    for tree in saved["oblivious_trees"]:
        splits = tree["splits"] or []
        missing = DEPTH - len(splits)
        asked.append([numbers[s["float_feature_index"]] for s in splits] + [0] * missing)
        borders.append([s["border"] for s in splits] + [3e38] * missing)
        values = [value * scale for value in tree["leaf_values"]]
        leaves.append(values + [0.0] * ((1 << DEPTH) - len(values)))
    return {
        "features": np.array(asked, dtype=np.uint8),
        "borders": np.array(borders, dtype=np.float32),
        "leaves": np.array(leaves, dtype=np.float32),
        "bias": biases[0] if isinstance(biases, list) else biases,
    }


def main() -> None:
    """Train both and write the weights."""
    parser = argparse.ArgumentParser(description="Train the scorer of where topics begin.")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="a folder with qmsum/ and kna/"
    )
    parser.add_argument("--out", type=Path, default=Path("context/topics/boundary/model.npz"))
    given = parser.parse_args()
    english = [Examples(m, korean=False) for m in qmsum_meetings(given.data, "train")]
    sittings = assembly_meetings(given.data, "qblock")
    mixed = [*sittings, *joined(sittings, 180, random.Random(zlib.crc32(b"moim")))]
    korean = [Examples(m, korean=True) for m in mixed]
    models = {
        "en": train(english, near=4.0, hit=3, rate=0.06, trees=280),
        "ko": train(korean, near=1.5, hit=1, rate=0.08, trees=250),
    }
    written = {
        f"{language}_{name}": part for language, parts in models.items() for name, part in parts.items()
    }
    np.savez_compressed(given.out, **written)


if __name__ == "__main__":
    main()
