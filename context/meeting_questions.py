"""What a question, its answer and the agent's thread mean for the meeting: part of the fold."""

from __future__ import annotations

from context.effects import Answer, Effect, Forget, PublishReply, PublishStatus
from context.events import (
    AnswerDropped,
    AnswerGiven,
    QuestionAsked,
    ThreadSummaryFailed,
    ThreadSummaryReady,
    ThreadSummaryStarted,
    ThreadTuned,
)
from context.meeting_state import MeetingState
from context.models import Reply


class MeetingQuestions:
    """One meeting's; part of its fold."""

    def __init__(self, meeting: MeetingState) -> None:
        self._meeting = meeting

    def receive(
        self,
        event: QuestionAsked
        | AnswerGiven
        | AnswerDropped
        | ThreadTuned
        | ThreadSummaryStarted
        | ThreadSummaryReady
        | ThreadSummaryFailed,
    ) -> list[Effect]:
        """Fold an event of the agent: what it was asked, what it said, how its thread is kept."""
        meeting = self._meeting
        match event:
            case QuestionAsked():
                return self._asked(event)
            case AnswerGiven():
                return self._answered(event.reply)
            case AnswerDropped():
                meeting.invocations.drop(event)
                return [*meeting.thread.dropped(event, meeting.moment(event.at_ms))]
            case ThreadTuned():
                return self._tuned(event)
            case ThreadSummaryStarted():
                meeting.thread.summaries.began(event, meeting.moment(event.at_ms))
                return []
            case ThreadSummaryReady():
                meeting.prompts.add(event.prompts)
                return [*meeting.thread.summarised(event, meeting.moment(event.at_ms))]
            case ThreadSummaryFailed():
                meeting.prompts.add(event.prompts)
                meeting.thread.summaries.failed(event)
                return []

    def _asked(self, event: QuestionAsked) -> list[Effect]:
        meeting = self._meeting
        meeting.coverage.read(event.position)
        invocation = event.invocation
        if meeting.invocations.seen(invocation.id):
            return []
        if invocation.after_utterance == 0 and meeting.utterances:
            invocation = invocation.model_copy(update={"after_utterance": len(meeting.utterances)})
        replaced = meeting.invocations.ask(invocation)
        meeting.thread.asked(invocation, meeting.attendance.name_of(invocation.by))
        return [*(Forget(invocation_id=i) for i in replaced), Answer(invocation=invocation)]

    def _answered(self, reply: Reply) -> list[Effect]:
        meeting = self._meeting
        if not meeting.invocations.answer(reply):
            return []
        if reply.run is not None:
            meeting.prompts.add(reply.run.prompts)
        return [
            PublishReply(reply=reply),
            *meeting.thread.answered(reply, meeting.moment(reply.answered_at_ms)),
        ]

    def _tuned(self, event: ThreadTuned) -> list[Effect]:
        meeting = self._meeting
        meeting.coverage.read(event.position)
        if not meeting.thread.tuned(event) or not event.by:  # people are told of what people changed
            return []
        return [PublishStatus(status="thread", detail=meeting.thread.policy.model_dump_json())]
