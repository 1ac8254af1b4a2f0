"""Events of a meeting, as several tests put them on the record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from context.events.events import AnswerGiven, Event, QuestionAsked, UtteranceSpoken
from context.models import Reply
from context.ports import RecordedEvent
from context.question import Question

NINE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def spoken(number: int, text: str = "네, 좋습니다. Agreed.", **fields: Any) -> UtteranceSpoken:
    given = {"key": f"k{number}", "speaker_id": "minji", "speaker_name": "김민지", "text": text}
    times = {"start_ms": number * 1000, "end_ms": number * 1000 + 900}
    return UtteranceSpoken.model_validate({**given, **times, **fields})


def numbered(*events: Event, after: int = 0) -> list[RecordedEvent]:
    return [RecordedEvent(seq=seq, event=event) for seq, event in enumerate(events, start=after + 1)]


def answered(number: int, *, private: bool = False) -> tuple[QuestionAsked, AnswerGiven]:
    question = Question(
        id=f"q{number}", by="minji", via="chat", text="언제?", private=private, at_ms=number * 1000
    )
    reply = Reply(
        id=f"r{number}",
        invocation_id=f"q{number}",
        by="minji",
        via="chat",
        question="언제?",
        text=f"12월 22일입니다. #{number}",
        call_type="IMMEDIATE_RESPONSE",
        evidence=(1,),
        private=private,
        asked_at_ms=number * 1000,
        answered_at_ms=number * 1000 + 500,
    )
    return QuestionAsked(question=question), AnswerGiven(reply=reply)
