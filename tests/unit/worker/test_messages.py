"""What other programs write into a meeting's streams, checked at the door: times in any language's shape, and flags."""

from __future__ import annotations

import json
from typing import Any

import pytest

from context.events.events import QuestionAsked
from context.models import AnswerRun, Reply
from context.question import Question
from worker.messages import AskMessage, Malformed, SegmentMessage, read_ask, read_input


def segment(**fields: Any) -> bytes:
    whole = {"id": "s1", "speaker": "minji", "text": "출시는 금요일.", "start_ms": 0, "end_ms": 900, **fields}
    return json.dumps(whole).encode()


@pytest.mark.parametrize(("given", "taken"), [(17_000, 17_000), (17_000.0, 17_000), (17_000.75, 17_000)])
def test_times_may_have_a_fraction_of_a_millisecond(given: float, taken: int) -> None:
    read = read_input(segment(start_ms=given, end_ms=given + 900))
    assert isinstance(read, SegmentMessage)
    assert (read.start_ms, read.end_ms) == (taken, taken + 900)


@pytest.mark.parametrize("given", [-0.5, 1e15, float("nan"), float("inf"), "soon"])
def test_what_is_no_time_is_told(given: Any) -> None:
    read = read_input(segment(start_ms=0, end_ms=given))
    assert isinstance(read, Malformed)
    assert "end_ms" in read.reason


def message(**features: Any) -> object:
    fields = {"id": "q1", "by": "minji", "text": "출시일이 언제예요?", "features": features}
    return read_ask(json.dumps(fields).encode())


def test_known_flags_come_in() -> None:
    told = message(simple_query_k=4, retrieval_mode="bm25")
    assert isinstance(told, AskMessage)
    assert told.features == {"simple_query_k": "4", "retrieval_mode": "bm25"}


def test_what_is_no_flag_or_no_value_of_one_is_refused_with_its_reason() -> None:
    told = message(simple_query="4")
    assert isinstance(told, Malformed)
    assert "did you mean simple_query_k?" in told.reason
    told = message(simple_query_k="many")
    assert isinstance(told, Malformed)
    assert "simple_query_k='many' must be a whole number" in told.reason


def test_older_records_know_neither_flags_nor_runs() -> None:
    asked = {"id": "q1", "by": "a", "via": "chat", "text": "?", "at_ms": 1}
    old = QuestionAsked.model_validate({"kind": "question_asked", "invocation": asked})
    assert old.question.features == {}
    reply = {
        "id": "r1", "invocation_id": "q1", "by": "a", "via": "chat", "question": "?", "text": "!",
        "call_type": "SEARCH", "asked_at_ms": 1, "answered_at_ms": 2,
    }  # fmt: skip
    assert Reply.model_validate(reply).run is None
    again = Reply.model_validate(reply | {"run": AnswerRun(steps={"retrieve": 1.5}).model_dump(mode="json")})
    assert again.run.steps == {"retrieve": 1.5}
    assert Question.model_validate(asked | {"features": {"simple_query_k": "4"}}).features
