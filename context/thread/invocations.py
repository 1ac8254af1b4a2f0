"""Invocations: the questions to the agent, and their replies. Each id is asked once, whatever happens."""

from __future__ import annotations

from typing import Any, Final

from context.events.events import AnswerDropped
from context.models import Reply
from context.question import Question

_SPOKEN_CHANNELS: Final = frozenset({"chat", "voice"})
"""Channels where a person's newer question supersedes the one before. On the others programs that share a
name (`cli`) ask side by side: each waits for a reply to its own id.
"""


class Invocations:
    """The invocations of a meeting: the open ones, and those that ended with or without a reply, in order."""

    def __init__(self) -> None:
        self.open: dict[str, Question] = {}
        self.superseded: set[str] = set()
        """Ids of open ones whose asker asked anew; they end by `AnswerDropped` or a late answer."""
        self.replies: list[Reply] = []
        self.dropped: list[AnswerDropped] = []

    def seen(self, invocation_id: str) -> bool:
        """Whether an invocation with this id was asked before, open or ended."""
        over: list[Reply | AnswerDropped] = [*self.replies, *self.dropped]
        return invocation_id in self.open or any(each.invocation_id == invocation_id for each in over)

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
        self.replies.append(reply)
        return True

    def drop(self, event: AnswerDropped) -> None:
        """Close an invocation without a reply; one that is not open is passed over."""
        if self.open.pop(event.invocation_id, None) is not None:
            self.superseded.discard(event.invocation_id)
            self.dropped.append(event)

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
        self.replies = [Reply.model_validate(r) for r in dumped["replies"]]
        self.dropped = [AnswerDropped.model_validate(d) for d in dumped["dropped"]]
