"""The list of meetings in Postgres: `MeetingRegistry`, what wakes the dispatchers, overviews and links.

Times are the database's own.
"""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

import asyncpg
from pydantic import AwareDatetime

from context.ports import Fenced, Refused
from worker.adapters.postgres_pool import CONNECTION_ERRORS, Tables
from worker.adapters.sql import statements
from worker.clock import happens
from worker.ports import Holder, Link, MeetingRow, MeetingStatus, Overview, Taken, room_fault

_SQL: Final = statements("registry")
_OVERVIEWS: Final = statements("overviews")
_LINKS: Final = statements("links")
_CHANNEL: Final = "moim_wanted"
_LISTEN_RETRY_S: Final = 1.0
_PROBE_S: Final = 10.0
_MOST: Final = 8
"""Topics, and decisions, that are told of a meeting."""


def new_meeting_id() -> str:
    """An id nobody can guess, safe in URLs, file names, Redis keys and command lines."""
    return "m-" + base64.b32encode(secrets.token_bytes(8)).decode().rstrip("=").lower()[:12]


class PostgresRegistry(Tables):
    """Which meetings are wanted, live, ended."""

    async def want(
        self,
        room: str | None,
        *,
        meeting_id: str | None = None,
        title: str | None = None,
        wish: str | None = None,
    ) -> MeetingRow:
        """See `MeetingRegistry`. Raises `Taken` where the id is of a meeting that is over or elsewhere.

        And `Refused` where it has no form of an id.
        """
        _demand_text("meeting id", meeting_id, 200)
        if room is not None and (fault := room_fault(room)) is not None:
            raise Refused(f"room {room[:40]!r}: {fault}")
        _demand_text("title", title, 2_000)
        _demand_text("id of the wish", wish, 200)
        asked = (room, meeting_id, new_meeting_id(), title)
        if wish is None:
            wanted = await self._pool.call(_SQL["want"], *asked)
        else:
            wanted = await self._pool.call(_SQL["want_by_wish"], *asked, wish)
        row = await self.get(wanted)
        assert row is not None
        if row.status in {"ended", "failed"}:
            raise Taken(f"meeting {row.id!r} is over and is never opened again: choose another id")
        if row.id == meeting_id and row.room != room:
            raise Taken(f"meeting {row.id!r} takes place in {row.room or 'no room'!r}, not in {room!r}")
        return row

    async def get(self, meeting_id: str) -> MeetingRow | None:
        """One meeting."""
        row = await self._pool.row(_SQL["get"], meeting_id)
        return _meeting(row) if row else None

    async def list_all(self) -> list[MeetingRow]:
        """All meetings of the tenant, newest first."""
        rows = await self._pool.rows(_SQL["list_all"])
        return [_meeting(row) for row in rows]

    async def list_page(
        self, *, limit: int, statuses: Sequence[MeetingStatus] = (), after: str | None = None
    ) -> list[MeetingRow]:
        """At most `limit` of them, newest first; `after`: the meeting before the first one."""
        rows = await self._pool.rows(_SQL["list_page"], list(statuses) or None, after, limit)
        return [_meeting(row) for row in rows]

    async def mark_live(self, meeting_id: str, epoch: int, started_at: AwareDatetime | None) -> None:
        """The holder has joined; the first `started_at` is kept. Raises `Fenced`."""
        await self._as_holder(meeting_id, epoch, "mark_live", started_at)

    async def mark_ended(
        self, meeting_id: str, epoch: int, ended_at: AwareDatetime, failure: str | None = None
    ) -> None:
        """Over, for good; once over, it stays as it is. Raises `Fenced`."""
        await self._as_holder(meeting_id, epoch, "mark_ended", ended_at, failure)

    async def request_end(self, meeting_id: str) -> bool:
        """Ask the holder to end it; what nobody ever joined is over at once. False: no such open meeting."""
        found: bool = await self._pool.call(_SQL["request_end"], meeting_id)
        return found

    async def claim_unheld(
        self, *, limit: int, retry_after_s: float, text: bool = False
    ) -> Sequence[MeetingRow]:
        """See `MeetingRegistry`; the oldest first."""
        rows = await self._pool.rows(_SQL["claim_unheld"], limit, retry_after_s, text)
        return [_meeting(row) for row in rows]

    async def waiting(self) -> tuple[int, float]:
        """How many open meetings nobody holds, and for how many seconds the longest has been without."""
        row = await self._pool.row(_SQL["waiting"])
        assert row is not None
        return row["meetings"], row["longest_s"]

    async def note_dispatch(self, meeting_id: str, retry_after_s: float) -> None:
        """A job was asked for: if no lease comes of it, the next one is due in `retry_after_s`."""
        await self._pool.run(_SQL["note_dispatch"], meeting_id, retry_after_s)

    async def claim_finished(
        self, *, limit: int, retry_after_s: float, grace_s: float
    ) -> Sequence[MeetingRow]:
        """Meetings that ended, let go for `grace_s`, whose dispatch LiveKit may still have."""
        rows = await self._pool.rows(_SQL["claim_finished"], limit, retry_after_s, grace_s)
        return [_meeting(row) for row in rows]

    async def note_withdrawn(self, meeting_id: str) -> None:
        """LiveKit has no dispatch of ours for it any more."""
        await self._pool.run(_SQL["note_withdrawn"], meeting_id)

    async def late_drafts(self, limit: int) -> Sequence[str]:
        """Meetings that ended within the last hour and have a summary under way that nobody waits for."""
        rows = await self._pool.rows(_SQL["late_drafts"], limit)
        return [row["meeting_id"] for row in rows]

    async def newest_in_rooms(self, rooms: Sequence[str]) -> dict[str, MeetingRow]:
        """The newest meeting, open or over, of each room that ever had one."""
        rows = await self._pool.rows(_SQL["newest_in_rooms"], list(rooms))
        return {row["room"]: _meeting(row) for row in rows}

    async def hurry(self, room: str | None = None) -> None:
        """A worker has come, or `room` says something: what nobody holds (there) waits no longer."""
        await self._pool.run(_SQL["hurry"], room)

    async def offer(self, places: int) -> None:
        """So many places came free: as many of those that have waited longest are due now.

        How often each was asked for in vain stands: where nobody takes it after all, it waits as it did.
        """
        await self._pool.run(_SQL["offer"], places)

    async def wakes(self) -> AsyncIterator[None]:
        """Something whenever a meeting was wanted, let go, ended, offered a place; after every (re)connect.

        Never ends. A lost connection is made again; what was missed meanwhile is why that wakes too.
        An expired lease wakes nobody: look around by the clock as well.
        """
        news = asyncio.Event()

        def hear(_connection: Any, _pid: int, _channel: str, payload: object) -> None:
            if payload == self._pool.tenant:
                news.set()

        while True:
            try:
                connection = await asyncpg.connect(self._pool.url, timeout=5, command_timeout=5)
            except CONNECTION_ERRORS:
                await asyncio.sleep(_LISTEN_RETRY_S)
                continue
            try:
                await connection.add_listener(_CHANNEL, hear)
                connection.add_termination_listener(lambda _connection: news.set())
                yield
                while not connection.is_closed():
                    if await happens(news, _PROBE_S):
                        news.clear()
                        yield
                    else:
                        await connection.fetchval("SELECT 1")
            except CONNECTION_ERRORS:
                await asyncio.sleep(_LISTEN_RETRY_S)
            finally:
                connection.terminate()

    async def _as_holder(self, meeting_id: str, epoch: int, statement: str, *arguments: Any) -> None:
        if not await self._pool.call(_SQL[statement], meeting_id, epoch, *arguments):
            raise Fenced(f"meeting {meeting_id!r} is over or no longer held under epoch {epoch}")


