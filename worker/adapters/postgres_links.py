"""Links to one meeting's page, in Postgres. Times are the database's own; the secrets are kept nowhere."""

from __future__ import annotations

import secrets
from datetime import timedelta
from hashlib import sha256
from typing import Final

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements
from worker.ports import Link

_SQL: Final = statements("links")


class PostgresLinks:
    """For the tenant of the pool."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def make(self, meeting_id: str, *, may_edit: bool, lasting: timedelta) -> tuple[Link, str]:
        """A new link, and the secret that opens it. Raises `Refused` where there is no such meeting."""
        secret = secrets.token_urlsafe(24)
        row = await self._pool.row(
            _SQL["make"],
            *(secrets.token_hex(4), meeting_id, _digest(secret), may_edit),
            lasting.total_seconds(),
        )
        assert row is not None
        return Link.model_validate(dict(row)), secret

    async def opened(self, secret: str) -> Link | None:
        """What a secret opens; None where it never did, has expired or was withdrawn."""
        row = await self._pool.row(_SQL["opened"], _digest(secret), read_only=True)
        return Link.model_validate(dict(row)) if row is not None else None

    async def standing(self, meeting_id: str) -> list[Link]:
        """Those that open a meeting still, newest first."""
        rows = await self._pool.rows(_SQL["standing"], meeting_id, read_only=True)
        return [Link.model_validate(dict(row)) for row in rows]

    async def stands(self, link_id: str) -> bool:
        """Whether a link still opens anything."""
        return bool(await self._pool.value(_SQL["stands"], link_id, read_only=True))

    async def withdraw(self, meeting_id: str, link_id: str) -> bool:
        """Let it open nothing any more; False where it did not."""
        found = await self._pool.value(_SQL["withdraw"], meeting_id, link_id)
        return found is not None


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
