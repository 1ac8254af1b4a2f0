"""A meeting is a fold: events in, effects out.

Theory of operation
-------------------
`Meeting.receive` takes one event, changes the state and says what is wanted from the world. It reads
no clock, throws no dice and waits for nobody, so the same events in the same order give the same
meeting: live, replayed, after a crash, or "as of 14:32". It never raises on well-formed events:
what is unknown, late, doubled or stale changes nothing.

An utterance goes this way: refused if its key is known or it fell into a pause; numbered; the open
topic is extended; an announcement may begin a new one; the L0 window and the topic buffer take it in;
a summary may be due. All of that is constant work; what can wait (speakers, tokens) is counted when
somebody looks. Whether a topic began
without announcement, up to 40 utterances ago, is found beside the fold and comes as an event (then the
archive and the windows are stamped anew from there).

State is of two kinds. The archive of utterances only grows and lives in the record. Everything else
is small and goes into the snapshot (`context.snapshot`). After `MeetingEnded` only summaries that
are still under way are taken in; nothing else follows.

    opened → started → utterances, questions, … ⇄ closing → ended
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from sys import intern
from typing import Any, Final, assert_never

from context import snapshot
from context.config import ContextConfig
from context.corrections import replaced
from context.effects import (
    Answer,
    Effect,
    Forget,
    PublishCorrected,
    PublishGap,
    PublishReply,
    PublishStatus,
    PublishUtterance,
    ScoreTopics,
    Summarise,
)
from context.events import (
    AnswerDropped,
    AnswerGiven,
    ClosingRequested,
    Corrected,
    Event,
    GapNoted,
    InputRead,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    ParticipantLeft,
    PersonFix,
    QuestionAsked,
    RecordingPaused,
    RecordingResumed,
    SpeechWordless,
    StatementFix,
    SummaryFailed,
    SummaryReady,
    SummaryStarted,
    TermFix,
    ThreadSummaryFailed,
    ThreadSummaryReady,
    ThreadSummaryStarted,
    ThreadTuned,
    TopicFix,
    TopicJudged,
    TopicsScored,
    TrackEnded,
    UpdateReason,
    UtteranceFix,
    UtteranceSpoken,
)
from context.meeting_state import MeetingState
from context.models import Reply, TopicSegment, Utterance
from context.ports import Tokenizer
from context.topics.topic_changes import TopicChanges
from context.topics.topics import uncovered_from
from context.values import made

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The zero of a meeting whose `MeetingStarted` is missing: total, and plainly wrong."""


