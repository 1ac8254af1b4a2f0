"""What stands in a thread: messages, the turns that they make up, and its summary jobs as rows.

A turn is a question, tool calls with their results, and the final answer: it ends at an assistant message
without tool calls, and is never split (seed 001). A summary is due at turns 4, 7, 10, … and covers the three
turns before; so the spans are 1–3, 4–6, 7–9, whatever came in between. A row is one attempt at one summary
(seed 003's `conversation_summaries`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, Self, TypedDict

from pydantic import AwareDatetime, model_validator

from context.models import Frozen

TurnStatus = Literal["open", "answered", "superseded", "cancelled", "failed"]
RowStatus = Literal["IN_PROGRESS", "COMPLETED", "FAILED"]
Role = Literal["system", "user", "assistant", "tool"]

TURNS_PER_SUMMARY: Final = 3
CONTEXT_CHARS: Final = 2_000
"""A message in a prompt's context is cut here (seed 003)."""
SUMMARY_CHARS: Final = 3_000
"""A message in a summary's prompt is cut here (seed 003)."""
_MARKS: Final = {
    "superseded": "(no answer: a newer question of the same person took its place)",
    "cancelled": "(no answer: it was cancelled)",
    "failed": "(no answer: it failed)",
}
"""What stands in the place of an answer that never came; it closes the turn."""


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


class Turn(Frozen):
    """A question and what became of it. Private turns are numbered 0: the count is of the common ones."""

    number: int
    order: int
    """Place among all turns of the meeting, private ones included."""
    by: str
    question: Message
    steps: tuple[Message, ...] = ()
    """Tool calls and their results, in order."""
    answer: Message | None = None
    status: TurnStatus = "open"
    private: bool = False
    tokens: int = 0
    """Of all its messages, counted when it closed."""

    @property
    def closed(self) -> bool:
        """Whether nothing is still to come."""
        return self.status != "open"

    @property
    def messages(self) -> tuple[Message, ...]:
        """The whole turn, a missing answer marked."""
        return (self.question, *self.steps, *((self.answer,) if self.answer else ()))

    def answered(self, answer: Message, steps: tuple[Message, ...] = ()) -> Turn:
        """The turn with its answer."""
        return self.model_copy(update={"answer": answer, "steps": steps, "status": "answered"})

    def dropped(self, why: Literal["superseded", "cancelled", "failed"]) -> Turn:
        """The turn without an answer, marked."""
        answer = Message(role="assistant", content=_MARKS[why], id=f"{self.question.id}:{why}")
        return self.model_copy(update={"answer": answer, "status": why})


class SummaryRow(Frozen):
    """One attempt at one summary. Its text is null until it is COMPLETED."""

    id: str
    conversation_id: str
    summary_text: str | None = None
    covered_until_message_id: str
    covered_message_count: int
    """Messages covered when it completes, those of the summaries before it included."""
    covered_token_count: int
    summary_version: int = 1
    status: RowStatus = "IN_PROGRESS"
    created_at: AwareDatetime | None = None
    error: str | None = None
    """Why it FAILED; never its text."""

    @model_validator(mode="after")
    def _text_when_completed(self) -> Self:
        if (self.summary_text is not None) != (self.status == "COMPLETED"):
            raise ValueError("a summary has a text if, and only if, it is COMPLETED")
        return self

    def completed(self, text: str) -> SummaryRow:
        """The same row with its summary."""
        return SummaryRow(**{**dict(self), "status": "COMPLETED", "summary_text": text})

    def failed(self, error: str) -> SummaryRow:
        """The same row, given up."""
        return SummaryRow(**{**dict(self), "status": "FAILED", "error": error})


class ChatState(TypedDict):
    """One session; `session_id` is the thread's id. A meeting's is `Thread.state`."""

    messages: list[Message]
    session_id: str
    summary_history: list[dict[str, Any]]
    turn_count: int
    """Of the current turn: +1 when a user message arrives, before the run."""
    compression_rate: float


def should_summarize(turn_count: int) -> bool:
    """Whether the turns before the `turn_count`-th call for a summary: at 4, 7, 10, 13, …"""
    return turn_count >= TURNS_PER_SUMMARY + 1 and (turn_count - 1) % TURNS_PER_SUMMARY == 0


def span_end(first: int) -> int:
    """The last turn of the span that turn `first` belongs to: 3 for 1–3, 6 for 4–6."""
    return -(-first // TURNS_PER_SUMMARY) * TURNS_PER_SUMMARY


def completed_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """The finished turns in order, each whole; what follows the last of them is left out."""
    turns: list[list[Message]] = []
    begun: list[Message] = []
    for message in messages:
        begun.append(message)
        if message.ends_turn:
            turns.append(begun)
            begun = []
    return turns


def extract_last_n_turns(messages: Sequence[Message], n: int) -> list[Message]:
    """The messages of the last `n` finished turns."""
    turns = completed_turns(messages)
    return [message for turn in (turns[-n:] if n > 0 else []) for message in turn]


def extract_current_turn(messages: Sequence[Message]) -> list[Message]:
    """Everything after the last finished turn: all of it where none has finished."""
    return list(messages[sum(map(len, completed_turns(messages))) :])


def truncated(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters, the last of them an ellipsis."""
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + "…"


def chars_of(messages: Sequence[Message]) -> int:
    """Characters of all contents, tool results included."""
    return sum(len(message.content) for message in messages)


def line_of(message: Message, limit: int = CONTEXT_CHARS) -> str:
    """`USER: …`, `ASSISTANT: …` or `TOOL: …`, with the name where it is known."""
    label = message.role.upper() + (f" ({message.name})" if message.name else "")
    called = "".join(f"[{call.name}({call.arguments})] " for call in message.tool_calls or ())
    return f"{label}: {truncated(called + message.content, limit)}".rstrip()
