"""Weigh what tells the name of a topic anew: `python -m tests.training.topic_names`.

The labels (`tests/data/labels/rows/topic_names.jsonl`) name topics of meetings that stand elsewhere in
`tests/data`: the first of several names is the one that its writer would put on an agenda. A logistic
regression over the phrases of each topic, of which any that is a name is right. It says first how often a
held-out meeting's topic is named so; both languages of a meeting are held out together.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.optimize
import scipy.sparse as sp

import context.topics.phrases
from context.topics.phrases import topic_names as names
from context.topics.phrases.brisk_phrases import MARKED_BEGINNING
from context.topics.phrases.topic_phrases import phrases_in

_DATA: Final = Path(__file__).parents[1] / "data"
_LABELS: Final = _DATA / "labels" / "rows" / "topic_names.jsonl"
_OPENINGS: Final = _LABELS.with_name("topic_openings.json")
"""How meetings are opened, before the first matter is raised: said before the later topics, these make openings."""
_OPENINGS_A_LANGUAGE: Final = 20
_FOLDS: Final = 8
_RIDGE: Final = 1.0
_FEWEST_TOPICS: Final = 12
"""A feature of fewer topics is no feature."""
_SAME: Final = 0.79
"""One of two phrases that share so much may stand for the other: "school trip" and "the spring trip"."""
_NEARLY: Final = 0.25
"""So much less a name weighs that is not told but shares so much with one."""
_HIT: Final = 0.66

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's phrases, described, and how much each is like a name that it was given."""

    meeting: str
    language: str
    opening: bool
    phrases: Sequence[str]
    described: Sequence[names.Features]
    likeness: Sequence[float]
    made: bool = False
    """Whether an opening was put before it."""

    @property
    def fold(self) -> int:
        """Both languages of a meeting are of one."""
        name = Path(self.meeting).stem
        return zlib.crc32(re.sub(r"^(?:ko|en)-", "", name).encode()) % _FOLDS


def main() -> None:
    """Hold out, report, train on all, write."""
    topics = list(_topics())
    hits: Counter[tuple[str, bool]] = Counter()
    of: Counter[tuple[str, bool]] = Counter()
    for fold in range(_FOLDS):
        weights = _fitted([topic for topic in topics if topic.fold != fold])
        for topic in topics:
            if topic.fold == fold and not topic.made:
                kind = topic.language, topic.opening
                of[kind] += 1
                hits[kind] += _named(topic, weights[topic.language]) >= _HIT
    for (language, opening), count in sorted(of.items()):
        share = hits[language, opening] / count
        print(f"held out, {language}, {'opening' if opening else 'later'}: {share:.3f} of {count} named")
    told = {
        language: {name: round(value, 3) for name, value in each.items() if abs(value) >= 0.0005}
        for language, each in _fitted(topics).items()
    }
    path = Path(context.topics.phrases.__path__[0]) / "topic_names.json"
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{path.stat().st_size} bytes")


def _topics() -> Iterator[Topic]:
    openings = json.loads(_OPENINGS.read_text("utf-8"))
    rows = [json.loads(line) for line in _LABELS.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows):
        said = _said(row["meeting"])[row["first"] - 1 : row["last"]]
        yield _topic(row, said, opening=row["first"] == 1)
        if row["first"] > 1 and not MARKED_BEGINNING.match(said[0][1]):
            *before, glued = openings[names.language_of([said[0][1]])][number % _OPENINGS_A_LANGUAGE]
            speakers = [said[0][0], said[1][0], said[0][0]]
            opened = [*zip(speakers, before, strict=False), (said[0][0], glued + said[0][1]), *said[1:]]
            yield replace(_topic(row, opened, opening=True), made=True)


def _topic(row: Mapping[str, Any], said: Sequence[tuple[str, str]], *, opening: bool) -> Topic:
    texts = [text for _, text in said][: names.UTTERANCES]
    found = phrases_in(texts, [speaker for speaker, _ in said])
    described = names.described_phrases(found, texts, opening=opening)
    phrases = [names.shown(places) for places in found.values()]
    likeness = [max(_likeness(phrase, name) for name in row["names"]) for phrase in phrases]
    language = names.language_of(texts)
    return Topic(row["meeting"], language, opening, phrases, list(described.values()), likeness)


