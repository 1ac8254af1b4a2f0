"""The part of the fold for summaries of topics: when one is due, over which span, and what its result does.

An utterance is *covered* when a completed summary of its topic has folded it in. A topic has at most one
job at a time. A trigger that comes meanwhile waits until the job ends, and starts another if something is
uncovered then. A job covers the topic's first uncovered utterances, at most one topic buffer of them; a
longer rest follows in further jobs. A failed job is not repeated at once, but after the next check interval
(`l1_topic_check_interval_turns`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from context.events.effects import Effect, Summarise
from context.events.topic_events import SummaryFailed, SummaryReady, SummaryStarted, UpdateReason
from context.models import TopicSegment, Utterance
from context.ports import Tokenizer
from context.primitives.beginning import Beginning
from context.primitives.values import made
from context.statements.summary_merge import is_quoted
from context.topics.topics import uncovered_from

if TYPE_CHECKING:
    from context.fold.meeting_state import MeetingState

COVERED_UTTERANCES_SHOWN: Final = 12
"""Covered utterances that a job shows once more, because the new ones may answer them."""

MAX_UNREAD_UTTERANCES: Final = 400
"""Most covered utterances in a job that no model has read yet; what was before them stays quoted."""


@dataclass(frozen=True, slots=True)
class Job:
    """A summary that is being written."""

    version: int
    reason: UpdateReason
    until: int
    """Id of the last utterance that it covers."""


def started(
    effect: Summarise, tokenizer: Tokenizer, *, at_ms: int, version: int | None = None
) -> SummaryStarted:
    """The event that a summary is under way, to be recorded before the work; `version`: of a later draft."""
    return SummaryStarted(
        topic_id=effect.topic.id,
        version=version or effect.version,
        reason=effect.reason,
        covered_until=effect.utterances[-1].id,
        turns=len(effect.utterances),
        tokens=sum(tokenizer.count(utterance.text) for utterance in effect.utterances),
        at_ms=at_ms,
    )


class Summaries:
    """The summary jobs of a meeting, by topic id; its methods change the meeting that it is given."""

    def __init__(self, meeting: MeetingState) -> None:
        self.jobs: dict[str, Job] = {}
        """Jobs in progress."""
        self.waiting: dict[str, UpdateReason] = {}
        """Triggers that wait for the end of the topic's job."""
        self.unfinished: dict[str, UpdateReason] = {}
        """Closed topics whose last utterances no summary covers yet."""
        self._late: set[str] = set()
        """Topics to which late utterances have come since their job in progress began."""
        self._retry_from: dict[str, int] = {}
        """Topics whose last job failed → how many utterances the meeting must have for the next one."""
        self._meeting = meeting

    def due(self) -> list[Effect]:
        """Start the jobs that the newest utterance makes due: the open topic's, and those to be retried."""
        topic = self._meeting.topics.segments[-1]
        self._meeting.buffer.trim(keep_from=uncovered_from(topic))
        effects: list[Effect] = []
        if topic.id not in self.jobs:
            reason = self._reason(topic, buffer_full=self._meeting.buffer.over)
            if reason is not None:
                effects += self.trigger(topic, reason)
        if self.unfinished.keys() - self.jobs.keys():
            effects += self.retry()
        return effects

    def _reason(self, topic: TopicSegment, *, buffer_full: bool) -> UpdateReason | None:
        """Why a summary of the open topic is due now; None where it is not."""
        config, archive = self._meeting.config, self._meeting.utterances
        first, last = uncovered_from(topic), topic.end_utterance_id
        pending = last - first + 1
        if pending <= 0 or last < self._retry_from.get(topic.id, 0):
            return None
        if pending >= config.l1_update_turn_threshold or buffer_full:
            return "turn_limit"
        if pending >= config.l1_min_new_utterances_for_time_trigger:
            waited_ms = archive[last - 1].start_ms - archive[first - 1].start_ms
            if waited_ms > config.l1_update_interval_minutes * 60_000:
                return "time_limit"
        return None

    def trigger(self, topic: TopicSegment, reason: UpdateReason, *, anew: bool = False) -> list[Effect]:
        """Start a job for the uncovered utterances, if any, or let the trigger wait for the one in progress.

        `anew`: also where all is covered and a part is only quoted, because the model had no time for it.
        """
        if topic.closed:
            self.unfinished[topic.id] = reason
        else:  # an erasure put it there to be made again, which is done here
            self.unfinished.pop(topic.id, None)
        unread = anew and topic.written_until < topic.end_utterance_id and is_quoted(topic.notes)
        if uncovered_from(topic) > topic.end_utterance_id and not unread:
            self.unfinished.pop(topic.id, None)
            return []
        if topic.id in self.jobs:
            if reason in {"topic_change", "closing"} or topic.id not in self.waiting:
                self.waiting[topic.id] = reason
            return []
        effect = self._effect(topic, reason)
        self.jobs[topic.id] = Job(effect.version, reason, effect.utterances[-1].id)
        return [effect]

    def retry(self, *, now: bool = False) -> list[Effect]:
        """Start jobs for the unfinished topics; `now`: also for those whose last job has just failed."""
        heard = len(self._meeting.utterances)
        effects: list[Effect] = []
        for topic_id, reason in [*self.unfinished.items()]:
            waits = not now and heard < self._retry_from.get(topic_id, 0)
            if topic_id in self.jobs or waits:  # first, as `get` searches, and this runs at every utterance
                continue
            if (topic := self._meeting.topics.get(topic_id)) is not None:
                effects += self.trigger(topic, reason)
        return effects

    def close(self, *, anew: bool = True) -> list[Effect]:
        """Start jobs for all that is uncovered and, with `anew`, for what is only quoted."""
        effects = self.retry(now=True)
        for topic in self._meeting.segments:
            if topic.id not in self.unfinished:
                effects += self.trigger(topic, "closing", anew=anew)
        return effects

    def expect(self, event: SummaryStarted) -> None:
        """Note a job that a model goes on with after the closing summary had to quote its topic.

        The fold did not ask for this job, so it learns of it from the event. The job outlives its process:
        whoever restores the meeting finds it in progress, and asks for it again.
        """
        topic = self._meeting.topics.get(event.topic_id)
        if not self._meeting.closing or topic is None or topic.id in self.jobs:
            return
        follows = event.version == topic.version + 1 and event.covered_until <= topic.end_utterance_id
        if follows and is_quoted(topic.notes):
            self.jobs[topic.id] = Job(event.version, event.reason, event.covered_until)

    def ready(self, event: SummaryReady) -> list[Effect]:
        """Give a topic the summary that its job has come back with, and show it; [] where it is stale."""
        meeting = self._meeting
        before = meeting.topics.get(event.topic_id)
        merged = meeting.topics.merge(event, meeting.attendance.name_of)
        if merged is None or before is None:
            return []
        merged = meeting.topics.mark_changed_since(merged)
        merged = meeting.topics.edit(merged, meeting.corrections.applied(merged.id, merged.notes))
        meeting.last_summarised = max(meeting.last_summarised or 0, merged.covered_until)
        renamed = meeting.topics.rename(merged.id, event.topic_name or "", firm=False)
        if renamed is not None:
            merged = meeting.topics.link(renamed)
            meeting.changes.stamp(merged, since=merged.start_utterance_id)
        effects = meeting.changes.published(merged, *meeting.topics.supersede(merged, before.notes))
        effects += self._ended(merged, event.version, failed=False)
        if merged is meeting.segments[-1]:
            meeting.buffer.trim(keep_from=uncovered_from(merged))
        return effects

    def failed(self, event: SummaryFailed) -> list[Effect]:
        """Note that a topic's job has come back with nothing."""
        topic = self._meeting.topics.get(event.topic_id)
        return [] if topic is None else self._ended(topic, event.version, failed=True)

    def _ended(self, topic: TopicSegment, version: int, *, failed: bool) -> list[Effect]:
        """End a topic's job, and start what waited for its end; [] where `version` is not the job's."""
        job = self.jobs.get(topic.id)
        if job is None or job.version != version:
            return []
        del self.jobs[topic.id]
        waiting = self.waiting.pop(topic.id, None)
        urgent = waiting in {"topic_change", "closing"}
        if failed:
            interval = self._meeting.config.l1_topic_check_interval_turns
            self._retry_from[topic.id] = len(self._meeting.utterances) + interval
            if not urgent:
                return []  # an endpoint that is down is not asked again at once
        else:
            self._retry_from.pop(topic.id, None)
        if topic.id in self._late:
            self._late.discard(topic.id)
            return self.heard_late(topic)
        if topic.closed:
            return self.trigger(topic, waiting or self.unfinished.get(topic.id, job.reason))
        if urgent or self._reason(topic, buffer_full=False):
            return self.trigger(topic, waiting or job.reason)
        return []

    def make_again(self, topic: TopicSegment, *, at: int) -> list[Effect]:
        """Take back a topic's summary from utterance `at` on, drop its job, and start a new one.

        A job is started only where a summary covered `at`, or one was in progress.
        """
        meeting = self._meeting
        under_way = topic.id in self.jobs
        if topic.late and at <= topic.end_utterance_id:  # what rests on late ones goes: they are read again
            at = min(at, self.first_of(topic, topic.late) or at)
        reopened = meeting.topics.reopen(topic, at)
        reopened = meeting.topics.edit(reopened, meeting.corrections.applied(topic.id, reopened.notes))
        self._drop(topic)
        if reopened is meeting.segments[-1]:
            meeting.buffer.refresh(meeting.utterances, uncovered_from(reopened))
        effects = meeting.changes.published(reopened)
        if under_way or topic.covered_until >= at:
            effects += self.trigger(reopened, "correction")
        return effects

    def heard_late(self, topic: TopicSegment) -> list[Effect]:
        """Make the summary of a topic again to which a late utterance has come; after its job, if any."""
        if not topic.late:
            return []
        if topic.id in self.jobs:
            self._late.add(topic.id)
            return []
        return self.make_again(topic, at=self.first_of(topic, topic.late) or topic.start_utterance_id)

    def first_of(self, topic: TopicSegment, numbers: Collection[int]) -> int | None:
        """The utterance of a topic's range from which on these have been heard; None: none is its own.

        A late one was heard with the first that was spoken after it, or with the last.
        """
        meeting, first, last = self._meeting, topic.start_utterance_id, topic.end_utterance_id
        first_ids = [n for n in numbers if first <= n <= last and n not in meeting.topics.apart]
        within = [
            utterance
            for utterance in meeting.utterances[first - 1 : last]
            if utterance.id not in meeting.topics.apart
        ]
        for number in set(numbers) & set(topic.late):
            start_ms = meeting.utterances[number - 1].start_ms
            first_ids.append(
                next((utterance.id for utterance in within if utterance.start_ms > start_ms), within[-1].id)
            )
        return min(first_ids, default=None)

    def cut(self, topic: TopicSegment) -> None:
        """Drop the job of a topic that was split since: it would cover utterances of another topic."""
        job = self.jobs.get(topic.id)
        if job is not None and job.until > topic.end_utterance_id:
            self._drop(topic)

    def _drop(self, topic: TopicSegment) -> None:
        self.jobs.pop(topic.id, None)
        self.waiting.pop(topic.id, None)

    def in_progress(self) -> list[Summarise]:
        """The effects of all jobs in progress, to be carried out again after a restore."""
        return [
            self._effect(topic, job.reason, until=job.until)
            for topic in self._meeting.segments
            if (job := self.jobs.get(topic.id)) is not None
        ]

    def _effect(self, topic: TopicSegment, reason: UpdateReason, until: int | None = None) -> Summarise:
        archive, most = self._meeting.utterances, self._meeting.config.l0_topic_buffer_max_turns
        first = uncovered_from(topic)
        if first > topic.end_utterance_id:  # all is covered, by quotes: the newest of them are read now
            first = max(topic.start_utterance_id, topic.written_until + 1, topic.end_utterance_id - most + 1)
        last = until or min(topic.end_utterance_id, first - 1 + most)
        read = max(topic.start_utterance_id - 1, topic.written_until)
        apart = self._meeting.topics.apart

        def own(first: int, until: int) -> tuple[Utterance, ...]:
            utterances = archive[first - 1 : until]
            return (
                tuple(utterance for utterance in utterances if utterance.id not in apart)
                if apart
                else tuple(utterances)
            )

        fields = {
            "topic": topic,
            "version": topic.version + 1,
            "reason": reason,
            "utterances": self._with_late(topic, own(first, last)),
            "before": own(max(topic.start_utterance_id, first - COVERED_UTTERANCES_SHOWN), first - 1),
            "unread": own(max(read, first - 1 - MAX_UNREAD_UTTERANCES) + 1, first - 1),
            "standing": self._meeting.topics.standing(topic.id),
            "heard": Beginning(archive),
        }
        return made(Summarise, fields)  # of values that are valid already, up to 300 of them

    def _with_late(self, topic: TopicSegment, utterances: tuple[Utterance, ...]) -> tuple[Utterance, ...]:
        """A stretch of a topic with the late utterances of its time among it; the last one stays the last."""
        archive = self._meeting.utterances
        late = [
            archive[n - 1]
            for n in topic.late
            if self.first_of(topic, (n,)) in {utterance.id for utterance in utterances}
        ]
        if not late:
            return utterances
        within = sorted([*utterances[:-1], *late], key=lambda utterance: (utterance.start_ms, utterance.id))
        return (*within, utterances[-1])

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "jobs": {topic_id: asdict(job) for topic_id, job in self.jobs.items()},
            "waiting": dict(self.waiting),
            "unfinished": dict(self.unfinished),
            "retry_from": dict(self._retry_from),
            "late": sorted(self._late),
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.jobs = {topic_id: Job(**job) for topic_id, job in dumped["jobs"].items()}
        self.waiting = dict(dumped["waiting"])
        self.unfinished = dict(dumped["unfinished"])
        self._retry_from = dict(dumped["retry_from"])
        self._late = set(dumped["late"])
