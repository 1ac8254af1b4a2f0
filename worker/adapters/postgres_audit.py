"""Who did what with a tenant's meetings, in Postgres: rows are added and read, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements
from worker.audit import AuditEntry, Deed

_SQL: Final = statements("audit")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class PostgresAudit:
    """For the tenant of the pool. Times are the database's own."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def note(self, deed: Deed) -> None:
        """Add a row. Raises `PortError`."""
        await self._pool.run(
            _SQL["note"],
            *(deed.who[:400], deed.how, deed.action, deed.meeting_id),
            deed.subject[:400] if deed.subject else None,
        )

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """What was done last, the newest first."""
        rows = await self._pool.rows(_SQL["newest"], meeting_id, who, since or _EPOCH, limit, read_only=True)
        return [AuditEntry.model_validate(dict(row)) for row in rows]
