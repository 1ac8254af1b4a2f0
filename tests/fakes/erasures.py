"""Wishes to erase, in memory."""

from __future__ import annotations

from datetime import UTC, datetime

from context.erasure_target import Target
from context.ports import Refused
from worker.erasures import ErasureStep, Receipt


class FakeErasures:
    """Knows its meetings by their ids; nothing is carried out."""

    def __init__(self, *meetings: str) -> None:
        self.meetings = meetings
        self.asked: dict[str, Receipt] = {}
        self.held: dict[str, bool] = {}
        self.kept: dict[str, int | None] = {}

    async def ask(
        self, target: Target, *, id_: str, by: str, meeting_id: str | None = None, why: str = ""
    ) -> int:
        if meeting_id is None and target.what != "person":
            raise Refused("name the meeting")
        ids = self.meetings if meeting_id is None else (meeting_id,)
        steps = tuple(ErasureStep(meeting_id=each) for each in ids)
        self.asked[id_] = Receipt(
            id=id_, target=target, by=by, why=why, asked_at=datetime(2026, 1, 5, tzinfo=UTC), steps=steps
        )
        return len(ids)

    async def hold(self, meeting_id: str, *, held: bool) -> None:
        self.held[meeting_id] = held

    async def keep(self, meeting_id: str, days: int | None) -> None:
        self.kept[meeting_id] = days

    async def receipt(self, id_: str) -> Receipt | None:
        if "\0" in id_:
            raise Refused("no text of Postgres holds NUL")
        return self.asked.get(id_)
