"""Training of whose task something is, cross-validated by meetings and, of plain sentences, by wordings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from context.language.spoken_sentences import SpokenSentence, split_utterance
from context.primitives.person_names import called
from context.reading import owners
from context.reading.acts import SETTLING_ACTS, acts_of
from context.reading.doers import DOER_HEAD, Doer, doers_by
from context.reading.linear import LinearHead
from tests.training import doers, linear, trees
from tests.training.doers import PlainTask, plain_tasks
from tests.training.linear import Row
from tests.training.made_rows import made_tasks
from tests.training.meetings import DATA, utterances
from tests.training.talk import Label, Talk, talks

FOLDS = 6
_MADE = 600
_OF_ROWS = 0.1
"""A sentence by itself, written or made by filling in, counts so much."""
_BESIDE = 5
"""Sentences of a meeting before and behind a plain one that is put into it."""
_HOW = {"n_estimators": 200, "num_leaves": 15, "reg_lambda": 3.0}


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """One task, and whose it is."""

    talk: Talk
    place: int
    owner: str | None
    """The name as it stands in the text where it is nobody who is there."""
    there: tuple[str, ...]
    is_made: bool = False
    """Made by filling in, or a plain sentence that is put into a meeting."""


def _is_heard(task: Given) -> bool:
    """Whether its owner is whoever speaks or spoke before."""
    heard = task.talk.said[max(0, task.place - 1) : task.place + 1]
    return any(each.utterance.speaker_name == task.owner for each in heard)


_KINDS: Final[Mapping[str, Callable[[Given], bool]]] = {
    "plain, of somebody who is away": lambda each: each.owner is not None and each.owner not in each.there,
    "plain, of somebody who is there": lambda each: each.owner in each.there and not _is_heard(each),
    "plain, of whoever speaks or is spoken to": _is_heard,
    "plain, of nobody": lambda each: each.owner is None,
}


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the weights and the trees; their scores."""
    labelled = talks(folders)
    meetings, plain = list(_tasks(labelled)), list(plain_tasks())
    alone = list(_within_meetings(plain, labelled))
    tasks = [*meetings, *_made(), *alone]
    fold = np.array([_fold(each.talk.group) for each in tasks])
    tagger, found = _read([*plain, *filter(None, map(_as_plain, meetings))], tasks, fold)
    names = [
        (*each.there, *owners.other_candidates(of, each.there)) for each, of in zip(tasks, found, strict=True)
    ]
    head, likely = linear.trained(_texts(tasks, found, names, tagger))
    size = linear.kept(tagger, DOER_HEAD) + linear.kept(head, owners.TAKING_HEAD)
    takes = likely[:, head.classes.index("speaker")]
    table = _table(tasks, found, names, takes)
    task, right = table.task, table.right
    held = np.zeros(len(task))
    counts = np.where(task < len(meetings), 1.0, _OF_ROWS)
    for number in range(FOLDS):
        seen = fold[task] != number
        learnt = trees.told_apart(table.rows[seen], right[seen], counts[seen], **_HOW)
        held[~seen] = learnt.scores(table.rows[~seen])
    scale = LogisticRegression(C=1e3).fit(held[:, None], right, sample_weight=counts)
    slope, shift = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    learnt = trees.told_apart(table.rows, right, counts, **_HOW)
    size += trees.kept(trees.scaled(learnt, slope, shift), owners.OWNER_TREES)
    chances = 1 / (1 + np.exp(-(slope * held + shift)))
    told = [_told(of, chances[task == number]) for number, of in enumerate(names)]
    scores = {"tasks": len(meetings), "bytes": size, **_figures(meetings, told[: len(meetings)])}
    for name, is_of in _KINDS.items():
        those = [number for number in range(len(tasks) - len(alone), len(tasks)) if is_of(tasks[number])]
        scores[name] = _figures([tasks[i] for i in those], [told[i] for i in those])
    return scores


def _read(
    rows: Sequence[PlainTask], tasks: Sequence[Given], fold: NDArray[np.int64]
) -> tuple[LinearHead, list[Sequence[Doer]]]:
    """What tells who is named, learnt from all rows; whom the tasks name, as told by what had not seen their fold."""
    found: list[Sequence[Doer]] = [()] * len(tasks)
    for number in range(FOLDS):
        tagger = doers.trained([each for each in rows if _fold(each.group) != number])
        for i in np.flatnonzero(fold == number).tolist():
            found[i] = doers_by(tagger, tasks[i].talk.said[tasks[i].place].text)
        print(f"owners: {number + 1} of {FOLDS} parts read", file=sys.stderr)
    return doers.trained(rows), found


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    rows: NDArray[np.float32]
    """What the trees see of each task's candidates."""
    right: NDArray[np.bool_]
    task: NDArray[np.int64]
    """The number of each row's task."""


def _table(
    tasks: Sequence[Given],
    found: Sequence[Sequence[Doer]],
    names: Sequence[Sequence[str]],
    takes: NDArray[np.float64],
) -> _Table:
    rows, right, task = [], [], []
    for number, each in enumerate(tasks):
        those, there, own = found[number], names[number], float(takes[number])
        for name in there:
            rows.append(
                owners.candidate_signals(
                    each.talk.said, each.place, name, own, doers_named=those, names=there
                )
            )
            right.append(_is_owner(each, name))
            task.append(number)
    return _Table(np.stack(rows), np.array(right), np.array(task))


