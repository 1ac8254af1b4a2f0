"""The part of the fold for the agent: its invocations, its replies, and its thread with summaries."""

from __future__ import annotations

from typing import assert_never

from context.events.effects import Answer, CancelAnswer, Effect, PublishReply, PublishStatus
from context.events.events import (
    AgentEvent,
    AnswerDropped,
    AnswerGiven,
    QuestionAsked,
    ThreadSummaryFailed,
    ThreadSummaryReady,
    ThreadSummaryStarted,
    ThreadTuned,
)
from context.fold.meeting_state import MeetingState
from context.language.asker_names import asker_name
from context.question import Question


def fold_agent_event(meeting: MeetingState, event: AgentEvent) -> list[Effect]:
    """Fold an event of the agent: a question, an answer, a change of its thread's policy, a summary of it."""
    thread = meeting.thread
    match event:
        case QuestionAsked(question=question):
            meeting.coverage.read(event.position)
            return _asked(meeting, question)
        case AnswerGiven(reply=reply):
            if not meeting.invocations.answer(reply):
                return []
            sent = reply.run.prompts if reply.run is not None else ()
            meeting.prompts.add(sent, at_ms=reply.answered_at_ms)
            shown = PublishReply(reply=reply)
            return [shown, *thread.closed(reply, meeting.moment(reply.answered_at_ms))]
        case AnswerDropped():
            if (in_vain := meeting.invocations.drop(event)) is not None:
                return [*thread.closed(in_vain, meeting.moment(event.at_ms))]
        case ThreadTuned():
            meeting.coverage.read(event.position)
            if thread.tuned(event) and event.by:  # people are told of what people changed
                return [PublishStatus(status="thread", detail=thread.policy.model_dump_json())]
        case ThreadSummaryStarted():
            thread.summaries.began(event, meeting.moment(event.at_ms))
        case ThreadSummaryReady():
            meeting.prompts.add(event.prompts, at_ms=event.at_ms)
            return [*thread.summarised(event, meeting.moment(event.at_ms))]
        case ThreadSummaryFailed():
            meeting.prompts.add(event.prompts, at_ms=meeting.heard_until_ms)
            thread.summaries.failed(event)
        case _:
            assert_never(event)
    return []


def _asked(meeting: MeetingState, question: Question) -> list[Effect]:
    if meeting.invocations.seen(question.id):
        return []
    if question.after_utterance == 0:
        question = question.model_copy(update={"after_utterance": len(meeting.utterances)})
    replaced = meeting.invocations.ask(question)
    name = asker_name(meeting.attendance.name_of(question.by), meeting.spoken_language)
    meeting.thread.asked(question, name)
    return [*(CancelAnswer(invocation_id=i) for i in replaced), Answer(question=question)]
