"""The meeting as a fold: events in, effects out.

Theory of operation
-------------------
`Meeting.receive` takes one event, changes the state and returns effects: what is to be done. It reads
no clock, uses no random numbers and waits for nobody, so the same events in the same order give the same
meeting: live, replayed, after a crash, or "as of 14:32". It never raises on well-formed events:
what is unknown, late, doubled or stale changes nothing.

An utterance goes this way: refused if its key is known or it fell into a pause; numbered; the open
topic is extended; an announcement may begin a new one; the L0 window and the topic buffer take it in;
a summary may be due. All of that is constant work; what can wait (speakers, tokens) is counted when
somebody looks. Whether a topic began without announcement, up to 40 utterances ago, is found beside the
fold and comes as an event (then the topics of the archive's utterances are written anew from there).

The fold stands in six files: this one for who is there and what is heard, `topic_changes` for where topics
begin, `topic_summaries` for their summaries, `meeting_corrections` for what people correct, `meeting_hiding`
for what an /off hides, and `meeting_questions` for the agent.

State is of two kinds. The archive of utterances only grows and lives in the record. Everything else
is small and goes into the snapshot (`context.fold.snapshot`). After `MeetingEnded` only summaries that
are still under way, corrections, erasures and late words are taken in; nothing else follows.

Late words were recognised after their turn (`UtteranceSpoken.late`): they take the next number, announce
nothing, and have their topic's summary made again.

    opened → started → utterances, questions, … ⇄ closing → ended
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern
from typing import Any, assert_never

from context.config import ContextConfig
from context.events.effects import (
    Answer,
    CancelAnswer,
    Effect,
    PublishCorrected,
    PublishGap,
    PublishStatus,
    PublishUtterance,
    ScoreTopics,
)
from context.events.events import (
    AgentEvent,
    ClosingRequested,
    Corrected,
    CourseEvent,
    Event,
    GapNoted,
    InputNoted,
    InputRead,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    ParticipantLeft,
    SpeechEvent,
    SpeechWaits,
    SpeechWordless,
    TrackEnded,
    UtteranceSpoken,
)
from context.events.privacy_events import (
    ConsentTold,
    Erased,
    ParticipantInformed,
    RecordingPaused,
    RecordingResumed,
    WordsShown,
)
from context.events.topic_events import (
    SummaryFailed,
    SummaryReady,
    SummaryStarted,
    TopicEvent,
    TopicJudged,
    TopicsScored,
)
from context.fold import snapshot
from context.fold.meeting_corrections import apply_correction
from context.fold.meeting_hiding import hide_late, show_again
from context.fold.meeting_questions import fold_agent_event
from context.fold.meeting_state import MeetingState, moment_of
from context.models import Gap, GapReason, TopicSegment, Utterance
from context.ports import Tokenizer
from context.primitives.text import cleaned
from context.primitives.undated import EPOCH
from context.primitives.values import made


class Meeting(MeetingState):
    """The state of one meeting, changed by `receive` alone."""

    def outstanding(self) -> list[Effect]:
        """The effects whose results have not come back, to be carried out again after a restore."""
        effects: list[Effect] = [
            *self.summaries.in_progress(),
            *self.changes.outstanding(),
            *self.thread.in_progress(),
        ]
        if self.ended is None:
            effects += [Answer(question=question) for question in self.invocations.wanted()]
            effects += [CancelAnswer(invocation_id=id_) for id_ in sorted(self.invocations.superseded)]
        return effects

    # The fold

    def receive(self, event: Event) -> list[Effect]:
        """Fold one event; gives what is to be done. The same events in the same order give the same effects.

        An event that is late, doubled or about something unknown changes nothing and gives []. Its texts are
        folded in their canonical form, whoever brings it.
        """
        event = cleaned(event)
        if self.ended is not None and not (
            isinstance(event, SummaryReady | SummaryFailed | Corrected | Erased | WordsShown)
            or self._is_late(event)
        ):
            return []
        if isinstance(event, SpeechEvent):
            return self._speech(event)
        if isinstance(event, CourseEvent):
            return self._course(event)
        if isinstance(event, TopicEvent):
            return self._topics(event)
        if isinstance(event, AgentEvent):
            return fold_agent_event(self, event)
        match event:
            case Corrected():
                self.coverage.read(event.position)
                return apply_correction(self, event)
            case Erased():
                return self._erase(event)
            case WordsShown():
                return show_again(self, event)
            case _:
                assert_never(event)

    def _is_late(self, event: Event) -> bool:
        """Tell whether an event is about speech that waited when the meeting ended, or that it waits."""
        match event:
            case UtteranceSpoken(late=late):
                return late
            case GapNoted(key=key) | SpeechWordless(key=key):
                return self.speech.waits_for(key)
            case SpeechWaits():
                return True
            case _:
                return False

    def _course(self, event: CourseEvent) -> list[Effect]:
        match event:
            case MeetingOpened():
                self.opened = self.opened or event
            case MeetingStarted():
                if self.started_at is None:
                    self.started_at = event.at
                    return self._status("live")
            case ParticipantJoined(participant_id=who):
                renamed = self.attendance.joined(who, event.name, event.at_ms)
                effects = self._renamed(who) if renamed else []
                if self.closing:
                    self.closing = False
                    effects += self._status("live")
                return effects
            case ParticipantLeft():
                self.attendance.left(event.participant_id, event.at_ms)
            case ParticipantInformed():
                self.attendance.informed(event.participant_id)
            case ConsentTold():
                self.attendance.told(event)
                self.show_corrected(1)  # a no ends what is put under somebody, a yes begins it again
                return self._status("consent", event.participant_id)
            case RecordingPaused(by=by, off_the_record=off):
                stopped = self.coverage.pause(event.at_ms, off_by=by if off else None)
                return self._status("off_the_record" if off else "paused", by) if stopped else []
            case RecordingResumed():
                return self._status("resumed", event.by) if self.coverage.resume(event.at_ms) else []
            case ClosingRequested():
                self.closing = True
                effects = [*self._status("closing"), *self.changes.settle()]
                return effects if self.changes.settling else [*effects, *self.summaries.close()]
            case MeetingEnded():
                return self._end(event)
            case _:
                assert_never(event)
        return []

    def _speech(self, event: SpeechEvent) -> list[Effect]:
        match event:
            case UtteranceSpoken():
                return self._hear(event)
            case InputRead():
                self.coverage.read(event.position, order=event.order)
            case InputNoted():
                self.coverage.noted(event.note)
            case GapNoted():
                self.coverage.advance(event.track_id, event.track_end_ms)
                shown = self._lost(event.participant_id, event.start_ms, event.end_ms, event.reason)
                if shown:
                    self.speech.missed(event)
                return [*shown, *self._came(event.key)]
            case SpeechWaits():
                self.coverage.advance(event.track_id, event.track_end_ms)
                if event.key not in self.keys and not self.speech.waits_for(event.key):
                    self.speech.waits(event)
                    return self._status("waiting", str(self.speech.everybody.waiting_ms))
            case SpeechWordless():
                advanced = self.coverage.advance(event.track_id, event.track_end_ms)
                if advanced or self.speech.waits_for(event.key):
                    self.speech.wordless(event)
                return self._came(event.key)
            case TrackEnded():
                self.speech.sounded(event)
            case _:
                assert_never(event)
        return []

    def _topics(self, event: TopicEvent) -> list[Effect]:
        if not isinstance(event, TopicsScored | SummaryStarted):
            self.prompts.add(event.prompts, at_ms=self.heard_until_ms)  # sent, whatever becomes of it
        match event:
            case TopicJudged():
                return self.changes.judged(event)
            case TopicsScored():
                settled = event.rest and self.changes.settling
                effects = self.changes.scored(event)
                return [*effects, *self.summaries.close()] if settled else effects
            case SummaryStarted():
                self.summaries.expect(event)
                return []
            case SummaryReady():
                return self.summaries.ready(event)
            case SummaryFailed():
                return self.summaries.failed(event)

    def _came(self, key: str | None) -> list[Effect]:
        """Note that it is known what became of a stretch, if that is one that waited."""
        if key is None or not self.speech.waits_for(key):
            return []
        self.speech.came(key)
        return self._status("waiting", str(self.speech.everybody.waiting_ms))

    def _hear(self, event: UtteranceSpoken) -> list[Effect]:
        advanced = self.coverage.advance(event.track_id, event.track_end_ms)
        self.coverage.read(event.position)
        if event.key in self.keys:
            return []
        advanced |= self.speech.waits_for(event.key)
        came = self._came(event.key)
        if self.coverage.off_record(event.start_ms):
            if advanced:  # not a second time: such a key is not kept
                self.speech.transcribed(event, refused=True)
            end_ms = max(event.start_ms, event.end_ms)
            return [*self._lost(event.speaker_id, event.start_ms, end_ms, "off_record"), *came]
        self.keys[event.key] = None
        self.speech.transcribed(event)
        number = len(self.utterances) + 1
        renamed = self._renamed(event.speaker_id) if self.attendance.spoke(event) else []
        topic = self.topics.extend(number)
        if event.late:
            topic = self._place_late(number, event.start_ms, topic)
        self.utterances.append(self._utterance(number, event, topic))
        decided = self.changes.hear(self.utterances[-1])
        if event.hidden is not None:
            hide_late(self, number, event)
        utterance = self.utterances[-1]  # its topic may have been decided just now
        self.window.add(utterance)
        self.window.trim()
        self.buffer.add(utterance)
        effects = [*renamed, PublishUtterance(utterance=utterance), *decided, *came, *self.summaries.due()]
        if event.late:
            effects += self.summaries.heard_late(self.topics.get(topic.id) or topic)
        if self.ended is not None:
            self.topics.close()
            return [*effects, *self.summaries.close(anew=False)]
        if self.topics_beside:
            effects.append(ScoreTopics(until=number))
        return effects

    def _place_late(self, number: int, start_ms: int, newest: TopicSegment) -> TopicSegment:
        """The topic to whose time a late utterance belongs; `newest` is the one in whose range it lies."""
        self.late.append(number)
        in_time = (turn for turn in reversed(self.utterances) if not turn.late and turn.start_ms <= start_ms)
        before = next(in_time, None)
        topic = self.topics.of(before.id) if before is not None else self.segments[0]
        return newest if topic is None or topic.id == newest.id else self.topics.set_apart(number, topic)

    def _utterance(self, number: int, event: UtteranceSpoken, topic: TopicSegment) -> Utterance:
        speaker = self.shown_speaker(number, event.speaker_id, event.start_ms)
        name = self.attendance.name_of(speaker)
        if speaker != event.speaker_id:
            self.heard_from[number] = event.speaker_id
        elif not self.attendance.people[speaker].one_name:
            name = self.attendance.shown_as(speaker, event.speaker_name or name)
        fields = {
            "id": number,
            # The same few strings for the whole meeting: read from a stream, each event brings its own.
            "speaker_id": intern(speaker),
            "speaker_name": intern(name),
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
            "hidden": event.hidden is not None,
            "late": event.late,
            "doubtful": event.doubtful,
        }
        return made(Utterance, fields)  # the event was validated, with the same types

    def _renamed(self, user_id: str) -> list[Effect]:
        """Show somebody's new name wherever they are shown, also with what they said before."""
        self.corrections.revision += 1
        self.show_corrected(1)
        return [PublishStatus(status="renamed", detail=user_id, name=self.attendance.name_of(user_id))]

    def _lost(self, participant: str, start_ms: int, end_ms: int, reason: GapReason) -> list[Effect]:
        gap = self.coverage.lost(
            Gap(participant=participant, start_ms=start_ms, end_ms=end_ms, reason=reason)
        )
        return [] if gap is None else [PublishGap(gap=gap)]

    def _erase(self, event: Erased) -> list[Effect]:
        """Take up the state that the event brings: the meeting's without the words that were erased."""
        if not event.state:  # a later erasure brings the state
            return []
        before, archive = {topic.id: topic for topic in self.segments}, self.utterances
        heard_from = self.heard_from
        super().__init__(self.meeting_id, self.config, tokenizer=self.tokenizer, judge=self.judge)
        self.heard_from = heard_from  # no part of the state: a restore has it from the archive
        snapshot.load(self, event.state, archive)
        shown: list[Effect] = [
            PublishCorrected(utterance=self.utterances[number - 1]) for number in event.utterances
        ]
        changed_topics = [topic for topic in self.segments if topic != before.get(topic.id)]
        again = self.summaries.retry(now=True)
        return [*shown, *self.changes.published(*changed_topics), *self._status("erased", event.by), *again]

    def _end(self, event: MeetingEnded) -> list[Effect]:
        self.ended = event
        self.changes.close()
        closed = self.topics.close()
        shown = [] if closed is None else self.changes.published(closed)
        ended = self._status("ended", event.reason)
        # What was only quoted was asked for anew when the meeting closed, and is not asked for again.
        return [*shown, *ended, *self.summaries.close(anew=not self.closing)]

    def _status(self, status: str, detail: str = "") -> list[Effect]:
        return [PublishStatus(status=status, detail=detail)]

    # The snapshot (context.fold.snapshot has the theory)

    def snapshot(self, *, topics: bool = True) -> dict[str, Any]:
        """The state without the utterances, JSON-able and bounded; `restore` takes it back.

        Without `topics` it holds only their number; `snapshot.with_topics` puts them back.
        """
        return snapshot.dump(self, topics=topics)

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
        """The meeting as it was when its snapshot `state` was taken; `utterances`: all up to then, by id.

        Raises `ValueError` where the two do not fit together.
        """
        meeting = cls(meeting_id, config, tokenizer=tokenizer, judge=judge)
        snapshot.load(meeting, state, utterances)
        return meeting
