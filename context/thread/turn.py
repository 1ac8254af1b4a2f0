"""The values of a thread: the turns that its messages make up, and the rows of its summary jobs.

A turn is a question, tool calls with their results, and the final answer: it ends at an assistant message
without tool calls, and is never split (seed 001). A summary is due at turns 4, 7, 10, … and covers the three
turns before; so the spans are 1–3, 4–6, 7–9. A row is one attempt at one summary
(seed 003's `conversation_summaries`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, Self, TypedDict

from pydantic import AwareDatetime, Field, model_validator

from context.events.message import Message, ToolCall
from context.models import Frozen, Reply, ToolUse
from context.question import Question
from context.thread.invocations import Invocation, Unanswered

TurnStatus = Literal["open", "answered", "superseded", "cancelled", "failed"]
RowStatus = Literal["IN_PROGRESS", "COMPLETED", "FAILED"]

TURNS_PER_SUMMARY: Final = 3
_MARKS: Final = {
    "superseded": "(no answer: a newer question of the same person took its place)",
    "cancelled": "(no answer: it was cancelled)",
    "failed": "(no answer: it failed)",
}
"""What stands in the place of an answer that never came, by the turn's status."""


class Turn(Frozen):
    """A place in the thread, with the invocation that has it: what was asked and said, as messages."""

    id: str
    """The invocation's."""
    number: int = 0
    """Place among the public turns, from 1; 0 for private ones."""
    order: int
    """Place among all turns of the meeting, private ones included, from 1."""
    name: str = ""
    """The asker's name, as it was when they asked."""
    tokens: int = 0
    """Tokens of all its messages, counted when it closed."""
    invocation: Invocation = Field(exclude=True)
    """The very value that `Invocations` keeps: in a snapshot its words stand there alone."""

    @property
    def private(self) -> bool:
        """Whether it concerns the asker alone."""
        return not self.number

    @property
    def by(self) -> str:
        """The asker's participant id."""
        return self.invocation.by

    @property
    def status(self) -> TurnStatus:
        """What became of it."""
        match self.invocation:
            case Question():
                return "open"
            case Reply():
                return "answered"
            case Unanswered(why=why):
                return why

    @property
    def closed(self) -> bool:
        """Whether it was answered or dropped."""
        return not isinstance(self.invocation, Question)

    @property
    def question(self) -> Message:
        """The message that asks."""
        told = self.invocation
        text = told.text if isinstance(told, Question) else told.question
        return Message(role="user", content=text, id=self.id, name=self.name)

    @property
    def steps(self) -> tuple[Message, ...]:
        """Tool calls and their results, in order."""
        used = self.invocation.tools if isinstance(self.invocation, Reply) else ()
        return tuple(message for tool in used for message in _step(tool))

    @property
    def answer(self) -> Message | None:
        """The answer, or a mark where none came; None while the turn is open."""
        match self.invocation:
            case Question():
                return None
            case Reply(text=text, id=id_):
                return Message(role="assistant", content=text, id=id_)
            case Unanswered(why=why):
                return Message(role="assistant", content=_MARKS[why], id=f"{self.id}:{why}")

    @property
    def messages(self) -> tuple[Message, ...]:
        """Question, steps and, if the turn is closed, its answer."""
        answer = self.answer
        return (self.question, *self.steps, *((answer,) if answer else ()))


def _step(tool: ToolUse) -> tuple[Message, Message]:
    """The call of a tool, and what came of it."""
    call = ToolCall(name=tool.name, arguments=tool.arguments)
    return (
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", name=tool.name, content=tool.result),
    )


class SummaryRow(Frozen):
    """One attempt at a summary: a row of seed 003's `conversation_summaries`. It has a text if COMPLETED."""

    id: str
    conversation_id: str
    summary_text: str | None = None
    covered_until_message_id: str
    covered_message_count: int
    """Messages covered when it completes, those of the summaries before it included."""
    covered_token_count: int
    """Tokens of those messages."""
    summary_version: int = 1
    status: RowStatus = "IN_PROGRESS"
    created_at: AwareDatetime | None = None
    error: str | None = None
    """Why it FAILED; it never holds text of the summary."""

    @model_validator(mode="after")
    def _text_when_completed(self) -> Self:
        if (self.summary_text is not None) != (self.status == "COMPLETED"):
            raise ValueError("a summary has a text if, and only if, it is COMPLETED")
        return self

    def completed(self, text: str) -> SummaryRow:
        """This row, COMPLETED with its summary."""
        return SummaryRow(**{**dict(self), "status": "COMPLETED", "summary_text": text})

    def failed(self, error: str) -> SummaryRow:
        """This row, FAILED for this reason."""
        return SummaryRow(**{**dict(self), "status": "FAILED", "error": error})


class ChatState(TypedDict):
    """Seed 001's state of one session, here of a meeting's thread (`Thread.state`)."""

    messages: list[Message]
    session_id: str
    """The thread's id."""
    summary_history: list[dict[str, Any]]
    turn_count: int
    """Number of the current turn: it grows when a user message arrives, before the answer."""
    compression_rate: float


def should_summarize(turn_count: int) -> bool:
    """Whether turn number `turn_count` calls for a summary of those before it: 4, 7, 10, … (seed 001)."""
    return turn_count >= TURNS_PER_SUMMARY + 1 and (turn_count - 1) % TURNS_PER_SUMMARY == 0


def span_end(first: int) -> int:
    """The last turn of the span that turn `first` belongs to: 3 for 1–3, 6 for 4–6."""
    return -(-first // TURNS_PER_SUMMARY) * TURNS_PER_SUMMARY


def completed_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages of each finished turn, in order; those after the last finished turn are left out."""
    turns: list[list[Message]] = []
    begun: list[Message] = []
    for message in messages:
        begun.append(message)
        if message.ends_turn:
            turns.append(begun)
            begun = []
    return turns


def extract_last_n_turns(messages: Sequence[Message], n: int) -> list[Message]:
    """The messages of the last `n` finished turns, or of all there are; [] for `n` ≤ 0 (seed 001)."""
    turns = completed_turns(messages)
    return [message for turn in (turns[-n:] if n > 0 else []) for message in turn]


def extract_current_turn(messages: Sequence[Message]) -> list[Message]:
    """The messages after the last finished turn; all of them where none has finished (seed 001)."""
    return list(messages[sum(map(len, completed_turns(messages))) :])
