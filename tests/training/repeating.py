"""Training of which statement only says another again, cross-validated by groups of pairs and by meetings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from context.reading import repeating
from tests.training import linear, trees
from tests.training.linear import Row
from tests.training.replacing import FOLDS, HOW, Pair, of_meetings, plain, rows
from tests.training.talk import talks


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the trees; their scores."""
    meetings = of_meetings(talks(folders))
    pairs = [*plain(), *meetings]
    # What the later one does is read off by a head that has not seen it, as that of `replacing` will not have.
    told = [*plain(), *rows(), *(pair for pair in meetings if pair.why != "meeting")]
    head, likely = linear.trained([Row(pair.later, pair.does, pair.group) for pair in told])
    does = {
        pair.later: dict(zip(head.classes, each.tolist(), strict=True))
        for pair, each in zip(told, likely, strict=True)
    }
    table = np.stack(
        [
            repeating.repeat_signals(
                pair.later, pair.earlier, does.get(pair.later) or head.probabilities(pair.later)
            )
            for pair in pairs
        ]
    )
    gold = np.array([pair.why == "same" for pair in pairs])
    counts = np.array([pair.counts for pair in pairs])
    fold = np.array([crc32(pair.group.encode()) % FOLDS for pair in pairs])
    held = np.zeros(len(pairs))
    for number in range(FOLDS):
        seen = fold != number
        held[~seen] = trees.told_apart(table[seen], gold[seen], counts[seen], **HOW).scores(table[~seen])
    size = trees.kept(trees.told_apart(table, gold, counts, **HOW), repeating.REPEAT_TREES)
    return {"pairs": len(pairs), "bytes": size, **_figures(pairs, held.tolist())}


def _figures(pairs: Sequence[Pair], odds: Sequence[float]) -> dict[str, Any]:
    """How many of each kind are told as one, at some thresholds."""
    kinds = [f"{pair.language} {pair.why}".strip() for pair in pairs]
    whole = Counter(kinds)
    may = [repeating.adds_nothing(pair.later, pair.earlier) for pair in pairs]
    scores: dict[str, Any] = {}
    for least in (0.5, 1.0, 1.5, 2.0, 2.5):
        told = Counter(
            kind for kind, each, lawful in zip(kinds, odds, may, strict=True) if lawful and each >= least
        )
        scores[f"at {least}"] = {kind: f"{told[kind]} of {whole[kind]}" for kind in sorted(whole)}
    return scores
