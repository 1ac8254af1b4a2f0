"""The tables that a meeting's holder works with, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context.ports import MeetingStore
from tests.fakes.erasures import FakeErasures
from worker.bootstrap.database import Database
from worker.ports import LeaseStore, MeetingRegistry, Standbys


class NoConsents:
    """Nobody has told anything in earlier meetings."""

    async def of(self, meeting_id: str) -> dict[str, bool]:
        return {}

    async def newest(self, participant: str) -> bool | None:
        return None


class NoLateWords:
    """No dead job has left anything."""

    async def waiting(self, meeting_id: str, limit: int) -> Sequence[Any]:
        return ()


class NoLinks:
    """No link to a page was ever made."""

    async def stands(self, link_id: str) -> bool:
        return False


class FakeDatabase(Database):
    """Those that it is given, and no more in the others than a holder asks for; the rest are missing."""

    def __init__(
        self, record: MeetingStore, leases: LeaseStore, registry: MeetingRegistry, standbys: Standbys
    ) -> None:
        tables: dict[str, Any] = {
            "record": record,
            "leases": leases,
            "registry": registry,
            "standbys": standbys,
            "erasures": FakeErasures(),
            "consents": NoConsents(),
            "late": NoLateWords(),
            "links": NoLinks(),
        }
        self.__dict__.update(tables)
