"""Postgres goes away in every way it knows; callers hear it in time, and it works again by itself."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import time
from collections.abc import Awaitable
from contextlib import aclosing

import asyncpg
import pytest

from context.events.events import MeetingStarted
from context.ports import Fenced, RecordedEvent, Refused, Unavailable
from tests.conftest import Database, cut_off_others
from tests.contracts.events import NINE, numbered, spoken
from tests.contracts.world import HOLDER, OTHER, World
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool, translated
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.embedded.postgres import EmbeddedPostgres

pytestmark = pytest.mark.postgres


async def test_a_restart_costs_only_the_calls_in_between(own_postgres: EmbeddedPostgres) -> None:
    pool = PostgresPool(own_postgres.url, deadline_s=2)
    store, leases, registry = PostgresStore(pool), PostgresLeases(pool), PostgresRegistry(pool)
    await registry.want("room", meeting_id="m-1")
    epoch = await leases.acquire("m-1", HOLDER, 5)
    assert epoch is not None
    await store.append("m-1", epoch, numbered(MeetingStarted(at=NINE)))
    await own_postgres.stop()
    for _ in range(2):
        with pytest.raises(Unavailable):
            await store.append("m-1", epoch, numbered(spoken(1), after=1))
        with pytest.raises(Unavailable):
            await leases.renew("m-1", epoch, 5)
    with pytest.raises(Unavailable):
        await store.load("m-1")
    await own_postgres.start()
    await leases.renew("m-1", epoch, 5)
    await store.append("m-1", epoch, numbered(MeetingStarted(at=NINE), spoken(1)))
    stored = await store.load("m-1")
    assert stored is not None
    assert len(stored.events) == 2
    await pool.aclose()


async def test_a_killed_backend_is_replaced(pool: PostgresPool, owner: asyncpg.Connection) -> None:
    registry = PostgresRegistry(pool)
    await registry.want("room", meeting_id="m-1")
    await cut_off_others(owner)
    outcomes = [await _outcome(registry) for _ in range(4)]
    assert outcomes[-1] == "ok"
    assert outcomes.count("away") <= 3


async def _outcome(registry: PostgresRegistry) -> str:
    try:
        await registry.get("m-1")
    except Unavailable:
        return "away"
    return "ok"


async def test_a_frozen_server_is_given_up_in_time(own_postgres: EmbeddedPostgres) -> None:
    """It accepts nothing and says nothing: the worst kind of outage."""
    pool = PostgresPool(own_postgres.url, deadline_s=1.5)
    registry = PostgresRegistry(pool)
    await registry.want("room", meeting_id="m-1")
    backends = await _processes_of(own_postgres)
    for pid in backends:
        os.kill(pid, signal.SIGSTOP)
    try:
        async with asyncio.timeout(30):  # no measure: it stays frozen until these have given up
            for _ in range(3):
                with pytest.raises(Unavailable, match="in time"):
                    await registry.request_end("m-1")
    finally:
        for pid in backends:
            os.kill(pid, signal.SIGCONT)
    async with asyncio.timeout(10):
        while await _outcome(registry) != "ok":
            await asyncio.sleep(0.05)
    await pool.aclose()


async def _processes_of(server: EmbeddedPostgres) -> list[int]:
    import psutil

    assert server.pid is not None
    main = psutil.Process(server.pid)
    return [main.pid, *(child.pid for child in main.children())]


async def test_an_append_waits_for_a_takeover_under_way_and_is_fenced(
    database: Database, owner: asyncpg.Connection, world: World
) -> None:
    epoch = await world.hold()
    await world.pass_time(6)
    async with asyncio.TaskGroup() as tasks, owner.transaction():
        taken = await owner.fetchval(
            "SELECT moim.acquire_lease('default', 'm-1', $1::text::jsonb, 5)", OTHER.model_dump_json()
        )
        appending = tasks.create_task(
            _answer(world.store.append("m-1", epoch, numbered(MeetingStarted(at=NINE))))
        )
        renewing = tasks.create_task(_answer(world.leases.renew("m-1", epoch, 5)))
        await _blocked(database, 2)
        assert not appending.done()
    assert taken == epoch + 1
    assert (appending.result(), renewing.result()) == ("Fenced", "Fenced")
    assert await world.store.load("m-1") is None


async def test_a_takeover_waits_for_an_append_under_way(
    database: Database, owner: asyncpg.Connection, world: World
) -> None:
    epoch = await world.hold()
    await world.pass_time(6)
    async with asyncio.TaskGroup() as tasks, owner.transaction():
        await owner.execute("SELECT set_config('moim.tenant', 'default', true)")
        assert await owner.fetchval("SELECT moim.holds('default', 'm-1', $1)", epoch)
        taking = tasks.create_task(world.leases.acquire("m-1", OTHER, 5))
        await _blocked(database, 1)
        assert not taking.done()
    assert taking.result() == epoch + 1


async def test_a_renewal_does_not_wait_for_an_append(owner: asyncpg.Connection, world: World) -> None:
    epoch = await world.hold()
    async with owner.transaction():
        await owner.execute("SELECT set_config('moim.tenant', 'default', true)")
        assert await owner.fetchval("SELECT moim.holds('default', 'm-1', $1)", epoch)
        async with asyncio.timeout(5):
            await world.leases.renew("m-1", epoch, 5)


async def _answer(call: Awaitable[object]) -> str:
    try:
        await call
    except Fenced:
        return "Fenced"
    return "ok"


async def _blocked(database: Database, count: int) -> None:
    """Wait until so many of the test's calls wait for a lock."""
    watcher = await asyncpg.connect(database.admin_url)
    try:
        async with asyncio.timeout(5):
            while (
                await watcher.fetchval(
                    "SELECT count(*) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
                )
                < count
            ):
                await asyncio.sleep(0.01)
    finally:
        await watcher.close()


