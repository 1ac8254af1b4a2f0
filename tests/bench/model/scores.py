"""What of a meeting came out right: its answers, the statements of its minutes, its topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from context.fold.meeting import Meeting
from context.models import Reply, Statement
from tests.bench.model.meetings import GoldMeeting, Question, Task

AGREED_WITHIN: Final = 3
"""A decision may cite its proposal too, so many utterances before."""
BOUNDARY_WITHIN: Final = 3
"""Turns by which a topic may begin too early or too late."""


@dataclass(slots=True)
class Share:
    """Right of all."""

    right: int = 0
    of: int = 0

    def count(self, right: bool) -> None:
        """One more."""
        self.right += right
        self.of += 1

    def add(self, other: Share) -> None:
        """Those of another meeting too."""
        self.right, self.of = self.right + other.right, self.of + other.of

    @property
    def value(self) -> float:
        """0 to 1; of nothing, everything was right."""
        return self.right / self.of if self.of else 1.0

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.right} of {self.of})"


@dataclass(slots=True)
class Scores:
    """Shares of one meeting, or of several."""

    answered: Share = field(default_factory=Share)
    """Questions that the meeting answers: not declined, and the utterance that stands is cited."""
    declined: Share = field(default_factory=Share)
    """Questions that it does not answer."""
    shown: Share = field(default_factory=Share)
    """Questions in whose prompt the utterance stood that answers them."""
    decisions_found: Share = field(default_factory=Share)
    decisions_right: Share = field(default_factory=Share)
    tasks_found: Share = field(default_factory=Share)
    """With their owner."""
    tasks_right: Share = field(default_factory=Share)
    struck_rightly: Share = field(default_factory=Share)
    """Decisions that the minutes strike through and that were changed, among those that they strike through."""
    topics_found: Share = field(default_factory=Share)
    topics_right: Share = field(default_factory=Share)
    notable: list[str] = field(default_factory=list)
    """What was wrong, one line each."""

    def add(self, other: Scores) -> None:
        """Those of another meeting too."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            mine.extend(theirs) if isinstance(mine, list) else mine.add(theirs)

    @property
    def topics_f1(self) -> float:
        """The F1 of where topics begin."""
        precision, recall = self.topics_right.value, self.topics_found.value
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def scored(gold: GoldMeeting, meeting: Meeting) -> Scores:
    """Everything but `shown`, which only the endpoint has seen."""
    scores = Scores()
    for question, reply in zip(gold.questions, meeting.replies[-len(gold.questions) :], strict=True):
        _answer(gold, question, reply, scores)
    _decisions(gold, meeting, scores)
    _tasks(gold, meeting, scores)
    _topics(gold, [segment.start_utterance_id for segment in meeting.segments], scores)
    return scores


def _answer(gold: GoldMeeting, question: Question, reply: Reply, scores: Scores) -> None:
    if question.declined:
        scores.declined.count(reply.declined)
        right = reply.declined
    else:
        right = not reply.declined and question.evidence[-1] in reply.evidence
        scores.answered.count(right)
    if not right:
        wanted = "no answer" if question.declined else question.evidence
        scores.notable.append(
            f"{gold.id}: {question.text} → {list(reply.evidence)}, wanted {wanted}: {reply.text[:120]!r}"
        )


def _decisions(gold: GoldMeeting, meeting: Meeting, scores: Scores) -> None:
    decided = [each for segment in meeting.segments for each in segment.notes.decisions]
    said = {id_ for each in decided for id_ in each.evidence}
    for id_ in gold.decisions:
        scores.decisions_found.count(id_ in said)
        if id_ not in said:
            scores.notable.append(f"{gold.id}: #{id_} is no decision: {gold.said[id_ - 1]['text']}")
    agreed = {near for id_ in gold.decisions for near in range(id_ - AGREED_WITHIN, id_ + 1)}
    for each in decided:
        right = not agreed.isdisjoint(each.evidence)
        scores.decisions_right.count(right)
        if not right:
            scores.notable.append(f"{gold.id}: was taken for a decision: {each.text}")
        if each.superseded_by:
            scores.struck_rightly.count(not set(gold.superseded).isdisjoint(each.evidence))


def _tasks(gold: GoldMeeting, meeting: Meeting, scores: Scores) -> None:
    pending = [each for segment in meeting.segments for each in segment.notes.pending]
    names = {id_: stats.name for id_, stats in meeting.speakers.speaker_stats.items()}
    owned = [each for each in pending if each.kind == "action" or each.owner]
    for task in gold.tasks:
        found = any(_is(task, each, names) for each in owned)
        scores.tasks_found.count(found)
        if not found:
            scores.notable.append(f"{gold.id}: no task of {task.owner}: {gold.said[task.id - 1]['text']}")
    for each in owned:
        scores.tasks_right.count(any(_is(task, each, names) for task in gold.tasks))


def _is(task: Task, each: Statement, names: dict[str, str]) -> bool:
    owner = each.owner or ""
    near = range(task.id - AGREED_WITHIN, task.id + 2)
    return names.get(owner, owner) == task.owner and any(id_ in near for id_ in each.evidence)


def _topics(gold: GoldMeeting, starts: Sequence[int], scores: Scores) -> None:
    """The meeting's beginning is nobody's finding."""
    wanted, found = [s for s in gold.topics if s > 1], [s for s in starts if s > 1]
    right = len(list(_paired(wanted, found)))
    scores.topics_found.add(Share(right, len(wanted)))
    scores.topics_right.add(Share(right, len(found)))


def _paired(wanted: Iterable[int], found: Iterable[int]) -> Iterable[tuple[int, int]]:
    """Each with the nearest that is left."""
    left = set(found)
    for start in wanted:
        near = min(left, key=lambda each: abs(each - start), default=None)
        if near is not None and abs(near - start) <= BOUNDARY_WITHIN:
            left.remove(near)
            yield start, near
