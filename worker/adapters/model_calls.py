"""What the adapters of language models share: what a call used, and a schema told in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from context.ports import ChatMessage


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
