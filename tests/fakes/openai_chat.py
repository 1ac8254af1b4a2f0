"""A chat completions server that speaks the OpenAI protocol to the letter, and fails on request.

async with ChatServer() as server:
    server.will("안녕", "하세요")           # the next request is answered with this
    server.will(Status(429, retry_after="2"))
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from tests.fakes.openai_protocol import OpenAIServer, Status, cut, drip
from tests.fakes.verifiers import all_supported

Fault = Literal["hang", "drip", "garbage", "truncate", "cut", "error_event", "no_usage", "empty", "length"]
"""hang: headers, then silence · drip: one byte at a time · garbage: no JSON where JSON belongs · truncate: the
stream ends politely without a finish_reason · cut: the connection breaks in the middle · error_event: an error
object inside the stream · empty: no choices · length: it ends at its limit of tokens."""


@dataclass(frozen=True)
class Script:
    pieces: tuple[str, ...] = ()
    fault: Fault | None = None
    status: Status | None = None
    pause_s: float = 0.0


@dataclass
class ChatServer(OpenAIServer):
    """Answers requests in the order of `will`.

    What it is asked to verify it finds supported, and counts apart: scripts are of what a test is about.
    """

    path = "chat/completions"
    refuses: frozenset[str] = frozenset()
    """`json_schema`, `json_object`, `stream_options`, `max_tokens`, `stream`, `system`: what it does not know."""
    refusal: int = 400
    """The status with which it refuses these; a 5xx says nothing of why."""
    writes: Callable[[dict[str, Any]], str] | None = None
    """What a request that no script is left for is answered with; by default "ok"."""
    verified: list[dict[str, Any]] = field(default_factory=list)
    """The requests for verdicts."""
    gone: int = 0
    """Streams that the client closed before their end."""
    _scripts: deque[Script] = field(default_factory=deque)

    @property
    def settings(self) -> dict[str, str]:
        """What a process is told that shall ask this server."""
        return {
            "LLM_ENGINE": "openai",
            "LLM_BASE_URL": self.base_url,
            "LLM_API_KEY": self.key,
            "LLM_MODEL": self.model,
        }

    def will(self, *pieces: str | Status, fault: Fault | None = None, pause_s: float = 0.0) -> None:
        if pieces and isinstance(pieces[0], Status):
            self._scripts.append(Script(status=pieces[0]))
        else:
            self._scripts.append(Script(tuple(str(p) for p in pieces), fault, None, pause_s))

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if (body.get("response_format") or {}).get("json_schema", {}).get("name") == "verification":
            self.verified.append(body)
            return await self._whole(request, Script((all_supported(body["messages"][-1]["content"]),)))
        self.requests.append(body)
        if (refusal := self._refusal(request, body)) is not None:
            return refusal
        return await self._played(request, body, self._next(body))

    async def _played(self, request: web.Request, body: dict[str, Any], script: Script) -> web.StreamResponse:
        if script.status is not None:
            return script.status.response
        try:
            if body.get("stream"):
                return await self._stream(request, body, script)
            return await self._whole(request, script)
        except (ConnectionResetError, asyncio.CancelledError):
            self.gone += 1
            raise

    def _next(self, body: dict[str, Any]) -> Script:
        if self._scripts:
            return self._scripts.popleft()
        return Script((self.writes(body) if self.writes else "ok",))

    def _refusal(self, request: web.Request, body: dict[str, Any]) -> web.Response | None:
        if (stranger := self.stranger(request, body)) is not None:
            return stranger
        if not body.get("messages"):
            return Status(400, "messages: required").response
        wanted = (body.get("response_format") or {}).get("type")
        roles = {message["role"] for message in body["messages"]}
        unknown = {
            str(wanted): f"response_format type {wanted} is not supported",
            "stream_options": "Unrecognized request argument supplied: stream_options",
            "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "stream": "this model does not stream",
            "system": "System role not supported",
        }
        sent = {wanted, *roles, *(key for key, value in body.items() if value)}
        for name, said in unknown.items():
            if name in self.refuses and name in sent:
                return Status(self.refusal, said if self.refusal < 500 else "internal error").response
        return None

    async def _whole(self, request: web.Request, script: Script) -> web.StreamResponse:
        if script.fault == "hang":
            await asyncio.Event().wait()
        await asyncio.sleep(script.pause_s)
        if script.fault == "garbage":
            return web.Response(text='{"choices": [{"mess', content_type="application/json")
        text = "".join(script.pieces)
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": None},
            "finish_reason": "stop",
            "logprobs": None,
        }
        payload = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": self.model,
            "choices": [] if script.fault == "empty" else [choice],
            "usage": {"prompt_tokens": 7, "completion_tokens": len(text), "total_tokens": 7 + len(text)},
        }
        if script.fault == "no_usage":
            del payload["usage"]
        if script.fault != "drip":
            return web.json_response(payload)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        await drip(response, json.dumps(payload).encode())
        await response.write_eof()
        return response

    async def _stream(self, request: web.Request, body: dict[str, Any], script: Script) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)

        async def send(payload: dict[str, Any] | str) -> None:
            data = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
            line = f"data: {data}\n\n".encode()
            await (drip(response, line) if script.fault == "drip" else response.write(line))

        await send(self._chunk({"role": "assistant", "content": ""}))
        for piece in script.pieces:
            await asyncio.sleep(script.pause_s)
            await send(self._chunk({"content": piece}))
        if script.fault == "hang":
            await asyncio.Event().wait()
        if script.fault == "garbage":
            await send('{"choices": [{"del')
        if script.fault == "error_event":
            await send({"error": {"message": "the engine died", "type": "server_error", "code": None}})
        if script.fault == "cut":
            return cut(request, response)
        if script.fault != "truncate":
            await send(self._chunk({}, finish="length" if script.fault == "length" else "stop"))
            if (body.get("stream_options") or {}).get("include_usage"):
                total = sum(map(len, script.pieces))
                usage = {"prompt_tokens": 7, "completion_tokens": total, "total_tokens": 7 + total}
                await send({**self._chunk({}), "choices": [], "usage": usage})
            await send("[DONE]")
        with suppress(ConnectionResetError):
            await response.write_eof()
        return response

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": self.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}],
        }
