"""Who asks without being a participant is nobody's, and is shown as who they were."""

from __future__ import annotations

import pytest

from context.actors import operator
from context.askers import is_nobodys, nobodys, shown_as
from context.erasure.erasing import erased, rewritten
from context.erasure_target import Target
from context.events import AnswerGiven, Event, MeetingStarted, ParticipantJoined, QuestionAsked, decode
from context.export.document import document
from context.export.minutes import to_markdown
from context.meeting import Meeting
from context.models import Reply
from context.ports import RecordedEvent
from context.question import Question
from tests.unit.context.meetings import START

BOTH = pytest.mark.parametrize("language", ["ko", "en"])
ASKED = {"ko": ("출시일이 언제예요?", "20일입니다."), "en": ("When is the release?", "On the 20th.")}


@pytest.mark.parametrize("shown", ["link 5c1d09ab (“김민지”)", "token page", "program"])
def test_the_id_of_one_session_is_nobodys_and_no_other_sessions(shown: str) -> None:
    ids = {nobodys(shown, session) for session in ("", "s1", "s2")}
    assert len(ids) == 3
    assert all(is_nobodys(id_) and shown_as(id_) == shown for id_ in ids)
    assert not is_nobodys(shown)
    assert nobodys(shown, "s1") == nobodys(shown, "s1")


def asked(language: str, by: str, id_: str = "q1") -> list[Event]:
    question, text = ASKED[language]
    invocation = {"id": id_, "by": by, "via": "http", "text": question, "at_ms": 10}
    told = {
        "id": f"r-{id_}",
        "invocation_id": id_,
        "by": by,
        "via": "http",
        "question": question,
        "text": text,
        "call_type": "IMMEDIATE_RESPONSE",
        "asked_at_ms": 10,
        "answered_at_ms": 20,
    }
    return [  # as an older record has them
        decode({"kind": "question_asked", "invocation": invocation}, 1),
        decode({"kind": "answer_given", "reply": told}, 1),
    ]


def meeting(events: list[Event]) -> Meeting:
    made = Meeting("m")
    for event in [
        MeetingStarted(at=START),
        *(ParticipantJoined(participant_id=who, name=who, at_ms=0) for who in ("http", "minji")),
        *events,
    ]:
        made.receive(event)
    return made


@BOTH
def test_in_older_records_too_an_unnamed_asker_is_no_participant_of_that_name(language: str) -> None:
    events = asked(language, "http")
    question, reply = events
    assert isinstance(question, QuestionAsked)
    assert isinstance(reply, AnswerGiven)
    assert is_nobodys(question.question.by)
    assert question.question.by == reply.reply.by
    document_ = document(meeting(events))
    label = {"ko": "API 요청", "en": "By the API"}[language]
    assert f"**{label}**" in to_markdown(document_, language)


@BOTH
def test_erasing_a_participant_reaches_no_question_that_is_nobodys(language: str) -> None:
    for person, reached in (("http", False), ("minji", True)):
        events = asked(language, person)
        told = meeting(events)
        made = erased(told, Target(what="person", person=person), id_="e", actor=operator("ops"), at_ms=99)
        assert made is not None
        told.receive(made[0])
        assert (ASKED[language][0] not in str(document(told))) is reached
        record = [RecordedEvent(seq=n, event=event) for n, event in enumerate(events, 1)]
        assert bool(rewritten(record, made[0], {})) is reached


@pytest.mark.parametrize("kind", [Question, Reply])
def test_a_name_that_a_program_gives_is_a_participants(kind: type[Question | Reply]) -> None:
    fields = {
        "id": "x",
        "invocation_id": "x",
        "by": "minji",
        "via": "http",
        "text": "?",
        "question": "?",
        "at_ms": 1,
        "call_type": "SEARCH",
        "asked_at_ms": 1,
        "answered_at_ms": 1,
    }
    assert kind.model_validate(fields).by == "minji"
