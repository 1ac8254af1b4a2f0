"""The record's three doors over one set of data: in memory, or in a real Postgres."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import asyncpg

from context.ports import MeetingStore, StoredMeeting
from tests.conftest import Database
from tests.fakes.leases import FakeLeases
from tests.fakes.links import FakeLinks
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry, FakeRoomKeys
from tests.fakes.sessions import FakeSessions
from tests.fakes.standbys import FakeStandbys
from tests.fakes.store import FakeStore
from worker.adapters.postgres_leases import PostgresLeases, PostgresStandbys
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresLinks, PostgresRegistry, PostgresRoomKeys
from worker.adapters.postgres_sessions import PostgresSessions
from worker.adapters.postgres_store import PostgresStore
from worker.links import Links
from worker.ports import Holder, MeetingRow, RoomKeys, Standbys
from worker.web.sessions import KeptSessions

HOLDER = Holder(host="host-a", worker_pid=10, job_pid=11)
OTHER = Holder(host="host-b", worker_pid=20, job_pid=21)


class Store(MeetingStore, Protocol):
    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None: ...


@dataclass(frozen=True)
class World:
    store: Store
    leases: FakeLeases | PostgresLeases
    registry: FakeRegistry | PostgresRegistry
    standbys: Standbys
    links: Links
    sessions: KeptSessions
    pass_time: Callable[[float], Awaitable[None]]
    """Let so many seconds pass, for leases and claims."""
    room_keys: RoomKeys

    async def hold(self, meeting_id: str = "m-1", room: str | None = None) -> int:
        """A wanted meeting and its first epoch."""
        await self.registry.want(room, meeting_id=meeting_id)
        return await self.taken(meeting_id, HOLDER)

    async def taken(self, meeting_id: str = "m-1", by: Holder = OTHER, ttl_s: float = 5) -> int:
        """The epoch of somebody who asks for the lease, and gets it."""
        epoch = await self.leases.acquire(meeting_id, by, ttl_s)
        assert epoch is not None
        return epoch

    async def row(self, meeting_id: str = "m-1") -> MeetingRow:
        """A meeting as the registry has it."""
        row = await self.registry.get(meeting_id)
        assert row is not None
        return row

    async def claimed(self, retry_after_s: float) -> list[str]:
        """The meetings in rooms that a dispatcher claims now: nobody holds them, and they are due."""
        return [row.id for row in await self.registry.claim_unheld(limit=9, retry_after_s=retry_after_s)]

    async def loaded(self, meeting_id: str = "m-1") -> StoredMeeting:
        """What is on the record of a meeting."""
        stored = await self.store.load(meeting_id)
        assert stored is not None
        return stored


def world_in_memory() -> World:
    record = Record()
    links = FakeLinks(record)

    async def pass_time(seconds: float) -> None:
        record.clock.advance(seconds)

    return World(
        FakeStore(record),
        FakeLeases(record),
        FakeRegistry(record),
        FakeStandbys(record),
        links,
        FakeSessions(record, links),
        pass_time,
        FakeRoomKeys(record),
    )


def world_in_postgres(pool: PostgresPool, database: Database) -> World:
    async def pass_time(seconds: float) -> None:
        """The server's clock is its own: what it compares with is moved back instead."""
        owner = await asyncpg.connect(database.admin_url)
        try:
            await owner.execute(
                f"UPDATE moim.leases SET expires_at = expires_at - interval '{seconds} s';"
                "UPDATE moim.meetings SET "
                f" next_dispatch_at = next_dispatch_at - interval '{seconds} s',"
                f" taken_over_at = taken_over_at - interval '{seconds} s',"
                f" dispatched_at = dispatched_at - interval '{seconds} s',"
                f" next_standby_at = next_standby_at - interval '{seconds} s',"
                f" successor_sought_until = successor_sought_until - interval '{seconds} s',"
                f" standby_until = standby_until - interval '{seconds} s';"
                f"UPDATE moim.links SET expires_at = expires_at - interval '{seconds} s',"
                f" withdrawn_at = withdrawn_at - interval '{seconds} s';"
                f"UPDATE moim.sessions SET expires_at = expires_at - interval '{seconds} s';"
                f"UPDATE moim.full_workers SET until = until - interval '{seconds} s'"
            )
        finally:
            await owner.close()

    return World(
        PostgresStore(pool),
        PostgresLeases(pool),
        PostgresRegistry(pool),
        PostgresStandbys(pool),
        PostgresLinks(pool),
        PostgresSessions(pool),
        pass_time,
        PostgresRoomKeys(pool),
    )
