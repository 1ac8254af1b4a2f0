"""Weigh the signs of `context.topics.boundary.brisk` anew: `python -m tests.training.brisk_topics`.

A tool of development: it needs scikit-learn, which the product does not. It is trained on the trials
(`tests/data/trials`), on the meetings of `tests/data/labels/meetings` and on meetings written for it
(`tests/data/topics`: `short-*.txt`, and `noun-*.txt`, where later topics are opened by a noun alone). In these a
topic begins at the lines that begin with `## `; those that begin with `-- ` look so and open none. It says first
how it does on each folder of trials while that is held out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from context.topics.boundary import brisk
from context.topics.boundary.brisk_line import brisk_line
from tests.bench.trials import TRIALS

WRITTEN: Final = TRIALS.parent / "topics"
_LABELLED: Final = TRIALS.parent / "labels" / "meetings"
_RIDGE: Final = 0.1
_TOPIC: Final = "## "
_NO_TOPIC: Final = "-- "
_PARTS: Final = 3
"""What lies in one folder and is no folder of trials is held out in so many parts."""
_UNLABELLED: Final = frozenset({"en-kitchen", "ko-library"})
"""Their topics are not labelled but for the first."""
_HELD_BACK: Final = frozenset({"fresh4-topics", "fresh5", "fresh6"})
"""Folders that are left out here: the first run on them is what counts."""
_THRESHOLDS: Final = (0.25, 0.3, 0.35, 0.4, 0.5)


@dataclass
class Meeting:
    """One meeting's utterances and the numbers (from 1) of those at which a topic begins."""

    folder: str
    name: str
    said: list[tuple[str, str]]
    topics: set[int]
    near_misses: set[int] = field(default_factory=set)
    """The numbers of those that look like beginnings and are none, where they are marked."""
    rows: list[list[float]] = field(default_factory=list)
    """The signs of each candidate from the second utterance on."""
    chances: list[float] = field(default_factory=list)

    @property
    def part(self) -> str:
        """What is held out at once: a folder of trials; of others, both languages of a name."""
        whole = self.folder not in {"short", "noun", _LABELLED.name}
        return self.folder if whole else f"{self.folder} {zlib.crc32(self.name[3:].encode()) % _PARTS}"

    def wanted(self) -> list[bool]:
        """Whether each candidate is a beginning."""
        return [number in self.topics for number in range(2, len(self.said) + 1)]


def meetings() -> Iterator[Meeting]:
    """All that there are, described."""
    for path in (*sorted(TRIALS.rglob("*.json")), *sorted(_LABELLED.glob("*.json"))):
        trial = json.loads(path.read_text("utf-8"))
        if path.stem in _UNLABELLED or path.parent.name in _HELD_BACK:
            continue
        said = [(each["speaker"], each["text"]) for each in trial["lines"]]
        yield _described(Meeting(path.parent.name, path.stem, said, set(trial["topics"])))
    for path in (*sorted(WRITTEN.glob("short-*.txt")), *sorted(WRITTEN.glob("noun-*.txt"))):
        for each in written(path):
            yield _described(each)


def written(path: Path) -> Iterator[Meeting]:
    """The meetings of one file that was written for topics."""
    for block in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, *lines = block.strip().splitlines()
        marked = {
            mark: {number for number, each in enumerate(lines, 1) if each.startswith(mark)}
            for mark in (_TOPIC, _NO_TOPIC)
        }
        said = [_line(each.removeprefix(_TOPIC).removeprefix(_NO_TOPIC)) for each in lines]
        yield Meeting(path.stem.partition("-")[0], name, said, marked[_TOPIC], marked[_NO_TOPIC])


def _line(marked: str) -> tuple[str, str]:
    speaker, _, text = marked.partition(": ")
    return speaker, text


def _described(meeting: Meeting) -> Meeting:
    lines = [brisk_line(*said) for said in meeting.said]
    for place in range(1, len(lines)):
        begin = max(0, place - (brisk.KEPT_LINES - 4))
        signs = brisk.describe(lines[begin:], place - begin, meeting.said[0][0])
        meeting.rows.append(list(signs.values()))
    return meeting


def names() -> list[str]:
    """The signs, in the order of a row."""
    lines = [brisk_line("A", "One."), brisk_line("B", "Two.")]
    return list(brisk.describe(lines, 1, "A"))


def fitted(chosen: Sequence[Meeting]) -> tuple[Any, float]:
    """A weight for each sign, and the bias."""
    linear = importlib.import_module("sklearn.linear_model")
    rows = np.array([row for each in chosen for row in each.rows])
    wanted = np.array([each for meeting in chosen for each in meeting.wanted()])
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    model = linear.LogisticRegression(C=_RIDGE, max_iter=1000).fit((rows - mean) / spread, wanted)
    weights = model.coef_[0] / spread
    return weights, float(model.intercept_[0] - weights @ mean)


def judged(meeting: Meeting, likely: float) -> tuple[int, int, int]:
    """Right, false, labelled, at a threshold; the first utterance is no candidate."""
    found, last = set(), 1
    for place, own in enumerate(meeting.chances):
        at = brisk.BriskTopic(place + 2, own)
        if own >= likely and at.at - last >= at.shortest and own >= max(meeting.chances[place:][:4]):
            last = at.at
            found.add(last)
    return len(found & meeting.topics), len(found - meeting.topics), len(meeting.topics - {1})


def _report(every: Sequence[Meeting]) -> None:
    for likely in _THRESHOLDS:
        tallies: dict[str, list[int]] = {}
        for meeting in every:
            counts = judged(meeting, likely)
            own = tallies.setdefault(meeting.folder, [0, 0, 0])
            tallies[meeting.folder] = [one + more for one, more in zip(own, counts, strict=True)]
        told = "; ".join(f"{name} {r} of {of}, {false} false" for name, (r, false, of) in tallies.items())
        print(f"held out, from {likely} on: {told}")


def main() -> None:
    """Hold out, report, train on all, write."""
    parser = argparse.ArgumentParser(description="Weigh the signs of where topics begin in brisk talk.")
    parser.add_argument("--out", type=Path, default=Path("context/topics/boundary/brisk.json"))
    given = parser.parse_args()
    every = list(meetings())
    for part in sorted({each.part for each in every}):
        weights, bias = fitted([each for each in every if each.part != part])
        for each in every:
            if each.part == part:
                each.chances = (1 / (1 + np.exp(-(np.array(each.rows) @ weights + bias)))).tolist()
    _report(every)
    weights, bias = fitted(every)
    told = {
        "bias": round(bias, 3),
        "weights": dict(zip(names(), (round(float(each), 3) for each in weights), strict=True)),
    }
    given.out.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
