"""A local CLOVA Studio: chat (v3 and v1), token calculators and the OpenAI-compatible route, with faults.

async with ClovaStudio() as studio:
    studio.will("안녕", "하세요")                      # the next chat is answered with this
    studio.will(Failure(429, "42901", retry_after="2"))
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from aiohttp import web

from tests.fakes import clova_studio_rules as rules
from tests.fakes.listening import listen
from tests.fakes.openai_protocol import cut, drip


@dataclass(frozen=True)
class Failure:
    """An error in CLOVA Studio's shape; `under_200`: its HTTP status denies it."""

    status: int
    code: str = ""
    message: str = "scripted failure"
    retry_after: str | None = None
    under_200: bool = False


Fault = Literal["hang", "drip", "garbage", "truncate", "cut", "error_event", "overload_event", "page", "empty",
                "only_result", "no_result", "thinks", "length"]  # fmt: skip
"""hang: silence after what came · drip: one byte at a time · garbage: half an object where one belongs · truncate:
a polite end before the answer's · cut: the connection breaks · error_event, overload_event: 50000 and 42902 inside
the stream · page: HTML under 200 · empty: no content · only_result: no tokens, all at once · no_result: the last
token says that it is over · thinks: thoughts before the answer, under both names · length: it ends at its limit
of tokens."""


@dataclass(frozen=True)
class Script:
    pieces: tuple[str, ...] = ("네",)
    fault: Fault | None = None
    failure: Failure | None = None


