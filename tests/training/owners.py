"""Training of whose task something is, cross-validated by meetings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from context.language.said import split_utterance
from context.reading import owners
from context.reading.acts import SETTLING_ACTS, acts_of
from tests.training import linear, trees
from tests.training.linear import Row
from tests.training.made_rows import made_tasks
from tests.training.meetings import DATA, utterances
from tests.training.talk import Label, Talk, talks

FOLDS = 6
_MADE = 600
_OF_MADE = 0.3
"""What is made by filling in counts so much."""
_HOW = {"n_estimators": 80, "num_leaves": 7, "reg_lambda": 3.0}


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """One task, and whose it is."""

    talk: Talk
    place: int
    owner: str | None
    names: tuple[str, ...]


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the weights and the trees; their scores."""
    tasks = list(_tasks(talks(folders)))
    labelled = len(tasks)
    tasks += list(_made())
    head, likely = linear.trained(_texts(tasks))
    size = linear.kept(head, owners.TAKING)
    speaker = head.classes.index("speaker")
    takes = likely[: len(tasks), speaker]
    table, gold, of = [], [], []
    for number, each in enumerate(tasks):
        for name in each.names:
            table.append(owners.traits(each.talk.said, each.place, name, float(takes[number]), each.names))
            gold.append(name == each.owner)
            of.append(number)
    rows, right, task = np.stack(table), np.array(gold), np.array(of)
    fold = np.array([crc32(tasks[number].talk.group.encode()) % FOLDS for number in of])
    held = np.zeros(len(rows))
    even = np.where(task < labelled, 1.0, _OF_MADE)
    for number in range(FOLDS):
        seen = fold != number
        held[~seen] = trees.told_apart(rows[seen], right[seen], even[seen], **_HOW).scores(rows[~seen])
    scale = LogisticRegression(C=1e3).fit(held[:, None], right)
    slope, shift = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    size += trees.kept(trees.scaled(trees.told_apart(rows, right, even, **_HOW), slope, shift), owners.OWNERS)
    chances = 1 / (1 + np.exp(-(slope * held + shift)))
    return {"tasks": labelled, "bytes": size, **_figures(tasks[:labelled], task, chances)}


def _tasks(meetings: Sequence[Talk]) -> Iterator[Given]:
    for talk in meetings:
        labels = [label for label in talk.labels if label.act == "task" and label.sure and label.is_owned]
        if not labels:
            continue
        likely = acts_of(talk.said).likely[:, SETTLING_ACTS.index("task")]
        names = tuple(dict.fromkeys(each.utterance.speaker_name for each in talk.said))
        for label in labels:
            if (place := _carrier(talk, label, likely)) is not None:
                there = (*names, *owners.named_beside(talk.said[place].text, names))
                yield Given(talk, place, label.owner if label.owner in there else None, there)


def _made() -> Iterator[Given]:
    for number, (text, speaker, names, owner) in enumerate(made_tasks(_MADE)):
        talk = Talk(
            id=f"made {number}",
            set="made",
            group=f"made {number // 8}",
            language="",
            said=split_utterance(utterances([{"speaker": speaker, "text": text}])[0]),
            labels=(),
            is_whole=False,
            replaced=(),
        )
        yield Given(talk, 0, owner, names)


def _carrier(talk: Talk, label: Label, likely: NDArray[np.float32]) -> int | None:
    """The sentence of a label that gives the task out."""
    places = [i for i, each in enumerate(talk.said) if each.utterance.id in label.lines]
    return max(places, key=lambda place: float(likely[place]), default=None)


def _texts(tasks: Sequence[Given]) -> list[Row]:
    rows = [
        Row(
            owners.unnamed(each.talk.said[each.place].text, each.names),
            "speaker" if each.talk.said[each.place].utterance.speaker_name == each.owner else "other",
            each.talk.group,
        )
        for each in tasks
    ]
    everybody = sorted({name for each in tasks for name in each.names})
    for number, line in enumerate((DATA / "labels" / "rows" / "acts.jsonl").read_text("utf-8").splitlines()):
        found = json.loads(line)
        if found["act"] == "task":
            text = owners.unnamed(found["text"], everybody)
            rows.append(Row(text, "speaker" if found["owner"] == "self" else "other", f"rows {number // 8}"))
    return rows


def _figures(tasks: Sequence[Given], of: NDArray[np.int64], chances: NDArray[np.float64]) -> dict[str, Any]:
    told = right = own = nobody = 0
    for number, each in enumerate(tasks):
        mine = chances[of == number]
        best = int(mine.argmax())
        found = each.names[best] if mine[best] >= owners.SURE_CHANCE else None
        told += found is not None
        right += found is not None and found == each.owner
        own += each.owner is not None
        nobody += found is None and each.owner is None
    speaker = sum(each.talk.said[each.place].utterance.speaker_name == each.owner for each in tasks)
    return {
        "owned": own,
        "named": told,
        "named right": f"{right} of {told} ({right / max(1, told):.3f})",
        "owner found": f"{right} of {own} ({right / max(1, own):.3f})",
        "nobody's, told as nobody's": f"{nobody} of {len(tasks) - own}",
        "always whoever speaks": f"{speaker} of {len(tasks)} ({speaker / len(tasks):.3f})",
    }
