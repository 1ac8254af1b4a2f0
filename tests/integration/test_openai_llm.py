"""The adapter against a server that behaves, misbehaves and disagrees about the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from context.ports import ChatMessage, CutOff, Refused, Unavailable
from tests.fakes.broken_endpoint import BrokenEndpoint, events, of
from tests.fakes.openai_chat import ChatServer, Status
from worker.adapters.openai_llm import OpenAILanguageModel, Usage

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"topic": {"type": "string"}},
    "required": ["topic"],
}
ASKED = [ChatMessage(role="user", content="What did we decide? 무엇을 결정했나요?")]


@pytest.fixture
async def server() -> AsyncIterator[ChatServer]:
    async with ChatServer() as running:
        yield running


@pytest.fixture
def usage() -> list[Usage]:
    return []


@pytest.fixture
async def model(server: ChatServer, usage: list[Usage]) -> AsyncIterator[OpenAILanguageModel]:
    made = OpenAILanguageModel(
        base_url=server.base_url,
        api_key=SecretStr("secret"),
        model=server.model,
        on_usage=usage.append,
    )
    yield made
    await made.aclose()


@pytest.fixture
async def impatient(server: ChatServer) -> AsyncIterator[OpenAILanguageModel]:
    """One whose server has a second to connect and between two words: for servers that say nothing any more."""
    made = OpenAILanguageModel(
        base_url=server.base_url, api_key=SecretStr("secret"), model=server.model, read_timeout_s=1.0
    )
    yield made
    await made.aclose()


async def read(model: OpenAILanguageModel) -> str:
    return "".join([piece async for piece in model.stream(ASKED, max_tokens=40)])


async def collect(model: OpenAILanguageModel, got: list[str]) -> None:
    async for piece in model.stream(ASKED, max_tokens=40):
        got += [piece]


async def ask(model: OpenAILanguageModel) -> str:
    return await model.structured(ASKED, schema=SCHEMA, name="topic_detection", max_tokens=40)


async def test_counts_tokens_by_purpose(
    model: OpenAILanguageModel, server: ChatServer, usage: list[Usage]
) -> None:
    server.will("abc", "de")
    server.will('{"topic":"x"}')
    assert await read(model) == "abcde"
    await ask(model)
    assert usage == [
        Usage("answer", "test-model", prompt_tokens=7, completion_tokens=5),
        Usage("topic_detection", "test-model", prompt_tokens=7, completion_tokens=13),
    ]


async def test_sends_the_schema(model: OpenAILanguageModel, server: ChatServer) -> None:
    await ask(model)
    sent = server.requests[-1]
    assert sent["response_format"]["json_schema"] == {"name": "topic_detection", "schema": SCHEMA}
    assert sent["max_tokens"] == 40
    assert "stream" not in sent or not sent["stream"]


async def test_falls_back_to_json_object_and_remembers(
    model: OpenAILanguageModel, server: ChatServer
) -> None:
    server.refuses = frozenset({"json_schema"})
    await ask(model)
    await ask(model)
    kinds = [request["response_format"]["type"] for request in server.requests]
    assert kinds == ["json_schema", "json_object", "json_object"]
    assert '"topic"' in server.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422, 500, 501])
async def test_falls_back_to_the_prompt_alone(
    model: OpenAILanguageModel, server: ChatServer, status: int
) -> None:
    server.refuses, server.refusal = frozenset({"json_schema", "json_object"}), status
    await ask(model)
    await ask(model)
    assert len(server.requests) == 4
    assert "response_format" not in server.requests[-1]
    assert set(model.given_up) == {"json_schema", "json_object"}


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422, 500, 501])
@pytest.mark.parametrize("feature", ["stream", "stream_options", "system"])
async def test_an_answer_comes_without_what_the_server_does_not_know(
    model: OpenAILanguageModel, server: ChatServer, feature: str, status: int
) -> None:
    server.refuses, server.refusal = frozenset({feature}), status
    asked = [ChatMessage(role="system", content="규칙: 짧게."), *ASKED]
    for _ in range(2):
        server.will("출시일은 ", "22일")
        assert "".join([piece async for piece in model.stream(asked, max_tokens=9)]) == "출시일은 22일"
    last = server.requests[-1]
    assert feature in model.given_up
    assert "규칙: 짧게." in last["messages"][0]["content"]
    if feature == "system":
        assert [message["role"] for message in last["messages"]] == ["user"]
    elif feature == "stream":
        assert "stream" not in last


async def test_what_is_given_up_is_tried_again_after_an_hour(server: ChatServer) -> None:
    now_s = 0.0
    model = OpenAILanguageModel(
        base_url=server.base_url, api_key=SecretStr("secret"), model=server.model, clock=lambda: now_s
    )
    server.refuses = frozenset({"json_schema", "json_object"})
    await ask(model)
    server.refuses = frozenset()
    now_s = 3601.0
    await ask(model)
    assert server.requests[-1]["response_format"]["type"] == "json_schema"
    await model.aclose()


async def test_a_prompt_that_is_too_long_is_refused_at_once(
    model: OpenAILanguageModel, server: ChatServer
) -> None:
    server.will(Status(400, "too long", "context_length_exceeded"))
    with pytest.raises(Refused, match="400"):
        await ask(model)
    assert len(server.requests) == 1


@pytest.mark.parametrize("refused", ["stream_options", "max_tokens"])
async def test_learns_what_the_server_does_not_know(
    model: OpenAILanguageModel, server: ChatServer, refused: str
) -> None:
    server.refuses = frozenset({refused})
    server.will("one")
    server.will("two")
    assert [await read(model), await read(model)] == ["one", "two"]
    assert len(server.requests) == 3, "the second call knows already"


@pytest.mark.parametrize("refused", ["stream_options", "max_tokens"])
async def test_calls_that_are_made_at_once_all_learn_it(
    model: OpenAILanguageModel, server: ChatServer, refused: str
) -> None:
    server.refuses = frozenset({refused})
    assert await asyncio.gather(*(read(model) for _ in range(3))) == ["ok"] * 3


@pytest.mark.parametrize(("code", "error"), [
    (401, Refused), (403, Refused), (404, Refused), (400, Refused), (422, Refused),
    (408, Unavailable), (409, Unavailable), (429, Unavailable), (500, Unavailable), (502, Unavailable), (503, Unavailable),
])  # fmt: skip
async def test_statuses(
    model: OpenAILanguageModel, server: ChatServer, code: int, error: type[Exception]
) -> None:
    for _ in range(8):  # the plainer forms are tried, too
        server.will(Status(code))
    with pytest.raises(error):
        await read(model)
    with pytest.raises(error):
        await ask(model)


@pytest.mark.parametrize(
    ("sent", "seconds"), [("7", 7.0), ("1.5", 1.5), (None, None), ("Wed, 21 Oct 2026 07:28:00 GMT", None)]
)
async def test_429_says_how_long(
    model: OpenAILanguageModel, server: ChatServer, sent: str | None, seconds: float | None
) -> None:
    server.will(Status(429, retry_after=sent))
    with pytest.raises(Unavailable) as caught:
        await read(model)
    assert caught.value.retry_after_s == seconds
    assert len(server.requests) == 1, "retrying is the caller's"


async def test_an_empty_purse_does_not_fill_by_waiting(
    model: OpenAILanguageModel, server: ChatServer
) -> None:
    server.will(Status(429, "You exceeded your current quota", "insufficient_quota"))
    with pytest.raises(Refused):
        await read(model)


@pytest.mark.parametrize("fault", ["garbage", "cut", "error_event"])
async def test_a_stream_that_fails_is_unavailable(
    model: OpenAILanguageModel, server: ChatServer, fault: Any
) -> None:
    server.will("결정된 ", "내용은", fault=fault)
    got = []
    with pytest.raises(Unavailable):
        await collect(model, got)
    assert "결정된 내용은".startswith("".join(got))
    if fault != "cut":
        assert got == ["결정된 ", "내용은"], "what came before the fault is not lost"


async def test_a_stream_that_falls_silent_is_unavailable(
    impatient: OpenAILanguageModel, server: ChatServer
) -> None:
    server.will("결정된 ", "내용은", fault="hang")
    got: list[str] = []
    with pytest.raises(Unavailable):
        await collect(impatient, got)
    assert got == ["결정된 ", "내용은"], "what came before the silence is not lost"


async def test_a_whole_answer_that_never_comes_is_unavailable(
    impatient: OpenAILanguageModel, server: ChatServer
) -> None:
    server.will("x", fault="hang")
    with pytest.raises(Unavailable):
        await ask(impatient)


@pytest.mark.parametrize("fault", ["garbage", "empty"])
async def test_a_whole_answer_that_fails_is_unavailable(
    model: OpenAILanguageModel, server: ChatServer, fault: Any
) -> None:
    server.will("x", fault=fault)
    with pytest.raises(Unavailable):
        await ask(model)


async def test_one_byte_at_a_time(model: OpenAILanguageModel, server: ChatServer, usage: list[Usage]) -> None:
    server.will("출시일은 ", "12월 22일 🎉", fault="drip")
    assert await read(model) == "출시일은 12월 22일 🎉"
    server.will('{"topic": "예산"}', fault="drip")
    assert await ask(model) == '{"topic": "예산"}'


async def test_nobody_listens() -> None:
    async with ChatServer() as gone:
        address = gone.base_url
    model = OpenAILanguageModel(base_url=address, api_key=SecretStr(""), model="m")
    with pytest.raises(Unavailable):
        await ask(model)
    await model.aclose()


async def test_the_key_is_in_no_error(server: ChatServer) -> None:
    model = OpenAILanguageModel(base_url=server.base_url, api_key=SecretStr("sk-very-secret"), model="m")
    with pytest.raises(Refused) as caught:
        await ask(model)
    assert "sk-very-secret" not in str(caught.value)
    await model.aclose()


INSTEAD = {
    "empty": ({"content": ""}, "stop", Unavailable, "its reply was empty"),
    "refusal": (
        {"content": None, "refusal": "도와드릴 수 없습니다"},
        "stop",
        Refused,
        "declined to answer: 도와",
    ),
    "tool call": (
        {"tool_calls": [{"function": {"name": "search"}}]},
        "tool_calls",
        Refused,
        r"called a tool \(search\)",
    ),
    "filtered": ({"content": ""}, "content_filter", Refused, "withheld by a content filter"),
    "thoughts": ({"content": "<think>음</think>"}, "stop", Unavailable, "thought and said nothing"),
    "thoughts up to the limit": (
        {"reasoning_content": "음"},
        "length",
        CutOff,
        "its thoughts took all of its 40 tokens",
    ),
    "nothing readable": ({}, None, Unavailable, "holds no reply"),
}


@pytest.mark.parametrize("what", INSTEAD)
@pytest.mark.parametrize("call", [read, ask], ids=["stream", "whole"])
async def test_what_came_instead_of_an_answer_is_told(what: str, call: Any) -> None:
    message, finish, error, said = INSTEAD[what]
    async with BrokenEndpoint().running() as endpoint:
        made = OpenAILanguageModel(base_url=endpoint.base_url, api_key=SecretStr("k"), model="m")
        for key in ("message", "delta"):
            choice = {key: message, "finish_reason": finish}
            endpoint.reply = of({"choices": [choice]}) if key == "message" else events({"choices": [choice]})
            with pytest.raises(error, match=said):
                await call(made)
        await made.aclose()


@pytest.mark.parametrize("pieces", [1, 7, 500])
async def test_thoughts_are_no_part_of_an_answer_however_they_are_cut(pieces: int) -> None:
    text = "<|channel|>analysis<|message|>언제?<|end|><|start|>assistant<|channel|>final<|message|>22일입니다.<|return|>"
    async with BrokenEndpoint().running() as endpoint:
        made = OpenAILanguageModel(base_url=endpoint.base_url, api_key=SecretStr("k"), model="m")
        endpoint.reply = events(
            *({"choices": [{"delta": {"content": letter}}]} for letter in text), pieces=pieces
        )
        assert await read(made) == "22일입니다."
        assert await ask(made) == "22일입니다."
        await made.aclose()


async def test_thoughts_that_the_prompt_opened_are_held_back_from_the_second_answer_on(
    model: OpenAILanguageModel, server: ChatServer
) -> None:
    got = []
    for pieces in (
        ("음, ", "</think>", "22일"),
        ("음, ", "</think>", "22일"),
        ("22일", "입니다"),
        ("22일", "입니다"),
    ):
        server.will(*pieces)
        got.append([piece async for piece in model.stream(ASKED, max_tokens=40)])
    assert got == [["음, ", "\n", "22일"], ["22일"], ["22일입니다"], ["22일", "입니다"]]
