"""One recorded turn of a meeting's thread."""

from __future__ import annotations

from typing import Final, Literal

from context.models import Frozen
from context.thread.messages import Message

TurnStatus = Literal["open", "answered", "superseded", "cancelled", "failed"]

_MARKS: Final = {
    "superseded": "(no answer: a newer question of the same person took its place)",
    "cancelled": "(no answer: it was cancelled)",
    "failed": "(no answer: it failed)",
}
"""What stands in the place of an answer that never came; it closes the turn."""


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
