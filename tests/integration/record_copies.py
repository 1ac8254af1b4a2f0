"""The meeting of a fake store, in the real one."""

from __future__ import annotations

from context.ports import RecordedEvent
from tests.fakes.store import FakeStore
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.ports import Holder


async def on_record(pool: PostgresPool, store: FakeStore, meeting_id: str) -> None:
    """The meeting that a fake store holds, in the real one."""
    stored = await store.load("m-test", use_snapshot=False)
    assert stored is not None
    await PostgresRegistry(pool).want(None, meeting_id=meeting_id)
    holder = Holder(host="here", worker_pid=1, job_pid=2)
    epoch = await PostgresLeases(pool).acquire(meeting_id, holder, 60.0)
    assert epoch is not None
    happened = [RecordedEvent(seq=n, event=each.event) for n, each in enumerate(stored.events, 1)]
    await PostgresStore(pool).append(meeting_id, epoch, happened)
