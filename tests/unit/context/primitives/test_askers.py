"""Who asks without being a participant is nobody's, and is shown as who they were."""

from __future__ import annotations

import pytest

from context.erasure.erased_record import erased, rewritten
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import (
    AnswerGiven,
    Event,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    QuestionAsked,
    decode,
)
from context.export.document import document
from context.export.minutes import to_markdown
from context.export.template_values import template_values
from context.fold.meeting import Meeting
from context.models import Reply
from context.ports import RecordedEvent
from context.primitives.askers import is_nobodys, nobodys, shown_as
from context.question import Question
from tests.languages import BOTH
from tests.unit.context.meetings import START

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


def meeting(events: list[Event], language: str = "auto") -> Meeting:
    made = Meeting("m")
    for event in [
        MeetingOpened(meeting_id="m", language=language),
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
@pytest.mark.parametrize("session", ["", "s1"])
def test_who_asks_on_the_page_without_a_name_is_called_by_a_word_for_people(
    language: str, session: str
) -> None:
    by = nobodys("page", session)
    told = meeting(asked(language, by), language)
    label = {"ko": "누군가", "en": "Somebody"}[language]
    assert f"**{label}**" in to_markdown(document(told), language)
    assert template_values(document(told), language)["answers"][0]["asked_by"] == label
    assert told.thread.turns[0].question.name == label, "as a model's prompt shows the thread"
    assert [reply["by"] for reply in document(told)["replies"]] == [by], "for programs it stays who it was"


@BOTH
@pytest.mark.parametrize("claimed", ["", " (“Ana”)"])
def test_a_guest_by_a_link_and_what_they_call_themselves_are_told_in_words_for_people(
    language: str, claimed: str
) -> None:
    guest, somebody = {
        "ko": ("링크로 온 손님", "누군가"), "en": ("A guest by a link", "Somebody"),
    }[language]  # fmt: skip
    for shown, name in (("link 5c1d09ab", guest), ("page", somebody)):
        told = meeting(asked(language, nobodys(f"{shown}{claimed}", "s1")), language)
        assert f"**{name}{claimed}**" in to_markdown(document(told), language)
        assert told.thread.turns[0].question.name == f"{name}{claimed}"


@BOTH
def test_who_is_named_page_keeps_their_name(language: str) -> None:
    for by, name in (("page", "page"), ("minji", "minji"), (nobodys("user page"), "user page")):
        told = meeting(asked(language, by))
        assert f"**{name}**" in to_markdown(document(told), language)
        assert told.thread.turns[0].question.name == name


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


@BOTH
def test_what_an_erasure_emptied_of_a_question_and_its_answer_is_told_as_erased(language: str) -> None:
    word = {"ko": "삭제됨", "en": "erased"}[language]
    question, text = ASKED[language]
    told = meeting(asked(language, "minji"), language)
    document_ = document(told)
    assert f"_{word}_" not in to_markdown(document_)
    document_["replies"][0] |= {"text": "", "evidence": []}  # as where it rested on another's words
    minutes = to_markdown(document_)
    assert f"{question}\n\n> _{word}_\n" in minutes
    answer = template_values(document_)["answers"][0]
    assert (answer["text"], answer["lines"]) == (f"_{word}_", [f"_{word}_"])
    made = erased(told, Target(what="person", person="minji"), id_="e", actor=operator("ops"), at_ms=99)
    assert made is not None
    told.receive(made[0])
    document_ = document(told)
    assert [(each["question"], each["text"]) for each in document_["replies"]] == [("", "")]
    assert f": _{word}_\n\n> _{word}_\n" in to_markdown(document_)
    answer = template_values(document_)["answers"][0]
    assert {answer["question"], answer["text"], *answer["lines"]} == {f"_{word}_"}
    assert text not in str(answer)


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
