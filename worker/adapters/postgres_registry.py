"""The list of meetings in Postgres: `FleetRegistry`, what wakes the dispatchers, `Overviews` and `Links`.

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
from pydantic import AwareDatetime, SecretStr

from context.ports import Fenced, Refused
from context.primitives.text import clean_name, one_line
from context.topics.boundaries import LATEST_DECISION_UTTERANCES
from context.topics.phrases.topic_names import name_of
from context.topics.titles import FIRST_NAME, title_of_unnamed
from worker.adapters.postgres_pool import CONNECTION_ERRORS, Tables
from worker.adapters.sql import statements
from worker.clock import happens
from worker.links import EndedLink, Link
from worker.names import key_fault, name_fault, room_fault
from worker.ports import Holder, MeetingRow, MeetingStatus, Overview, Taken

_SQL: Final = statements("registry")
_OVERVIEWS: Final = statements("overviews")
_LINKS: Final = statements("links")
_CHANNEL: Final = "moim_wanted"
_LISTEN_RETRY_S: Final = 1.0
_LISTEN_WITHIN_S: Final = 5.0
_PROBE_S: Final = 10.0
"""After so long without news the listening connection is tried: a dead one may look alive."""
_MAX_ROWS: Final = 8
"""An overview names so many topics, and so many decisions, at most."""


def new_meeting_id() -> str:
    """Make an id that nobody can guess, safe in URLs, file names, Redis keys and command lines."""
    return "m-" + base64.b32encode(secrets.token_bytes(8)).decode().rstrip("=").lower()[:12]


class PostgresRegistry(Tables):
    """`FleetRegistry` for the pool's tenant, and what else asks the list of meetings."""

    async def want(
        self,
        room: str | None,
        *,
        meeting_id: str | None = None,
        title: str | None = None,
        request_id: str | None = None,
        key: SecretStr | None = None,
    ) -> MeetingRow:
        """See `MeetingRegistry.want`.

        Raises `Taken` where the id is that of a meeting that is over or elsewhere, `Refused` for what cannot
        be an id, a room or a title.
        """
        _demand_text("meeting id", meeting_id, 200)
        if room is not None and (fault := room_fault(room)) is not None:
            raise Refused(f"room {room[:40]!r}: {fault}")
        _demand_text("title", title, 2_000)
        _demand_text("id of the request_id", request_id, 200)
        new_id = new_meeting_id()
        if key is not None:
            if room is None or request_id is not None:
                raise Refused("a key is for a meeting in a room, wanted by a command or by HTTP")
            _demand_key(key)
            secret = key.get_secret_value()
            wanted = await self._pool.call(_SQL["want_with_key"], room, meeting_id, new_id, title, secret)
        elif request_id is None:
            wanted = await self._pool.call(_SQL["want"], room, meeting_id, new_id, title)
        else:
            wanted = await self._pool.call(_SQL["want_by_wish"], room, meeting_id, new_id, title, request_id)
        row = await self.get(wanted)
        assert row is not None
        if row.status in {"ended", "failed"}:
            raise Taken(f"meeting {row.id!r} is over and is never opened again: choose another id")
        if row.id == meeting_id and row.room != room:
            raise Taken(f"meeting {row.id!r} takes place in {row.room or 'no room'!r}, not in {room!r}")
        return row

    async def get(self, meeting_id: str) -> MeetingRow | None:
        """See `MeetingRegistry.get`."""
        row = await self._pool.row(_SQL["get"], meeting_id)
        return _meeting(row) if row else None

    async def list_all(self) -> list[MeetingRow]:
        """See `MeetingRegistry.list_all`."""
        rows = await self._pool.rows(_SQL["list_all"])
        return [_meeting(row) for row in rows]

    async def list_page(
        self, *, limit: int, statuses: Sequence[MeetingStatus] = (), after: str | None = None
    ) -> list[MeetingRow]:
        """See `MeetingRegistry.list_page`."""
        rows = await self._pool.rows(_SQL["list_page"], list(statuses) or None, after, limit)
        return [_meeting(row) for row in rows]

    async def mark_live(self, meeting_id: str, epoch: int, started_at: AwareDatetime | None) -> None:
        """See `MeetingRegistry.mark_live`; the first `started_at` is kept."""
        await self._as_holder(meeting_id, epoch, "mark_live", started_at)

    async def mark_ended(
        self, meeting_id: str, epoch: int, ended_at: AwareDatetime, failure: str | None = None
    ) -> None:
        """See `MeetingRegistry.mark_ended`; what is over already stays as it is."""
        await self._as_holder(meeting_id, epoch, "mark_ended", ended_at, failure)

    async def rename(self, meeting_id: str, title: str) -> bool:
        """See `MeetingRegistry.rename`. Raises `Refused` for what cannot be a title."""
        _demand_text("title", title, 2_000)
        return await self._pool.value(_SQL["rename"], meeting_id, title) is not None

    async def request_end(self, meeting_id: str) -> bool:
        """See `MeetingRegistry.request_end`; a meeting that no job ever joined is over at once."""
        exists: bool = await self._pool.call(_SQL["request_end"], meeting_id)
        return exists

    async def claim_unheld(
        self, *, limit: int, retry_after_s: float, text: bool = False
    ) -> Sequence[MeetingRow]:
        """See `MeetingRegistry.claim_unheld`; the longest due come first."""
        rows = await self._pool.rows(_SQL["claim_unheld"], limit, retry_after_s, text)
        return [_meeting(row) for row in rows]

    async def waiting(self) -> tuple[int, float]:
        """Return how many open meetings nobody holds, and for how many seconds the longest of them."""
        row = await self._pool.row(_SQL["waiting"])
        assert row is not None
        return row["meetings"], row["longest_s"]

    async def note_dispatch(self, meeting_id: str, retry_after_s: float) -> None:
        """See `FleetRegistry.note_dispatch`."""
        await self._pool.run(_SQL["note_dispatch"], meeting_id, retry_after_s)

    async def claim_finished(
        self, *, limit: int, retry_after_s: float, grace_s: float
    ) -> Sequence[MeetingRow]:
        """See `FleetRegistry.claim_finished`."""
        rows = await self._pool.rows(_SQL["claim_finished"], limit, retry_after_s, grace_s)
        return [_meeting(row) for row in rows]

    async def note_withdrawn(self, meeting_id: str) -> None:
        """See `FleetRegistry.note_withdrawn`."""
        await self._pool.run(_SQL["note_withdrawn"], meeting_id)

    async def late_drafts(self, limit: int) -> Sequence[str]:
        """Return meetings that ended within the hour and have a summary under way that nobody waits for."""
        rows = await self._pool.rows(_SQL["late_drafts"], limit)
        return [row["meeting_id"] for row in rows]

    async def newest_in_rooms(self, rooms: Sequence[str]) -> dict[str, MeetingRow]:
        """See `FleetRegistry.newest_in_rooms`."""
        rows = await self._pool.rows(_SQL["newest_in_rooms"], list(rooms))
        return {row["room"]: _meeting(row) for row in rows}

    async def hurry(self, room: str | None = None) -> None:
        """See `FleetRegistry.hurry`: for when a worker has come, or LiveKit told something of `room`."""
        await self._pool.run(_SQL["hurry"], room)

    async def offer(self, places: int) -> None:
        """Make due now the `places` meetings that have waited longest, since so many places came free.

        Their counts of dispatches in vain stay: one that nobody takes after all waits on as it did.
        """
        await self._pool.run(_SQL["offer"], places)

    async def note_full(self, worker: Holder, cause: str, ttl_s: float) -> None:
        """Note for `ttl_s` why this worker takes no more meetings; an empty text: it does."""
        who = f"{worker.host}/{worker.worker_pid}"
        await self._pool.run(_SQL["note_full"], who, worker.host, cause, ttl_s)

    async def wakes(self) -> AsyncIterator[None]:
        """Yield whenever a meeting was wanted, let go, ended or offered a place, and after every (re)connect.

        Never ends. A lost connection is made again, and wakes, since something may have been missed. A lease
        that runs out wakes nobody: who waits here has to look around by the clock as well.
        """
        news = asyncio.Event()

        def hear(_connection: Any, _pid: int, _channel: str, payload: object) -> None:
            if payload == self._pool.tenant:
                news.set()

        while True:
            try:
                async with asyncio.timeout(_LISTEN_WITHIN_S):
                    connection = await self._pool.connect(self._pool.url, command_timeout=5)
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
    if fields.get("title"):  # an older one
        fields["title"] = one_line(fields["title"]) or None
    for role in ("holder", "standby"):
        fields[role] = Holder.model_validate_json(fields[role]) if fields[role] else None
    if "unwritten" in fields:
        fields["unwritten"] = json.loads(fields["unwritten"])
    return MeetingRow(**fields)


