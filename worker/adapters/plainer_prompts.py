"""Prompts for endpoints that do not take a parameter or a role: what these would say is said in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from context.ports import ChatMessage


def asking_for_json(messages: Sequence[ChatMessage], schema: dict[str, Any]) -> list[ChatMessage]:
    """Return `messages` with a demand for JSON by `schema` at the end of the last one that is no answer.

    Not as a message of its own: a second system message is refused by CLOVA Studio, and many chat
    templates know none behind a user's.
    """
    text = json.dumps(schema, ensure_ascii=False)
    instruction = f"Answer with one JSON object and nothing else. It follows this JSON Schema:\n{text}"
    prompt = list(messages)
    for at in range(len(prompt) - 1, -1, -1):
        if prompt[at].role != "assistant":
            prompt[at] = prompt[at].model_copy(update={"content": f"{prompt[at].content}\n\n{instruction}"})
            return prompt
    return [*prompt, ChatMessage(role="user", content=instruction)]


def without_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return `messages` with the rules at the head of what the user says first."""
    rules = "\n\n".join(message.content for message in messages if message.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if rest and rest[0].role == "user":
        return [rest[0].model_copy(update={"content": f"{rules}\n\n{rest[0].content}"}), *rest[1:]]
    return [ChatMessage(role="user", content=rules), *rest]
