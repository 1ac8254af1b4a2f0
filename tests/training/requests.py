"""Training of what a request asks for, cross-validated by families of paraphrases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from context.reading import requests
from tests.training import linear
from tests.training.linear import Row
from tests.training.meetings import DATA
from tests.training.vectors import embedded


def rows(folders: Sequence[Path] = ()) -> list[Row]:
    """All labelled requests, and the questions of the labelled meetings, which ask for facts."""
    found = [
        Row(
            each["text"],
            each["intent"],
            f"{each['intent']} {each['group']} {each['language']}",
            each["language"],
        )
        for folder in (DATA / "labels" / "rows", *folders)
        for path in sorted(folder.glob("requests*.jsonl"))
        for each in map(json.loads, path.read_text("utf-8").splitlines())
    ]
    return list({each.text.strip().lower(): each for each in found}.values())


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the heads, with vectors and without; their scores."""
    labelled = rows(folders)
    vectors = embedded([each.text for each in labelled], query=True)
    scores: dict[str, Any] = {
        "rows": len(labelled),
        "by_wish": dict(Counter(each.label for each in labelled)),
    }
    for name, given, path in (
        ("with_meaning", vectors, requests.WITH_MEANING),
        ("by_words", None, requests.BY_WORDS),
    ):
        head, likely = linear.trained(labelled, given)
        gold = np.array([head.classes.index(each.label) for each in labelled])
        best = likely.argmax(axis=1)
        lists = ~np.isin([each.label for each in labelled], ["fact", "none"])
        taken = ~np.isin(np.array(head.classes)[best], ["fact", "none"]) & (
            likely.max(axis=1) >= requests.SURE
        )
        scores[name] = {
            "bytes": linear.kept(head, path),
            "right": round(float((best == gold).mean()), 3),
            "lists_given": round(float((taken & (best == gold))[lists].mean()), 3),
            "another_list_given": round(float((taken & (best != gold))[lists].mean()), 3),
            "list_given_unasked": round(float(taken[~lists].mean()), 3),
        }
    return scores
