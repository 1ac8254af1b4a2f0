"""Training of what is worth a note, cross-validated by meetings and by families of rows.

A row of a meeting names its line there; the others were written by themselves, and teach the words alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from context.language.spoken_sentences import split_utterances
from context.plain import noteworthy
from context.plain.dialogue import Dialogue, dialogue_of
from context.plain.noteworthy import point_at, point_text
from context.reading.note_words import WORDS_HEAD
from tests.training import linear
from tests.training.linear import Row
from tests.training.meetings import DATA, utterances

_FAMILY = 8
"""Rows that stand together were written together."""
_STRENGTH = 0.1
_FOLDS = 8
_ROUNDED = 5


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write both regressions; their scores."""
    path = DATA / "labels" / "rows" / "noteworthy.jsonl"
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    points = _points(found)
    rows = [
        Row(
            point_text(*points[number]) if number in points else each["text"],
            "note" if each["noteworthy"] else "chat",
            each.get("meeting") or f"written {number // _FAMILY}",
            each["language"],
        )
        for number, each in enumerate(found)
    ]
    head, likely = linear.trained(rows)
    size = linear.kept(head, WORDS_HEAD)
    own = np.log(likely[:, head.classes.index("note")] / likely[:, head.classes.index("chat")])
    places = sorted(points)
    table = np.concatenate(
        [noteworthy.noting_signals(points[place][0], [points[place][1]], [own[place]]) for place in places]
    )
    gold = np.array([found[place]["noteworthy"] for place in places])
    groups = [found[place]["meeting"] for place in places]
    mean, spread = table.mean(axis=0), table.std(axis=0)
    scaled = (table - mean) / spread
    held = np.zeros(len(gold))
    for seen, unseen in GroupKFold(_FOLDS).split(scaled, gold, groups):
        held[unseen] = _fitted(scaled[seen], gold[seen]).predict_proba(scaled[unseen])[:, 1]
    fit = _fitted(scaled, gold)
    kept = {"mean": mean, "spread": spread, "weights": fit.coef_[0]}
    noteworthy.WEIGHTS_FILE.write_text(
        json.dumps(
            {name: np.round(values, _ROUNDED).tolist() for name, values in kept.items()}
            | {"bias": round(float(fit.intercept_[0]), _ROUNDED)}
        )
        + "\n",
        "utf-8",
    )
    languages = np.array([found[place]["language"] for place in places])
    return {
        "rows": len(rows),
        "of meetings": len(places),
        "bytes": size,
        "AUC": round(float(roc_auc_score(gold, held)), 3),
        "AUC by words alone": round(float(roc_auc_score(gold, own[places])), 3),
        **{
            f"at {least}, {language}": _figures(
                gold[languages == language], held[languages == language] >= least
            )
            for least in (0.4, 0.5, 0.6)
            for language in ("ko", "en")
        },
    }


def _points(found: Sequence[dict[str, Any]]) -> dict[int, tuple[Dialogue, tuple[int, ...]]]:
    """The point that each row of a meeting makes there, by the row's number."""
    of_meeting: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(found):
        if "meeting" in row:
            of_meeting[row["meeting"]].append(number)
    points: dict[int, tuple[Dialogue, tuple[int, ...]]] = {}
    for path in sorted((DATA / "labels" / "meetings").glob("*.json")):
        meeting = json.loads(path.read_text("utf-8"))
        dialogue = dialogue_of(split_utterances(utterances(meeting["lines"])))
        place_of = {(said.utterance.id, said.text): place for place, said in enumerate(dialogue.sentences)}
        for number in of_meeting[meeting["id"]]:
            place = place_of[found[number]["line"], found[number]["text"]]
            points[number] = (dialogue, point_at(dialogue, place))
    return points


def _fitted(table: NDArray[np.float64], gold: NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=_STRENGTH, max_iter=3000).fit(table, gold)


def _figures(gold: NDArray[np.bool_], noted: NDArray[np.bool_]) -> str:
    right = int((gold & noted).sum())
    return f"{right} of {int(noted.sum())} right, {right} of {int(gold.sum())} found"
