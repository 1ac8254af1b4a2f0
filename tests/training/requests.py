"""Training of what a request asks for and for whom, cross-validated by families of paraphrases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from context.reading import requests
from tests.training import linear
from tests.training.linear import Row, Vectors
from tests.training.made_requests import made_requests
from tests.training.meetings import DATA
from tests.training.vectors import embedded

WRONGLY_PRIVATE = 0.05
"""The share of public requests that may get a private answer, so that fewer private ones get a public one."""


def rows(folders: Sequence[Path] = ()) -> list[Row]:
    """All labelled requests, and the questions of the labelled meetings, which ask for facts."""
    return [
        Row(
            each["text"],
            each["intent"],
            f"{each['intent']} {each['group']} {each['language']}",
            each["language"],
        )
        for each in _labelled(folders)
    ]


def private_rows(folders: Sequence[Path] = ()) -> list[Row]:
    """The same requests in the same order, each `private` or `public`. What one missed is private everywhere."""
    return [
        Row(
            each["text"],
            "private" if each.get("private", each["intent"] == "catch_up") else "public",
            f"{each['group']} {each['language']}",  # one way to say "between us" is one family, whatever is asked
            each["language"],
        )
        for each in _labelled(folders)
    ]


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the heads, with vectors and without; their scores."""
    labelled, alone, made = rows(folders), private_rows(folders), list(made_requests())
    vectors = embedded([each.text for each in [*labelled, *made]], query=True)
    scores: dict[str, Any] = {
        "rows": len(labelled),
        "by_wish": dict(Counter(each.label for each in labelled)),
        "private_rows": sum(each.label == "private" for each in alone),
        "made_rows": len(made),
    }
    for name, given, path, private_path in (
        ("with_meaning", vectors, requests.INTENTS_WITH_MEANING, requests.PRIVATE_WITH_MEANING),
        ("by_words", None, requests.INTENTS_BY_WORDS, requests.PRIVATE_BY_WORDS),
    ):
        head, likely = linear.trained(labelled, None if given is None else given[: len(labelled)])
        scores[name] = {"bytes": linear.kept(head, path), **_of_wishes(labelled, head.classes, likely)}
        catch_up = likely[:, head.classes.index("catch_up")]
        scores[name]["private"] = _private(alone, made, given, catch_up, private_path)
    return scores


def _of_wishes(
    labelled: Sequence[Row], classes: Sequence[str], likely: NDArray[np.float64]
) -> dict[str, float]:
    gold = np.array([classes.index(each.label) for each in labelled])
    best = likely.argmax(axis=1)
    lists = ~np.isin([each.label for each in labelled], ["fact", "none"])
    taken = ~np.isin(np.array(classes)[best], ["fact", "none"]) & (likely.max(axis=1) >= requests.SURE_CHANCE)
    return {
        "right": round(float((best == gold).mean()), 3),
        "lists_given": round(float((taken & (best == gold))[lists].mean()), 3),
        "another_list_given": round(float((taken & (best != gold))[lists].mean()), 3),
        "list_given_unasked": round(float(taken[~lists].mean()), 3),
    }


def _private(
    alone: Sequence[Row],
    made: Sequence[Row],
    vectors: Vectors | None,
    catch_up: NDArray[np.float64],
    path: Path,
) -> dict[str, Any]:
    """Write the head; what goes wrong at the threshold in use, and the threshold that these rows would ask for.

    `catch_up`: how likely the other head finds that intent in each row. Scores are of labelled rows, not of made ones.
    """
    head, likely = linear.trained([*alone, *made], vectors)
    of_alone = likely[: len(alone), head.classes.index("private")]
    sure = np.array(
        [
            requests.private_chance({"catch_up": one}, other)
            for one, other in zip(catch_up, of_alone, strict=True)
        ]
    )
    private = np.array([each.label == "private" for each in alone])
    public = sure < requests.MIN_PRIVATE_CHANCE
    return {
        "bytes": linear.kept(head, path),
        "public_though_private": round(float(public[private].mean()), 3),
        "private_though_public": round(float((~public)[~private].mean()), 3),
        "threshold_at_the_share": round(float(np.quantile(sure[~private], 1 - WRONGLY_PRIVATE)), 3),
    }


def _labelled(folders: Sequence[Path]) -> list[dict[str, Any]]:
    return list({each["text"].strip().lower(): each for each in _read(folders)}.values())


def _read(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for folder in (DATA / "labels" / "rows", *folders):
        for path in sorted(folder.glob("requests*.jsonl")):
            yield from map(json.loads, path.read_text("utf-8").splitlines())
