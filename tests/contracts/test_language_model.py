"""What every language model must do, held against the scripted one and the real adapters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import pytest
from pydantic import SecretStr

from context.ports import ChatMessage, CutOff, LanguageModel, Refused, Unavailable
from tests.fakes.clova_studio import ClovaStudio, Failure
from tests.fakes.llm import Hang, ScriptedModel
from tests.fakes.openai_chat import ChatServer, Status
from worker.adapters.clova_llm import ClovaLanguageModel
from worker.adapters.clova_models import compatible_options
from worker.adapters.clova_wire import ClovaWire
from worker.adapters.openai_llm import OpenAILanguageModel

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"topic": {"type": "string"}},
    "required": ["topic"],
}
ASKED = [ChatMessage(role="system", content="규칙"), ChatMessage(role="user", content="출시일은 언제예요?")]


@dataclass
class Case:
    """A model, and a way to look at what it did."""

    model: LanguageModel
    seen: Callable[[], list[list[dict[str, str]]]]
    gone: Callable[[], int]


@asynccontextmanager
async def scripted(kind: str, pieces: tuple[str, ...]) -> AsyncIterator[Case]:
    steps: list[Any] = list(pieces)
    if kind == "hang":
        steps.append(Hang)
    if kind == "down":
        steps = [Unavailable("503")]
    if kind == "broken":
        steps.append(Unavailable("cut"))
    if kind == "unexplained" and not pieces:
        steps = [Unavailable("nothing came")]
    if kind == "limit":
        steps.append(CutOff("50 tokens"))
    if kind == "refused":
        steps = [Refused("401")]
    model = ScriptedModel(steps)
    yield Case(model, lambda: [[m.model_dump() for m in call] for call in model.calls], lambda: model.closed)


FAULTS: dict[str, Any] = {"hang": "hang", "broken": "cut", "limit": "length", "unexplained": "truncate"}


def _script(server: ChatServer | ClovaStudio, kind: str, pieces: tuple[str, ...]) -> SecretStr:
    """Tell the server what to do; the key to come with."""
    if kind == "down":
        server.will(Status(503) if isinstance(server, ChatServer) else Failure(503, "50000"))  # type: ignore[arg-type]  # its own
    else:
        server.will(*pieces, fault=FAULTS.get(kind))
    return SecretStr("wrong" if kind == "refused" else server.key)


@asynccontextmanager
async def served(kind: str, pieces: tuple[str, ...]) -> AsyncIterator[Case]:
    async with ChatServer() as server:
        key = _script(server, kind, pieces)
        model = OpenAILanguageModel(base_url=server.base_url, api_key=key, model=server.model)
        yield Case(model, lambda: [r["messages"] for r in server.requests], lambda: server.gone)
        await model.aclose()


@asynccontextmanager
async def clova(name: str, kind: str, pieces: tuple[str, ...]) -> AsyncIterator[Case]:
    async with ClovaStudio() as studio:
        wire = ClovaWire(base_url=studio.base_url, api_key=_script(studio, kind, pieces))
        model = ClovaLanguageModel(wire, model=name)
        yield Case(model, lambda: [chat["messages"] for chat in studio.chats], lambda: studio.gone)
        await wire.aclose()


@asynccontextmanager
async def compatible(name: str, kind: str, pieces: tuple[str, ...]) -> AsyncIterator[Case]:
    """CLOVA Studio's OpenAI-compatible route."""
    async with ClovaStudio() as studio:
        key = _script(studio, kind, pieces)
        base_url = f"{studio.base_url}/v1/openai"
        model = OpenAILanguageModel(base_url=base_url, api_key=key, model=name, **compatible_options(name))
        yield Case(model, lambda: [studio.chats[-1]["messages"]], lambda: studio.gone)
        await model.aclose()


async def is_gone(it: Case) -> None:
    """Wait until the server has seen its client go."""
    async with asyncio.timeout(5):
        while not it.gone():
            await asyncio.sleep(0.005)


async def read_until_error(model: LanguageModel) -> tuple[str, Exception | None]:
    got = ""
    try:
        async for piece in model.stream(ASKED, max_tokens=50):
            got += piece
    except (CutOff, Unavailable, Refused) as error:
        return got, error
    return got, None


pytestmark = pytest.mark.parametrize(
    "case",
    [
        scripted,
        served,
        *(
            pytest.param(partial(route, name), id=f"{route.__name__}-{name}")
            for route in (clova, compatible)
            for name in ("HCX-003", "HCX-005", "HCX-007", "HCX-DASH-002")
        ),
    ],
)


async def test_streams_in_order(case: Any) -> None:
    async with case("fine", ("출시일은 ", "12월 ", "22일입니다.")) as it:
        pieces = [piece async for piece in it.model.stream(ASKED, max_tokens=50)]
        assert pieces == ["출시일은 ", "12월 ", "22일입니다."]
        assert it.seen() == [[message.model_dump() for message in ASKED]]
        assert it.model.name


async def test_closing_the_iterator_ends_the_request(case: Any) -> None:
    async with case("hang", ("first",)) as it:
        async with aclosing(cast("Any", it.model.stream(ASKED, max_tokens=50))) as pieces:
            assert await anext(pieces) == "first"
        await is_gone(it)


async def test_a_deadline_of_the_caller_ends_the_request(case: Any) -> None:
    async with case("hang", ()) as it:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await it.model.structured(ASKED, schema=SCHEMA, name="x", max_tokens=50)
        await is_gone(it)


async def test_a_server_that_is_down_is_unavailable(case: Any) -> None:
    async with case("down", ()) as it:
        with pytest.raises(Unavailable):
            [piece async for piece in it.model.stream(ASKED, max_tokens=50)]
    async with case("down", ()) as it:
        with pytest.raises(Unavailable):
            await it.model.structured(ASKED, schema=SCHEMA, name="x", max_tokens=50)


async def test_a_stream_that_breaks_keeps_what_came_and_says_so(case: Any) -> None:
    async with case("broken", ("half ", "an answer")) as it:
        got, error = await read_until_error(it.model)
        assert isinstance(error, Unavailable)
        assert "half an answer".startswith(got)


async def test_a_stream_that_ends_without_saying_why_is_an_answer_where_it_has_words(case: Any) -> None:
    async with case("unexplained", ("12월 ", "22일입니다.")) as it:
        assert await read_until_error(it.model) == ("12월 22일입니다.", None)
    async with case("unexplained", ()) as it:
        got, error = await read_until_error(it.model)
        assert isinstance(error, Unavailable)
        assert got == ""


async def test_a_stream_that_ends_at_its_limit_of_tokens_says_so(case: Any) -> None:
    async with case("limit", ("half ", "an answer")) as it:
        got, error = await read_until_error(it.model)
        assert isinstance(error, CutOff)
        assert got == "half an answer"


async def test_a_wrong_key_is_refused(case: Any) -> None:
    async with case("refused", ()) as it:
        with pytest.raises(Refused):
            [piece async for piece in it.model.stream(ASKED, max_tokens=50)]


async def test_structured_gives_the_text(case: Any) -> None:
    async with case("fine", ('{"topic": "출시 일정"}',)) as it:
        text = await it.model.structured(ASKED, schema=SCHEMA, name="topic", max_tokens=50)
        assert text == '{"topic": "출시 일정"}'
