"""CLOVA Studio's own chat API as a `LanguageModel`: one object is one model (HCX-003, -005, -007, …).

HCX-007 is told not to think (`thinking.effort: none`): its thoughts would cost the answer's tokens and
time, and exclude structured output. It alone takes a JSON Schema as a parameter; for the other models the
schema is written into the prompt, and the caller validates and repairs. HCX-003 speaks the older dialect
(v1). There is no retry and no deadline here: both belong to the caller.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Any, Final

import structlog

from context.ports import ChatMessage, CutOff, PortError, Refused, Unavailable
from stt.endpoint.optional_features import Feature, OptionalFeatures
from worker.adapters.chat_replies import ChatReply, Usage, count
from worker.adapters.clova_models import ClovaModel, Inexpressible, clova_model, simplified
from worker.adapters.clova_tokens import MESSAGE_TOKENS, ClovaTokenizer
from worker.adapters.clova_wire import ClovaWire
from worker.adapters.plainer_prompts import asking_for_json
from worker.adapters.reasoning_filter import ReasoningFilter, without_reasoning

log = structlog.get_logger(__name__)

_MIN_ANSWER_TOKENS: Final = 64
"""Tokens: where less is left of the window, the question is not asked."""
_STRUCTURED_TEMPERATURE: Final = 0.1
"""The older dialect does not take 0."""
_MAX_KEPT_COUNTS: Final = 256
"""So many counts of the token calculator are remembered."""
_MAX_RAISE_FACTOR: Final = 4.0
"""The bound is raised by at most this factor: a server's slip must not make every prompt look too long."""


