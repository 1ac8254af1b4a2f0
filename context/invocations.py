"""Questions to the agent and what became of them. An id counts once, whatever happens."""

from __future__ import annotations

from typing import Any, Final

from context.events import AnswerDropped
from context.models import Invocation, Reply

_TALK: Final = frozenset({"chat", "voice"})
"""Where a person's newer question takes the place of the one before. Programs that share a name (`cli`)
ask side by side: each waits for a reply to its own id.
"""


class Invocations:
    """Open invocations, replies in the order they were given, and the ids that are spent."""

    def __init__(self) -> None:
        self.open: dict[str, Invocation] = {}
        self.superseded: set[str] = set()
        """Open ones that another took the place of; they end by `AnswerDropped` or a late answer."""
        self.replies: list[Reply] = []
        self.dropped: list[AnswerDropped] = []

    def seen(self, invocation_id: str) -> bool:
        """Whether this id has been asked before."""
        over: list[Reply | AnswerDropped] = [*self.replies, *self.dropped]
        return invocation_id in self.open or any(each.invocation_id == invocation_id for each in over)

    def ask(self, invocation: Invocation) -> list[str]:
        """Open an unseen invocation; the ids of the same asker's that it takes the place of, in talk."""
        replaced = [
            i.id
            for i in self.open.values()
            if {i.via, invocation.via} <= _TALK and i.by == invocation.by and i.id not in self.superseded
        ]
        self.superseded.update(replaced)
        self.open[invocation.id] = invocation
        return replaced

    def answer(self, reply: Reply) -> bool:
        """Close an invocation with its reply; False where none is open."""
        if self.open.pop(reply.invocation_id, None) is None:
            return False
        self.superseded.discard(reply.invocation_id)
        self.replies.append(reply)
        return True

    def drop(self, event: AnswerDropped) -> None:
        """Close an invocation without a reply."""
        if self.open.pop(event.invocation_id, None) is not None:
            self.superseded.discard(event.invocation_id)
            self.dropped.append(event)

    def wanted(self) -> list[Invocation]:
        """Open invocations that still wait for an answer."""
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
        self.open = {i["id"]: Invocation.model_validate(i) for i in dumped["open"]}
        self.superseded = set(dumped["superseded"])
        self.replies = [Reply.model_validate(r) for r in dumped["replies"]]
        self.dropped = [AnswerDropped.model_validate(d) for d in dumped["dropped"]]
