"""The audit log in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from worker.audit import AuditEntry, Deed


class FakeAudit:
    """Rows in the order in which they were added."""

    def __init__(self) -> None:
        self.rows: list[AuditEntry] = []

    async def note(self, deed: Deed) -> None:
        self.rows.append(AuditEntry(at=datetime(2026, 1, 5, tzinfo=UTC), **deed.model_dump()))

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        found = [
            row
            for row in reversed(self.rows)
            if meeting_id in {None, row.meeting_id}
            and who in {None, row.who}
            and (since is None or row.at >= since)
        ]
        return found[:limit]
