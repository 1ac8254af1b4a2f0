"""The messages of the agent's thread, and how they are shown in a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from context.models import Frozen

Role = Literal["system", "user", "assistant", "tool"]

CONTEXT_CHARS: Final = 2_000
"""Most characters of a message in a prompt's context (seed 003)."""
SUMMARY_CHARS: Final = 3_000
"""Most characters of a message in a summary's prompt (seed 003)."""


class ToolCall(Frozen):
    """A call of a tool that the agent asks for."""

    name: str
    arguments: str = ""
    """The arguments as the model wrote them, mostly as JSON."""
    id: str = ""


class Message(Frozen):
    """One message of a thread."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] | None = None
    """The calls that an assistant's message asks for; None and () alike: it is a final answer."""
    id: str = ""
    name: str = ""
    """Name of the asker, or of the tool; "" where it is not known."""

    @property
    def ends_turn(self) -> bool:
        """Whether it is an assistant's message without tool calls."""
        return self.role == "assistant" and not self.tool_calls


def truncated(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters, the last of them an ellipsis."""
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + "…"


def chars_of(messages: Sequence[Message]) -> int:
    """Characters of the contents of all messages, tool results included."""
    return sum(len(message.content) for message in messages)


def line_of(message: Message, limit: int = CONTEXT_CHARS) -> str:
    """A message as `USER (name): …`, `ASSISTANT: …` or `TOOL (name): …`, its text in `limit` characters."""
    label = message.role.upper() + (f" ({message.name})" if message.name else "")
    called = "".join(f"[{call.name}({call.arguments})] " for call in message.tool_calls or ())
    return f"{label}: {truncated(called + message.content, limit)}".rstrip()
