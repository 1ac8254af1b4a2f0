"""What a user is told of servers that are not what the settings say, or cannot be reached, by the clients' errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import aiohttp
import asyncpg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from redis.asyncio import Redis

from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.diagnostics.finding import Finding
from worker.errors import why_unreached


@asynccontextmanager
async def serving(answers: Mapping[tuple[str, str], web.Response]) -> AsyncIterator[int]:
    """A server that knows these (method, path) alone."""

    async def handle(request: web.Request) -> web.Response:
        known = answers.get((request.method, request.path), web.Response(status=404, text="not found"))
        # A response is sent once: whoever asks again gets another one.
        return web.Response(body=known.body, status=known.status, content_type=known.content_type)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    async with TestServer(app) as server:
        assert server.port is not None
        yield server.port


async def found(part: str, **environ: str) -> Finding:
    finding, *_trials = await diagnose(Settings.from_env(environ), [part])
    return finding


async def test_an_address_without_v1_is_wrong() -> None:
    ollama = {("GET", "/v1/models"): web.json_response({"data": [{"id": "m"}]})}
    async with serving(ollama) as port:
        llm = {"LLM_ENGINE": "openai", "LLM_MODEL": "m"}
        short = await found("llm", LLM_BASE_URL=f"http://127.0.0.1:{port}", **llm)
        whole = await found("llm", LLM_BASE_URL=f"http://127.0.0.1:{port}/v1", **llm)
    assert short.state == "wrong"
    assert "LLM_BASE_URL" in short.text
    assert "/v1" in short.text
    assert whole.state == "ok"


async def test_an_endpoint_without_a_list_of_models_is_known_by_its_work() -> None:
    speech = {("POST", "/v1/audio/transcriptions"): web.json_response({"error": "no file"}, status=400)}
    async with serving(speech) as port:
        finding = await found("stt", STT_ENGINE="openai", STT_BASE_URL=f"http://127.0.0.1:{port}/v1")
    assert finding.state == "ok"


async def test_a_page_for_people_is_no_endpoint() -> None:
    page = {("GET", "/models"): web.Response(text="<html>", content_type="text/html")}
    async with serving(page) as port:
        finding = await found(
            "llm", LLM_ENGINE="openai", LLM_MODEL="m", LLM_BASE_URL=f"http://127.0.0.1:{port}"
        )
    assert finding.state == "wrong"


async def test_tls_where_none_is_spoken_is_told_as_that() -> None:
    livekit = {"LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": "s" * 32}
    async with serving({}) as port:
        finding = await found("livekit", LIVEKIT_URL=f"wss://127.0.0.1:{port}", **livekit)
    assert finding.state == "unreachable"
    assert "TLS fails" in finding.text
    assert "is the scheme right" in finding.text


async def test_redis_address_of_another_server() -> None:
    async with serving({}) as port:
        finding = await found("redis", REDIS_URL=f"redis://127.0.0.1:{port}")
    assert finding.state == "unreachable"
    assert "another server" in finding.text


async def test_an_embedding_endpoint_away_names_its_setting() -> None:
    async with serving({}) as port:
        embed = {"EMBED_ENGINE": "openai", "EMBED_MODEL": "e"}
        absent = await found("embeddings", EMBED_BASE_URL=f"http://127.0.0.1:{port}/v1", **embed)
    away = await found("embeddings", EMBED_BASE_URL=f"http://127.0.0.1:{port}/v1", **embed)
    assert absent.state == "wrong"
    assert "EMBED_MODEL='e'" in absent.text
    assert away.text.startswith(f"EMBED_BASE_URL='http://127.0.0.1:{port}/v1': nothing listens there")


async def by_http(port: int) -> object:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/") as answer:
        return answer.status


async def by_postgres(port: int) -> object:
    return await asyncpg.connect(f"postgresql://a:b@127.0.0.1:{port}/x", timeout=10)


async def by_redis(port: int) -> object:
    async with Redis.from_url(f"redis://127.0.0.1:{port}") as client:
        return await client.info()


CLIENTS = pytest.mark.parametrize("client", [by_http, by_postgres, by_redis])
Client = Callable[[int], Awaitable[object]]


@asynccontextmanager
async def hanging_up() -> AsyncIterator[int]:
    """A server that speaks with nobody."""

    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@CLIENTS
async def test_where_nothing_listens_that_is_said(client: Client) -> None:
    async with hanging_up() as port:
        pass  # closed again: its port is nobody's
    with pytest.raises(Exception) as told:
        await client(port)
    assert why_unreached(told.value).startswith("nothing listens there")


@CLIENTS
async def test_a_server_that_hangs_up_may_be_another(client: Client) -> None:
    async with hanging_up() as port:
        with pytest.raises(Exception) as told:
            await client(port)
    assert why_unreached(told.value).startswith("it hung up")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError("Multiple exceptions: [Errno 111] Connect call failed"), "nothing listens"),
        (ConnectionError("Error -2 connecting to nowhere:6379. Name or service not known."), "no such host"),
        (TimeoutError(), "no answer in time"),
        (OSError("something else"), "something else"),
        (OSError(), "OSError"),
    ],
)
def test_the_number_in_the_text_is_enough(error: Exception, told: str) -> None:
    assert told in why_unreached(error)
    wrapped = RuntimeError("cannot go on")
    wrapped.__cause__ = error
    assert why_unreached(wrapped) == (why_unreached(error) if ":" in why_unreached(error) else "cannot go on")
