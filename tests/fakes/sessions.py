"""Sessions of browsers, in memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from tests.fakes.links import FakeLinks
from tests.fakes.record import Record


@dataclass
class _Row:
    link_id: str | None
    administrator: bool
    expires_at: datetime
    ended: bool = False


class FakeSessions:
    """Those of one tenant."""

    def __init__(self, record: Record, links: FakeLinks) -> None:
        self._record, self._links = record, links
        self.rows: dict[str, _Row] = {}
        self.looked = 0
        """How often it was asked which sessions stand."""

    async def key(self) -> bytes:
        self._record.demand_available()
        return b"drawn once, and the same for all"

    async def begin(
        self,
        session_id: str,
        kind: Literal["api", "pages", "link"],
        *,
        link_id: str | None,
        administrator: bool,
        lasting: timedelta,
    ) -> None:
        self._record.demand_available()
        assert (kind == "link") == (link_id is not None)
        self.rows[session_id] = _Row(link_id, administrator, self._record.clock.now_utc() + lasting)

    async def standing(self, session_ids: Collection[str]) -> frozenset[str]:
        self._record.demand_available()
        self.looked += 1
        return frozenset([id_ for id_ in session_ids if await self._stands(id_)])

    async def _stands(self, session_id: str) -> bool:
        row = self.rows.get(session_id)
        if row is None or row.ended or row.expires_at <= self._record.clock.now_utc():
            return False
        return row.link_id is None or await self._links.stands(row.link_id)

    async def end(self, session_id: str) -> bool:
        self._record.demand_available()
        row = self.rows.get(session_id)
        if row is None or row.ended:
            return False
        row.ended = True
        return True
