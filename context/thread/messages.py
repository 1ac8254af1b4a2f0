"""What stands in a thread: questions, tool calls with their results, and answers.

Seed 001's `ChatState`: one session, as its side panel and its nodes see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypedDict

from context.models import Frozen

CONTEXT_CHARS: Final = 2_000
"""A message in a prompt's context is cut here (seed 003)."""
SUMMARY_CHARS: Final = 3_000
"""A message in a summary's prompt is cut here (seed 003)."""
_MARK: Final = "…"

Role = Literal["system", "user", "assistant", "tool"]


class ToolCall(Frozen):
    """The agent's wish to use a tool."""

    name: str
    arguments: str = ""
    """As the model wrote them, mostly JSON."""
    id: str = ""


class Message(Frozen):
    """One message of a thread."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] | None = None
    """What an assistant wants to have called; None and () alike mean that it has finished."""
    id: str = ""
    name: str = ""
    """Who asked, or which tool answered; may be empty."""

    @property
    def ends_turn(self) -> bool:
        """An answer without further tool calls."""
        return self.role == "assistant" and not self.tool_calls


def truncated(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters, the last of them an ellipsis."""
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + _MARK


def chars_of(messages: Sequence[Message]) -> int:
    """Characters of all contents, tool results included."""
    return sum(len(message.content) for message in messages)


def line_of(message: Message, limit: int = CONTEXT_CHARS) -> str:
    """`USER: …`, `ASSISTANT: …` or `TOOL: …`, with the name where it is known."""
    label = message.role.upper() + (f" ({message.name})" if message.name else "")
    called = "".join(f"[{call.name}({call.arguments})] " for call in message.tool_calls or ())
    return f"{label}: {truncated(called + message.content, limit)}".rstrip()


class ChatState(TypedDict):
    """One session; `session_id` is the thread's id. A meeting's is `Thread.state`."""

    messages: list[Message]
    session_id: str
    summary_history: list[dict[str, Any]]
    turn_count: int
    """Of the current turn: +1 when a user message arrives, before the run."""
    compression_rate: float
