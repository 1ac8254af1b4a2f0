"""Decisions and actions against hand labels, beside a plain list of key words.

The labelled excerpts lie in `tests/data/decisions`; any folder of the same shape will do. A statement is
right where a label of its kind rests on one of the same lines; a label is found where a statement
is left for it, each counting for one. What even the labeller was unsure of counts neither way.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from context.events import effects, events
from context.events.topic_events import SummaryReady
from context.fold.meeting import Meeting
from context.language.spoken_sentences import split_utterance
from context.models import Statement, Utterance
from context.plain.facade import summarise
from context.statements.checks import Fault, checked, sources_of
from tests.bench.figures import Figure
from worker.errors import InputError

LABELS: Final = Path(__file__).parents[2] / "tests" / "data" / "decisions"
PRECISION: Final = 0.75
RECALL: Final = 0.60
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)

Kind = Literal["decision", "action", "open"]


@dataclass(frozen=True, slots=True)
class Label:
    """What a person found decided, taken on or left open."""

    kind: Kind
    lines: frozenset[int]
    sure: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a meeting and its labels."""

    id: str
    split: str
    language: str
    lines: tuple[tuple[str, str], ...]
    """Speaker and text."""
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """One statement of an engine, by the lines that it rests on."""

    kind: Kind
    text: str
    lines: frozenset[int]


@dataclass(slots=True)
class Score:
    """Counts over excerpts."""

    right: int = 0
    wrong: int = 0
    hit: int = 0
    missed: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.right + other.right,
            self.wrong + other.wrong,
            self.hit + other.hit,
            self.missed + other.missed,
        )

    @property
    def precision(self) -> float:
        """Share of the statements that a label bears out."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the labels that were found."""
        return self.hit / max(1, self.hit + self.missed)


def read(folder: Path | None = None) -> list[Excerpt]:
    """The labelled excerpts of a folder, of its folder `decisions`, or our own where it has none.

    `python -m tests.bench` gives all its quality benches one folder, and not each has its data there.
    """
    where = folder or LABELS
    where = where / "decisions" if (where / "decisions").is_dir() else where
    paths = sorted(where.glob("*.json"))
    if not paths:
        print(f"{where}: no labelled excerpts (*.json) there: our own are read", file=sys.stderr)
        paths = sorted(LABELS.glob("*.json"))
    return [_excerpt(path) for path in paths]


