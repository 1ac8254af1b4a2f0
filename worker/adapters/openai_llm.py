"""Any OpenAI-compatible chat endpoint as a `LanguageModel`.

What servers disagree on is learnt from their first refusal and remembered for the life of the
object: how JSON is asked for (json_schema → json_object → by the prompt alone), the name of the
token limit, and whether a stream may report its usage. There is no retry and no deadline here:
both belong to the caller.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, cast

import openai
from openai import AsyncStream
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.completion_usage import CompletionUsage
from pydantic import SecretStr

from context.ports import ChatMessage, CutOff, Refused, Unavailable
from stt.providers.tls import openai_client
from worker.adapters.openai_errors import Usage, asking_for_json, translated

__all__ = ["OpenAILanguageModel", "Usage"]

JsonMode = Literal["json_schema", "json_object", "prompt"]
"""How JSON is asked for: with its schema, as any JSON object, or by the prompt alone."""
_JSON_MODES: Final[tuple[JsonMode, ...]] = ("json_schema", "json_object", "prompt")
_TOO_LONG: Final = frozenset({"context_length_exceeded", "40003"})
"""Error codes of a prompt that is too long however JSON is asked for; the number is CLOVA Studio's."""
_UNSUPPORTED: Final = frozenset({"40001", "40002", "40009"})
"""CLOVA Studio's codes for a parameter that it does not know."""


class OpenAILanguageModel:
    """A chat model behind `POST {base_url}/chat/completions`.

    Raises `Unavailable` for time-outs, lost connections, 408, 409, 429 (with `retry_after_s`), 5xx, and
    streams that break off or hold no word; `Refused` for a wrong key, an unknown model and a bad request;
    `CutOff` behind a stream that ended at its limit of tokens.
    """

    def __init__(
        self,
        *,
        base_url: str | None,
        api_key: SecretStr,
        model: str,
        on_usage: Callable[[Usage], None] | None = None,
        read_timeout_s: float = 60.0,
        json_mode: JsonMode = "json_schema",
        schema_dialect: Callable[[dict[str, Any]], dict[str, Any]] = lambda schema: schema,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """`on_usage` is called after each call of which the server told its tokens.

        `json_mode`: the first way to try. `schema_dialect` rewrites a schema for a server that knows only a
        part of JSON Schema. `options`: further parameters of every request.
        """
        self.name = model
        self._client = openai_client(base_url, api_key.get_secret_value(), read_timeout_s=read_timeout_s)
        self._on_usage = on_usage
        self._json_mode: JsonMode = json_mode
        self._schema_dialect = schema_dialect
        self._options = dict(options)
        self._limit_name = "max_tokens"
        self._stream_usage = True

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """See `LanguageModel.stream`. Closing the iterator closes the HTTP request."""
        try:
            response = await self._open_stream(messages, max_tokens)
            finished: str | None = None
            begun = False
            async with response:
                async for chunk in response:
                    if chunk.usage is not None:
                        self._count(name, chunk.usage)
                    for choice in chunk.choices[:1]:
                        finished = finished or choice.finish_reason
                        if choice.delta.content:
                            begun = True
                            yield choice.delta.content
        except (openai.OpenAIError, ValueError) as error:
            raise translated(error, "the language model") from error
        # Some servers never say why they stop: what ended in good order, with words, is an answer.
        if finished is None and not begun:
            raise Unavailable(f"{self.name}: the stream ended before the answer began")
        if finished == "length":
            raise CutOff(f"{self.name}: {max_tokens} tokens did not hold the answer")

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """See `LanguageModel.structured`; where a server refuses one way of asking, the next is tried."""
        modes = _JSON_MODES[_JSON_MODES.index(self._json_mode) :]
        for mode in modes:
            try:
                completion = await self._complete(messages, mode, schema, name, max_tokens)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if mode == modes[-1] or error.code in _TOO_LONG:
                    raise translated(error, "the language model") from error
                continue
            except (openai.OpenAIError, ValueError) as error:
                raise translated(error, "the language model") from error
            self._json_mode = mode
            return self._content(completion, name)
        raise AssertionError("the last mode returns or raises")

    async def _open_stream(
        self, messages: Sequence[ChatMessage], max_tokens: int
    ) -> AsyncStream[ChatCompletionChunk]:
        options: dict[str, Any] = {"stream": True}
        usage_wanted = self._stream_usage
        if usage_wanted:
            options["stream_options"] = {"include_usage": True}
        try:
            response = await self._create(messages, max_tokens, options)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            # Is it this parameter that the server does not take? CLOVA Studio says only that there is one.
            about_usage = "stream_options" in str(error) or error.code in _UNSUPPORTED
            if not usage_wanted or not about_usage:
                raise
            self._stream_usage = False
            response = await self._create(messages, max_tokens, {"stream": True})
        return cast("AsyncStream[ChatCompletionChunk]", response)

    async def _complete(
        self, messages: Sequence[ChatMessage], mode: JsonMode, schema: dict[str, Any], name: str, most: int
    ) -> ChatCompletion:
        wanted: dict[str, Any] = {"type": mode}
        if mode == "json_schema":
            # Not `strict`: that dialect forbids optional fields and limits, and the caller validates anyway.
            wanted["json_schema"] = {"name": name, "schema": self._schema_dialect(schema)}
        else:
            messages = asking_for_json(messages, schema)
        options = {} if mode == "prompt" else {"response_format": wanted}
        return cast("ChatCompletion", await self._create(messages, most, options))

    async def _create(self, messages: Sequence[ChatMessage], max_tokens: int, options: dict[str, Any]) -> Any:
        """Make one request; a server that wants the newer name of the token limit gets it from then on."""
        sent: list[Any] = [message.model_dump() for message in messages]
        limit_name = self._limit_name  # of this request: another one may learn the newer name meanwhile
        limit: dict[str, Any] = {limit_name: max_tokens}
        try:
            return await self._client.chat.completions.create(
                model=self.name, messages=sent, **limit, **options, extra_body=self._options or None
            )
        except openai.BadRequestError as error:
            if limit_name != "max_tokens" or "max_completion_tokens" not in str(error):
                raise
            self._limit_name = "max_completion_tokens"
            return await self._create(messages, max_tokens, options)

    def _content(self, completion: ChatCompletion, purpose: str) -> str:
        if completion.usage is not None:
            self._count(purpose, completion.usage)
        # Servers send what they like under 200: the types are hopes, so nothing is taken for granted.
        message = completion.choices[0].message if completion.choices else None
        if message is not None and message.refusal:
            raise Refused(f"{self.name} refused: {message.refusal[:200]}")
        if message is None or not message.content:
            raise Unavailable(f"{self.name} sent no content")
        return message.content

    def _count(self, purpose: str, usage: CompletionUsage) -> None:
        if self._on_usage is not None:
            told = usage.prompt_tokens_details
            cached = (told.cached_tokens or 0) if told is not None else 0
            prompt, completion = usage.prompt_tokens or 0, usage.completion_tokens or 0
            self._on_usage(Usage(purpose, self.name, prompt, completion, cached))
