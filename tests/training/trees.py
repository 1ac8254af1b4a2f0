"""Trees by LightGBM, as `context.reading.linear` reads them: LambdaMART, and what tells two classes apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from context.reading.linear import Trees

_HOW: dict[str, Any] = {
    "n_estimators": 120, "num_leaves": 15, "learning_rate": 0.05, "min_child_samples": 20, "subsample": 0.8,
    "subsample_freq": 1, "colsample_bytree": 0.5, "verbose": -1, "n_jobs": 1, "deterministic": True,
    "force_row_wise": True,
}  # fmt: skip
SEEDS = (0, 1)


def ranked(rows: Sequence[NDArray[np.float32]], gold: Sequence[NDArray[np.bool_]]) -> Trees:
    """Trees that put the gold lines of each question first. One table of signals a question."""
    table, right = np.concatenate(rows), np.concatenate(gold).astype(int)
    sizes = [len(each) for each in rows]
    trees: list[Any] = []
    for seed in SEEDS:
        fit = lightgbm.LGBMRanker(random_state=seed, **_HOW).fit(table, right, group=sizes)
        trees += [each["tree_structure"] for each in fit.booster_.dump_model()["tree_info"]]
    return _as_numbers(trees, 1 / len(SEEDS))


def told_apart(
    rows: NDArray[np.float32], gold: NDArray[np.bool_], counts: NDArray[np.float64], **how: Any
) -> Trees:
    """Trees whose scores are the log odds that a row is a gold one. `counts`: how much each row counts."""
    fit = lightgbm.LGBMClassifier(random_state=0, **{**_HOW, **how}).fit(
        rows, gold.astype(int), sample_weight=counts
    )
    return _as_numbers([each["tree_structure"] for each in fit.booster_.dump_model()["tree_info"]])


def scaled(trees: Trees, slope: float, shift: float) -> Trees:
    """The same trees, whose score is `slope` times what it was, and `shift`."""
    value = trees.value * np.float32(slope)
    leaves = trees.left[0] == np.arange(trees.left.shape[1])
    value[0, leaves] += np.float32(shift)
    return replace(trees, value=value)


def kept(trees: Trees | Mapping[str, Trees], path: Path) -> int:
    """Write them, several with a prefix each; the size in bytes."""
    several = {"": trees} if isinstance(trees, Trees) else trees
    arrays: dict[str, Any] = {}
    for prefix, each in several.items():
        arrays |= {
            f"{prefix}signal": each.signal.astype(np.uint8),
            f"{prefix}threshold": each.threshold,
            f"{prefix}left": each.left.astype(np.uint8),
            f"{prefix}right": each.right.astype(np.uint8),
            f"{prefix}value": each.value,
            f"{prefix}depth": np.int64(each.depth),
        }
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
        return file.tell()


def _as_numbers(trees: Sequence[Any], share: float = 1.0) -> Trees:
    flat = [_nodes(tree) for tree in trees]
    width, count = max(len(nodes) for nodes, _ in flat), len(flat)
    shape = (count, width)
    made = Trees(
        signal=np.zeros(shape, dtype=np.int64),
        threshold=np.zeros(shape, dtype=np.float32),
        left=np.tile(np.arange(width), (count, 1)),
        right=np.tile(np.arange(width), (count, 1)),
        value=np.zeros(shape, dtype=np.float32),
        depth=max(depth for _, depth in flat),
    )
    for number, (nodes, _) in enumerate(flat):
        for place, node in enumerate(nodes):
            if "split_feature" in node:
                made.signal[number, place] = node["split_feature"]
                made.threshold[number, place] = node["threshold"]
                made.left[number, place], made.right[number, place] = node["at_left"], node["at_right"]
            else:
                made.value[number, place] = node["leaf_value"] * share
    return made


def _nodes(tree: Any) -> tuple[list[Any], int]:
    """All nodes of one tree, the root first, each knowing where its sides stand; and its depth."""
    nodes: list[Any] = []

    def add(node: Any) -> tuple[int, int]:
        place = len(nodes)
        nodes.append(node)
        if "split_feature" not in node:
            return place, 0
        node["at_left"], left = add(node["left_child"])
        node["at_right"], right = add(node["right_child"])
        return place, 1 + max(left, right)

    return nodes, add(tree)[1]