def _excerpt(path: Path) -> Excerpt:
    try:
        found = json.loads(path.read_text("utf-8"))
        return Excerpt(
            id=found["id"],
            split=found["split"],
            language=found["language"],
            lines=tuple((line["speaker"], line["text"]) for line in found["lines"]),
            labels=tuple(
                Label(label["kind"], frozenset(label["lines"]), label.get("sure", True))
                for label in found["labels"]
            ),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a labelled excerpt ({type(error).__name__}: {error})") from error


def folded(excerpt: Excerpt) -> Meeting:
    """The excerpt as a meeting of its own, summarised by the extractive engine as it goes."""
    meeting = Meeting(excerpt.id)

    def take(event: events.Event) -> None:
        for effect in meeting.receive(event):
            if isinstance(effect, effects.Summarise):
                take(
                    SummaryReady(
                        topic_id=effect.topic.id,
                        version=effect.version,
                        reason=effect.reason,
                        covered_until=effect.utterances[-1].id,
                        content=summarise(
                            effect.topic.notes,
                            effect.utterances,
                            before=effect.before,
                            standing=effect.standing,
                        ),
                        engine="extractive",
                    )
                )

    take(events.MeetingStarted(at=_START))
    at_ms = 0
    for number, (speaker, text) in enumerate(excerpt.lines):
        end_ms = at_ms + 400 * max(1, len(text.split()))
        take(
            events.UtteranceSpoken(
                key=str(number),
                speaker_id=speaker,
                speaker_name=speaker,
                text=text,
                start_ms=at_ms,
                end_ms=end_ms,
            )
        )
        at_ms = end_ms
    take(events.MeetingEnded(at_ms=at_ms, reason="done"))
    return meeting


def by_engine(meeting: Meeting) -> list[Found]:
    """What the summaries of a meeting hold."""
    found: list[Found] = []
    for segment in meeting.segments:
        found += [_found("decision", statement) for statement in segment.notes.decisions]
        found += [_found(statement.kind or "action", statement) for statement in segment.notes.pending]
    return found


def _found(kind: Kind, statement: Statement) -> Found:
    return Found(kind, statement.text, frozenset(number - 1 for number in statement.evidence))


_DECIDES: Final = re.compile(
    r"\b(?:decid\w+|decision|agree\w*|let's|let us|settle\w*|go with|approved?)\b"
    r"|결정|확정|합의|의결|가결|하기로|기로 했",
    re.IGNORECASE,
)
_ACTS: Final = re.compile(
    r"\b(?:i will|i'll|will|please|action|need to|have to|todo"
    r"|by (?:mon|tues|wednes|thurs|fri)day|tomorrow|next week)\b"
    r"|하겠습니다|해 주세요|부탁|까지|해야|할게요",
    re.IGNORECASE,
)


def by_keywords(excerpt: Excerpt) -> list[Found]:
    """Each sentence with one of the words that everybody would look for."""
    found: list[Found] = []
    for number, (speaker, text) in enumerate(excerpt.lines):
        utterance = Utterance(
            id=number + 1,
            speaker_id=speaker,
            speaker_name=speaker,
            text=text,
            start_ms=0,
            end_ms=0,
            absolute_timestamp=_START,
        )
        for said in split_utterance(utterance):
            lines = frozenset({number})
            if _DECIDES.search(said.text):
                found.append(Found("decision", said.text, lines))
            elif _ACTS.search(said.text):
                found.append(Found("action", said.text, lines))
    return found


def score(excerpt: Excerpt, found: Iterable[Found], kinds: Sequence[Kind] = ("decision", "action")) -> Score:
    """Hold statements against labels of the same kind."""
    counted = Score()
    for kind in kinds:
        labels = [label for label in excerpt.labels if label.kind == kind]
        sure = [label for label in labels if label.sure]
        left = dict(enumerate(sure))
        for statement in (each for each in found if each.kind == kind):
            touched = [label for label in labels if label.lines & statement.lines]
            if any(label.sure for label in touched):
                counted.right += 1
            elif not touched:
                counted.wrong += 1
            taken = next((i for i, label in left.items() if label.lines & statement.lines), None)
            if taken is not None:
                del left[taken]
        counted.hit += len(sure) - len(left)
        counted.missed += len(left)
    return counted


def kept_faults(meeting: Meeting) -> list[tuple[str, Fault]]:
    """What of a meeting's summaries the evidence checker would not let stand."""
    names = tuple(person.name for person in meeting.attendance.people.values())
    found: list[tuple[str, Fault]] = []
    for segment in meeting.segments:
        span = meeting.utterances[segment.start_utterance_id - 1 : segment.end_utterance_id]
        found += checked(segment.notes, sources_of(span), names).dropped
    return found


def decisions(data: Path | None = None) -> list[Figure]:
    """Precision and recall of decisions and actions, by half and language, and what the checker says."""
    totals: dict[str, tuple[Score, Score]] = {}
    kept = faults = 0
    trained_on = data is None or not (data / "decisions").is_dir()
    for excerpt in read(data):
        meeting = folded(excerpt)
        found = by_engine(meeting)
        kept += len(found)
        faults += len(kept_faults(meeting))
        engine, plain = score(excerpt, found), score(excerpt, by_keywords(excerpt))
        for part in (excerpt.split, f"{excerpt.split}, {excerpt.language}"):
            before = totals.get(part, (Score(), Score()))
            totals[part] = (before[0] + engine, before[1] + plain)
    figures: list[Figure] = []
    for part, (engine, plain) in sorted(totals.items()):
        figures += _figures(f"{part}; trained on" if trained_on else part, engine, plain)
    share = 1 - faults / max(1, kept)
    return [*figures, Figure("kept ones that the evidence checker passes", share, "", 1.0, at_least=True)]


def _figures(part: str, engine: Score, plain: Score) -> list[Figure]:
    words = "a list of key words"
    return [
        Figure(
            f"decisions and actions, precision ({part})",
            engine.precision,
            "",
            PRECISION,
            words,
            plain.precision,
            f"{engine.right} of {engine.right + engine.wrong}",
            at_least=True,
        ),
        Figure(
            f"decisions and actions, recall ({part})",
            engine.recall,
            "",
            RECALL,
            words,
            plain.recall,
            f"{engine.hit} of {engine.hit + engine.missed}",
            at_least=True,
        ),
    ]
