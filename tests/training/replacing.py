"""Training of which statement takes up the matter of which, cross-validated by families of rows and by meetings."""

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

from context.evidence.facts import matter_in_order
from context.reading import replacing
from context.reading.linear import Trees
from tests.training import linear, trees
from tests.training.linear import Row
from tests.training.meetings import DATA
from tests.training.talk import Label, Talk, talks

FOLDS = 6
_FAMILY = 8
"""Rows that stand together were written together."""
_OF_A_MEETING = 0.3
"""How much a pair of one meeting counts that nothing replaced: there are thousands."""
_AGAIN = frozenset(("same", "confirmation", "repetition", "detail"))
HOW = {
    "n_estimators": 250, "num_leaves": 7, "colsample_bytree": 0.2, "reg_lambda": 5.0, "min_child_samples": 10,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements; `why` says what the later one is to the earlier."""

    later: str
    earlier: str
    replaces: bool
    group: str
    counts: float
    why: str
    language: str = ""

    @property
    def does(self) -> str:
        """What the later one does by its own words."""
        return "changes" if self.replaces else "again" if self.why in _AGAIN else "else"


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the weights and the trees; their scores."""
    meetings = talks(folders)
    _keep_rarity(meetings)
    pairs = [*plain(), *rows(), *of_meetings(meetings)]
    does, size = _head(
        [Row(pair.later, pair.does, pair.group) for pair in pairs if pair.why != "meeting"],
        replacing.CHANGE_HEAD,
    )
    table = np.stack([replacing.pair_signals(pair.later, pair.earlier, does(pair.later)) for pair in pairs])
    gold = np.array([pair.replaces for pair in pairs])
    counts = np.array([pair.counts for pair in pairs])
    fold = np.array([crc32(pair.group.encode()) % FOLDS for pair in pairs])
    held = np.zeros(len(pairs))
    for number in range(FOLDS):
        seen = fold != number
        held[~seen] = trees.told_apart(table[seen], gold[seen], counts[seen], **HOW).scores(table[~seen])
    scale = LogisticRegression(C=1e3).fit(held[:, None], gold, sample_weight=counts)
    slope, shift = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    whole: Trees = trees.scaled(trees.told_apart(table, gold, counts, **HOW), slope, shift)
    size += trees.kept(whole, replacing.PAIR_TREES)
    matter = np.array([replacing.of_one_matter(pair.later, pair.earlier) for pair in pairs])
    likely = np.where(matter, 1 / (1 + np.exp(-(slope * held + shift))), 0.0)
    return {"pairs": len(pairs), "bytes": size, **_figures(pairs, likely)}


def _keep_rarity(meetings: Sequence[Talk]) -> None:
    """In how many meetings each stem is said; what one alone says is left out."""
    counts = Counter(
        stem for talk in meetings for stem in {s for each in talk.said for s in matter_in_order(each.text)}
    )
    stems = {stem: count for stem, count in sorted(counts.items()) if count > 1}
    kept = json.dumps({"meetings": len(meetings), "stems": stems}, ensure_ascii=False, separators=(",", ":"))
    replacing.RARITY_FILE.write_text(kept + "\n", "utf-8")


def _head(rows: Sequence[Row], path: Path) -> tuple[Callable[[str], Mapping[str, float]], int]:
    """A head of these rows, kept in a file, which says of its own rows what it said before it saw them."""
    head, likely = linear.trained(rows)
    unseen = {
        row.text: dict(zip(head.classes, each.tolist(), strict=True))
        for row, each in zip(rows, likely, strict=True)
    }
    return lambda text: unseen.get(text) or head.probabilities(text), linear.kept(head, path)


def plain() -> list[Pair]:
    """Pairs that somebody wrote who had not read the code; those of one meeting are one group."""
    lines = (DATA / "labels" / "rows" / "pairs.jsonl").read_text("utf-8").splitlines()
    return [
        Pair(
            each["later"],
            each["earlier"],
            each["relation"] == "replaces",
            each["group"],
            1.0,
            each["relation"],
            each["language"],
        )
        for each in map(json.loads, lines)
    ]


def rows() -> list[Pair]:
    found = [
        json.loads(line)
        for line in (DATA / "labels" / "rows" / "replaces.jsonl").read_text("utf-8").splitlines()
    ]
    return [
        Pair(each["later"], each["earlier"], each["replaces"], f"rows {number // _FAMILY}", 1.0, each["why"])
        for number, each in enumerate(found)
        if each["why"] != "pronoun reference"  # which one is meant, the order of the talk says
    ]


def of_meetings(meetings: Sequence[Talk]) -> list[Pair]:
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
                    "changed in a meeting" if told else "meeting",
                )
            )
    return pairs


def _words(talk: Talk, label: Label) -> str:
    return " ".join(each.text for each in talk.said if each.utterance.id in label.lines)[:300]


def _figures(pairs: Sequence[Pair], likely: NDArray[np.float64]) -> dict[str, Any]:
    """How many of each kind are shown beside the earlier one, at some thresholds."""
    scores: dict[str, Any] = {}
    kinds = [f"{pair.language} {pair.why}".strip() for pair in pairs]
    whole = Counter(kinds)
    for least in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9):
        shown = Counter(kind for kind, each in zip(kinds, likely.tolist(), strict=True) if each >= least)
        scores[f"at {least}"] = {kind: f"{shown[kind]} of {whole[kind]}" for kind in sorted(whole)}
    return scores