class Meeting(MeetingState):
    """One meeting, changed by `receive` alone."""

    def __init__(
        self,
        meeting_id: str,
        config: ContextConfig | None = None,
        *,
        tokenizer: Tokenizer | None = None,
        judge: bool = False,
    ) -> None:
        """`judge`: whether somebody carries out `JudgeTopic`; without, cheap evidence decides alone."""
        super().__init__(meeting_id, config, tokenizer=tokenizer, judge=judge)
        self.changes = TopicChanges(self)

    def outstanding(self) -> list[Effect]:
        """What was asked for and has not come back: to be asked for again after a restore."""
        return [
            *self.summaries.in_progress(self.segments, self.utterances),
            *self.changes.outstanding(),
            *self.thread.in_progress(),
            *(Answer(invocation=i) for i in self.invocations.wanted() if self.ended is None),
            *(Forget(invocation_id=i) for i in sorted(self.invocations.superseded) if self.ended is None),
        ]

    # The fold

    def receive(self, event: Event) -> list[Effect]:
        """Fold one event. The same events in the same order give the same effects."""
        if self.ended is not None and not isinstance(event, SummaryReady | SummaryFailed | Corrected):
            return []
        match event:
            case (
                MeetingOpened()
                | MeetingStarted()
                | ParticipantJoined()
                | ParticipantLeft()
                | RecordingPaused()
                | RecordingResumed()
                | ClosingRequested()
                | MeetingEnded()
            ):
                return self._course(event)
            case Corrected():
                self.coverage.read(event.position)
                return self._correct(event)
            case UtteranceSpoken() | InputRead() | GapNoted() | SpeechWordless() | TrackEnded():
                return self._speech(event)
            case TopicJudged() | TopicsScored() | SummaryStarted() | SummaryReady() | SummaryFailed():
                return self._topics(event)
            case (
                QuestionAsked()
                | AnswerGiven()
                | AnswerDropped()
                | ThreadTuned()
                | ThreadSummaryStarted()
                | ThreadSummaryReady()
                | ThreadSummaryFailed()
            ):
                return self._questions(event)
            case _:
                assert_never(event)

    def _course(
        self,
        event: MeetingOpened
        | MeetingStarted
        | ParticipantJoined
        | ParticipantLeft
        | RecordingPaused
        | RecordingResumed
        | ClosingRequested
        | MeetingEnded,
    ) -> list[Effect]:
        """Who is there, and whether it is on."""
        match event:
            case MeetingOpened():
                self.opened = self.opened or event
            case MeetingStarted():
                return self._start(event)
            case ParticipantJoined():
                return self._join(event)
            case ParticipantLeft():
                self.attendance.left(event.participant_id, event.at_ms)
            case RecordingPaused():
                return self._status("paused", event.by) if self.coverage.pause(event.at_ms) else []
            case RecordingResumed():
                return self._status("resumed", event.by) if self.coverage.resume(event.at_ms) else []
            case ClosingRequested():
                return self._close()
            case MeetingEnded():
                return self._end(event)
        return []

    def _speech(
        self, event: UtteranceSpoken | InputRead | GapNoted | SpeechWordless | TrackEnded
    ) -> list[Effect]:
        """What was heard, and what was not."""
        match event:
            case UtteranceSpoken():
                return self._hear(event)
            case InputRead():
                self.coverage.read(event.position, order=event.order)
            case GapNoted():
                return self._miss(event)
            case SpeechWordless():
                return self._heard_nothing(event)
            case TrackEnded():
                self.speech.sounded(event)
        return []

    def _topics(
        self, event: TopicJudged | TopicsScored | SummaryStarted | SummaryReady | SummaryFailed
    ) -> list[Effect]:
        """What was worked out beside the fold: where topics change, and what was said on them."""
        match event:
            case TopicJudged():
                self.prompts.add(event.prompts)
                return self.changes.judged(event)
            case TopicsScored():
                return self._scored(event)
            case SummaryStarted():
                # The fold knows the jobs that it asked for; a late draft is a job that it did not ask for.
                if self.closing and (topic := self.topics.get(event.topic_id)) is not None:
                    self.summaries.expect(topic, event)
                return []
            case SummaryReady():
                self.prompts.add(event.prompts)  # sent, whatever becomes of the summary
                return self._summarised(event)
            case SummaryFailed():
                self.prompts.add(event.prompts)
                return self._unsummarised(event)

    def _questions(
        self,
        event: QuestionAsked
        | AnswerGiven
        | AnswerDropped
        | ThreadTuned
        | ThreadSummaryStarted
        | ThreadSummaryReady
        | ThreadSummaryFailed,
    ) -> list[Effect]:
        """What the agent was asked, and what it said."""
        match event:
            case QuestionAsked():
                return self._asked(event)
            case AnswerGiven():
                return self._answered(event.reply)
            case AnswerDropped():
                self.invocations.drop(event)
                return [*self.thread.dropped(event, self._moment(event.at_ms))]
            case ThreadTuned():
                return self._tuned(event)
            case ThreadSummaryStarted():
                self.thread.began(event, self._moment(event.at_ms))
                return []
            case ThreadSummaryReady():
                self.prompts.add(event.prompts)
                return [*self.thread.summarised(event, self._moment(event.at_ms))]
            case ThreadSummaryFailed():
                self.prompts.add(event.prompts)
                self.thread.failed(event)
                return []

    def _start(self, event: MeetingStarted) -> list[Effect]:
        if self.started_at is not None:
            return []
        self.started_at = event.at
        return self._status("live")

    def _join(self, event: ParticipantJoined) -> list[Effect]:
        self.attendance.joined(event.participant_id, event.name, event.at_ms)
        if not self.closing:
            return []
        self.closing = False
        return self._status("live")

    def _hear(self, event: UtteranceSpoken) -> list[Effect]:
        news = self.coverage.is_news(event.track_id, event.track_end_ms)
        self.coverage.advance(event.track_id, event.track_end_ms)
        self.coverage.read(event.position)
        if event.key in self._keys:
            return []
        if self.coverage.off_record(event.start_ms):
            if news:  # such a key is not kept
                self.speech.discarded(event)
            gap = self.coverage.unrecorded(event.speaker_id, event.start_ms, event.end_ms)
            return [PublishGap(gap=gap)] if gap is not None else []
        self._keys[event.key] = None
        self.speech.transcribed(event)
        number = len(self.utterances) + 1
        self.attendance.spoke(event.speaker_id, event.speaker_name, event.start_ms)
        topic = self.topics.extend(number)
        self.utterances.append(self._utterance(number, event, topic))
        decided = self.changes.hear(event.text, event.speaker_id)
        utterance = self.utterances[-1]  # its topic may have been decided just now
        self.window.add(utterance)
        self.window.trim()
        self.buffer.add(utterance)
        effects = [PublishUtterance(utterance=utterance), *decided, *self._summaries_due()]
        if self.topics_beside:
            effects.append(ScoreTopics(until=number))
        return effects

    def _utterance(self, number: int, event: UtteranceSpoken, topic: TopicSegment) -> Utterance:
        fields = {
            "id": number,
            # The same few strings for the whole meeting: read from a stream, each event brings its own.
            "speaker_id": intern(self.corrections.merged.get(event.speaker_id, event.speaker_id)),
            "speaker_name": intern(self._name_of(event)),
            "text": event.text,
            "start_ms": event.start_ms,
            "end_ms": event.end_ms,
            "confidence": event.confidence,
            "absolute_timestamp": _moment(self.started_at or EPOCH, event.start_ms),
            "topic": topic.name,
            "topic_id": topic.id,
            "language": event.language,
            "key": event.key,
            "source": event.source,
            "times_derived": event.times_derived,
            "heard": None,
            "corrected_by": None,
        }
        return made(Utterance, fields)  # the event was validated, with the same types

    def _name_of(self, event: UtteranceSpoken) -> str:
        into = self.corrections.merged.get(event.speaker_id)
        if into is not None:
            return self.attendance.name_of(into)
        person = self.attendance.people[event.speaker_id]
        return person.name if person.named else event.speaker_name or person.name

    def _heard_nothing(self, event: SpeechWordless) -> list[Effect]:
        if self.coverage.is_news(event.track_id, event.track_end_ms):
            self.coverage.advance(event.track_id, event.track_end_ms)
            self.speech.wordless(event)
        return []

    def _scored(self, event: TopicsScored) -> list[Effect]:
        settled = event.rest and self.changes.settling
        effects = self.changes.scored(event)
        return [*effects, *self._close_summaries()] if settled else effects

    # Summaries

    def _summaries_due(self) -> list[Effect]:
        topic = self.topics.segments[-1]
        uncovered = uncovered_from(topic)
        self.buffer.trim(keep_from=uncovered)
        effects: list[Effect] = []
        if topic.id not in self.summaries.jobs:
            reason = self.summaries.due(topic, self.utterances, buffer_full=self.buffer.over)
            if reason is not None:
                effects += self.summaries.trigger(topic, reason, self.utterances)
        if self.summaries.unfinished.keys() - self.summaries.jobs.keys():
            effects += self._retry(now=False)
        return effects

    def _retry(self, *, now: bool) -> list[Summarise]:
        waiting = [self.topics.get(topic_id) for topic_id in self.summaries.unfinished]
        return self.summaries.retry(waiting, self.utterances, now=now)

    def _summarised(self, event: SummaryReady) -> list[Effect]:
        before = self.topics.get(event.topic_id)
        merged = self.topics.merge(event, self.attendance.name_of)
        if merged is None or before is None:
            return []
        merged = self.topics.edit(merged, self.corrections.applied(merged.id, merged.notes))
        self.last_summarised = max(self.last_summarised or 0, merged.covered_until)
        renamed = self.topics.rename(merged.id, event.topic_name or "", firm=False)
        if renamed is not None:
            merged = self.topics.link(renamed, self.changes.boundaries.earlier)
            self.changes.stamp(merged, since=merged.start_utterance_id)
        effects = self.changes.published(merged, *self.topics.supersede(merged, before.notes))
        effects += self.summaries.ended(merged, event.version, self.utterances, failed=False)
        if merged is self.topics.current:
            self.buffer.trim(keep_from=uncovered_from(merged))
        return effects

    def _unsummarised(self, event: SummaryFailed) -> list[Effect]:
        topic = self.topics.get(event.topic_id)
        if topic is None:
            return []
        return [*self.summaries.ended(topic, event.version, self.utterances, failed=True)]

    def _close_summaries(self, *, anew: bool = True) -> list[Effect]:
        """All that no summary covers, and with `anew` what is quoted because a model had no time for it."""
        effects: list[Effect] = [*self._retry(now=True)]
        reason: UpdateReason = "closing"
        for topic in self.segments:
            if topic.id not in self.summaries.unfinished:
                effects += self.summaries.trigger(topic, reason, self.utterances, anew=anew)
        return effects

    # What people put right

    def _correct(self, event: Corrected) -> list[Effect]:
        """Nothing where there is no such thing, or it is so already."""
        effects = self._put_right(event)
        self.corrections.revision += bool(effects)
        return effects

    def _put_right(self, event: Corrected) -> list[Effect]:
        match event.fix:
            case UtteranceFix() as fix:
                return self._reword(fix, event.by)
            case TermFix(heard=heard, meant=meant):
                return self._put_everywhere(heard, meant, event.by)
            case PersonFix(person=person, into=str(into)):
                return self._merge(person, into)
            case PersonFix(person=person, name=name):
                if not self.attendance.rename(person, name):
                    return []
                self.show_corrected(1)
                return self._status("renamed", person)
            case TopicFix(topic=topic_id, name=name):
                renamed = self.topics.rename(topic_id, name, firm=True)
                if renamed is None:
                    return []
                self.changes.stamp(renamed, since=renamed.start_utterance_id)
                return self.changes.published(renamed)
            case StatementFix() as fix:
                topic = self.topics.get(fix.topic)
                if topic is None or not fix.evidence:
                    return []
                self.corrections.statements.append((fix, event.by))
                return self._made_again(topic, at=topic.end_utterance_id + 1)
            case _:
                assert_never(event.fix)

    def _reword(self, fix: UtteranceFix, by: str) -> list[Effect]:
        number = fix.utterance
        if not 0 < number <= len(self.utterances):
            return []
        said = self.utterances[number - 1]
        moved = fix.speaker not in {None, said.speaker_id} and fix.speaker in self.attendance.people
        if said.text == fix.text and not moved:
            return []
        if fix.speaker is not None and moved:
            self.corrections.speakers[number] = fix.speaker
        self.corrections.words[number] = fix.text, by
        self.show_corrected(number)
        topic = self.topics.of(number)
        effects: list[Effect] = [PublishCorrected(utterance=self.utterances[number - 1])]
        return effects if topic is None else [*effects, *self._made_again(topic, at=number)]

    def _put_everywhere(self, heard: str, meant: str, by: str) -> list[Effect]:
        """A term, wherever it stands so far; from now on it is one that the speech engine may expect."""
        told = {
            said.id: text
            for said in self.utterances
            if (text := replaced(said.text, heard, meant)) != said.text
        }
        if meant not in self.corrections.terms:
            self.corrections.terms.append(meant)
        if not told:
            return self._status("term", meant)
        self.corrections.words |= {number: (text, by) for number, text in told.items()}
        self.show_corrected(min(told))
        effects: list[Effect] = [PublishCorrected(utterance=self.utterances[number - 1]) for number in told]
        for topic in tuple(self.segments):
            if within := [n for n in told if topic.start_utterance_id <= n <= topic.end_utterance_id]:
                effects += self._made_again(topic, at=within[0])
        return effects

    def _merge(self, person: str, into: str) -> list[Effect]:
        """Two participants are one."""
        people = self.attendance.people
        if person == into or person not in people or into not in people or into in self.corrections.merged:
            return []
        theirs = [said.id for said in self.utterances if said.speaker_id == person]
        self.corrections.merge(person, into)
        self.show_corrected(1)
        shown = [PublishCorrected(utterance=self.utterances[number - 1]) for number in theirs]
        return [*shown, *self._status("merged", person)]

    def _made_again(self, topic: TopicSegment, *, at: int) -> list[Effect]:
        """The summary of a topic from utterance `at` on; what is being made of it now counts no more."""
        under_way = topic.id in self.summaries.jobs
        reopened = self.topics.reopen(topic, at)
        reopened = self.topics.edit(reopened, self.corrections.applied(topic.id, reopened.notes))
        self.summaries.drop(reopened)
        if reopened is self.topics.current:
            self.buffer.begin(uncovered_from(reopened), self.utterances)
        effects = self.changes.published(reopened)
        if under_way or topic.covered_until >= at:
            effects += self.summaries.trigger(reopened, "correction", self.utterances)
        return effects

    # Questions, gaps, the end

    def _asked(self, event: QuestionAsked) -> list[Effect]:
        self.coverage.read(event.position)
        invocation = event.invocation
        if self.invocations.seen(invocation.id):
            return []
        if invocation.after_utterance == 0 and self.utterances:
            invocation = invocation.model_copy(update={"after_utterance": len(self.utterances)})
        replaced = self.invocations.ask(invocation)
        self.thread.asked(invocation, self.attendance.name_of(invocation.by))
        return [*(Forget(invocation_id=i) for i in replaced), Answer(invocation=invocation)]

    def _answered(self, reply: Reply) -> list[Effect]:
        if not self.invocations.answer(reply):
            return []
        if reply.run is not None:
            self.prompts.add(reply.run.prompts)
        return [PublishReply(reply=reply), *self.thread.answered(reply, self._moment(reply.answered_at_ms))]

    def _tuned(self, event: ThreadTuned) -> list[Effect]:
        self.coverage.read(event.position)
        if not self.thread.tuned(event) or not event.by:  # people are told of what people changed
            return []
        return self._status("thread", self.thread.policy.model_dump_json())

    def _moment(self, at_ms: int) -> datetime | None:
        return _moment(self.started_at, at_ms) if self.started_at is not None else None

    def _miss(self, event: GapNoted) -> list[Effect]:
        self.coverage.advance(event.track_id, event.track_end_ms)
        gap = self.coverage.lost(event)
        if gap is None:
            return []
        self.speech.missed(event)
        return [PublishGap(gap=gap)]

    def _close(self) -> list[Effect]:
        self.closing = True
        effects = [*self._status("closing"), *self.changes.settle()]
        return effects if self.changes.settling else [*effects, *self._close_summaries()]

    def _end(self, event: MeetingEnded) -> list[Effect]:
        self.ended = event
        self.changes.close()
        effects: list[Effect] = []
        if (topic := self.topics.close()) is not None:
            effects += self.changes.published(topic)
        ended = self._status("ended", event.reason)
        # What was asked for anew when it closed has had its time: a draft that comes yet is taken in.
        return [*effects, *ended, *self._close_summaries(anew=not self.closing)]

    def _status(self, status: str, detail: str = "") -> list[Effect]:
        return [PublishStatus(status=status, detail=detail)]

    # The snapshot (context.snapshot has the theory)

    def snapshot(self, *, topics: bool = True) -> dict[str, Any]:
        """Everything but the utterances, JSON-able and bounded; see `restore`.

        Without `topics` only how many there are: `snapshot.whole` puts them back from where they are kept.
        """
        return snapshot.dump(self, self.changes, topics=topics)

    @classmethod
    def restore(
        cls,
        meeting_id: str,
        config: ContextConfig | None,
        state: dict[str, Any],
        utterances: Sequence[Utterance],
        *,
        tokenizer: Tokenizer | None = None,
        judge: bool = False,
    ) -> Meeting:
        """The meeting as it was when `state` was taken; `utterances` are those up to then, by id.

        Raises `ValueError` where the two do not fit together.
        """
        meeting = cls(meeting_id, config, tokenizer=tokenizer, judge=judge)
        snapshot.load(meeting, meeting.changes, state, utterances)
        return meeting


def _moment(start: datetime, offset_ms: int) -> datetime:
    """`start` + `offset_ms`, kept within what a `datetime` can say."""
    try:
        return start + timedelta(milliseconds=offset_ms)
    except OverflowError:
        return start
