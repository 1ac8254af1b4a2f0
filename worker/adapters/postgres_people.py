"""What Postgres has of people: everything of one, what they said to being heard, and who did what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from worker.adapters.postgres_pool import Tables
from worker.adapters.sql import statements
from worker.audit import AuditEntry, Deed

_PEOPLE: Final = statements("people")
_CONSENTS: Final = statements("consents")
_AUDIT: Final = statements("audit")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class PostgresPeople(Tables):
    """What is on record of somebody, over all meetings of the tenant."""

    async def everything(self, person: str) -> dict[str, Any]:
        """JSON-able: where they were, what they said and asked, what they agreed to, what was erased.

        Profiles and memories are made of these for each answer and kept nowhere. As of one moment.
        """
        found: dict[str, Any] = {"person": person}
        async with self._pool.transaction(read_only=True) as connection:
            for part, statement in _PEOPLE.items():
                rows = await connection.fetch(statement, self._pool.tenant, person)
                found[part] = [
                    {
                        name: value.isoformat() if hasattr(value, "isoformat") else value
                        for name, value in row.items()
                    }
                    for row in rows
                ]
        return found


class PostgresConsents(Tables):
    """Written with the record's events, read here."""

    async def of(self, meeting_id: str) -> dict[str, bool]:
        """Who agreed in a meeting (True), or did not."""
        rows = await self._pool.rows(_CONSENTS["of"], meeting_id, read_only=True)
        return {row["participant"]: row["agreed"] for row in rows}

    async def newest(self, participant: str) -> bool | None:
        """What somebody said last, in any meeting; None: nothing."""
        agreed: bool | None = await self._pool.value(_CONSENTS["newest"], participant, read_only=True)
        return agreed


class PostgresAudit(Tables):
    """Who did what with the tenant's meetings: rows are added and read, never changed.

    Times are the database's own.
    """

    async def note(self, deed: Deed) -> None:
        """Add a row. Raises `PortError`."""
        subject = deed.subject[:400] if deed.subject else None
        await self._pool.run(_AUDIT["note"], deed.who[:400], deed.how, deed.action, deed.meeting_id, subject)

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """What was done last, the newest first."""
        wanted = (meeting_id, who, since or _EPOCH, limit)
        rows = await self._pool.rows(_AUDIT["newest"], *wanted, read_only=True)
        return [AuditEntry.model_validate(dict(row)) for row in rows]
