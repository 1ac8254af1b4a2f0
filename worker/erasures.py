"""The port of erasures: what people want erased, how far that has come, and rewriting the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from pydantic import AwareDatetime, Field

from context.events.actors import Actor
from context.events.erasure_target import Target
from context.models import Frozen
from context.ports import RecordedEvent

NOT_REACHED: Final = (
    "copies that have left Moim: with webhooks, cloud engines, exported files, the chat on people's screens",
    "backups of the database",
    "dead row versions of Postgres, until VACUUM, and its write-ahead log, until it is recycled",
    "files of a Redis that keeps an append-only file or snapshots, until it rewrites them",
)
"""What no erasure reaches, as each receipt says."""


class WantedErasure(Frozen):
    """A request to erase words, or to show hidden ones, as far as it concerns one meeting."""

    id: str
    target: Target
    by: str
    """Who asked for it, for people."""
    actor: Actor
    """Who was authenticated."""


class Beside(Frozen):
    """A meeting's words that may be a person's, or were moved away from them: to be confirmed, or told."""

    meeting_id: str
    utterances: int
    """How many turns of theirs have words."""
    merged: tuple[str, ...] = ()
    """Other ids that somebody said to be the same person."""
    moved_here: tuple[int, ...] = ()
    """Utterances of others that are shown as theirs."""
    moved_away: tuple[int, ...] = ()
    """Utterances of theirs that are shown as another's; they are theirs all the same."""

    @property
    def has_something(self) -> bool:
        """Whether anything was merged or moved."""
        return bool(self.merged or self.moved_here or self.moved_away)


class ErasureStep(Frozen):
    """One meeting of an erasure."""

    meeting_id: str
    done_at: AwareDatetime | None = None
    """When its record was rewritten; None while it waits."""
    counts: dict[str, int] = Field(default_factory=dict)
    """How much was erased, by kind."""
    refused: str | None = None
    """Why nothing was erased: who asked may not have it, or nothing was there. None: it was, or waits."""


class Receipt(Frozen):
    """What was erased where, by whose request and when; never a word of it."""

    id: str
    target: Target
    by: str
    why: str = ""
    asked_at: AwareDatetime
    steps: tuple[ErasureStep, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the record of every meeting that it concerns has been rewritten."""
        return all(step.done_at is not None for step in self.steps)


class ErasureBacklog(Frozen):
    """How many of a tenant's meetings are to be erased, and how that goes."""

    due: int = 0
    """Meetings whose time of keeping is over, and whose erasure has not been asked for yet."""
    waiting: int = 0
    """Meetings from which words are to be erased, and that are not rewritten yet."""
    held: int = 0
    """Meetings on legal hold, of which nothing is erased."""
    erased: int = 0
    """Meetings that were rewritten without some or all of their words."""
    oldest_s: float = 0.0
    """How long, in seconds, the oldest request that no hold keeps back has been waiting; 0 without one."""


class ErasureRequests(Protocol):
    """Port of requests to erase or keep words. Raises `PortError`, and `Refused` for an unknown meeting."""

    async def ask(
        self, target: Target, *, id_: str, actor: Actor, by: str = "", meeting_id: str | None = None
    ) -> int:
        """Write down that `target` is to be erased; give of how many meetings. See `PostgresErasures.ask`."""

    async def owners(self, meeting_id: str, utterances: Sequence[int]) -> frozenset[str]:
        """Give who spoke these utterances of a meeting, whomever they are shown under."""

    async def beside(self, person: str, meeting_id: str | None = None) -> Sequence[Beside]:
        """Give what is said to be a person's, and was moved from them, meeting by meeting."""

    async def receipt(self, id_: str) -> Receipt | None:
        """Give how far an erasure has come; None for an unknown one."""

    async def hold(self, meeting_id: str, *, held: bool) -> None:
        """Put a meeting on hold, so that nothing of it is erased, or end that."""

    async def keep(self, meeting_id: str, days: int | None) -> None:
        """Keep a meeting's words for `days` after its end; None: as the dispatcher is set."""


class Erasures(Protocol):
    """Erasure requests, and rewriting the record by them. Errors are the ports'."""

    async def waiting(self, meeting_id: str) -> Sequence[WantedErasure]:
        """Give what is to be erased in a meeting, the oldest request first."""

    async def held(self, meeting_id: str) -> bool:
        """Tell whether a meeting is on hold at this moment, so that nothing of it is erased."""

    async def ask(
        self, target: Target, *, id_: str, actor: Actor, by: str = "", meeting_id: str | None = None
    ) -> int:
        """Write down that `target` is to be erased, as `ErasureRequests.ask`."""

    async def refuse(self, meeting_id: str, epoch: int, erasure_id: str, why: str) -> None:
        """Close a request in this meeting that is not carried out, and say why. Raises `Fenced`."""

    async def numbers(self, meeting_id: str) -> dict[int, int]:
        """Give the numbers of a meeting's utterances, by the numbers of their events."""

    async def erase(
        self,
        meeting_id: str,
        epoch: int,
        erasure_id: str,
        *,
        events: Sequence[RecordedEvent],
        utterances: Sequence[int],
        hidden: int = 0,
    ) -> None:
        """Rewrite the record, all of it or nothing, and note in the receipt that it is done.

        `events` take the place of those on record with their numbers, and `utterances` are emptied, of which
        `hidden` many are only hidden. Raises
        `Fenced` where the meeting is not held under `epoch`, `Refused` where it is on hold.
        """