def _meeting(row: asyncpg.Record) -> MeetingRow:
    fields = dict(row)
    for role in ("holder", "standby"):
        fields[role] = Holder.model_validate_json(fields[role]) if fields[role] else None
    if "unwritten" in fields:
        fields["unwritten"] = json.loads(fields["unwritten"])
    return MeetingRow(**fields)


def _demand_text(field: str, value: str | None, limit: int) -> None:
    """What Postgres would refuse with less helpful words."""
    if value is None:
        return
    if not value.strip() or len(value) > limit:
        raise Refused(f"{field} {value[:40]!r}: must be 1 to {limit} characters")
    if any(ord(c) < 0x20 or 0xD800 <= ord(c) < 0xE000 for c in value):
        raise Refused(f"{field} {value[:40]!r}: must not hold control characters")


class PostgresOverviews(Tables):
    """What the list of meetings tells of each: from the rows of the record, without folding a meeting."""

    async def of(self, meeting_ids: Sequence[str]) -> Mapping[str, Overview]:
        """By the meeting's id. Topics and decisions are those of the newest snapshot: some seconds old."""
        rows = await self._pool.rows(_OVERVIEWS["overviews"], list(meeting_ids))
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


class PostgresLinks(Tables):
    """Links to one meeting's page; the secrets that open them are kept nowhere."""

    async def make(self, meeting_id: str, *, may_edit: bool, lasting: timedelta) -> tuple[Link, str]:
        """A new link, and the secret that opens it. Raises `Refused` where there is no such meeting."""
        secret = secrets.token_urlsafe(24)
        fields = (secrets.token_hex(4), meeting_id, _digest(secret), may_edit, lasting.total_seconds())
        row = await self._pool.row(_LINKS["make"], *fields)
        assert row is not None
        return Link.model_validate(dict(row)), secret

    async def opened(self, secret: str) -> Link | None:
        """What a secret opens; None where it never did, has expired or was withdrawn."""
        row = await self._pool.row(_LINKS["opened"], _digest(secret), read_only=True)
        return Link.model_validate(dict(row)) if row is not None else None

    async def standing(self, meeting_id: str) -> list[Link]:
        """Those that open a meeting still, newest first."""
        rows = await self._pool.rows(_LINKS["standing"], meeting_id, read_only=True)
        return [Link.model_validate(dict(row)) for row in rows]

    async def stands(self, link_id: str) -> bool:
        """Whether a link still opens anything."""
        return bool(await self._pool.value(_LINKS["stands"], link_id, read_only=True))

    async def withdraw(self, meeting_id: str, link_id: str) -> bool:
        """Let it open nothing any more; False where it did not."""
        return await self._pool.value(_LINKS["withdraw"], meeting_id, link_id) is not None


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
