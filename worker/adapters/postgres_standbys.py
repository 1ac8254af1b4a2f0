"""Who stands by for whom, in Postgres: `Standbys`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from context.ports import Fenced
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements
from worker.ports import Holder, MeetingRow, Unguarded

_SQL: Final = statements("standbys")


class PostgresStandbys:
    """The second jobs of meetings, for the tenant of the pool."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def claim_unguarded(
        self, *, limit: int, retry_after_s: float, every: bool, late_s: float = 0.0
    ) -> Sequence[Unguarded]:
        """Live meetings that want a standby and have none. `every`: all of them want one.

        `late_s`: so do those whose lease ends within that time, as a relief.
        """
        async with self._pool.transaction() as connection:
            rows = await connection.fetch(
                _SQL["claim_unguarded"], self._pool.tenant, limit, retry_after_s, every, late_s
            )
        found: list[Unguarded] = []
        for row in rows:
            fields = dict(row)
            apart, relief = fields.pop("apart"), fields.pop("relief")
            fields["holder"] = Holder.model_validate_json(fields["holder"])
            found.append(Unguarded(row=MeetingRow(**fields), apart=apart, relief=relief))
        return found

    async def note(self, meeting_id: str, who: Holder, ttl_s: float) -> bool:
        """Stand by for `ttl_s`; False where somebody else does who is placed as well or better."""
        return bool(await self._in_transaction("note", meeting_id, who.model_dump_json(), ttl_s))

    async def drop(self, meeting_id: str, who: Holder) -> None:
        """Stand by no longer."""
        await self._in_transaction("drop", meeting_id, who.model_dump_json())

    async def want(self, meeting_id: str) -> None:
        """This meeting is to have a standby for as long as it is open."""
        await self._in_transaction("want", meeting_id)

    async def seek_successor(self, meeting_id: str, epoch: int, ttl_s: float) -> None:
        """The holder wants to go: find a standby in another worker. Raises `Fenced`."""
        if not await self._in_transaction("seek_successor", meeting_id, epoch, ttl_s):
            raise Fenced(f"meeting {meeting_id!r} is no longer held under epoch {epoch}")

    async def successor_found(self, meeting_id: str) -> None:
        """Nobody wants to go any more."""
        await self._in_transaction("successor_found", meeting_id)

    async def _in_transaction(self, statement: str, *arguments: Any) -> Any:
        async with self._pool.transaction() as connection:
            return await connection.fetchval(_SQL[statement], self._pool.tenant, *arguments)
