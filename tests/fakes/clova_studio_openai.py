"""The OpenAI-compatible route of the local CLOVA Studio: what it takes, what it refuses (40002)."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from aiohttp import web

from tests.fakes import clova_studio_rules as rules
from tests.fakes.clova_studio import ClovaStudio, Failure, compatible_error
from tests.fakes.openai_protocol import cut

_TAKEN: Final = frozenset({
    "messages", "model", "stream", "max_completion_tokens", "max_tokens", "n", "temperature", "tools",
    "tool_choice", "parallel_tool_calls", "reasoning_effort", "response_format", "top_p", "stop", "seed",
    "top_k", "repeat_penalty", "repetition_penalty",
})  # fmt: skip


async def answered(studio: ClovaStudio, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Check the request, then play the next script."""
    refused = _refusal(body)
    if refused is not None:
        return compatible_error(refused)
    script = studio.next_script(body["model"], body)
    if script.failure is not None:
        return compatible_error(script.failure)
    try:
        if body.get("stream"):
            return await _stream(request, body, script.pieces, script.fault)
        if script.fault == "hang":
            await asyncio.Event().wait()
        return web.json_response(_completion(body, "".join(script.pieces)))
    except (ConnectionResetError, asyncio.CancelledError):
        studio.gone += 1
        raise


def _refusal(body: dict[str, Any]) -> Failure | None:
    model = body.get("model", "")
    if model not in rules.WINDOWS:
        return Failure(400, "40080", "Model not found")
    if set(body) - _TAKEN:
        return Failure(400, "40002", "Unsupported parameter")
    effort = body.get("reasoning_effort")
    if effort is not None and model != "HCX-007":
        return Failure(400, "40001", "Invalid parameter")
    limit = body.get("max_completion_tokens", body.get("max_tokens", 512))
    native: dict[str, Any] = {"messages": body.get("messages")}
    native["maxCompletionTokens" if model == "HCX-007" else "maxTokens"] = limit
    if model == "HCX-007":
        native["thinking"] = {"effort": effort or "low"}
    wanted = body.get("response_format")
    if wanted is not None:
        if wanted.get("type") != "json_schema":
            return Failure(400, "40001", "Invalid parameter")
        native["responseFormat"] = {"type": "json", "schema": wanted["json_schema"]["schema"]}
    api = "v1" if model in rules.OLD else "v3"
    found = rules.refusal(model, api, native)
    return Failure(*found) if found else None


def _usage(body: dict[str, Any], text: str) -> dict[str, int]:
    prompt, said = rules.prompt_tokens({"messages": body["messages"]}), rules.tokens(text)
    return {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}


def _completion(body: dict[str, Any], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": _usage(body, text),
    }


async def _stream(
    request: web.Request, body: dict[str, Any], pieces: tuple[str, ...], fault: str | None
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)

    async def send(delta: dict[str, Any], finish: str | None = None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        text = json.dumps({**chunk, "choices": [choice]}, ensure_ascii=False)
        await response.write(f"data: {text}\n\n".encode())

    for piece in pieces:
        await send({"content": piece})
    if fault == "hang":
        await asyncio.Event().wait()
    if fault == "cut":
        return cut(request, response)
    if fault != "truncate":
        await send({}, "length" if fault == "length" else "stop")
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
