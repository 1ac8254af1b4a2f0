"""Sessions of browsers in Postgres: `KeptSessions` of `worker.web.sessions`. Times are the database's own."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Final, Literal

from worker.adapters.postgres_pool import Tables
from worker.adapters.sql import statements

_SQL: Final = statements("sessions")
_KEY: Final = "sessions"
_KEY_BYTES: Final = 32


class PostgresSessions(Tables):
    """`KeptSessions` for the pool's tenant."""

    async def key(self) -> bytes:
        """See `KeptSessions.key`."""
        if (stored := await self._key()) is None:
            await self._pool.run(_SQL["draw"], _KEY, secrets.token_bytes(_KEY_BYTES))
            stored = await self._key()  # another's, where they were quicker
        assert stored is not None
        return stored

    async def begin(
        self,
        session_id: str,
        kind: Literal["api", "pages", "link"],
        *,
        link_id: str | None,
        administrator: bool,
        lasting: timedelta,
    ) -> None:
        """See `KeptSessions.begin`; rows of sessions that are long over are deleted beside."""
        about = (session_id, kind, link_id, administrator, lasting.total_seconds())
        async with self._pool.transaction() as connection:
            await connection.execute(_SQL["forget"], self._pool.tenant)
            await connection.execute(_SQL["begin"], self._pool.tenant, *about)

    async def standing(self, session_ids: Collection[str]) -> frozenset[str]:
        """See `KeptSessions.standing`."""
        rows = await self._pool.rows(_SQL["standing"], list(session_ids), read_only=True)
        return frozenset(row["id"] for row in rows)

    async def end(self, session_id: str) -> bool:
        """See `KeptSessions.end`."""
        return await self._pool.value(_SQL["end"], session_id) is not None

    async def _key(self) -> bytes | None:
        key: bytes | None = await self._pool.value(_SQL["key"], _KEY, read_only=True)
        return key
