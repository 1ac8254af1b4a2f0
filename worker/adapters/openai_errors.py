"""Errors of OpenAI-compatible endpoints in our own words, whatever was asked of them.

What the adapters of language models share: what a call used, and a schema told in words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import openai

from context.ports import ChatMessage, PortError, Refused, Unavailable
from stt.providers.tls import retry_after_s


def translated(error: Exception, who: str) -> PortError:
    """The vendor's error as one of ours; `who`: the part that it is about, as in "the language model"."""
    if isinstance(error, openai.APITimeoutError):
        return Unavailable(f"{who} did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        return Unavailable(f"no connection to {who}")
    said = " ".join(str(error).split())[:200]
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        if status == 429 and error.code != "insufficient_quota":
            unavailable = Unavailable(f"{who} is busy (429)")
            unavailable.retry_after_s = retry_after_s(error.response.headers)
            return unavailable
        if status in (408, 409) or status >= 500:
            return Unavailable(f"{who} failed ({status})")
        return Refused(f"{who} refused ({status}): {said}")
    if isinstance(error, (openai.APIError, ValueError)):
        return Unavailable(f"{who} sent something unreadable: {said}")
    return Refused(f"{who}'s client gave up: {said}")


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call, as the server counted them."""

    purpose: str
    """The call's `name`."""
    model: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    """Of the prompt's: those that the server had read before, where it says so."""


def asking_for_json(messages: Sequence[ChatMessage], schema: dict[str, Any]) -> list[ChatMessage]:
    """`messages` with the schema told at the end of the last one that is no answer.

    Not as a message of its own: a second system message is refused by CLOVA Studio, and many chat
    templates know none behind a user's.
    """
    text = json.dumps(schema, ensure_ascii=False)
    wish = f"Answer with one JSON object and nothing else. It follows this JSON Schema:\n{text}"
    told = list(messages)
    for at in range(len(told) - 1, -1, -1):
        if told[at].role != "assistant":
            told[at] = told[at].model_copy(update={"content": f"{told[at].content}\n\n{wish}"})
            return told
    return [*told, ChatMessage(role="user", content=wish)]
