"""Erasures in Postgres: which words people took back, and the record rewritten without them.

Errors are those of `PostgresPool`: every method may raise `Unavailable` or `Refused`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import asyncpg

from context.events.actors import RETENTION, Actor, operator
from context.events.erasure_target import Erasure, Target
from context.events.events import VERSION, encode
from context.events.privacy_events import Erased
from context.ports import Fenced, RecordedEvent, Refused
from worker.adapters.postgres_identities import identity_in
from worker.adapters.postgres_pool import PostgresPool, Tables
from worker.adapters.postgres_store import storable_json
from worker.adapters.sql import statements
from worker.clock import monotonic_s
from worker.erasures import Beside, ErasureBacklog, ErasureStep, Receipt, WantedErasure

_SQL: Final = statements("erasures")
_REWRITE_DEADLINE_S: Final = 30.0
_FRESH_S: Final = 1.0
"""The list of meetings with something to erase is looked up at most this often."""


class PostgresErasures(Tables):
    """The erasures of the pool's tenant: asked for, carried out, looked up. Times are the database's own."""

    def __init__(self, pool: PostgresPool) -> None:
        super().__init__(pool)
        self._open: frozenset[str] = frozenset()
        self._looked_s = float("-inf")
        self._looking = asyncio.Lock()

    async def ask(
        self,
        target: Target,
        *,
        id_: str,
        actor: Actor,
        by: str = "",
        meeting_id: str | None = None,
        why: str = "",
    ) -> int:
        """Write down that `target` is to be erased, or shown, and return of how many meetings.

        The same `id_` again changes nothing. `by` shows the actor to people; by default as `Actor.shown`.
        Without `meeting_id` (for a person's words only), it is of all meetings in which the person was.
        Raises `Refused` for an unknown meeting. Whether the actor may have it is asked by who carries it out.
        """
        if meeting_id is None and target.what != "person":
            raise Refused(f"name the meeting: {target.what} alone says not where")
        target = await self.meant(target, meeting_id)
        request = storable_json(target.model_dump(mode="json", exclude_defaults=True) | {"what": target.what})
        who = storable_json(actor.model_dump(mode="json", exclude_defaults=True))
        meetings = await self._pool.call(_SQL["ask"], id_, request, meeting_id, by or actor.shown, why, who)
        self._looked_s = float("-inf")
        if meetings is None:
            raise Refused(f"no meeting {meeting_id!r}: `moim meetings` lists them")
        return int(meetings)

    async def waiting(self, meeting_id: str) -> Sequence[WantedErasure]:
        """Return what is to be erased in a meeting that is not on hold, the oldest request first.

        All meetings of a process ask now and again; the database is asked once for all of them.
        """
        async with self._looking:
            if monotonic_s() - self._looked_s >= _FRESH_S:
                rows = await self._pool.rows(_SQL["open"], read_only=True)
                self._open, self._looked_s = frozenset(row["meeting_id"] for row in rows), monotonic_s()
        if meeting_id not in self._open:
            return []
        rows = await self._pool.rows(_SQL["waiting"], meeting_id, read_only=True)
        return [_wanted(row) for row in rows]

    async def held(self, meeting_id: str) -> bool:
        """Return whether a meeting is on hold at this moment."""
        return bool(await self._pool.value(_SQL["held"], meeting_id, read_only=True))

    async def refuse(self, meeting_id: str, epoch: int, erasure_id: str, why: str) -> None:
        """Close a request in this meeting that is not carried out, and say `why`. Raises `Fenced`."""
        if await self._pool.call(_SQL["refuse"], meeting_id, epoch, erasure_id, why) != "ok":
            raise Fenced.of(meeting_id, epoch)

    async def owners(self, meeting_id: str, utterances: Sequence[int]) -> frozenset[str]:
        """Return who spoke these utterances of a meeting, whomever they are shown under."""
        rows = await self._pool.rows(_SQL["owners"], meeting_id, list(utterances), read_only=True)
        return frozenset(row["speaker_id"] for row in rows)

    async def beside(self, person: str, meeting_id: str | None = None) -> Sequence[Beside]:
        """Return what is said to be a person's, and was moved from them, in one meeting or in all."""
        person = await identity_in(self._pool, person, meeting_id)
        rows = await self._pool.rows(_SQL["beside"], person, meeting_id, read_only=True)
        return [Beside.model_validate(dict(row)) for row in rows]

    async def hold(self, meeting_id: str, *, held: bool) -> None:
        """Put a meeting on hold, so that nothing of it is erased whoever asks, or end that (`held` False).

        Raises `Refused` for an unknown meeting.
        """
        await self._set("hold", meeting_id, held)

    async def keep(self, meeting_id: str, days: int | None) -> None:
        """Keep a meeting's words for `days` after its end; None: as the dispatcher is set.

        Raises `Refused` for an unknown meeting.
        """
        await self._set("keep", meeting_id, days)

    async def _set(self, statement: str, meeting_id: str, value: bool | int | None) -> None:
        row = await self._pool.value(_SQL[statement], meeting_id, value)
        if row is None:
            raise Refused(f"no meeting {meeting_id!r}: `moim meetings` lists them")

    async def ask_for_due(self, days: int | None, limit: int) -> Sequence[str]:
        """Ask for the erasure of at most `limit` meetings that were kept long enough; return their ids.

        `days`: for meetings of which nothing else was said (`keep`); None: they are kept for ever.
        """
        rows = await self._pool.rows(_SQL["due"], days, limit, read_only=True)
        due = [row["id"] for row in rows]
        for meeting_id in due:
            id_, why = f"retention-{meeting_id}"[:200], "kept long enough"
            await self.ask(Target(what="meeting"), id_=id_, actor=RETENTION, meeting_id=meeting_id, why=why)
        return due

    async def standing(self, days: int | None) -> ErasureBacklog:
        """Count the meetings that are due, waiting, on hold and erased; `days` as for `ask_for_due`."""
        row = await self._pool.row(_SQL["standing"], days, read_only=True)
        assert row is not None, "an aggregate has a row"
        return ErasureBacklog.model_validate(dict(row))

    async def preview(self, target: Target, meeting_id: str | None = None) -> dict[str, int]:
        """Return meeting id → how many turns an erasure would empty, in one meeting or in all of them."""
        target = await self.meant(target, meeting_id)
        numbers = list(target.utterances) if target.what == "utterances" else None
        rows = await self._pool.rows(
            _SQL["preview"],
            list(target.everybody) or None,
            meeting_id,
            numbers,
            target.since_ms - 1,
            read_only=True,
        )
        return {row["meeting_id"]: row["utterances"] for row in rows}

    async def meetings(self, limit: int) -> Sequence[str]:
        """Return the ids of at most `limit` meetings that are over and wait for an erasure, in any order."""
        rows = await self._pool.rows(_SQL["meetings"], limit, read_only=True)
        return [row["meeting_id"] for row in rows]

    async def meant(self, target: Target, meeting_id: str | None) -> Target:
        """Return the target with each id as its bearer has it."""
        if target.person is None:
            return target
        person, *people = [await identity_in(self._pool, who, meeting_id) for who in target.everybody]
        return target.model_copy(update={"person": person, "people": tuple(people)})

    async def marks(self, meeting_id: str) -> Sequence[Erasure]:
        """Return every erasure that was ever asked for of a meeting, also one not on its record (yet)."""
        rows = await self._pool.rows(_SQL["marks"], meeting_id, read_only=True)
        return [Erased.model_validate(_fields(row, "target", "people", "hidden")).mark for row in rows]

    async def numbers(self, meeting_id: str) -> dict[int, int]:
        """Return the number of an event → the id of the utterance that it became, of a whole meeting."""
        rows = await self._pool.rows(
            _SQL["numbers"], meeting_id, read_only=True, deadline_s=_REWRITE_DEADLINE_S
        )
        return {row["seq"]: row["id"] for row in rows}

    async def erase(
        self,
        meeting_id: str,
        epoch: int,
        erasure_id: str,
        *,
        events: Sequence[RecordedEvent],
        utterances: Sequence[int],
        hidden: int = 0,
    ) -> None:
        """Put `events` in place of those on record, empty `utterances`, and note the erasure as done.

        `hidden`: how many of the utterances are only hidden. All of it or nothing happens. Raises `Fenced`
        where the meeting is no longer held under `epoch`, `Refused` where it is on hold.
        """
        changes = [{"seq": e.seq, "version": VERSION, "payload": encode(e.event)} for e in events]
        async with self._pool.connection(deadline_s=_REWRITE_DEADLINE_S) as connection:
            answer = await connection.fetchval(
                _SQL["erase"],
                self._pool.tenant,
                meeting_id,
                epoch,
                erasure_id,
                storable_json(changes),
                list(utterances),
                hidden,
                timeout=_REWRITE_DEADLINE_S,
            )
        if answer != "ok":
            raise Fenced.of(meeting_id, epoch)

    async def receipt(self, id_: str) -> Receipt | None:
        """Return how far the erasure with this id has come, meeting by meeting; None for an unknown one."""
        rows = await self._pool.rows(_SQL["receipt"], id_, read_only=True)
        if not rows:
            return None
        steps = [
            ErasureStep.model_validate(_fields(row, "counts"))
            for row in rows
            if row["meeting_id"] is not None
        ]
        return Receipt.model_validate({"id": id_, "steps": steps, **_fields(rows[0], "target")})

    async def newest(self) -> datetime | None:
        """Return when words were last taken out of any meeting; None: never."""
        moment: datetime | None = await self._pool.value(_SQL["newest"], read_only=True)
        return moment


def _wanted(row: asyncpg.Record) -> WantedErasure:
    """Return a request; one of before there were actors was allowed when it was asked for."""
    fields = _fields(row, "target", "actor")
    return WantedErasure.model_validate(fields | {"actor": fields["actor"] or operator(row["by"])})


def _fields(row: asyncpg.Record, *in_json: str) -> dict[str, Any]:
    """Return a row as a pydantic model takes it; the columns `in_json` hold JSON."""
    return dict(row) | {name: json.loads(row[name] or "{}") for name in in_json}
