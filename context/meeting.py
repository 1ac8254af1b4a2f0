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

The fold stands in four files: this one for who is there and what is heard, `context.meeting_summaries` for
what comes of summaries, `context.meeting_corrections` for what people put right, and
`context.meeting_questions` for the agent.

State is of two kinds. The archive of utterances only grows and lives in the record. Everything else
is small and goes into the snapshot (`context.snapshot`). After `MeetingEnded` only summaries that
are still under way, corrections and erasures are taken in; nothing else follows.

    opened → started → utterances, questions, … ⇄ closing → ended
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from sys import intern
from typing import Any, Final, assert_never

from context import snapshot
from context.config import ContextConfig
from context.decided import ConsentTold, Erased, ParticipantInformed
from context.effects import (
    Answer,
    Effect,
    Forget,
    PublishCorrected,
    PublishGap,
    PublishStatus,
    PublishUtterance,
    ScoreTopics,
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
    QuestionAsked,
    RecordingPaused,
    RecordingResumed,
    SpeechWordless,
    SummaryFailed,
    SummaryReady,
    SummaryStarted,
    ThreadSummaryFailed,
    ThreadSummaryReady,
    ThreadSummaryStarted,
    ThreadTuned,
    TopicJudged,
    TopicsScored,
    TrackEnded,
    UtteranceSpoken,
)
from context.meeting_corrections import MeetingCorrections
from context.meeting_questions import MeetingQuestions
from context.meeting_state import MeetingState, moment_of
from context.meeting_summaries import MeetingSummaries
from context.models import TopicSegment, Utterance
from context.ports import Tokenizer
from context.topics.topic_changes import TopicChanges
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
        self._begin()

    def _begin(self) -> None:
        self.changes = TopicChanges(self)
        self._questions = MeetingQuestions(self)
        self._summaries = MeetingSummaries(self, self.changes)
        self._corrections = MeetingCorrections(self, self.changes, self._summaries)

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
        if self.ended is not None and not isinstance(
            event, SummaryReady | SummaryFailed | Corrected | Erased
        ):
            return []
        match event:
            case (
                MeetingOpened()
                | MeetingStarted()
                | ParticipantJoined()
                | ParticipantLeft()
                | ParticipantInformed()
                | ConsentTold()
                | RecordingPaused()
                | RecordingResumed()
                | ClosingRequested()
                | MeetingEnded()
            ):
                return self._course(event)
            case Corrected():
                self.coverage.read(event.position)
                return self._corrections.put_right(event)
            case Erased():
                return self._erase(event)
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
                return self._questions.receive(event)
            case _:
                assert_never(event)

    def _course(
        self,
        event: MeetingOpened
        | MeetingStarted
        | ParticipantJoined
        | ParticipantLeft
        | ParticipantInformed
        | ConsentTold
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
            case ParticipantInformed():
                self.attendance.informed(event.participant_id)
            case ConsentTold():
                self.attendance.told(event)
                return self._status("consent", event.participant_id)
            case RecordingPaused(by=by, off_the_record=off):
                stopped = self.coverage.pause(event.at_ms, off_by=by if off else None)
                return self._status("off_the_record" if off else "paused", by) if stopped else []
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
                self._summaries.started(event)
                return []
            case SummaryReady():
                self.prompts.add(event.prompts)  # sent, whatever becomes of the summary
                return self._summaries.ready(event)
            case SummaryFailed():
                self.prompts.add(event.prompts)
                return self._summaries.failed(event)

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
        effects = [PublishUtterance(utterance=utterance), *decided, *self._summaries.due()]
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
            "absolute_timestamp": moment_of(self.started_at or EPOCH, event.start_ms),
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
        return [*effects, *self._summaries.close()] if settled else effects

    def _erase(self, event: Erased) -> list[Effect]:
        """Go on from the state that the event brings, which knows nothing of the words that are gone."""
        if not event.state:  # a later erasure brings the state
            return []
        before, archive = {topic.id: topic for topic in self.segments}, self.utterances
        super().__init__(self.meeting_id, self.config, tokenizer=self.tokenizer, judge=self.judge)
        self._begin()
        snapshot.load(self, self.changes, event.state, archive)
        shown: list[Effect] = [
            PublishCorrected(utterance=self.utterances[number - 1]) for number in event.utterances
        ]
        changed_topics = [topic for topic in self.segments if topic != before.get(topic.id)]
        again = self._summaries.retry(now=True)
        return [*shown, *self.changes.published(*changed_topics), *self._status("erased", event.by), *again]

    # Gaps, the end

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
        return effects if self.changes.settling else [*effects, *self._summaries.close()]

    def _end(self, event: MeetingEnded) -> list[Effect]:
        self.ended = event
        self.changes.close()
        effects: list[Effect] = []
        if (topic := self.topics.close()) is not None:
            effects += self.changes.published(topic)
        ended = self._status("ended", event.reason)
        # What was asked for anew when it closed has had its time: a draft that comes yet is taken in.
        return [*effects, *ended, *self._summaries.close(anew=not self.closing)]

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
