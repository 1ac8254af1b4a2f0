"""Several meetings in one statement: appended together, renewed together."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from context.ports import Fenced
from tests.conftest import Database
from tests.contracts.world import HOLDER, OTHER
from tests.unit.worker.record.recorded import spoken
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.record.batching import Batch, BatchRefused

pytestmark = pytest.mark.postgres
NAMES = ("m-안녕", "m-b", "m-c")


async def held(pool: PostgresPool, *names: str) -> dict[str, int]:
    epochs = {}
    for name in names:
        await PostgresRegistry(pool).want(None, meeting_id=name)
        epoch = await PostgresLeases(pool).acquire(name, HOLDER, 5)
        assert epoch is not None
        epochs[name] = epoch
    return epochs


async def count(pool: PostgresPool, name: str) -> int:
    stored = await PostgresStore(pool).load(name)
    return len(stored.events) if stored else 0


async def test_several_meetings_in_one_commit(pool: PostgresPool) -> None:
    epochs, store = await held(pool, *NAMES), PostgresStore(pool)
    batches = [Batch(name, epoch, [spoken(1), spoken(2)]) for name, epoch in epochs.items()]
    assert await store.append_many(batches) == [True, True, True]
    assert await store.append_many(batches) == [True, True, True]  # the same again counts once
    assert [await count(pool, name) for name in NAMES] == [2, 2, 2]


async def test_a_stale_epoch_is_fenced_and_the_others_are_kept(pool: PostgresPool) -> None:
    epochs, store = await held(pool, *NAMES), PostgresStore(pool)
    await PostgresLeases(pool).release("m-b", epochs["m-b"])
    assert await PostgresLeases(pool).acquire("m-b", OTHER, 5) == 2
    batches = [Batch(name, epoch, [spoken(1)]) for name, epoch in epochs.items()]
    assert await store.append_many(batches) == [True, False, True]
    assert [await count(pool, name) for name in NAMES] == [1, 0, 1]


async def test_a_hole_in_one_leaves_all_of_them_to_be_tried_by_themselves(pool: PostgresPool) -> None:
    epochs, store = await held(pool, *NAMES), PostgresStore(pool)
    batches = [Batch(name, epoch, [spoken(9 if name == "m-c" else 1)]) for name, epoch in epochs.items()]
    with pytest.raises(BatchRefused):
        await store.append_many(batches)
    assert [await count(pool, name) for name in NAMES] == [0, 0, 0]


async def test_a_meeting_that_is_locked_does_not_keep_the_others(
    pool: PostgresPool, owner: asyncpg.Connection
) -> None:
    epochs, store = await held(pool, *NAMES), PostgresStore(pool)
    async with owner.transaction():
        await owner.execute("SELECT FROM moim.leases WHERE meeting_id = 'm-b' FOR UPDATE")
        batches = [Batch(name, epoch, [spoken(1)]) for name, epoch in epochs.items()]
        with pytest.raises(BatchRefused):
            await store.append_many(batches)
    assert await store.append_many(batches) == [True, True, True]


async def test_renewals_together(pool: PostgresPool) -> None:
    epochs, leases = await held(pool, *NAMES), PostgresLeases(pool)
    assert await PostgresRegistry(pool).request_end("m-c")
    await leases.release("m-b", epochs["m-b"])
    assert await leases.acquire("m-b", OTHER, 5) == 2
    renewed = await leases.renew_many({**epochs, "m-nowhere": 1}, 5)
    assert {name: renewal.end_requested for name, renewal in renewed.items()} == {
        "m-안녕": False,
        "m-c": True,
    }
    with pytest.raises(Fenced):
        await leases.renew("m-b", epochs["m-b"], 5)


async def test_two_that_renew_the_same_meetings_in_any_order_do_not_block_each_other(
    pool: PostgresPool,
) -> None:
    epochs, leases = await held(pool, *NAMES), PostgresLeases(pool)
    backwards = dict(reversed(epochs.items()))
    async with asyncio.timeout(60):
        for _ in range(20):
            answers = await asyncio.gather(leases.renew_many(epochs, 5), leases.renew_many(backwards, 5))
            assert [set(answer) for answer in answers] == [set(NAMES)] * 2


async def test_another_tenants_meetings_are_not_renewed(pool: PostgresPool, database: Database) -> None:
    epochs = await held(pool, *NAMES)
    other = PostgresPool(database.url, "somebody-else")
    try:
        assert await PostgresLeases(other).renew_many(epochs, 5) == {}
        batches = [Batch(name, epoch, [spoken(1)]) for name, epoch in epochs.items()]
        assert await PostgresStore(other).append_many(batches) == [False] * 3
    finally:
        await other.aclose()


async def test_only_what_can_be_made_again_is_committed_without_the_disk(pool: PostgresPool) -> None:
    async with pool.transaction(lasting=False) as connection:
        assert await connection.fetchval("SHOW synchronous_commit") == "off"
        assert await connection.fetchval("SELECT current_setting('moim.tenant')") == pool.tenant
    async with pool.transaction() as connection:
        usual = await connection.fetchval(
            "SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'"
        )
        assert await connection.fetchval("SHOW synchronous_commit") == usual