@dataclass
class ClovaStudio:
    """Answers chats in the order of `will`; keeps every request's path and body."""

    key: str = "nv-secret"
    refuses_schemas: bool = False
    """Every schema is "invalid" (40055)."""
    calculator_fails: bool = False
    writes: Callable[[str, dict[str, Any]], str] | None = None
    """Model and request to an answer, where nothing is scripted."""
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    gone: int = 0
    """Requests that the client left before their end."""
    base_url: str = ""
    _scripts: deque[Script] = field(default_factory=deque)
    _runner: web.AppRunner | None = None

    def will(self, *pieces: str | Failure, fault: Fault | None = None) -> None:
        """Script the next chat."""
        if pieces and isinstance(pieces[0], Failure):
            self._scripts.append(Script(failure=pieces[0]))
        else:
            self._scripts.append(Script(tuple(str(piece) for piece in pieces), fault))

    @property
    def chats(self) -> list[dict[str, Any]]:
        """Bodies of the chat requests, native and compatible."""
        return [body for path, body in self.requests if "chat" in path and "tokenize" not in path]

    @property
    def counts(self) -> int:
        """How often a token calculator was asked."""
        return sum("tokenize" in path for path, _ in self.requests)

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/{api:v1|v3}/chat-completions/{model}", self._chat)
        app.router.add_post("/{api:v1|v3}/api-tools/chat-tokenize/{model}", self._count)
        app.router.add_post("/v1/openai/chat/completions", self._compatible)
        app.router.add_get("/v1/openai/models", self._models)
        self._runner, self.base_url = await listen(app, cancels=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def _wrong_key(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") != f"Bearer {self.key}"

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append((request.path, body))
        if self._wrong_key(request):
            return native_error(Failure(401, "40104", "Invalid key"))
        api, model = request.match_info["api"], request.match_info["model"]
        refused = rules.refusal(model, api, body)
        if refused is None and self.refuses_schemas and "responseFormat" in body:
            refused = (400, "40055", "Invalid response format schema")
        if refused is not None:
            return native_error(Failure(*refused))
        script = self.next_script(model, body)
        if script.failure is not None:
            return native_error(script.failure)
        try:
            if "text/event-stream" in request.headers.get("Accept", ""):
                return await _Native(api, body, script).stream(request)
            return await _Native(api, body, script).whole(request)
        except (ConnectionResetError, asyncio.CancelledError):
            self.gone += 1
            raise

    async def _count(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append((request.path, body))
        model = request.match_info["model"]
        if self._wrong_key(request):
            return native_error(Failure(401, "40104", "Invalid key"))
        if model not in rules.WINDOWS:
            return native_error(Failure(400, "40080", "Model not found"))
        if self.calculator_fails:
            return native_error(Failure(500, "50000", "Internal server error"))
        old = request.match_info["api"] == "v1"
        if (model in rules.OLD) != old:
            return native_error(Failure(400, "40084", "Unsupported API for model"))
        result: dict[str, Any] = {"messages": [_counted(message, old) for message in body["messages"]]}
        if "responseFormat" in body:
            result["responseFormat"] = {"count": rules.schema_tokens(body["responseFormat"]["schema"])}
        return _reply(result)

    async def _models(self, request: web.Request) -> web.StreamResponse:
        if self._wrong_key(request):
            return compatible_error(Failure(401, "40104", "Invalid key"))
        return web.json_response(
            {"object": "list", "data": [{"id": name, "object": "model"} for name in rules.WINDOWS]}
        )

    async def _compatible(self, request: web.Request) -> web.StreamResponse:
        from tests.fakes.clova_studio_openai import answered

        body = await request.json()
        self.requests.append((request.path, body))
        if self._wrong_key(request):
            return compatible_error(Failure(401, "40104", "Invalid key"))
        return await answered(self, request, body)

    def next_script(self, model: str, body: dict[str, Any]) -> Script:
        """What this request is answered with."""
        if self._scripts:
            return self._scripts.popleft()
        return Script((self.writes(model, body),)) if self.writes else Script()


def native_error(failure: Failure) -> web.Response:
    """`{"status": {"code", "message"}}`."""
    status = {"code": failure.code or f"{failure.status}00", "message": failure.message}
    headers = {"Retry-After": failure.retry_after} if failure.retry_after else {}
    http = 200 if failure.under_200 else failure.status
    return web.json_response({"status": status}, status=http, headers=headers)


def compatible_error(failure: Failure) -> web.Response:
    """`{"error": {"message", "type": null, "param": null, "code"}}`."""
    code = failure.code or f"{failure.status}00"
    error = {"message": failure.message, "type": None, "param": None, "code": code}
    headers = {"Retry-After": failure.retry_after} if failure.retry_after else {}
    return web.json_response({"error": error}, status=failure.status, headers=headers)


def _counted(message: dict[str, Any], old: bool) -> dict[str, Any]:
    count = rules.tokens(message["content"])
    if old:
        return {**message, "count": count}
    part = {"type": "text", "text": message["content"], "count": count}
    # Both shapes stand in the documentation.
    return {"role": message["role"], "content": part if message["role"] == "system" else [part]}


def _reply(result: Any) -> web.Response:
    return web.json_response({"status": {"code": "20000", "message": "OK"}, "result": result})


@dataclass(frozen=True)
class _Native:
    """One chat, answered by the script in the dialect of its API."""

    api: str
    body: dict[str, Any]
    script: Script

    def _ending(self, content: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": content}
        prompt, said = rules.prompt_tokens(self.body), rules.tokens(content)
        cut = "length" if self.script.fault == "length" else ""
        if self.api == "v1":
            return {
                "message": message,
                "stopReason": cut or "stop_before",
                "inputLength": prompt,
                "outputLength": said,
            }
        usage = {"promptTokens": prompt, "completionTokens": said, "totalTokens": prompt + said}
        return {"message": message, "finishReason": cut or "stop", "created": 1, "seed": 1, "usage": usage}

    async def whole(self, request: web.Request) -> web.StreamResponse:
        fault, text = self.script.fault, "".join(self.script.pieces)
        if fault == "hang":
            await asyncio.Event().wait()
        if fault == "page":
            return web.Response(text="<html>maintenance</html>", content_type="text/html")
        if fault == "garbage":
            return web.Response(text='{"status": {"code": "200', content_type="application/json")
        result = self._ending("" if fault == "empty" else text)
        if fault == "thinks":
            result["message"]["thinkingContent"] = "생각 중"
        if fault not in {"drip", "cut"}:
            return _reply(result)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        data = json.dumps({"status": {"code": "20000", "message": "OK"}, "result": result}).encode()
        if fault == "cut":
            await response.write(data[: len(data) // 2])
            return cut(request, response)
        await drip(response, data)
        return response

    async def stream(self, request: web.Request) -> web.StreamResponse:
        fault = self.script.fault
        if fault == "page":
            return web.Response(text="<html>maintenance</html>", content_type="text/html")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream;charset=UTF-8"})
        await response.prepare(request)
        if fault == "thinks":
            for name in ("thinkingContent", "reasoning_content"):
                await self._send(response, "token", {"message": {"role": "assistant", name: "생각 중"}})
        pieces = () if fault in {"only_result", "empty"} else self.script.pieces
        for piece in pieces:
            await self._send(response, "token", self._token(piece))
        match fault:
            case "hang":
                await asyncio.Event().wait()
            case "garbage":
                await response.write(b'id: 1\nevent: token\ndata: {"message": {"ro\n\n')
            case "error_event" | "overload_event":
                code = "50000" if fault == "error_event" else "42902"
                await self._send(response, "error", {"status": {"code": code, "message": "in the middle"}})
            case "cut":
                return cut(request, response)
            case "truncate":
                pass
            case "no_result":
                await self._send(response, "token", self._token("", over=True))
            case _:
                content = "" if fault == "empty" else "".join(self.script.pieces)
                await self._send(response, "result", self._ending(content))
                await self._send(response, "signal", {"data": "[DONE]"})
        with suppress(ConnectionResetError):
            await response.write_eof()
        return response

    def _token(self, piece: str, *, over: bool = False) -> dict[str, Any]:
        message = {"role": "assistant", "content": piece}
        if self.api == "v1":
            return {"message": message, **({"stopReason": "stop_before"} if over else {})}
        reason = "stop" if over else None
        return {"message": message, "finishReason": reason, "created": 1, "seed": 1, "usage": None}

    async def _send(self, response: web.StreamResponse, event: str, data: dict[str, Any]) -> None:
        text = json.dumps(data, ensure_ascii=False)
        # With and without a blank behind the colon: NAVER's own examples show both.
        line = (
            f"id:1\nevent:{event}\ndata:{text}\n\n"
            if event == "token"
            else f"event: {event}\ndata: {text}\n\n"
        )
        await (
            drip(response, line.encode()) if self.script.fault == "drip" else response.write(line.encode())
        )
