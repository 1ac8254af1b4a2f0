"""`moim check` against servers that are not what the settings say: each finding names setting and mend."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.test_utils import TestServer

from worker.configuration.settings import Settings
from worker.reach.reach import Finding, reach


@asynccontextmanager
async def serving(answers: Mapping[tuple[str, str], web.Response]) -> AsyncIterator[int]:
    """A server that knows these (method, path) alone."""

    async def handle(request: web.Request) -> web.Response:
        return answers.get((request.method, request.path), web.Response(status=404, text="not found"))

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    async with TestServer(app) as server:
        assert server.port is not None
        yield server.port


async def found(part: str, **environ: str) -> Finding:
    [finding] = await reach(Settings.from_env(environ), [part])
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
