"""What Postgres has of people: everything of one person, their consent to being heard, and the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from context.primitives.text import storable
from worker.adapters.postgres_identities import identity_in
from worker.adapters.postgres_pool import Tables
from worker.adapters.sql import statements
from worker.audit_log import AuditEntry, Deed, names_of

_PEOPLE: Final = statements("people")
_CONSENTS: Final = statements("consents")
_AUDIT: Final = statements("audit")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class PostgresPeople(Tables):
    """`People` for the pool's tenant."""

    async def everything(self, person: str) -> dict[str, Any]:
        """Return all that is kept of a person as of one moment, in lists of rows that JSON can hold.

        Keys: `person`, and the statements of `people.sql`: `meetings`, `utterances`, `questions`, `consents`,
        `erasures`. Profiles and memories are made of these for each answer and kept nowhere.
        """
        person = await self.meant(person)
        parts: dict[str, Any] = {"person": person}
        async with self._pool.transaction(read_only=True) as connection:
            for part, statement in _PEOPLE.items():
                rows = await connection.fetch(statement, self._pool.tenant, person)
                parts[part] = [
                    {
                        name: value.isoformat() if hasattr(value, "isoformat") else value
                        for name, value in row.items()
                    }
                    for row in rows
                ]
        return parts

    async def meant(self, named: str) -> str:
        """See `People.meant`."""
        return await identity_in(self._pool, named)


class PostgresConsents(Tables):
    """`Consents` for the pool's tenant. They are written with the record's events, and only read here."""

    async def of(self, meeting_id: str) -> dict[str, bool]:
        """See `Consents.of`."""
        rows = await self._pool.rows(_CONSENTS["of"], meeting_id, read_only=True)
        return {row["participant"]: row["agreed"] for row in rows}

    async def newest(self, participant: str) -> bool | None:
        """See `Consents.newest`."""
        agreed: bool | None = await self._pool.value(_CONSENTS["newest"], participant, read_only=True)
        return agreed


class PostgresAudit(Tables):
    """`Audit` for the pool's tenant: rows are added and read, never changed. Times are the database's own."""

    async def note(self, deed: Deed) -> None:
        """See `Audit.note`."""
        await self.note_many([deed])

    async def note_many(self, deeds: Sequence[Deed]) -> None:
        """See `ManyNotes.note_many`. What no column can hold is cut or replaced: no row fails the others."""
        columns = zip(
            *(
                (
                    storable(deed.who, 400),
                    deed.how,
                    deed.action,
                    storable(deed.meeting_id, 200) if deed.meeting_id else None,
                    storable(deed.subject, 400) if deed.subject else None,
                )
                for deed in deeds
            ),
            strict=True,
        )
        await self._pool.run(_AUDIT["note"], *map(list, columns))

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """See `Audit.newest`."""
        wanted = (meeting_id, names_of(who) if who is not None else None, since or _EPOCH, limit)
        rows = await self._pool.rows(_AUDIT["newest"], *wanted, read_only=True)
        return [AuditEntry.model_validate(dict(row)) for row in rows]
