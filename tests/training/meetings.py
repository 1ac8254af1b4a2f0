"""Labelled meetings: who said what, what was asked about it, and which lines answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance
from context.plain.asking import QuestionVectors
from context.plain.ranking import candidates
from context.retrieval.lexical import LexicalIndex
from tests.training.vectors import embedded

DATA = Path(__file__).parents[1] / "data"
_BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_LOOKED_UP = ("fact", "said_by", "changed")
"""What is asked of the meeting as a whole is answered by a list, and says nothing about lines."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One question to one meeting."""

    question: str
    group: str
    """Questions of one group stand on one side of a fold: those of a meeting, or of a set written together."""
    declined: bool
    other_words: bool | None
    """Whether it avoids the meeting's words; None where nobody said so."""
    utterances: Sequence[Utterance]
    rows: NDArray[np.float32]
    """Signals of the lines that are worth a look."""
    places: NDArray[np.int64]
    gold: NDArray[np.bool_]
    """Which of them answer."""


def questions(folders: Sequence[Path] = (), *, with_meaning: bool = True) -> Iterator[Asked]:
    """Every labelled question of the trials, the labelled meetings and `folders`."""
    for folder in (DATA / "trials", DATA / "labels" / "meetings", *folders):
        for path in sorted(folder.rglob("*.json")):
            found = json.loads(path.read_text("utf-8"))
            if isinstance(found, dict) and found.get("asks") and found.get("lines"):
                within = path.relative_to(folder).parts
                yield from _asked(found, within[0], with_meaning=with_meaning)


def utterances(lines: Sequence[dict[str, str]]) -> list[Utterance]:
    """The lines as they would have been said, one after the other."""
    said: list[Utterance] = []
    at_ms = 0
    for number, line in enumerate(lines, 1):
        end_ms = at_ms + 400 + 90 * len(line["text"])
        said.append(
            Utterance(
                id=number,
                speaker_id=line["speaker"],
                speaker_name=line["speaker"],
                text=line["text"],
                start_ms=at_ms,
                end_ms=end_ms,
                absolute_timestamp=_BEGAN + timedelta(milliseconds=at_ms),
            )
        )
        at_ms = end_ms + 300
    return said


def _asked(meeting: dict, group: str, *, with_meaning: bool) -> Iterator[Asked]:
    said = utterances(meeting["lines"])
    index = LexicalIndex(said)
    names = tuple(dict.fromkeys(each.speaker_name for each in said))
    asks = [
        ask
        for ask in meeting["asks"]
        if ask.get("intent", "fact") in _LOOKED_UP and (ask["evidence"] or ask["declined"])
    ]
    lines = embedded([each.text for each in said]) if with_meaning else None
    vectors = embedded([ask["question"] for ask in asks], query=True) if with_meaning and asks else None
    for number, ask in enumerate(asks):
        meaning = (
            QuestionVectors(vectors[number], lines) if vectors is not None and lines is not None else None
        )
        rows, places = candidates(ask["question"], said, index, names=names, meaning=meaning)
        yield Asked(
            question=ask["question"],
            group=group,
            declined=ask["declined"],
            other_words={"other": True, "same": False}.get(ask.get("words", "")),
            utterances=said,
            rows=rows,
            places=places,
            gold=np.isin(places + 1, ask["evidence"]),
        )
