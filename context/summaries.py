"""When a topic is summarised, over which span, and what happens when a job fails or comes late.

A topic has at most one job at a time. A trigger that comes meanwhile waits and fires when the job
ends, if something is still uncovered then. A job covers the topic's first uncovered utterances, at
most one topic buffer of them; a longer rest follows in further jobs. A failed job is not repeated at
once: the open topic is tried again after the next check interval, a closed one then too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from context.carrying import is_quoted
from context.config import ContextConfig
from context.effects import Summarise
from context.events import SummaryStarted, UpdateReason
from context.models import Statement, TopicSegment, Utterance
from context.ports import Tokenizer
from context.topics.topics import uncovered_from
from context.values import made

HEARD_BEFORE: Final = 12
"""Utterances of a topic that a summary hears once more, because the next ones may answer them."""

UNREAD: Final = 400
"""Utterances of a topic that a job brings to a model that has not read them; what was before stays quoted."""


@dataclass(frozen=True, slots=True)
class Job:
    """A summary that is being written: its version, and what it covers."""

    version: int
    reason: UpdateReason
    until: int


def started(
    effect: Summarise, tokenizer: Tokenizer, *, at_ms: int, version: int | None = None
) -> SummaryStarted:
    """What goes on the record before the work: this version of this topic is under way."""
    return SummaryStarted(
        topic_id=effect.topic.id,
        version=version or effect.version,
        reason=effect.reason,
        covered_until=effect.utterances[-1].id,
        turns=len(effect.utterances),
        tokens=sum(tokenizer.count(said.text) for said in effect.utterances),
        at_ms=at_ms,
    )


class Summaries:
    """The jobs in progress, the triggers that wait, and the topics that are not finished."""

    def __init__(
        self, config: ContextConfig, standing: Callable[[str], tuple[Statement, ...]] = lambda _topic_id: ()
    ) -> None:
        """`standing`: the decisions that stand in other topics than the given one."""
        self.jobs: dict[str, Job] = {}
        self.waiting: dict[str, UpdateReason] = {}
        self.unfinished: dict[str, UpdateReason] = {}
        """Closed topics whose last words no summary covers yet."""
        self._retry_from: dict[str, int] = {}
        self._config = config
        self._standing = standing

    def due(
        self, topic: TopicSegment, archive: Sequence[Utterance], *, buffer_full: bool
    ) -> UpdateReason | None:
        """Whether the open topic's newest utterance makes a summary due, and why."""
        first = uncovered_from(topic)
        pending = topic.end_utterance_id - first + 1
        if pending <= 0 or topic.end_utterance_id < self._retry_from.get(topic.id, 0):
            return None
        if pending >= self._config.l1_update_turn_threshold or buffer_full:
            return "turn_limit"
        if pending >= self._config.l1_min_new_utterances_for_time_trigger:
            waited_ms = archive[topic.end_utterance_id - 1].start_ms - archive[first - 1].start_ms
            if waited_ms > self._config.l1_update_interval_minutes * 60_000:
                return "time_limit"
        return None

    def trigger(
        self, topic: TopicSegment, reason: UpdateReason, archive: Sequence[Utterance], *, anew: bool = False
    ) -> list[Summarise]:
        """Start a job for what is uncovered, or let the trigger wait for the one in progress.

        `anew`: for what is only quoted, too, because the model had no time for it.
        """
        if topic.closed:
            self.unfinished[topic.id] = reason
        else:  # it was put there to be made again; it is, now
            self.unfinished.pop(topic.id, None)
        unread = anew and topic.written_until < topic.end_utterance_id and is_quoted(topic.notes)
        if uncovered_from(topic) > topic.end_utterance_id and not unread:
            self.unfinished.pop(topic.id, None)
            return []
        if topic.id in self.jobs:
            if reason in {"topic_change", "closing"} or topic.id not in self.waiting:
                self.waiting[topic.id] = reason
            return []
        effect = self._effect(topic, reason, archive)
        self.jobs[topic.id] = Job(effect.version, reason, effect.utterances[-1].id)
        return [effect]

    def expect(self, topic: TopicSegment, event: SummaryStarted) -> None:
        """A model is still at a topic that the closing summary had to quote: its draft is awaited.

        So the job outlives its process: whoever restores the meeting finds it in progress, and asks again.
        """
        follows = event.version == topic.version + 1 and event.covered_until <= topic.end_utterance_id
        if follows and topic.id not in self.jobs and is_quoted(topic.notes):
            self.jobs[topic.id] = Job(event.version, event.reason, event.covered_until)

    def ended(
        self, topic: TopicSegment, version: int, archive: Sequence[Utterance], *, failed: bool
    ) -> list[Summarise]:
        """A job has come back: free the topic, and start what waited for it."""
        job = self.jobs.get(topic.id)
        if job is None or job.version != version:
            return []
        del self.jobs[topic.id]
        waiting = self.waiting.pop(topic.id, None)
        if failed:
            self._retry_from[topic.id] = len(archive) + self._config.l1_topic_check_interval_turns
            if waiting not in {"topic_change", "closing"}:
                return []  # an endpoint that is down is not asked again at once
        else:
            self._retry_from.pop(topic.id, None)
        if topic.closed:
            reason = waiting or self.unfinished.get(topic.id, job.reason)
            return self.trigger(topic, reason, archive)
        if waiting in {"topic_change", "closing"} or self.due(topic, archive, buffer_full=False):
            return self.trigger(topic, waiting or job.reason, archive)
        return []

    def retry(
        self, topics: Sequence[TopicSegment | None], archive: Sequence[Utterance], *, now: bool = False
    ) -> list[Summarise]:
        """Try closed topics again whose job failed; `now` = without waiting for the interval."""
        effects: list[Summarise] = []
        for topic in topics:
            if topic is None or topic.id in self.jobs:
                continue
            if now or len(archive) >= self._retry_from.get(topic.id, 0):
                effects += self.trigger(topic, self.unfinished[topic.id], archive)
        return effects

    def cut(self, topic: TopicSegment) -> None:
        """A topic was split behind a job's back: its result would cover too much, so it counts no more."""
        job = self.jobs.get(topic.id)
        if job is not None and job.until > topic.end_utterance_id:
            del self.jobs[topic.id]
            self.waiting.pop(topic.id, None)

    def drop(self, topic: TopicSegment) -> None:
        """What a job was made of has changed: it counts no more."""
        self.jobs.pop(topic.id, None)
        self.waiting.pop(topic.id, None)

    def in_progress(self, topics: Sequence[TopicSegment], archive: Sequence[Utterance]) -> list[Summarise]:
        """The jobs that have been asked for and not come back, to be asked for again after a restore."""
        return [
            self._effect(topic, self.jobs[topic.id].reason, archive, until=self.jobs[topic.id].until)
            for topic in topics
            if topic.id in self.jobs
        ]

    def _effect(
        self,
        topic: TopicSegment,
        reason: UpdateReason,
        archive: Sequence[Utterance],
        until: int | None = None,
    ) -> Summarise:
        first, most = uncovered_from(topic), self._config.l0_topic_buffer_max_turns
        if first > topic.end_utterance_id:  # all is covered, by quotes: the newest of them are read now
            first = max(topic.start_utterance_id, topic.written_until + 1, topic.end_utterance_id - most + 1)
        last = until or min(topic.end_utterance_id, first - 1 + most)
        read = max(topic.start_utterance_id - 1, topic.written_until)
        fields = {
            "topic": topic,
            "version": topic.version + 1,
            "reason": reason,
            "utterances": tuple(archive[first - 1 : last]),
            "before": tuple(archive[max(topic.start_utterance_id, first - HEARD_BEFORE) - 1 : first - 1]),
            "unread": tuple(archive[max(read, first - 1 - UNREAD) : first - 1]),
            "standing": self._standing(topic.id),
            "heard": tuple(archive),
        }
        return made(Summarise, fields)  # of values that are valid already, up to 300 of them

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "jobs": {topic_id: asdict(job) for topic_id, job in self.jobs.items()},
            "waiting": dict(self.waiting),
            "unfinished": dict(self.unfinished),
            "retry_from": dict(self._retry_from),
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.jobs = {topic_id: Job(**job) for topic_id, job in dumped["jobs"].items()}
        self.waiting = dict(dumped["waiting"])
        self.unfinished = dict(dumped["unfinished"])
        self._retry_from = dict(dumped["retry_from"])
