"""Late words in Postgres: where a worker leaves what a dead job heard, for the meeting's present holder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from context.events import VERSION, UtteranceSpoken, decode, encode
from context.ports import Refused
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import storable_json
from worker.adapters.sql import statements

_SQL: Final = statements("late")


class PostgresLateWords:
    """`LateWordsStore` for the tenant of the pool."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def offer(self, meeting_id: str, said: Sequence[UtteranceSpoken]) -> int:
        """Leave turns for the holder; how many were neither on record nor offered before."""
        turns = [
            {"key": one.key, "start_ms": one.start_ms, "version": VERSION, "payload": encode(one)}
            for one in said
        ]
        fresh = await self._pool.value(_SQL["offer"], meeting_id, storable_json(turns))
        return int(fresh)

    async def missing(self, meeting_id: str, keys: Sequence[str]) -> set[str]:
        """Those of `keys` under which no turn is on record."""
        rows = await self._pool.rows(_SQL["missing"], meeting_id, list(keys))
        return {row["key"] for row in rows}

    async def waiting(self, meeting_id: str, limit: int) -> Sequence[UtteranceSpoken]:
        """What waits for this meeting's holder, in the order in which it was spoken."""
        async with self._pool.connection() as connection:
            rows = await connection.fetch(_SQL["waiting"], self._pool.tenant, meeting_id, limit)
        found = []
        for row in rows:
            try:
                event = decode(json.loads(row["payload"]), row["version"])
            except ValueError as error:
                raise Refused(f"late words of {meeting_id!r} cannot be read: {error}") from error
            if isinstance(event, UtteranceSpoken):
                found.append(event)
        return found

    async def stranded(self) -> dict[str, int]:
        """Ended meetings with turns that nobody folded in, and how many."""
        rows = await self._pool.rows(_SQL["stranded"])
        return {row["meeting_id"]: row["turns"] for row in rows}

    async def taken(self, meeting_id: str, keys: Sequence[str]) -> None:
        """They are on the record now."""
        await self._pool.run(_SQL["taken"], meeting_id, list(keys))
