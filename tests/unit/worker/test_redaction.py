"""What is masked, what only looks alike, and where."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from context.ports import ChatMessage
from tests.unit.cases import cases
from worker.clock import monotonic_s
from worker.redaction import RedactingModel, redacted


@cases
def test_what_is_nobody_elses_business_is_masked(said: str, shown: str) -> None:
    assert redacted(said) == shown


@cases
def test_what_only_looks_alike_stays(said: str) -> None:
    assert redacted(said) == said


def test_a_pasted_key_holds_nobody_up() -> None:
    said = f"키는 {'a1B2' * 25_000}입니다."
    began_s = monotonic_s()
    assert redacted(said) == said
    assert monotonic_s() - began_s < 5, "in proportion to its length"


async def test_a_model_is_told_the_marks() -> None:
    told: list[Sequence[ChatMessage]] = []

    class Model:
        name = "m"

        async def stream(
            self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
        ) -> AsyncIterator[str]:
            told.append(messages)
            yield "ok"

        async def structured(
            self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
        ) -> str:
            told.append(messages)
            return "{}"

    model = RedactingModel(Model())
    asked = [ChatMessage(role="user", content="010-1234-5678이 누구 번호죠?")]
    assert [piece async for piece in model.stream(asked, max_tokens=5)] == ["ok"]
    assert await model.structured(asked, schema={}, name="x", max_tokens=5) == "{}"
    assert {message.content for messages in told for message in messages} == {"[전화번호]이 누구 번호죠?"}