def _demand_text(field: str, value: str | None, limit: int) -> None:
    """Raise `Refused` for what Postgres would refuse with less helpful words."""
    if value is None:
        return
    if not value.strip() or len(value) > limit:
        raise Refused(f"{field} {value[:40]!r}: must be 1 to {limit} characters")
    if (fault := name_fault(value)) is not None:
        raise Refused(f"{field} {value[:40]!r}: {fault}")


def _demand_key(key: SecretStr) -> None:
    """Raise `Refused` for what cannot be a key, without a letter of it."""
    if (fault := key_fault(key.get_secret_value())) is not None:
        raise Refused(f"the key of the room {fault}")


class PostgresRoomKeys(Tables):
    """`RoomKeys` for the pool's tenant."""

    async def of(self, meeting_id: str) -> SecretStr | None:
        """See `RoomKeys.of`."""
        key = await self._pool.value(_SQL["room_key"], meeting_id, read_only=True)
        return SecretStr(key) if key is not None else None


class PostgresOverviews(Tables):
    """`Overviews` for the pool's tenant: from the rows of the record, without folding a meeting."""

    async def of(self, meeting_ids: Sequence[str]) -> Mapping[str, Overview]:
        """See `Overviews.of`. Topics and decisions are those of the newest snapshot, some seconds old."""
        rows = await self._pool.rows(
            _OVERVIEWS["overviews"], list(meeting_ids), _MAX_ROWS, LATEST_DECISION_UTTERANCES
        )
        overviews = {}
        for row in rows:
            topics = json.loads(row["topics"] or "[]")
            decisions = [
                decision["text"]
                for topic in topics
                for decision in topic["decisions"] or ()
                if decision.get("status") != "superseded"
            ]
            overviews[row["id"]] = Overview(
                people=tuple(map(clean_name, row["people"])),
                length_ms=row["length_ms"] or 0,
                topics=tuple(one_line(_title(topic)) for topic in topics[:_MAX_ROWS]),
                decisions=tuple(map(one_line, decisions[:_MAX_ROWS])),
            )
        return overviews


