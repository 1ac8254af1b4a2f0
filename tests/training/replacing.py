"""Training of which statement takes the place of which, cross-validated by families of rows and by meetings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from context.facts import matter_in_order
from context.reading import replacing
from context.reading.linear import Trees
from tests.training import linear, trees
from tests.training.linear import Row
from tests.training.made_pairs import made
from tests.training.meetings import DATA
from tests.training.talk import Label, Talk, talks

FOLDS = 6
_FAMILY = 8
"""Rows that stand together were written together."""
_OF_A_MEETING = 0.3
"""How much a pair of one meeting counts that nothing replaced: there are thousands."""
_OF_MADE = 0.3
_KIND = {"money": "amount", "cost": "amount"}
_HOW = {"n_estimators": 250, "num_leaves": 15, "colsample_bytree": 0.4, "reg_lambda": 3.0}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements."""

    later: str
    earlier: str
    replaces: bool
    group: str
    counts: float
    why: str


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the weights and the trees; their scores."""
    meetings = talks(folders)
    _keep_rarity(meetings)
    pairs = [*_rows(), *_of_meetings(meetings), *_made()]
    changing, size = _head(
        [
            Row(pair.later, "changes" if pair.replaces else "not", pair.group)
            for pair in pairs
            if not pair.why.startswith("meeting") or pair.replaces
        ],
        replacing.CHANGING,
    )
    kinds, more = _head(_kinds(meetings), replacing.KINDS)
    table = np.stack(
        [
            replacing.traits(
                pair.later,
                pair.earlier,
                changing(pair.later)["changes"],
                tuple(kinds(pair.later).values()),
                tuple(kinds(pair.earlier).values()),
            )
            for pair in pairs
        ]
    )
    size += more
    gold = np.array([pair.replaces for pair in pairs])
    counts = np.array([pair.counts for pair in pairs])
    fold = np.array([crc32(pair.group.encode()) % FOLDS for pair in pairs])
    held = np.zeros(len(pairs))
    for number in range(FOLDS):
        seen = fold != number
        held[~seen] = trees.told_apart(table[seen], gold[seen], counts[seen], **_HOW).scores(table[~seen])
    scale = LogisticRegression(C=1e3).fit(held[:, None], gold, sample_weight=counts)
    slope, shift = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    whole: Trees = trees.scaled(trees.told_apart(table, gold, counts, **_HOW), slope, shift)
    size += trees.kept(whole, replacing.PAIRS)
    return {"pairs": len(pairs), "bytes": size, **_figures(pairs, 1 / (1 + np.exp(-(slope * held + shift))))}


def _keep_rarity(meetings: Sequence[Talk]) -> None:
    """In how many meetings each stem is said; what one alone says is left out."""
    counts = Counter(
        stem for talk in meetings for stem in {s for each in talk.said for s in matter_in_order(each.text)}
    )
    stems = {stem: count for stem, count in sorted(counts.items()) if count > 1}
    kept = json.dumps({"meetings": len(meetings), "stems": stems}, ensure_ascii=False, separators=(",", ":"))
    replacing.RARITIES.write_text(kept + "\n", "utf-8")


def _head(rows: Sequence[Row], path: Path) -> tuple[Callable[[str], Mapping[str, float]], int]:
    """A head of these rows, kept in a file, which says of its own rows what it said before it saw them."""
    head, likely = linear.trained(rows)
    unseen = {
        row.text: dict(zip(head.classes, each.tolist(), strict=True))
        for row, each in zip(rows, likely, strict=True)
    }
    return lambda text: unseen.get(text) or head.probabilities(text), linear.kept(head, path)


def _kinds(meetings: Sequence[Talk]) -> list[Row]:
    """What kind of fact a decision settles: labelled in the meetings, known of what was made."""
    rows = [
        Row(_words(talk, label), _KIND.get(label.fact, label.fact), talk.id)
        for talk in meetings
        for label in talk.labels
        if label.act == "decision" and label.fact
    ]
    for number, each in enumerate(made(800, "train", seed=7)):
        rows.append(Row(each.earlier, _KIND.get(each.kind, each.kind), f"made {number // _FAMILY}"))
    return rows


def _rows() -> list[Pair]:
    found = [
        json.loads(line)
        for line in (DATA / "labels" / "rows" / "replaces.jsonl").read_text("utf-8").splitlines()
    ]
    return [
        Pair(each["later"], each["earlier"], each["replaces"], f"rows {number // _FAMILY}", 1.0, each["why"])
        for number, each in enumerate(found)
        if each["why"] != "pronoun reference"  # which one is meant, the order of the talk says
    ]


def _made() -> list[Pair]:
    return [
        Pair(
            each.later,
            each.earlier,
            each.replaces,
            f"made {number // _FAMILY}",
            1.0 if each.why == "other matter" else _OF_MADE,
            f"made, {each.why}",
        )
        for number, each in enumerate(made(2400, "train"))
    ]


def _of_meetings(meetings: Sequence[Talk]) -> list[Pair]:
    """Every two decisions of a meeting, in the words of the utterances that they rest on."""
    pairs: list[Pair] = []
    for talk in meetings:
        if not talk.is_whole:
            continue
        decided = [label for label in talk.labels if label.act == "decision"]
        for one, other in combinations(sorted(decided, key=lambda label: min(label.lines)), 2):
            told = any(old & one.lines and new & other.lines for old, new in talk.replaced)
            pairs.append(
                Pair(
                    _words(talk, other),
                    _words(talk, one),
                    told,
                    talk.id,
                    1.0 if told else _OF_A_MEETING,
                    "meeting",
                )
            )
    return pairs


def _words(talk: Talk, label: Label) -> str:
    return " ".join(each.text for each in talk.said if each.utterance.id in label.lines)[:300]


def _figures(pairs: Sequence[Pair], likely: NDArray[np.float64]) -> dict[str, Any]:
    gold = np.array([pair.replaces for pair in pairs])
    meeting = np.array([pair.why == "meeting" for pair in pairs])
    rows = np.array([pair.group.startswith("rows") for pair in pairs])
    scores: dict[str, Any] = {}
    for name, part in (("rows", rows), ("meetings", meeting)):
        for least in (0.5, 0.6, 0.7, 0.8):
            found = (likely >= least) & part
            scores[f"{name} at {least}"] = {
                "found": f"{int((found & gold).sum())} of {int((gold & part).sum())}",
                "wrong": f"{int((found & ~gold).sum())} of {int((~gold & part).sum())}",
            }
    for why in sorted({pair.why for pair in pairs} - {"meeting"}):
        part = np.array([pair.why == why for pair in pairs])
        scores[why] = f"{int((part & (likely >= replacing.SURE)).sum())} of {int(part.sum())} fall"
    return scores
