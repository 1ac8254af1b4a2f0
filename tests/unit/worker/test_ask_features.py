"""Flags for one question, as they come in from outside: checked at the door."""

from __future__ import annotations

import json
from typing import Any

from context.events import QuestionAsked
from context.models import AnswerRun, Invocation, Reply
from worker.messages import AskMessage, Malformed, read_ask


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
    assert old.invocation.features == {}
    reply = {
        "id": "r1", "invocation_id": "q1", "by": "a", "via": "chat", "question": "?", "text": "!",
        "call_type": "SEARCH", "asked_at_ms": 1, "answered_at_ms": 2,
    }  # fmt: skip
    assert Reply.model_validate(reply).run is None
    again = Reply.model_validate(reply | {"run": AnswerRun(steps={"retrieve": 1.5}).model_dump(mode="json")})
    assert again.run is not None
    assert again.run.steps == {"retrieve": 1.5}
    assert Invocation.model_validate(asked | {"features": {"simple_query_k": "4"}}).features
