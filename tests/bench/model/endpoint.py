"""The endpoint between Moim and a model: recorded replies by prompt, written answers, or another endpoint.

Every request passes here, so that calls, tokens and seconds are counted in one way, whoever replies. A prompt
that nobody replies to is refused with 404, purpose and digest: Moim goes on without, as it does in life.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
from aiohttp import web

from context.budgets.tokens import ExactTokenizer
from tests.bench.model.prompts import Sent, sent
from tests.fakes.openai_chat import ChatServer, Script, Status
from worker.clock import monotonic_s

REFUSED: Final = 404
"""Not 409: the adapter takes that for something that passes, and asks again."""
_PIECE: Final = 12
"""Characters of a streamed piece, about what models send at once."""

Replies = Callable[[Sent], str | None]
"""The reply to a prompt, None where there is none."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """An endpoint that is tried."""

    base_url: str
    key: str
    model: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request that was replied to."""

    purpose: str
    sent: int
    """Tokens of its messages and schema."""
    answered: int
    took_s: float


@dataclass
class Endpoint(ChatServer):
    """A loopback server; give `replies`, first come first served, and perhaps an `upstream` for all others."""

    model: str = "recorded"
    replies: Sequence[Replies] = ()
    upstream: Upstream | None = None
    only: frozenset[str] | None = None
    """The purposes that go to the upstream; None: all."""
    pace: float = 0.0
    """Tokens a second at which recorded JSON comes, as from a model; 0: at once."""
    calls: list[Call] = field(default_factory=list)
    unknown: dict[str, Sent] = field(default_factory=dict)
    """Prompts without a reply, by digest."""
    failures: list[str] = field(default_factory=list)
    """What the upstream said when it did not reply."""
    on_prompt: Callable[[Sent], None] = lambda _sent: None
    _tokenizer: ExactTokenizer = field(default_factory=ExactTokenizer)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if (refusal := self._refusal(request, body)) is not None:
            return refusal
        prompt, began_s = sent(body), monotonic_s()
        self.on_prompt(prompt)
        for replies in self.replies:
            if (text := replies(prompt)) is not None:
                if self.pace and not body.get("stream"):
                    await asyncio.sleep(self._tokenizer.count(text) / self.pace)
                response = await self._played(request, body, Script(tuple(_cut(text))))
                self._count(prompt, body, text, monotonic_s() - began_s)
                return response
        if self.upstream is not None and (self.only is None or prompt.purpose in self.only):
            return await self._forwarded(self.upstream, request, body, prompt)
        self.unknown[prompt.digest] = prompt
        why = f"no reply to this prompt: {prompt.purpose} {prompt.digest}"
        return await self._played(request, body, Script(status=Status(REFUSED, why, "no_reply")))

    async def _forwarded(
        self, upstream: Upstream, request: web.Request, body: dict[str, Any], prompt: Sent
    ) -> web.StreamResponse:
        began_s, response, text = monotonic_s(), None, bytearray()
        headers = {"Authorization": f"Bearer {upstream.key}"} if upstream.key else {}
        asked = body | {"model": upstream.model}
        url = f"{upstream.base_url.rstrip('/')}/chat/completions"
        try:
            async with (
                aiohttp.ClientSession() as client,
                client.post(url, json=asked, headers=headers) as theirs,
            ):
                if theirs.status != 200:
                    self.failures.append(f"{prompt.purpose}: {theirs.status}")
                    told = await theirs.read()
                    return web.Response(status=theirs.status, body=told, content_type="application/json")
                response = web.StreamResponse(headers={"Content-Type": theirs.content_type})
                await response.prepare(request)
                async for chunk in theirs.content.iter_any():
                    text += chunk
                    await response.write(chunk)
        except aiohttp.ClientError as error:
            self.failures.append(f"{prompt.purpose}: {error}")
            if response is not None:
                raise
            return web.Response(status=502, text=str(error))
        self._count(prompt, body, *_read(bytes(text), bool(body.get("stream"))), monotonic_s() - began_s)
        await response.write_eof()
        return response

    def _count(self, prompt: Sent, body: dict[str, Any], *counted: Any) -> None:
        text, *usage, took_s = counted
        schema = json.dumps(body["response_format"]) if "response_format" in body else ""
        told = [content for _, content in prompt.messages]
        asked, answered = usage[0] if usage and usage[0] else (0, 0)
        asked = asked or sum(map(self._tokenizer.count, [*told, schema]))
        self.calls.append(Call(prompt.purpose, asked, answered or self._tokenizer.count(text), took_s))


def _cut(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def _read(told: bytes, streamed: bool) -> tuple[str, tuple[int, int] | None]:
    """The text of a response, and the tokens that it says it took."""
    lines = told.decode("utf-8", "replace").splitlines() if streamed else [told.decode("utf-8", "replace")]
    text, usage = "", None
    for line in lines:
        data = line.removeprefix("data:").strip() if streamed else line
        try:
            part = json.loads(data)
        except ValueError:
            continue  # "[DONE]", comments, blank lines
        for choice in part.get("choices") or ():
            text += (choice.get("delta") or choice.get("message") or {}).get("content") or ""
        if spent := part.get("usage"):
            usage = (spent.get("prompt_tokens") or 0, spent.get("completion_tokens") or 0)
    return text, usage


async def reach(upstream: Upstream) -> None:
    """One short request. Raises `ConnectionError` where nobody is there, `PermissionError` for a refusal."""
    url = f"{upstream.base_url.rstrip('/')}/chat/completions"
    headers = {"Authorization": f"Bearer {upstream.key}"} if upstream.key else {}
    asked = {"model": upstream.model, "messages": [{"role": "user", "content": "Say ok."}]}
    limit = aiohttp.ClientTimeout(total=60)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit) as client,
            client.post(url, json=asked, headers=headers) as response,
        ):
            told = (await response.text())[:200]
            if response.status >= 500 or response.status == 429:
                raise ConnectionError(f"{url} failed with {response.status}: {told}")
            if response.status != 200:
                raise PermissionError(f"{url} refuses model {upstream.model!r} ({response.status}): {told}")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise ConnectionError(f"{url} is not within reach: {error or type(error).__name__}") from error
