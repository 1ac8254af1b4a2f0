"""Labelled meetings: who said what, what was asked about it, and which lines answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from context.models import Statement, Utterance
from context.plain.answer_inputs import QuestionVectors
from context.plain.ranking import candidates
from context.plain.record import Record, record_of
from context.retrieval.index_terms import exact_terms
from context.retrieval.question_subject import topic_words
from context.statements.ledger import Ledger
from tests.training.vectors import embedded

DATA = Path(__file__).parents[1] / "data"
_BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_LOOKED_UP = ("fact", "said_by", "changed")
"""What is asked of the meeting as a whole is answered by a list, and says nothing about lines."""


_MISSED = {None: 0.25, "action": 0.25, "open": 0.5}
"""By the kind of a statement: so many are left out. The heads that find them were trained on these very
meetings, and miss about so many in others."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One question to one meeting."""

    question: str
    group: str
    """Questions of one group stand on one side of a fold: those of a meeting, or of a set written together."""
    language: str
    declined: bool
    elsewhere: bool
    """Whether it was meant for another meeting; then it is declined, too."""
    other_words: bool | None
    """Whether it avoids the meeting's words; None where nobody said so."""
    labelled: bool
    """Whether it is of the labelled meetings, which nothing was tuned to, and of no trial."""
    record: Record
    rows: NDArray[np.float32]
    """Signals of the lines that are worth a look."""
    places: NDArray[np.int64]
    gold: NDArray[np.bool_]
    """Which of them answer."""


@dataclass(frozen=True, slots=True, eq=False)
class _Meeting:
    """A labelled meeting, read once for all that is asked of it."""

    group: str
    language: str
    labelled: bool
    asks: Sequence[dict[str, Any]]
    record: Record
    terms: frozenset[str]
    lines: NDArray[np.float32] | None
    """Vectors of what was said."""


def questions(folders: Sequence[Path] = (), *, with_meaning: bool = True) -> Iterator[Asked]:
    """Every labelled question of the trials, the labelled meetings and `folders`, and each put elsewhere.

    That is to the meeting of its language and of another group that has most of its words.
    """
    meetings = list(_meetings((DATA / "trials", DATA / "labels" / "meetings", *folders), with_meaning))
    if with_meaning:  # all at once, since what is new is written each time
        embedded([ask["question"] for meeting in meetings for ask in meeting.asks], query=True)
    for meeting in meetings:
        for ask in meeting.asks:
            yield _asked(ask, meeting, meeting, with_meaning=with_meaning)
            others = [m for m in meetings if m.language == meeting.language and m.group != meeting.group]
            if others and not ask["declined"]:
                wanted = set(exact_terms(" ".join(topic_words(ask["question"]))))
                near = max(others, key=lambda other: len(wanted & other.terms))
                yield _asked(ask, meeting, near, with_meaning=with_meaning)


def _meetings(folders: Sequence[Path], with_meaning: bool) -> Iterator[_Meeting]:
    for folder in folders:
        for path in sorted(folder.rglob("*.json")):
            found = json.loads(path.read_text("utf-8"))
            if not (isinstance(found, dict) and found.get("asks") and found.get("lines")):
                continue
            said = utterances(found["lines"])
            text = [each.text for each in said]
            record = record_of("", utterances=said, names=dict.fromkeys(each.speaker_name for each in said))
            yield _Meeting(
                group=path.relative_to(folder).parts[0],
                language=found["language"],
                labelled=folder != DATA / "trials",
                asks=[
                    ask
                    for ask in found["asks"]
                    if ask.get("intent", "fact") in _LOOKED_UP and (ask["evidence"] or ask["declined"])
                ],
                record=replace(record, _statements=_found_elsewhere(record.statements())),
                terms=frozenset(exact_terms(" ".join(text))),
                lines=embedded(text) if with_meaning else None,
            )


def _found_elsewhere(ledger: Ledger) -> Ledger:
    """About as much of a ledger as is found in meetings that no head was trained on."""
    dice = Random(len(ledger.decisions))

    def some(statements: Sequence[Statement]) -> list[Statement]:
        return [each for each in statements if dice.random() >= _MISSED[each.kind]]

    return Ledger(some(ledger.decisions), some(ledger.pending))


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


def _asked(ask: dict[str, Any], home: _Meeting, meeting: _Meeting, *, with_meaning: bool) -> Asked:
    question, record = ask["question"], meeting.record
    meaning = None
    if with_meaning and meeting.lines is not None:
        meaning = QuestionVectors(embedded([question], query=True)[0], meeting.lines)
    rows, places = candidates(question, record.utterances, record.index, names=record.names, meaning=meaning)
    elsewhere = meeting is not home
    return Asked(
        question=question,
        group=home.group,
        language=home.language,
        declined=ask["declined"] or elsewhere,
        elsewhere=elsewhere,
        other_words={"other": True, "same": False}.get(ask.get("words", "")),
        labelled=home.labelled,
        record=record,
        rows=rows,
        places=places,
        gold=np.isin(places + 1, [] if elsewhere else ask["evidence"]),
    )
