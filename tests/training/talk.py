"""Labelled talk: sentences, and which of them settle something, however the labels came about.

Read are the excerpts with decisions and tasks (`tests/data/decisions`), the trials and the labelled meetings;
and, for whoever asks for them, the exchanges: short meetings of plain talk.
A label names utterances; which of their sentences it means, `tests.training.acts` finds while it learns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from context.language.spoken_sentences import SpokenSentence, split_utterance
from tests.training.meetings import DATA, utterances

_EXCERPT = re.compile(r"(?:ami|com|icsi|kna)\d*-(.*)")
_KINDS = {"action": "task"}


@dataclass(frozen=True, slots=True)
class Label:
    """What somebody found in a meeting."""

    act: str
    lines: frozenset[int]
    """Ids of utterances."""
    sure: bool
    text: str = ""
    owner: str | None = None
    due: str | None = None
    fact: str = ""
    is_owned: bool = False
    """Whether the labeller was asked who owns it."""


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """One labelled meeting, or a stretch of one."""

    id: str
    set: str
    """What was written or picked together."""
    group: str
    """Stretches of one meeting stand on one side of a fold."""
    language: str
    said: Sequence[SpokenSentence]
    labels: Sequence[Label]
    is_whole: bool
    """Whether proposals, acceptances and rejections are labelled, too."""
    replaced: Sequence[tuple[frozenset[int], frozenset[int]]]
    """Old and new: utterances of a statement, and of what took its place."""

    @property
    def is_team(self) -> bool:
        """Whether it is a team's meeting; else a product's, a committee's, or a parliament's."""
        return self.set != "exchanges" and not self.id.startswith(("ami", "com", "icsi", "kna", "small"))


def talks(folders: Sequence[Path] = ()) -> list[Talk]:
    """All of them; of a meeting that is there twice, the excerpt."""
    found = [
        *_excerpts(), *_trials(), *_meetings((DATA / "labels" / "meetings", *folders), "labels"), *_small(),
    ]  # fmt: skip
    twice = {talk.id.removeprefix("team13-") for talk in found if talk.id.startswith("team13-")}
    return [talk for talk in found if talk.set != "trials" or talk.id not in twice]


def exchanges() -> list[Talk]:
    """Short meetings of plain talk, where most is settled in a few words by two or three people.

    Nobody has said which of their decisions took the place of which.
    """
    return list(_meetings([DATA / "labels" / "exchanges"], "exchanges"))


def _excerpts() -> Iterator[Talk]:
    for path in sorted((DATA / "decisions").rglob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        labels = [
            _label(each, [line + 1 for line in each["lines"]], is_owned="owner" in each)
            for each in found.get("labels", ())
        ]
        named = _EXCERPT.match(found["id"])
        yield _talk(found, found["split"], named.group(1) if named else found["id"], labels)


def _trials() -> Iterator[Talk]:
    for path in sorted((DATA / "trials").rglob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        if not isinstance(found, dict) or "decisions" not in found:
            continue
        labels = [Label("decision", frozenset([id_]), sure=True) for id_ in found["decisions"]]
        labels += [_label({"kind": "task", **each}, [each["id"]], is_owned=True) for each in found["actions"]]
        yield _talk(found, "trials", found["id"], labels)


def _meetings(folders: Sequence[Path], written_with: str) -> Iterator[Talk]:
    for path in sorted(path for folder in folders for path in folder.glob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        labels = [_label(each, each["lines"], is_owned=True) for each in found["statements"]]
        pairs = found.get("replaced", ())
        replaced = [(frozenset(each["old"]), frozenset(each["new"])) for each in pairs]
        name = f"labels-{found['language']}" if written_with == "labels" else written_with
        yield _talk(found, name, found["id"], labels, replaced, is_whole=True)


def _small() -> Iterator[Talk]:
    """A few lines each, once the cases of the rules' tests."""
    path = DATA / "labels" / "rows" / "small_talks.jsonl"
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        found = json.loads(line)
        labels = [_label(each, each["lines"], is_owned=True) for each in found["statements"]]
        found |= {"id": f"small-{number}", "language": ""}
        yield _talk(found, "small", found["source"], labels)


def _label(found: dict[str, Any], lines: Sequence[int], *, is_owned: bool) -> Label:
    return Label(
        act=_KINDS.get(found["kind"], found["kind"]),
        lines=frozenset(lines),
        sure=found.get("sure", True),
        text=found.get("text", ""),
        owner=found.get("owner"),
        due=found.get("due"),
        fact=found.get("fact", ""),
        is_owned=is_owned,
    )


def _talk(
    found: dict[str, Any],
    written_with: str,
    group: str,
    labels: Sequence[Label],
    replaced: Sequence[tuple[frozenset[int], frozenset[int]]] = (),
    *,
    is_whole: bool = False,
) -> Talk:
    return Talk(
        id=found["id"],
        set=written_with,
        group=group,
        language=found["language"],
        said=[
            sentence for utterance in utterances(found["lines"]) for sentence in split_utterance(utterance)
        ],
        labels=labels,
        is_whole=is_whole,
        replaced=replaced,
    )