class ClovaLanguageModel:
    """A chat model behind `POST {base_url}/v3/chat-completions/{model}` (v1 for HCX-003).

    Raises `Unavailable` for time-outs, lost connections, 408, 429 (with `retry_after_s`), 5xx, and streams
    that break off or hold no word; `Refused` for a wrong key, an unknown model, a bad request, and a prompt
    that does not fit into the model's window.
    """

    def __init__(
        self,
        wire: ClovaWire,
        *,
        model: str,
        on_usage: Callable[[Usage], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Speak to `model`. `wire` is shared between models; whoever made it closes it.

        `on_usage` is called after each call of which the server told its tokens.

        `clock`: for the features that are given up.
        """
        self.name = model
        self._model = clova_model(model)
        self._wire = wire
        self._on_usage = on_usage
        self._tokens = PromptTokens(self._model, wire)
        self._features = OptionalFeatures(Feature("schema", "responseFormat|schema"), clock=clock)

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncGenerator[str]:
        """See `LanguageModel.stream`. Closing the iterator closes the HTTP request."""
        sent = _one_system_message(messages)
        body = await self._body(sent, max_tokens)
        so_far, reply, reading, begun = "", ChatReply(), ReasoningFilter(), False
        async with aclosing(self._wire.events(self._model.chat_path, body, self.name)) as events:
            async for kind, data in events:
                if kind not in {"token", "result"}:
                    continue
                piece = _folded(reply, data)
                if kind == "result":
                    # The whole answer again; what of it did not come as tokens is not lost.
                    self._count(name, data, sent, None)
                    piece = piece.removeprefix(so_far) if piece.startswith(so_far) else ""
                    reply.finished = reply.finished or "stop"
                so_far += piece
                if shown := reading.feed(piece):
                    begun = True
                    yield shown
                if kind == "result":
                    break
        if shown := reading.finish():
            begun = True
            yield shown
        # As with any other server: what ended in good order, with words, is an answer.
        if not begun:
            raise reply.instead(self.name, max_tokens)
        if reply.finished == "length":
            raise CutOff(f"{self.name}: {max_tokens} tokens did not hold the answer")

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """See `LanguageModel.structured`.

        The schema is a parameter where the model takes one and it can be `simplified`; else in the prompt.
        """
        plain: dict[str, Any] | None = None
        if self._model.reasons:
            with suppress(Inexpressible):
                plain = simplified(schema)

        async def attempt(features: frozenset[str]) -> str:
            if "schema" in features:
                return await self._complete(messages, plain, name, max_tokens)
            return await self._complete(asking_for_json(messages, schema), None, name, max_tokens)

        return await self._features.ask({"schema"} if plain is not None else (), attempt)

    @property
    def given_up(self) -> dict[str, str]:
        """The optional features that the model is not asked for at present, and what the studio said."""
        return self._features.given_up

    async def prompt_tokens(
        self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None = None
    ) -> tuple[int, int]:
        """Return two lengths of a prompt in tokens: our upper bound, and CLOVA's token calculator's count.

        For checks of the bound. Raises `Unavailable` or `Refused`.
        """
        return self._tokens.at_most(messages, schema), await self._tokens.exactly(messages, schema)

    async def _complete(
        self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None, purpose: str, max_tokens: int
    ) -> str:
        sent = _one_system_message(messages)
        body = await self._body(sent, max_tokens, schema)
        body["temperature"] = _STRUCTURED_TEMPERATURE
        result = await self._wire.post(self._model.chat_path, body, self.name)
        self._count(purpose, result, sent, schema)
        reply = ChatReply()
        text = _folded(reply, result)
        answer = without_reasoning(text)
        if not answer:
            reply.thought |= bool(text)
            raise reply.instead(self.name, max_tokens)
        return answer

    async def _body(
        self, sent: Sequence[ChatMessage], max_tokens: int, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Build a request for `max_tokens`, or for what the window leaves of them after the prompt.

        Raises `Refused` where the prompt is too long, or leaves too little for an answer.
        """
        model = self._model
        wanted = min(max_tokens, model.max_output)
        prompt = self._tokens.at_most(sent, schema)
        if prompt > model.max_input or prompt + wanted > model.window:
            try:
                prompt = await self._tokens.exactly(sent, schema)
            except PortError as error:
                log.info("clova_tokens_estimated", model=self.name, tokens=prompt, error=str(error))
        room = model.window - prompt
        if prompt > model.max_input or room < min(wanted, _MIN_ANSWER_TOKENS):
            raise Refused(
                f"{self.name}: a prompt of {prompt} tokens does not fit (window {model.window},"
                f" input at most {model.max_input}): choose a model with a larger window"
            )
        body: dict[str, Any] = {"messages": [message.model_dump() for message in sent]}
        body["maxCompletionTokens" if model.reasons else "maxTokens"] = min(wanted, room)
        if model.reasons:
            body["thinking"] = {"effort": "none"}
        if schema is not None:
            body["responseFormat"] = {"type": "json", "schema": schema}
        return body

    def _count(
        self, purpose: str, result: dict[str, Any], sent: Sequence[ChatMessage], schema: dict[str, Any] | None
    ) -> None:
        usage = result.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        prompt = count(usage.get("promptTokens")) or count(result.get("inputLength"))
        completion = count(usage.get("completionTokens")) or count(result.get("outputLength"))
        if prompt:
            self._tokens.learn(sent, schema, prompt)
        if self._on_usage is not None and (prompt or completion):
            self._on_usage(Usage(purpose, self.name, prompt, completion))


class PromptTokens:
    """How many tokens a prompt has for one model: an upper bound of ours, or CLOVA's token calculator.

    The calculator is a request of its own, so it is asked only where the bound says "too long"; its counts
    are kept (they never change). Every answer brings the true count of its prompt: should it ever
    lie above our bound, the bound is raised from then on.
    """

    def __init__(self, model: ClovaModel, wire: ClovaWire) -> None:
        self._model, self._wire = model, wire
        self._bound = ClovaTokenizer()
        self._raised = 1.0
        self._known: dict[bytes, int] = {}

    def at_most(self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None = None) -> int:
        """Return an upper bound of the prompt's tokens, computed here; `schema` counts as sent text."""
        texts = [message.content for message in messages]
        if schema is not None:
            texts.append(json.dumps(schema, ensure_ascii=False))
        total = sum(self._bound.count(text) + MESSAGE_TOKENS for text in texts)
        return math.ceil(total * self._raised)

    async def exactly(self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None = None) -> int:
        """Return what the token calculator counts. Raises `Unavailable` or `Refused`."""
        request = json.dumps([[(m.role, m.content) for m in messages], schema], ensure_ascii=False)
        key = hashlib.sha256(request.encode("utf-8", "surrogatepass")).digest()
        if key in self._known:
            return self._known[key]
        body: dict[str, Any] = {"messages": [message.model_dump() for message in messages]}
        if schema is not None:
            body["responseFormat"] = {"type": "json", "schema": schema}
        count = _sum(await self._wire.post(self._model.tokens_path, body, self._model.name))
        if count <= 0:
            raise Unavailable(f"the token calculator of {self._model.name} sent no counts")
        self._known[key] = count
        if len(self._known) > _MAX_KEPT_COUNTS:
            del self._known[next(iter(self._known))]
        return count

    def learn(
        self, messages: Sequence[ChatMessage], schema: dict[str, Any] | None, prompt_tokens: int
    ) -> None:
        """Raise the bound where the server counted more for this prompt (`prompt_tokens`) than `at_most`."""
        bound = self.at_most(messages, schema)
        if prompt_tokens > bound > 0:
            self._raised = min(_MAX_RAISE_FACTOR, self._raised * prompt_tokens / bound)
            counts = {"counted": bound, "true": prompt_tokens, "factor": round(self._raised, 3)}
            log.warning("clova_tokens_undercounted", model=self._model.name, **counts)


def _one_system_message(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Merge all system messages into one at the start and drop empty messages: CLOVA refuses others."""
    rules = [message.content for message in messages if message.role == "system" and message.content.strip()]
    rest = [message for message in messages if message.role != "system" and message.content.strip()]
    return [ChatMessage(role="system", content="\n\n".join(rules)), *rest] if rules else rest


def _folded(reply: ChatReply, data: dict[str, Any]) -> str:
    """Fold a token or a result (v3 says finishReason, v1 stopReason) into `reply`; gives its text."""
    finished = data.get("finishReason") or data.get("stopReason") or None
    choice = {"message": data.get("message"), "finish_reason": finished}
    reply.finished = finished if isinstance(finished, str) else ""
    return reply.take({"choices": [choice]})


def _sum(result: Any) -> int:
    """Add up every `count` in the reply: messages, their parts, tools and the schema each have one."""
    if isinstance(result, dict):
        own = result.get("count")
        inner = sum(_sum(value) for key, value in result.items() if key != "count")
        return inner + (own if isinstance(own, int) and own > 0 else 0)
    if isinstance(result, list):
        return sum(_sum(item) for item in result)
    return 0