@cache
def _said(meeting: str) -> Sequence[tuple[str, str]]:
    """Speaker and text of each line of `trials/….json`, `labels/….json`, or a block of `topics/short-*.txt`."""
    if meeting.endswith(".json"):
        lines = json.loads((_DATA / meeting).read_text("utf-8"))["lines"]
        return [(line["speaker"], line["text"]) for line in lines]
    written = _DATA / "topics" / f"short-{Path(meeting).name[:2]}.txt"
    blocks = re.split(r"^=== ", written.read_text("utf-8"), flags=re.MULTILINE)
    block = next(each for each in blocks if each.startswith(Path(meeting).name + "\n"))
    parted = (line.removeprefix("## ").partition(": ") for line in block.strip().splitlines()[1:])
    return [(speaker, text) for speaker, _, text in parted]


def _likeness(phrase: str, name: str) -> float:
    """1 where both are the same but for a plural or a blank, else the share of words that they share (F1)."""
    words, wanted = [
        [re.sub(r"(?<=[a-z]{4})(?<![su])s$", "", word) for word in each.lower().split()]
        for each in (phrase, name)
    ]
    if "".join(words) == "".join(wanted):
        return 1.0
    return 2 * len(set(words) & set(wanted)) / (len(words) + len(wanted))


def _named(topic: Topic, weights: Mapping[str, float]) -> float:
    """How much the best phrase is like a name that was given; 0 where there is none."""
    worth = [sum(weights.get(key, 0.0) * value for key, value in each.items()) for each in topic.described]
    return topic.likeness[int(np.argmax(worth))] if worth else 0.0


def _right(topic: Topic) -> Floats:
    """How right each phrase is: the names that were given, else what is most like one."""
    likeness = np.array(topic.likeness)
    if likeness.max() == 1:
        return np.where(likeness == 1, 1.0, np.where(likeness >= _SAME, _NEARLY, 0.0))
    return (likeness == likeness.max()).astype(np.float64)


def _fitted(topics: Sequence[Topic]) -> dict[str, dict[str, float]]:
    """The weights by language. What both languages share is learnt from both, what is left from each."""
    used = [topic for topic in topics if topic.likeness and max(topic.likeness) >= _HIT]
    columns = _columns(used)
    count = len(columns)
    rows, places, values = list[int](), list[int](), list[float]()
    for row, (topic, each) in enumerate((own, each) for own in used for each in own.described):
        own = count * (1 + (topic.language == "ko"))
        for name, value in each.items():
            if name in columns and value:
                rows += [row, row]
                places += [columns[name], own + columns[name]]
                values += [value, value]
    starts = np.cumsum([0, *(len(topic.phrases) for topic in used)])
    table = sp.csr_matrix((values, (rows, places)), shape=(int(starts[-1]), 3 * count))
    weights = _fit(table, starts, np.concatenate([_right(topic) for topic in used]))
    own_names = {
        language: {
            key for topic in used if topic.language == language for each in topic.described for key in each
        }
        for language in ("en", "ko")
    }
    return {
        language: {
            name: float(weights[at] + weights[own + at])
            for name, at in columns.items()
            if name in own_names[language]
        }
        for language, own in (("en", count), ("ko", 2 * count))
    }


def _columns(used: Sequence[Topic]) -> dict[str, int]:
    """The features that are said of enough topics, each with its place."""
    said = Counter(name for topic in used for name in {key for each in topic.described for key in each})
    return {name: place for place, name in enumerate(sorted(n for n in said if said[n] >= _FEWEST_TOPICS))}


def _fit(table: Any, starts: Floats, right: Floats) -> Floats:
    """The weights with which the right phrases of each topic are likeliest, and no larger than that needs."""
    topic_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def loss(weights: Floats) -> tuple[float, Floats]:
        worth = table @ weights
        shares = np.exp(worth - np.maximum.reduceat(worth, starts[:-1])[topic_of])
        every = np.add.reduceat(shares, starts[:-1])
        named = np.add.reduceat(shares * right, starts[:-1])
        slope = table.T @ (shares / every[topic_of] - shares * right / named[topic_of])
        ridge = _RIDGE * weights
        return float(-(np.log(named) - np.log(every)).sum() + weights @ ridge / 2), slope + ridge

    found = scipy.optimize.minimize(
        loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300}
    )
    return np.asarray(found.x)


if __name__ == "__main__":
    main()
