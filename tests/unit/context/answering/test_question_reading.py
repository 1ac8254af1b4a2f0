"""What a question is read as, once, where it comes in."""

from __future__ import annotations

from typing import Any

import pytest

from context.answering.question_meaning import bare, read
from context.config import ContextConfig
from context.events import events
from context.events.events import AnswerGiven, Event, QuestionAsked, decode, encode
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.models import Reply
from context.question import Question
from context.time_spans import Absence
from tests.languages import BOTH
from tests.unit.context.meetings import START, spoken

FLYERS = {"ko": "전단지 디자인은 누가 해?", "en": "Who designs the flyers?"}
WHEN = {"ko": "언제까지?", "en": "by when?"}
MISSED = {"ko": "모임아, 나 없을 때 뭐라고 했어?", "en": "Moim, what did I miss?"}


def meeting(*happened: Event, language: str = "ko") -> Meeting:
    manager = ContextManager("m", ContextConfig())
    for event in (
        events.MeetingOpened(meeting_id="m", language=language),
        events.MeetingStarted(at=START),
        *((spoken(1, "전단지는 수진 님이 디자인합니다.", "sujin"),) if happened else ()),
        *happened,
    ):
        manager.receive(event)
    return manager.meeting


def question(text: str, by: str = "hana", **given: Any) -> Question:
    return Question(id="now", by=by, via="chat", text=text, at_ms=60_000, **given)


def answered(text: str, by: str = "hana", *, private: bool = False) -> tuple[Event, Event]:
    asked = Question(id="before", by=by, via="chat", text=text, private=private, at_ms=50_000)
    reply = Reply(
        id="r", invocation_id="before", by=by, via="chat", question=text, text="…", private=private,
        call_type="IMMEDIATE_RESPONSE", evidence=(1,), asked_at_ms=50_000, answered_at_ms=50_100,
    )  # fmt: skip
    return QuestionAsked(question=asked), AnswerGiven(reply=reply)


@BOTH
def test_what_somebody_missed_is_for_their_ears_with_the_span_that_they_were_away(language: str) -> None:
    away = (
        events.ParticipantJoined(participant_id="hana", name="Hana", at_ms=0),
        events.ParticipantLeft(participant_id="hana", at_ms=20_000),
        events.ParticipantJoined(participant_id="hana", name="Hana", at_ms=40_000),
    )
    understood = read(question(MISSED[language]), meeting(*away))
    assert (understood.intent, understood.private, understood.to) == ("catch_up", True, "hana")
    assert understood.missed == Absence(start_ms=20_000, end_ms=40_000, away=True)
    assert understood.language == language
    assert understood.call_type == "SUMMARY"


@pytest.mark.parametrize(
    ("text", "intent", "call_type"),
    [
        ("모임, 결정된 거 알려줘", "decisions", "IMMEDIATE_RESPONSE"),
        ("What did we decide?", "decisions", "IMMEDIATE_RESPONSE"),
        ("할 일 정리해 줘", "tasks", "ACTION_EXTRACTION"),
        ("What are the action items?", "tasks", "ACTION_EXTRACTION"),
        ("출시일이 언제죠?", "fact", "IMMEDIATE_RESPONSE"),
        ("When is the release?", "fact", "IMMEDIATE_RESPONSE"),
    ],
)
def test_what_everybody_may_hear_is_read_as_what_it_asks(text: str, intent: str, call_type: str) -> None:
    understood = read(question(text), meeting())
    assert (understood.intent, understood.call_type, understood.to) == (intent, call_type, None)
    assert (understood.missed, understood.follows) == (None, False)


@pytest.mark.parametrize("text", ["모임아, 2시 이후로 뭐가 바뀌었어?", "Moim, what changed since 2 o'clock?"])
def test_the_agents_name_is_no_part_of_what_is_asked(text: str) -> None:
    asked = question(text)
    understood = read(asked, meeting())
    assert understood.matter == bare(asked, meeting()) == text.partition(", ")[2]
    assert understood.since is not None
    assert understood.since.hour == 2
    assert understood.text == text


@pytest.mark.parametrize("text", ["모임아, /me 예산이 얼마야?", "/me How much is the budget?"])
def test_what_stands_behind_me_is_asked_and_for_its_askers_ears_alone(text: str) -> None:
    asked = question(text)
    understood = read(asked, meeting())
    assert (understood.matter, understood.to) == (text.partition("/me ")[2], "hana")
    assert bare(asked, meeting()) == understood.matter
    assert understood.text == text


@BOTH
def test_a_follow_up_takes_what_it_leaves_out_from_its_askers_last_question(language: str) -> None:
    before = answered(FLYERS[language])
    understood = read(question(WHEN[language]), meeting(*before))
    assert understood.follows
    assert understood.matter != WHEN[language]
    assert understood.matter.startswith(WHEN[language])
    for apart in (
        read(question(WHEN[language], by="ben"), meeting(*before)),
        read(question(WHEN[language]), meeting(*before), with_history=False),
    ):
        assert (apart.follows, apart.matter) == (False, WHEN[language])


@BOTH
def test_what_leans_on_a_private_answer_is_private(language: str) -> None:
    before = answered(FLYERS[language], private=True)
    understood = read(question(WHEN[language]), meeting(*before))
    assert (understood.follows, understood.private) == (True, True)
    alone = read(question(FLYERS[language]), meeting(*before))
    assert (alone.follows, alone.private) == (False, False)


@BOTH
def test_what_follows_a_private_question_that_is_not_answered_yet_is_private(language: str) -> None:
    asked, _ = answered(FLYERS[language], private=True)
    assert read(question(WHEN[language]), meeting(asked)).private
    assert not read(question(WHEN[language], by="ben"), meeting(asked)).private


@pytest.mark.parametrize("text", ["더 알려줘", "계속", "예산은?", "Go on", "shorter please", "What else?"])
def test_a_fragment_behind_a_private_answer_is_private_whether_it_leans_or_not(text: str) -> None:
    assert read(question(text), meeting(*answered(FLYERS["ko"], private=True))).private


@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐어요?", "When do we ship?"])
def test_a_whole_question_behind_a_private_one_is_as_it_is(text: str) -> None:
    assert not read(question(text), meeting(*answered(FLYERS["ko"], private=True))).private


@BOTH
def test_signs_are_answered_in_the_language_of_what_was_asked_before(language: str) -> None:
    assert read(question("?"), meeting(*answered(FLYERS[language]))).language == language
    assert read(question("?"), meeting(language=language)).language == language


@BOTH
def test_it_comes_off_the_record_as_it_went_on(language: str) -> None:
    """By the name that the contract has for it; an older record holds nothing of what was read."""
    asked = QuestionAsked(question=read(question(MISSED[language]), meeting()))
    payload = encode(asked)
    assert decode(payload) == asked
    assert payload["invocation"]["text"] == MISSED[language]
    old = {name: payload["invocation"][name] for name in ("id", "by", "via", "text", "at_ms")}
    restored = decode({"kind": "question_asked", "invocation": old})
    assert isinstance(restored, QuestionAsked)
    assert not restored.question.is_read