async def test_a_lost_answer_and_its_retry_at_once_count_once(pool: PostgresPool, world: World) -> None:
    """The first attempt is still at work on the server when the caller has given it up and tries again."""
    epoch = await world.hold()
    events = numbered(MeetingStarted(at=NINE), *(spoken(n) for n in range(20)))

    # Three connections, so that the attempts really meet.
    await asyncio.gather(*(pool.row("SELECT $1::text, pg_sleep(0.05)") for _ in range(3)))

    async def attempt() -> None:
        while True:
            try:
                return await world.store.append("m-1", epoch, events)
            except Unavailable:
                await asyncio.sleep(0)

    await asyncio.gather(attempt(), attempt(), attempt())
    stored = await world.loaded()
    assert list(stored.events) == events


async def test_who_waits_for_news_is_woken(
    pool: PostgresPool, database: Database, owner: asyncpg.Connection, world: World
) -> None:
    registry = PostgresRegistry(pool)
    elsewhere = PostgresPool(database.url, "another tenant")
    async with asyncio.timeout(10), aclosing(registry.wakes()) as wakes:
        await anext(wakes)  # the first connection
        await PostgresRegistry(elsewhere).want("room")
        news = asyncio.ensure_future(anext(wakes))
        await asyncio.wait({news}, timeout=0.2)
        assert not news.done(), "another tenant's news"
        await world.registry.want("room", meeting_id="m-1")
        await news
        epoch = await world.taken(by=HOLDER)
        await world.leases.release("m-1", epoch)
        await anext(wakes)
        await cut_off_others(owner)
        await anext(wakes)  # something may have been missed
    await elsewhere.aclose()


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("53100", Unavailable),  # disk full
        ("53300", Unavailable),  # too many connections
        ("57P01", Unavailable),  # admin shutdown
        ("57P03", Unavailable),  # cannot connect now
        ("57014", Unavailable),  # cancelled
        ("40P01", Unavailable),  # deadlock
        ("08006", Unavailable),
        ("58030", Unavailable),  # I/O error
        ("25006", Unavailable),  # read-only replica
        ("42P01", Refused),
        ("22P02", Refused),
        ("28P01", Refused),
    ],
)
async def test_what_the_server_says_is_told_apart(
    pool: PostgresPool, state: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind, match=state):
        async with pool.connection() as connection:
            await connection.execute(f"DO $$ BEGIN RAISE EXCEPTION 'so' USING ERRCODE = '{state}'; END $$")


async def test_an_unmigrated_database_says_so(pool: PostgresPool, owner: asyncpg.Connection) -> None:
    await owner.execute("DROP SCHEMA moim CASCADE")
    with pytest.raises(Refused, match="moim migrate"):
        await PostgresRegistry(pool).list_all()
    with pytest.raises(Refused, match="moim migrate"):
        await PostgresStore(pool).append("m-1", 1, [RecordedEvent(seq=1, event=MeetingStarted(at=NINE))])


async def test_a_call_that_is_cancelled_while_it_connects_leaves_no_error_behind(database: Database) -> None:
    """Whoever presses Ctrl-C at that moment reads nothing of futures."""
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: told.append(fault["message"]))
    for turns in range(60):  # of the loop: one of them lies between the socket and the handshake
        pool = PostgresPool(database.url)
        call = asyncio.ensure_future(pool.call("SELECT $1::text"))
        for _ in range(turns):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await pool.aclose()
    gc.collect()
    await asyncio.sleep(0)
    assert told == []


async def test_a_loop_that_stood_still_while_a_call_connected_leaves_no_error_behind(
    database: Database,
) -> None:
    """It does so when a model is loaded: every deadline is over when it goes on, and the socket is there as well."""
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: told.append(fault["message"]))
    for turns in range(12):
        pool = PostgresPool(database.url, deadline_s=0.05)
        call = asyncio.ensure_future(pool.call("SELECT $1::text"))
        for _ in range(turns):
            await asyncio.sleep(0)
        time.sleep(0.1)
        await asyncio.gather(call, return_exceptions=True)
        await pool.aclose()
    gc.collect()
    await asyncio.sleep(0)
    assert told == []


async def test_a_call_that_is_cancelled_while_the_server_stands_still_leaves_no_error_behind(
    own_postgres: EmbeddedPostgres,
) -> None:
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: told.append(fault["message"]))
    pool = PostgresPool(own_postgres.url, deadline_s=0.5)
    await pool.call("SELECT $1::text")
    frozen = await _processes_of(own_postgres)
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        call = asyncio.ensure_future(pool.call("SELECT $1::text"))
        await asyncio.sleep(
            0.7
        )  # its deadline is over, and it gives the connection back, which takes as long
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await asyncio.sleep(1.0)
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    await pool.aclose()
    gc.collect()
    await asyncio.sleep(0)
    assert told == []


def test_the_errors_of_the_network_pass() -> None:
    for error in (ConnectionRefusedError("x"), TimeoutError(), asyncpg.InterfaceError("pool is closing")):
        assert isinstance(translated(error), Unavailable)
