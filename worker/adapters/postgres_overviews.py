"""What the list of meetings tells of each: from the rows of the record, without folding a meeting."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements
from worker.ports import Overview

_SQL: Final = statements("overviews")
_MOST: Final = 8
"""Topics, and decisions, that are told of a meeting."""


class PostgresOverviews:
    """For the tenant of the pool."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def of(self, meeting_ids: Sequence[str]) -> Mapping[str, Overview]:
        """By the meeting's id. Topics and decisions are those of the newest snapshot: some seconds old."""
        async with self._pool.transaction() as connection:
            rows = await connection.fetch(_SQL["overviews"], self._pool.tenant, list(meeting_ids))
        found = {}
        for row in rows:
            topics = json.loads(row["topics"] or "[]")
            decisions = [
                each["text"]
                for topic in topics
                for each in topic["decisions"] or ()
                if each.get("status") != "superseded"
            ]
            found[row["id"]] = Overview(
                people=tuple(row["people"]),
                length_ms=row["length_ms"] or 0,
                topics=tuple(topic["name"] for topic in topics[:_MOST]),
                decisions=tuple(decisions[:_MOST]),
            )
        return found