def _title(topic: Mapping[str, Any]) -> str:
    """A topic's title as on the meeting's own page (`context.topics.titles.title_of`)."""
    if topic["said"] is None:
        return str(topic["name"])
    texts, speakers = zip(*topic["said"], strict=True)
    opening = topic["name"] == FIRST_NAME
    return name_of(texts, speakers, opening=opening) or title_of_unnamed(topic["name"], texts)


class PostgresLinks(Tables):
    """`Links` for the pool's tenant; of the secrets that open them only digests are kept."""

    async def make(self, meeting_id: str, *, may_edit: bool, lasting: timedelta) -> tuple[Link, str]:
        """See `Links.make`."""
        secret, id_ = secrets.token_urlsafe(24), secrets.token_hex(4)
        lasting_s = lasting.total_seconds()
        row = await self._pool.row(_LINKS["make"], id_, meeting_id, _digest(secret), may_edit, lasting_s)
        assert row is not None
        return Link.model_validate(dict(row)), secret

    async def opened(self, secret: str) -> Link | None:
        """See `Links.opened`."""
        row = await self._pool.row(_LINKS["opened"], _digest(secret), read_only=True)
        return Link.model_validate(dict(row)) if row is not None else None

    async def standing(self, meeting_id: str) -> list[Link]:
        """See `Links.standing`."""
        rows = await self._pool.rows(_LINKS["standing"], meeting_id, read_only=True)
        return [Link.model_validate(dict(row)) for row in rows]

    async def stands(self, link_id: str) -> bool:
        """See `Links.stands`."""
        return bool(await self._pool.value(_LINKS["stands"], link_id, read_only=True))

    async def ended(self, within: timedelta) -> list[EndedLink]:
        """See `Links.ended`."""
        rows = await self._pool.rows(_LINKS["ended"], within.total_seconds(), read_only=True)
        return [EndedLink.model_validate(dict(row)) for row in rows]

    async def withdraw(self, meeting_id: str, link_id: str) -> bool:
        """See `Links.withdraw`."""
        return await self._pool.value(_LINKS["withdraw"], meeting_id, link_id) is not None


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
