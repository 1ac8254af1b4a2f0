"""Files that wait to become meetings (`Recordings`) in Postgres, in parts. Times are the database's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import asyncpg

from worker.adapters.postgres_pool import Tables
from worker.adapters.postgres_registry import new_meeting_id
from worker.adapters.sql import statements
from worker.recordings.recording_store import Kind, RecordingRow

_SQL: Final = statements("recordings")


class PostgresRecordings(Tables):
    """`Recordings` for the pool's tenant."""

    async def want(self, name: str, kind: Kind, title: str, *, size_bytes: int, total: int) -> str:
        """See `Recordings.want`."""
        wanted: str = await self._pool.call(
            _SQL["want"], new_meeting_id(), title, name, kind, size_bytes, total
        )
        return wanted

    async def put(self, meeting_id: str, number: int, part: bytes) -> None:
        """See `Recordings.put`."""
        await self._pool.run(_SQL["put"], meeting_id, number, part)

    async def complete(self, meeting_id: str) -> None:
        """See `Recordings.complete`."""
        await self._pool.run(_SQL["complete"], meeting_id)

    async def part(self, meeting_id: str, number: int) -> bytes | None:
        """See `Recordings.part`."""
        part: bytes | None = await self._pool.value(_SQL["part"], meeting_id, number, read_only=True)
        return part

    async def get(self, meeting_id: str) -> RecordingRow | None:
        """See `Recordings.get`."""
        row = await self._pool.row(_SQL["get"], meeting_id, read_only=True)
        return _recording(row) if row is not None else None

    async def list_all(self) -> list[RecordingRow]:
        """See `Recordings.list_all`."""
        return [_recording(row) for row in await self._pool.rows(_SQL["list_all"], read_only=True)]

    async def waiting(self) -> tuple[int, int]:
        """See `Recordings.waiting`."""
        row = await self._pool.row(_SQL["waiting"], read_only=True)
        assert row is not None
        return row["files"], row["bytes"]

    async def claim(self, kinds: Sequence[Kind], for_s: float) -> RecordingRow | None:
        """See `Recordings.claim`."""
        row = await self._pool.row(_SQL["claim"], list(kinds), for_s)
        return _recording(row) if row is not None else None

    async def tell(self, meeting_id: str, done: int, for_s: float) -> bool:
        """See `Recordings.tell`."""
        return await self._pool.value(_SQL["tell"], meeting_id, done, for_s) is not None

    async def let_go(self, meeting_id: str, after_s: float) -> None:
        """See `Recordings.let_go`."""
        await self._pool.run(_SQL["let_go"], meeting_id, after_s)

    async def fail(self, meeting_id: str, code: str, value: str, why: str) -> None:
        """See `Recordings.fail`."""
        async with self._pool.transaction() as connection:
            await connection.execute(_SQL["fail"], self._pool.tenant, meeting_id, code, value)
            await connection.execute(_SQL["fail_meeting"], self._pool.tenant, meeting_id, why)

    async def abandoned(self, limit: int) -> list[str]:
        """See `Recordings.abandoned`."""
        rows = await self._pool.rows(_SQL["abandoned"], limit, read_only=True)
        return [row["meeting_id"] for row in rows]


def _recording(row: asyncpg.Record) -> RecordingRow:
    return RecordingRow(**dict(row))
