"""Leases (`LeaseStore`) and standbys (`Standbys`) in Postgres.

All times are the database's, so clocks need not agree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from context.ports import Fenced, Refused
from worker.adapters.postgres_pool import Tables
from worker.adapters.sql import statements
from worker.ports import Holder, MeetingRow, Renewal, Unguarded

_LEASES: Final = statements("leases")
_STANDBYS: Final = statements("standbys")


class PostgresLeases(Tables):
    """`LeaseStore` for the pool's tenant. An epoch lives in a row that is never deleted, and only grows."""

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """See `LeaseStore.acquire`. The same holder may take it again (a lost answer), with a higher epoch.

        Raises `Refused` for an unknown meeting.
        """
        return await self._taken("acquire", meeting_id, holder, ttl_s)

    async def reopen(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """Take the lease of an ended meeting, to rewrite it: the new epoch, or None while another has it.

        Raises `Refused` for an unknown meeting.
        """
        return await self._taken("reopen", meeting_id, holder, ttl_s)

    async def _taken(self, statement: str, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        epoch: int | None = await self._pool.call(
            _LEASES[statement], meeting_id, holder.model_dump_json(), ttl_s
        )
        if epoch is None:
            raise Refused(f"there is no meeting {meeting_id!r}: `moim dispatch` makes one")
        return epoch or None

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        """See `LeaseStore.renew`."""
        unwritten_json = None if unwritten is None else json.dumps(dict(unwritten))
        ending: bool | None = await self._pool.call(
            _LEASES["renew"], meeting_id, epoch, ttl_s, unwritten_json
        )
        if ending is None:
            raise Fenced.of(meeting_id, epoch)
        return Renewal(end_requested=ending)

    async def renew_many(self, held: Mapping[str, int], ttl_s: float) -> Mapping[str, Renewal]:
        """Renew leases in one round trip, `held` being meeting → epoch; lost ones lack in the result."""
        async with self._pool.connection() as connection:
            rows = await connection.fetch(
                _LEASES["renew_many"], self._pool.tenant, list(held), list(held.values()), ttl_s
            )
        return {row["meeting"]: Renewal(end_requested=row["ending"]) for row in rows}

    async def release(self, meeting_id: str, epoch: int) -> None:
        """See `LeaseStore.release`. A stale epoch changes nothing."""
        await self._pool.call(_LEASES["release"], meeting_id, epoch)


class PostgresStandbys(Tables):
    """`Standbys` for the pool's tenant."""

    async def claim_unguarded(
        self, *, limit: int, retry_after_s: float, every: bool, late_s: float = 0.0
    ) -> Sequence[Unguarded]:
        """See `Standbys.claim_unguarded`."""
        rows = await self._pool.rows(_STANDBYS["claim_unguarded"], limit, retry_after_s, every, late_s)
        unguarded: list[Unguarded] = []
        for row in rows:
            fields = dict(row)
            apart, relief = fields.pop("apart"), fields.pop("relief")
            fields["holder"] = Holder.model_validate_json(fields["holder"])
            unguarded.append(Unguarded(row=MeetingRow(**fields), apart=apart, relief=relief))
        return unguarded

    async def note(self, meeting_id: str, who: Holder, ttl_s: float) -> bool:
        """See `Standbys.note`."""
        return bool(await self._pool.value(_STANDBYS["note"], meeting_id, who.model_dump_json(), ttl_s))

    async def drop(self, meeting_id: str, who: Holder) -> None:
        """See `Standbys.drop`."""
        await self._pool.run(_STANDBYS["drop"], meeting_id, who.model_dump_json())

    async def want(self, meeting_id: str) -> None:
        """See `Standbys.want`."""
        await self._pool.run(_STANDBYS["want"], meeting_id)

    async def seek_successor(self, meeting_id: str, epoch: int, ttl_s: float) -> None:
        """See `Standbys.seek_successor`."""
        if not await self._pool.value(_STANDBYS["seek_successor"], meeting_id, epoch, ttl_s):
            raise Fenced.of(meeting_id, epoch)

    async def successor_found(self, meeting_id: str) -> None:
        """See `Standbys.successor_found`."""
        await self._pool.run(_STANDBYS["successor_found"], meeting_id)
