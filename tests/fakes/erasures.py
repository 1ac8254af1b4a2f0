"""Wishes to erase, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from context.events.actors import Actor
from context.events.erasure_target import Target
from context.ports import Refused
from worker.erasures import Beside, ErasureStep, Receipt, WantedErasure


class FakeErasures:
    """Knows its meetings by their ids; nothing is carried out."""

    def __init__(self, *meetings: str) -> None:
        self.meetings = meetings
        self.asked: dict[str, Receipt] = {}
        self.actors: dict[str, Actor] = {}
        self.on_hold: dict[str, bool] = {}
        self.kept: dict[str, int | None] = {}
        self.spoken: dict[int, str] = {}
        """Who spoke the utterances of every meeting, by number."""
        self.waits: list[WantedErasure] = []
        """What is given to the holder of any meeting."""
        self.said_to_be: list[Beside] = []
        self.fault: Exception | None = None
        """What asking for an erasure, or about a hold, raises."""

    async def ask(
        self,
        target: Target,
        *,
        id_: str,
        actor: Actor,
        by: str = "",
        meeting_id: str | None = None,
        why: str = "",
    ) -> int:
        self.demand()
        if meeting_id is None and target.what != "person":
            raise Refused("name the meeting")
        ids = self.meetings if meeting_id is None else (meeting_id,)
        steps = tuple(ErasureStep(meeting_id=each) for each in ids)
        asked_at = datetime(2026, 1, 5, tzinfo=UTC)
        self.actors[id_] = actor
        self.asked[id_] = Receipt(
            id=id_, target=target, by=by or actor.shown, why=why, asked_at=asked_at, steps=steps
        )
        return len(ids)

    def demand(self) -> None:
        """Raise the fault, if there is one."""
        if self.fault is not None:
            raise self.fault

    async def owners(self, meeting_id: str, utterances: Sequence[int]) -> frozenset[str]:
        return frozenset(self.spoken[number] for number in utterances if number in self.spoken)

    async def beside(self, person: str, meeting_id: str | None = None) -> Sequence[Beside]:
        return self.said_to_be

    async def hold(self, meeting_id: str, *, held: bool) -> None:
        self.on_hold[meeting_id] = held

    async def held(self, meeting_id: str) -> bool:
        self.demand()
        return self.on_hold.get(meeting_id, False)

    async def waiting(self, meeting_id: str) -> Sequence[WantedErasure]:
        self.demand()
        return self.waits

    async def keep(self, meeting_id: str, days: int | None) -> None:
        self.kept[meeting_id] = days

    async def receipt(self, id_: str) -> Receipt | None:
        if "\0" in id_:
            raise Refused("no text of Postgres holds NUL")
        return self.asked.get(id_)