def _fold(group: str) -> int:
    return crc32(group.encode()) % FOLDS


def _told(names: Sequence[str], chances: NDArray[np.float64]) -> str | None:
    best = int(chances.argmax())
    return names[best] if chances[best] >= owners.SURE_CHANCE else None


def _is_owner(task: Given, name: str) -> bool:
    """Whether it is the owner's name; of somebody who is not there a part of it will do."""
    if task.owner is None or name in task.there or not task.is_made:
        return name == task.owner
    one, other = name.lower(), task.owner.lower()
    return one in other or other in one


def _tasks(meetings: Sequence[Talk]) -> Iterator[Given]:
    for talk in meetings:
        labels = [label for label in talk.labels if label.act == "task" and label.sure and label.is_owned]
        if not labels:
            continue
        likely = acts_of(talk.said).chances[:, SETTLING_ACTS.index("task")]
        names = tuple(dict.fromkeys(each.utterance.speaker_name for each in talk.said))
        for label in labels:
            if (place := _carrier(talk, label, likely)) is not None:
                yield Given(talk, place, label.owner if label.owner in names else None, names)


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
        yield Given(talk, 0, owner, tuple(names), is_made=True)


def _as_plain(task: Given) -> PlainTask | None:
    """A meeting's task as a plain one; None where others than its speaker are named, in words that are not known."""
    text, owner = task.talk.said[task.place], task.owner
    if owner is None or owner == text.utterance.speaker_name:
        return PlainTask(text.text, "", "me", task.talk.group, task.talk.language)
    return None if called(owner, text.text) else PlainTask(text.text, "", "you", task.talk.group, "")


def _within_meetings(plain: Sequence[PlainTask], meetings: Sequence[Talk]) -> Iterator[Given]:
    """Each plain task in a meeting of its language; who is meant by "you" is known where somebody spoke before."""
    long = [talk for talk in meetings if len(talk.said) > 2 * _BESIDE]
    of = {language: [talk for talk in long if talk.language == language] for language in ("ko", "en")}
    for number, task in enumerate(plain):
        if task.before or task.owner != "you":
            there = of[task.language]
            yield _within(there[number % len(there)], number, task)


def _within(talk: Talk, number: int, task: PlainTask) -> Given:
    """A plain task, said in a labelled meeting; in every other one whoever is named is there."""
    names = list(dict.fromkeys(each.utterance.speaker_name for each in talk.said))
    place = number * 7 % max(1, len(talk.said) - _BESIDE)
    speaker, other = (names * 2)[number % len(names) :][:2]
    lines = [{"speaker": other, "text": task.before}] if task.before else []
    lines.append({"speaker": speaker, "text": task.text})
    put = [
        SpokenSentence(line.text, line.model_copy(update={"id": -line.id}), 0) for line in utterances(lines)
    ]
    owner = {"me": speaker, "you": other if task.before else None}.get(task.owner, task.owner or None)
    there = (*names, task.owner) if task.is_named and number % 2 else tuple(names)
    before, behind = talk.said[max(0, place - _BESIDE) : place], talk.said[place : place + _BESIDE]
    said = [*before, *put, *behind]
    return Given(
        replace(talk, group=task.group, said=said, labels=()),
        len(before) + len(put) - 1,
        owner,
        there,
        is_made=True,
    )


def _carrier(talk: Talk, label: Label, likely: NDArray[np.float32]) -> int | None:
    """The sentence of a label that gives the task out."""
    places = [i for i, each in enumerate(talk.said) if each.utterance.id in label.lines]
    return max(places, key=lambda place: float(likely[place]), default=None)


def _texts(
    tasks: Sequence[Given],
    found: Sequence[Sequence[Doer]],
    names: Sequence[Sequence[str]],
    tagger: LinearHead,
) -> list[Row]:
    rows = [
        Row(
            owners.anonymised(each.talk.said[each.place].text, of, there),
            "speaker" if each.talk.said[each.place].utterance.speaker_name == each.owner else "other",
            each.talk.group,
        )
        for each, of, there in zip(tasks, found, names, strict=True)
    ]
    everybody = sorted({name for each in tasks if not each.is_made for name in each.there})
    path = DATA / "labels" / "rows" / "acts.jsonl"
    for number, line in enumerate(map(json.loads, path.read_text("utf-8").splitlines())):
        if line["act"] == "task" and line["owner"] == "other":
            text = owners.anonymised(line["text"], doers_by(tagger, line["text"]), everybody)
            rows.append(Row(text, "other", f"rows {number // 8}"))
    return rows


def _figures(tasks: Sequence[Given], told: Sequence[str | None]) -> dict[str, Any]:
    pairs = list(zip(tasks, told, strict=True))
    named = sum(name is not None for _, name in pairs)
    right = sum(name is not None and _is_owner(each, name) for each, name in pairs)
    own = sum(each.owner is not None for each in tasks)
    nobody = sum(name is None and each.owner is None for each, name in pairs)
    speaker = sum(each.talk.said[each.place].utterance.speaker_name == each.owner for each in tasks)
    return {
        "owned": own,
        "named": named,
        "named right": f"{right} of {named} ({right / max(1, named):.3f})",
        "owner found": f"{right} of {own} ({right / max(1, own):.3f})",
        "nobody's, told as nobody's": f"{nobody} of {len(tasks) - own}",
        "always whoever speaks": f"{speaker} of {len(tasks)} ({speaker / len(tasks):.3f})",
    }
