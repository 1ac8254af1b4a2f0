"""Leases in Postgres, `LeaseStore`, and who stands by for whom, `Standbys`.

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
    """The right to write a meeting. The epoch lives in a row that is never deleted, and only grows."""

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """See `LeaseStore`. The same holder may take it again (a lost answer), with a higher epoch.

        Raises `Refused` for an unknown meeting.
        """
        return await self._taken("acquire", meeting_id, holder, ttl_s)

    async def reopen(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """The new epoch of a meeting that has ended, to put something right; None while another does so.

        Raises `Refused` for an unknown meeting.
        """
        return await self._taken("reopen", meeting_id, holder, ttl_s)

    async def _taken(self, statement: str, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        arguments = (meeting_id, holder.model_dump_json(), ttl_s)
        epoch: int | None = await self._pool.call(_LEASES[statement], *arguments)
        if epoch is None:
            raise Refused(f"there is no meeting {meeting_id!r}: `moim dispatch` makes one")
        return epoch or None

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        """See `LeaseStore`."""
        told = None if unwritten is None else json.dumps(dict(unwritten))
        ending: bool | None = await self._pool.call(_LEASES["renew"], meeting_id, epoch, ttl_s, told)
        if ending is None:
            raise _fenced(meeting_id, epoch)
        return Renewal(end_requested=ending)

    async def renew_many(self, held: Mapping[str, int], ttl_s: float) -> Mapping[str, Renewal]:
        """`renew` of meetings by their epochs, in one round trip; those that are lost are missing."""
        arguments = (list(held), list(held.values()), ttl_s)
        async with self._pool.connection() as connection:
            rows = await connection.fetch(_LEASES["renew_many"], self._pool.tenant, *arguments)
        return {row["meeting"]: Renewal(end_requested=row["ending"]) for row in rows}

    async def release(self, meeting_id: str, epoch: int) -> None:
        """Let go at once. A stale epoch changes nothing."""
        await self._pool.call(_LEASES["release"], meeting_id, epoch)


class PostgresStandbys(Tables):
    """The second jobs of meetings."""

    async def claim_unguarded(
        self, *, limit: int, retry_after_s: float, every: bool, late_s: float = 0.0
    ) -> Sequence[Unguarded]:
        """See `Standbys`."""
        rows = await self._pool.rows(_STANDBYS["claim_unguarded"], limit, retry_after_s, every, late_s)
        found: list[Unguarded] = []
        for row in rows:
            fields = dict(row)
            apart, relief = fields.pop("apart"), fields.pop("relief")
            fields["holder"] = Holder.model_validate_json(fields["holder"])
            found.append(Unguarded(row=MeetingRow(**fields), apart=apart, relief=relief))
        return found

    async def note(self, meeting_id: str, who: Holder, ttl_s: float) -> bool:
        """Stand by for `ttl_s`; False where somebody else does who is placed as well or better."""
        return bool(await self._pool.value(_STANDBYS["note"], meeting_id, who.model_dump_json(), ttl_s))

    async def drop(self, meeting_id: str, who: Holder) -> None:
        """Stand by no longer."""
        await self._pool.run(_STANDBYS["drop"], meeting_id, who.model_dump_json())

    async def want(self, meeting_id: str) -> None:
        """This meeting is to have a standby for as long as it is open."""
        await self._pool.run(_STANDBYS["want"], meeting_id)

    async def seek_successor(self, meeting_id: str, epoch: int, ttl_s: float) -> None:
        """The holder wants to go: find a standby in another worker. Raises `Fenced`."""
        if not await self._pool.value(_STANDBYS["seek_successor"], meeting_id, epoch, ttl_s):
            raise _fenced(meeting_id, epoch)

    async def successor_found(self, meeting_id: str) -> None:
        """Nobody wants to go any more."""
        await self._pool.run(_STANDBYS["successor_found"], meeting_id)


def _fenced(meeting_id: str, epoch: int) -> Fenced:
    return Fenced(f"meeting {meeting_id!r} is no longer held under epoch {epoch}")
