"""Any OpenAI-compatible chat endpoint as a `LanguageModel`.

What servers disagree on is optional (`stt.endpoint.optional_features`): how JSON is asked for (json_schema →
json_object → by the prompt alone), streaming, the system role, the name of the token limit, and whether a
stream may report its usage. There is no retry and no deadline here: both belong to the caller.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from types import MappingProxyType
from typing import Any, Final, Literal

from pydantic import SecretStr

from context.ports import ChatMessage, CutOff
from stt.endpoint.endpoint import DEADLINE_S, OPENAI_URL, READ_TIMEOUT_S, Endpoint
from stt.endpoint.optional_features import Feature, OptionalFeatures
from stt.endpoint.refusals import Named
from worker.adapters.chat_replies import ChatReply, Usage
from worker.adapters.plainer_prompts import asking_for_json, without_system
from worker.adapters.reasoning_filter import ReasoningFilter, without_reasoning

__all__ = ["OpenAILanguageModel", "Usage"]

JsonMode = Literal["json_schema", "json_object", "prompt"]
"""How JSON is asked for: with its schema, as any JSON object, or by the prompt alone."""
_JSON_MODES: Final[tuple[JsonMode, ...]] = ("json_schema", "json_object", "prompt")
_PATH: Final = "chat/completions"
_FEATURES: Final = (
    Feature("max_tokens", r"max_completion_tokens", only_named=True),
    Feature("stream_options", r"stream_options|include_usage"),
    Feature("json_schema", r"json_schema|response_format"),
    Feature("json_object", r"json_object|response_format"),
    Feature("system", r"\bsystem\b"),
    Feature("stream", r"\bstream(?:ing)?\b"),
)


class OpenAILanguageModel:
    """A chat model behind `POST {base_url}/chat/completions`.

    Whatever the endpoint sends is an answer or one of the port's errors: `Unavailable` for time-outs, lost
    connections, 408, 409, 429 (with `retry_after_s`), 5xx, streams that break off, and replies that hold no
    answer; `Refused` for a wrong key, an unknown model, a bad request, a tool call and a model's refusal;
    `CutOff` behind an answer that ended at its limit of tokens.
    """

    def __init__(
        self,
        *,
        base_url: str | None,
        api_key: SecretStr,
        model: str,
        on_usage: Callable[[Usage], None] | None = None,
        read_timeout_s: float = READ_TIMEOUT_S,
        deadline_s: float = DEADLINE_S,
        json_mode: JsonMode = "json_schema",
        schema_dialect: Callable[[dict[str, Any]], dict[str, Any]] = lambda schema: schema,
        options: Mapping[str, Any] = MappingProxyType({}),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`on_usage` is called after each call of which the server told its tokens.

        `json_mode`: the first way to try. `schema_dialect` rewrites a schema for a server that knows only a
        part of JSON Schema. `options`: further parameters of every request. `clock`: for what is given up.
        """
        self.name = model
        key = api_key.get_secret_value()
        self._endpoint = Endpoint(
            base_url or OPENAI_URL,
            key,
            Named("the language model", "LLM", key),
            read_timeout_s=read_timeout_s,
            deadline_s=deadline_s,
        )
        self._features = OptionalFeatures(*_FEATURES, clock=clock)
        self._on_usage = on_usage
        self._json_modes = _JSON_MODES[_JSON_MODES.index(json_mode) :]
        self._schema_dialect = schema_dialect
        self._options = dict(options)
        self._begins_thinking = False

    @property
    def given_up(self) -> dict[str, str]:
        """The optional features that the endpoint is not asked for at present, and what it said to each."""
        return self._features.given_up

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncGenerator[str]:
        """See `LanguageModel.stream`. Closing the iterator closes the HTTP request.

        An endpoint that does not stream gives the whole answer as one piece.
        """

        async def attempt(features: frozenset[str]) -> tuple[Any, AsyncGenerator[Any]]:
            body = self._body(messages, max_tokens, features)
            if streams := "stream" in features:
                body["stream"] = True
            if "stream_options" in features:
                body["stream_options"] = {"include_usage": True}
            values = self._endpoint.answers(_PATH, body=body, stream=streams)
            return await anext(values, None), values  # with its first value it has been accepted

        first, values = await self._features.ask(self._wanted(messages, "stream", "stream_options"), attempt)
        reply, reading, begun = ChatReply(), ReasoningFilter(begins_thinking=self._begins_thinking), False
        async with aclosing(values):
            if piece := reading.feed(reply.take(first)):
                begun |= bool(piece.strip())
                yield piece
            async for value in values:
                if piece := reading.feed(reply.take(value)):
                    begun |= bool(piece.strip())
                    yield piece
        if piece := reading.finish():
            begun |= bool(piece.strip())
            yield piece
        self._begins_thinking = reading.ended_unopened
        reply.thought |= reading.thought
        self._count(name, reply)
        # Some servers never say why they stop: what ended in good order, with words, is an answer.
        if not begun:
            raise reply.instead(self.name, max_tokens)
        if reply.finished == "length":
            raise CutOff(f"{self.name}: {max_tokens} tokens did not hold the answer")

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """See `LanguageModel.structured`; where a server refuses one way of asking, the next is tried."""

        async def attempt(features: frozenset[str]) -> tuple[str, ChatReply]:
            reply = ChatReply()
            body = self._json_body(messages, max_tokens, features, schema, name)
            async with aclosing(self._endpoint.answers(_PATH, body=body)) as values:
                text = "".join([reply.take(value) async for value in values])
            return text, reply

        text, reply = await self._features.ask(self._wanted(messages, *self._json_modes), attempt)
        self._count(name, reply)
        answer = without_reasoning(text)
        if not answer:
            reply.thought |= bool(text)
            raise reply.instead(self.name, max_tokens)
        return answer

    def _wanted(self, messages: Sequence[ChatMessage], *features: str) -> set[str]:
        has_rules = any(message.role == "system" for message in messages)
        return {"max_tokens", *features, *(("system",) if has_rules else ())}

    def _body(
        self, messages: Sequence[ChatMessage], max_tokens: int, features: frozenset[str]
    ) -> dict[str, Any]:
        if "system" not in features and any(message.role == "system" for message in messages):
            messages = without_system(messages)
        limit = "max_tokens" if "max_tokens" in features else "max_completion_tokens"
        sent = [message.model_dump() for message in messages]
        return {"model": self.name, "messages": sent, limit: max_tokens, **self._options}

    def _json_body(
        self,
        messages: Sequence[ChatMessage],
        max_tokens: int,
        features: frozenset[str],
        schema: dict[str, Any],
        name: str,
    ) -> dict[str, Any]:
        mode = next((json_mode for json_mode in _JSON_MODES if json_mode in features), "prompt")
        if mode == "json_schema":
            # Not `strict`: that dialect forbids optional fields and limits, and the caller validates anyway.
            wanted = {"type": mode, "json_schema": {"name": name, "schema": self._schema_dialect(schema)}}
            return {**self._body(messages, max_tokens, features), "response_format": wanted}
        body = self._body(asking_for_json(messages, schema), max_tokens, features)
        return body if mode == "prompt" else {**body, "response_format": {"type": mode}}

    def _count(self, purpose: str, reply: ChatReply) -> None:
        if self._on_usage is not None and reply.usage is not None:
            self._on_usage(Usage(purpose, self.name, *reply.usage))
