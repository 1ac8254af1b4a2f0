"""What a summary, its failure and its trigger mean for the meeting: part of the fold.

`context.summaries` says when a topic is due and keeps the jobs; here their results go into the topics, and
into the windows that hold what no summary covers yet.
"""

from __future__ import annotations

from context.effects import Effect, Summarise
from context.events import SummaryFailed, SummaryReady, SummaryStarted, UpdateReason
from context.meeting_state import MeetingState
from context.models import TopicSegment
from context.topics.topic_changes import TopicChanges
from context.topics.topics import uncovered_from


class MeetingSummaries:
    """One meeting's; part of its fold."""

    def __init__(self, meeting: MeetingState, changes: TopicChanges) -> None:
        self._meeting = meeting
        self._changes = changes

    def due(self) -> list[Effect]:
        """What the newest utterance makes due in the open topic, and closed topics whose job failed."""
        meeting = self._meeting
        topic = meeting.topics.segments[-1]
        uncovered = uncovered_from(topic)
        meeting.buffer.trim(keep_from=uncovered)
        effects: list[Effect] = []
        if topic.id not in meeting.summaries.jobs:
            reason = meeting.summaries.due(topic, meeting.utterances, buffer_full=meeting.buffer.over)
            if reason is not None:
                effects += meeting.summaries.trigger(topic, reason, meeting.utterances)
        if meeting.summaries.unfinished.keys() - meeting.summaries.jobs.keys():
            effects += self.retry(now=False)
        return effects

    def retry(self, *, now: bool) -> list[Summarise]:
        """Closed topics whose last words no summary covers; `now`: at once, whatever failed before."""
        meeting = self._meeting
        waiting = [meeting.topics.get(topic_id) for topic_id in meeting.summaries.unfinished]
        return meeting.summaries.retry(waiting, meeting.utterances, now=now)

    def started(self, event: SummaryStarted) -> None:
        """The fold knows the jobs that it asked for; a late draft is a job that it did not ask for."""
        meeting = self._meeting
        topic = meeting.topics.get(event.topic_id)
        if meeting.closing and topic is not None:
            meeting.summaries.expect(topic, event)

    def ready(self, event: SummaryReady) -> list[Effect]:
        """A job has come back with a summary: its topic has it, and shows it."""
        meeting = self._meeting
        before = meeting.topics.get(event.topic_id)
        merged = meeting.topics.merge(event, meeting.attendance.name_of)
        if merged is None or before is None:
            return []
        merged = meeting.topics.edit(merged, meeting.corrections.applied(merged.id, merged.notes))
        meeting.last_summarised = max(meeting.last_summarised or 0, merged.covered_until)
        renamed = meeting.topics.rename(merged.id, event.topic_name or "", firm=False)
        if renamed is not None:
            merged = meeting.topics.link(renamed)
            self._changes.stamp(merged, since=merged.start_utterance_id)
        effects = self._changes.published(merged, *meeting.topics.supersede(merged, before.notes))
        effects += meeting.summaries.ended(merged, event.version, meeting.utterances, failed=False)
        if merged is meeting.topics.current:
            meeting.buffer.trim(keep_from=uncovered_from(merged))
        return effects

    def failed(self, event: SummaryFailed) -> list[Effect]:
        """A job has come back with nothing."""
        meeting = self._meeting
        topic = meeting.topics.get(event.topic_id)
        if topic is None:
            return []
        return [*meeting.summaries.ended(topic, event.version, meeting.utterances, failed=True)]

    def close(self, *, anew: bool = True) -> list[Effect]:
        """All that no summary covers, and with `anew` what is quoted because a model had no time for it."""
        meeting = self._meeting
        effects: list[Effect] = [*self.retry(now=True)]
        reason: UpdateReason = "closing"
        for topic in meeting.segments:
            if topic.id not in meeting.summaries.unfinished:
                effects += meeting.summaries.trigger(topic, reason, meeting.utterances, anew=anew)
        return effects

    def make_again(self, topic: TopicSegment, *, at: int) -> list[Effect]:
        """The summary of a topic from utterance `at` on; what is being made of it now counts no more."""
        meeting = self._meeting
        under_way = topic.id in meeting.summaries.jobs
        reopened = meeting.topics.reopen(topic, at)
        reopened = meeting.topics.edit(reopened, meeting.corrections.applied(topic.id, reopened.notes))
        meeting.summaries.drop(reopened)
        if reopened is meeting.topics.current:
            meeting.buffer.begin(uncovered_from(reopened), meeting.utterances)
        effects = self._changes.published(reopened)
        if under_way or topic.covered_until >= at:
            effects += meeting.summaries.trigger(reopened, "correction", meeting.utterances)
        return effects
