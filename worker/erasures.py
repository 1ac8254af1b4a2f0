"""What people want erased, how far that has come, and the way to rewrite the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import AwareDatetime, Field

from context.erasure.target import Target
from context.models import Frozen
from context.ports import RecordedEvent


class WantedErasure(Frozen):
    """Words that are to be taken out of a meeting."""

    id: str
    target: Target
    by: str


class ErasureStep(Frozen):
    """One meeting of an erasure; `done_at` is None while it waits."""

    meeting_id: str
    done_at: AwareDatetime | None = None
    counts: dict[str, int] = Field(default_factory=dict)


class Receipt(Frozen):
    """What was erased where, by whom and when; never what it said."""

    id: str
    target: Target
    by: str
    why: str = ""
    asked_at: AwareDatetime
    steps: tuple[ErasureStep, ...] = ()

    @property
    def done(self) -> bool:
        """Whether every meeting of it has been rewritten."""
        return all(step.done_at is not None for step in self.steps)


class Standing(Frozen):
    """How many of a tenant's meetings are to be erased, and how that goes."""

    due: int = 0
    """Kept for as long as they may be, and not asked to be erased yet."""
    waiting: int = 0
    """Asked to be erased, by whomever, and not rewritten yet."""
    held: int = 0
    """On hold: nothing of them is erased."""
    erased: int = 0
    """Rewritten without some or all of their words."""
    oldest_s: float = 0.0
    """How long the oldest wish has been waiting that is not held back."""


class Erasures(Protocol):
    """What people want erased, and the way to rewrite the record without it. Errors are the ports'."""

    async def waiting(self, meeting_id: str) -> Sequence[WantedErasure]:
        """What is to be erased in a meeting, the oldest wish first."""

    async def numbers(self, meeting_id: str) -> dict[int, int]:
        """The utterances' numbers by that of their event."""

    async def erase(
        self,
        meeting_id: str,
        epoch: int,
        erasure_id: str,
        *,
        events: Sequence[RecordedEvent],
        utterances: Sequence[int],
    ) -> None:
        """Rewrite the record, whole or not at all, and note that it is done. Raises `Fenced`."""
