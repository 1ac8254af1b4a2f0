"""What the adapters of OpenAI-compatible endpoints and CLOVA Studio share.

That is the translation of the SDK's errors into the ports', what a call used, and a schema in the prompt.
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
    """Return the port's error for one of the SDK's; `who` is named in it, as in "the language model"."""
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
    if isinstance(error, ValueError):  # it quotes what it could not read: words
        return Unavailable(f"{who} sent something unreadable ({type(error).__name__})")
    if isinstance(error, openai.APIError):
        return Unavailable(f"{who} sent something unreadable: {said}")
    return Refused(f"{who}'s client gave up: {said}")


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call, as the server counted them."""

    purpose: str
    """What the call was for: the `name` that it was given, e.g. `answer` or `topic_detection`."""
    model: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    """How many of the prompt's tokens came from the server's cache, where it says so."""


def asking_for_json(messages: Sequence[ChatMessage], schema: dict[str, Any]) -> list[ChatMessage]:
    """Return `messages` with a demand for JSON by `schema` at the end of the last one that is no answer.

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
