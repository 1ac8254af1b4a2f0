"""Sessions of browsers, in memory."""

from __future__ import annotations

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
        """How often it was asked whether a session stands."""

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

    async def stands(self, session_id: str) -> bool:
        self._record.demand_available()
        self.looked += 1
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
