"""Invocations: what the agent was asked, and what came of it. Each id is asked once, whatever happens.

This is the one place of a meeting's state where those words stand. An invocation is a question while it is
open, then its reply, or a question that was asked in vain; the thread's turns show it.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from context.events.events import AnswerDropped
from context.models import Frozen, Reply
from context.question import Question

_SPOKEN_CHANNELS: Final = frozenset({"chat", "voice"})
"""Channels where a person's newer question supersedes the one before. On the others programs that share a
name (`cli`) ask side by side: each waits for a reply to its own id.
"""


class Unanswered(Frozen):
    """A question that ended without an answer. It is known by the same names as in a `Reply`."""

    invocation_id: str
    by: str
    """Who asked; "" where an older record does not know it any more, nor what was asked."""
    question: str
    private: bool
    asked_at_ms: int
    why: Literal["superseded", "cancelled", "failed"]


Invocation = Question | Reply | Unanswered
"""An invocation as it stands: open, answered, or asked in vain."""


class Invocations:
    """The invocations of a meeting: the open ones, and those that ended with or without a reply, in order."""

    def __init__(self) -> None:
        self.open: dict[str, Question] = {}
        self.superseded: set[str] = set()
        """Ids of open ones whose asker asked anew; they end by `AnswerDropped` or a late answer."""
        self.ended: dict[str, Reply | Unanswered] = {}

    @property
    def replies(self) -> list[Reply]:
        """The replies, in the order in which they were given."""
        return [each for each in self.ended.values() if isinstance(each, Reply)]

    @property
    def dropped(self) -> list[Unanswered]:
        """Those that ended without a reply, in the order in which they did."""
        return [each for each in self.ended.values() if isinstance(each, Unanswered)]

    def seen(self, invocation_id: str) -> bool:
        """Whether an invocation with this id was asked before, open or ended."""
        return invocation_id in self.open or invocation_id in self.ended

    @property
    def all(self) -> dict[str, Invocation]:
        """All invocations by their ids, as they stand."""
        return {**self.open, **self.ended}

    def ask(self, question: Question) -> list[str]:
        """Open an invocation that was not seen; gives the ids of those that it supersedes."""
        replaced = [
            i.id
            for i in self.open.values()
            if {i.via, question.via} <= _SPOKEN_CHANNELS
            and i.by == question.by
            and i.id not in self.superseded
        ]
        self.superseded.update(replaced)
        self.open[question.id] = question
        return replaced

    def answer(self, reply: Reply) -> bool:
        """Close an invocation with its reply; False where it is not open."""
        if self.open.pop(reply.invocation_id, None) is None:
            return False
        self.superseded.discard(reply.invocation_id)
        self.ended[reply.invocation_id] = reply
        return True

    def drop(self, event: AnswerDropped) -> Unanswered | None:
        """Close an invocation without a reply; gives what is left of it, None where it is not open."""
        asked = self.open.pop(event.invocation_id, None)
        if asked is None:
            return None
        self.superseded.discard(asked.id)
        in_vain = self.ended[asked.id] = Unanswered(
            invocation_id=asked.id,
            by=asked.by,
            question=asked.text,
            private=asked.private,
            asked_at_ms=asked.at_ms,
            why=event.why,
        )
        return in_vain

    def wanted(self) -> list[Question]:
        """Open invocations that are not superseded: those that wait for an answer."""
        return [i for i in self.open.values() if i.id not in self.superseded]

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "open": [i.model_dump(mode="json") for i in self.open.values()],
            "superseded": sorted(self.superseded),
            "replies": [r.model_dump(mode="json") for r in self.replies],
            "dropped": [d.model_dump(mode="json") for d in self.dropped],
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.open = {i["id"]: Question.model_validate(i) for i in dumped["open"]}
        self.superseded = set(dumped["superseded"])
        replies = map(Reply.model_validate, dumped["replies"])
        self.ended = {reply.invocation_id: reply for reply in replies}
        for each in map(Unanswered.model_validate, dumped["dropped"]):
            self.ended[each.invocation_id] = each
