"""The audit log in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from context.ports import PortError
from worker.audit_log import AuditEntry, Deed, names_of


class FakeAudit:
    """Rows in the order in which they were added."""

    def __init__(self) -> None:
        self.rows: list[AuditEntry] = []
        self.mood: PortError | None = None
        """What it fails with while it is set."""

    async def note(self, deed: Deed) -> None:
        if self.mood is not None:
            raise self.mood
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
            and (who is None or row.who in names_of(who))
            and (since is None or row.at >= since)
        ]
        return found[:limit]
