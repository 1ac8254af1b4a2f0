"""`moim check` does in Postgres what meetings do there, and says what a pooler in between breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from context.ports import Refused
from tests.conftest import Database
from tests.integration.pgbouncer_server import BRINGS_STATEMENTS, pgbouncer
from worker.adapters.postgres_pool import PostgresPool
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose, worst
from worker.diagnostics.finding import Finding

TRIALS = {"postgres statements", "postgres lease", "postgres lock", "postgres listen", "postgres-owner lock"}


async def found(at: Database) -> dict[str, Finding]:
    told = {"DATABASE_URL": at.url, "DATABASE_ADMIN_URL": at.admin_url}
    findings = await diagnose(Settings.from_env(told), ["postgres", "postgres-owner"])
    assert not any("\n" in finding.text for finding in findings)
    return {finding.part: finding for finding in findings}


async def left(owner: asyncpg.Connection[Any]) -> int:
    rows: int = await owner.fetchval("SELECT count(*) FROM moim.meetings")
    return rows


async def test_postgres_itself_does_all_of_it(database: Database, owner: asyncpg.Connection[Any]) -> None:
    told = await found(database)
    assert told.keys() >= TRIALS
    assert {finding.state for finding in told.values()} == {"ok"}, told
    assert await left(owner) == 0


WORKING = {
    "session": {"pool_mode": "session"},
    **(
        {"newer": {"pool_mode": "transaction", "max_prepared_statements": "200"}} if BRINGS_STATEMENTS else {}
    ),
}


@pytest.mark.parametrize("pooler", WORKING)
async def test_so_does_a_pooler_that_keeps_or_brings_statements(
    database: Database, owner: asyncpg.Connection[Any], pooler: str
) -> None:
    async with pgbouncer(database, **WORKING[pooler]) as behind:
        told = await found(behind)
    assert told.keys() >= TRIALS
    session = pooler == "session"
    for part, finding in told.items():  # a migration needs a session of its own
        assert finding.state == ("ok" if session or part != "postgres-owner lock" else "wrong"), finding
    assert ("on changing connections" in told["postgres statements"].text) != session
    assert ("fine for a worker; give `moim dispatcher`" in told["postgres listen"].text) != session
    assert await left(owner) == 0


@pytest.mark.parametrize("round_robin", ["0", "1"])
@pytest.mark.parametrize("idle", [0, 2])
async def test_a_pooler_in_transaction_mode_loses_statements(
    database: Database, owner: asyncpg.Connection[Any], round_robin: str, idle: int
) -> None:
    async with (
        pgbouncer(database, pool_mode="transaction", server_round_robin=round_robin) as behind,
        connections_before(behind, idle),
    ):
        told = await found(behind)
    assert worst(list(told.values())) == 2
    for part in ("postgres statements", "postgres listen", "postgres-owner lock"):
        assert told[part].state == "wrong", told[part]
        assert "session mode" in told[part].text
    assert "pgbouncer 1.21 or newer with max_prepared_statements=200" in told["postgres statements"].text
    assert "give `moim dispatcher` Postgres' own address" in told["postgres listen"].text
    assert await left(owner) == 0


async def test_who_meets_it_in_a_meeting_is_told_the_same(database: Database) -> None:
    async with pgbouncer(database, pool_mode="transaction") as behind:
        pool = PostgresPool(behind.url)
        with pytest.raises(Refused, match="use its session mode"):
            await asked_twice(pool)
        await pool.aclose()


async def asked_twice(pool: PostgresPool) -> None:
    async with pool.connection() as ours:
        await ours.fetchval("SELECT 1")
        async with pool.transaction():
            await ours.fetchval("SELECT 1")


async def test_a_pooler_with_too_few_connections_is_told(database: Database) -> None:
    async with pgbouncer(database, pool_mode="transaction", default_pool_size="1") as behind:
        told = await found(behind)
    assert told["postgres statements"].state == "unreachable"
    assert "default_pool_size" in told["postgres statements"].text


async def test_a_pooler_in_statement_mode_takes_no_transactions(database: Database) -> None:
    async with pgbouncer(database, pool_mode="statement") as behind:
        told = await found(behind)
    assert worst(list(told.values())) > 0, told


@asynccontextmanager
async def connections_before(behind: Database, count: int) -> AsyncIterator[None]:
    """So many more connections of the pooler's to Postgres, idle, for each role."""
    for url in (behind.url, behind.admin_url):
        made = [await asyncpg.connect(url) for _ in range(count)]
        await asyncio.gather(*(each.fetchval("SELECT pg_sleep(.2)") for each in made))
        await asyncio.gather(*(each.close() for each in made))
    yield
