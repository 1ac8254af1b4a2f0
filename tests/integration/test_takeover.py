"""A database that the 34 migrations of before the first release made goes on with the eight files."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from context.config import ContextConfig
from context.ports import Refused
from tests.conftest import Database, Databases
from worker.adapters.migrations import TAKEOVER, migrate, migrations, pending
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.embedded.postgres_user import postgres_binaries, unprivileged_account
from worker.record.restoring import read_with_seq

pytestmark = pytest.mark.postgres

OF_34_MIGRATIONS: Final = Path(__file__).parents[1] / "data" / "databases" / "of-34-migrations.sql.gz"
TENANTS: Final = ("default", "theirs")
OF_8_MIGRATIONS: Final = 8
SINCE: Final = list(migrations())[OF_8_MIGRATIONS:]
"""What a database of the eight files has besides once it is migrated."""
NOTED: Final = "SELECT version FROM moim.schema_migrations ORDER BY 1"

Rows = dict[str, list[str]]


@pytest.fixture
async def owners_url(database: Database, plain_owner: str) -> str:
    """The URL of an owner who is no superuser. The test's database is theirs, and now the one of before."""
    owner = await asyncpg.connect(plain_owner)
    await owner.execute("DROP SCHEMA moim CASCADE")
    await owner.execute(gzip.decompress(OF_34_MIGRATIONS.read_bytes()).decode())
    await owner.close()
    return plain_owner


@pytest.fixture
def empty(databases: Databases) -> Iterator[Database]:
    """Another database, with the schema that the eight files make."""
    made = databases.take()
    yield made
    databases.drop(made)


async def schema(url: str) -> list[str]:
    """What pg_dump tells of a schema, an object each: tables, functions, policies, grants."""
    process = await asyncio.create_subprocess_exec(
        str(postgres_binaries(unprivileged_account()) / "pg_dump"),
        *("--schema-only", "--no-owner", "-n", "moim", url),
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0
    objects = told.decode().split("\n--\n-- Name: ")[1:]
    return sorted(each.partition("\n\\unrestrict ")[0].strip() for each in objects)


async def rows(owner: asyncpg.Connection[asyncpg.Record]) -> Rows:
    """Every row of every table as Postgres writes it down, but for what is derived (snapshots, vectors)."""
    tables = await owner.fetch(
        "SELECT relname FROM pg_class WHERE relnamespace = 'moim'::regnamespace AND relkind = 'r' AND relname"
        " NOT IN ('schema_migrations', 'snapshots', 'snapshot_topics', 'passage_vectors') ORDER BY 1"
    )
    names = [table["relname"] for table in tables]
    return {
        name: [row["it"] for row in await owner.fetch(f"SELECT t::text AS it FROM moim.{name} t ORDER BY 1")]
        for name in names
    }


async def test_it_has_the_schema_that_an_empty_database_gets(
    owners_url: str, database: Database, empty: Database
) -> None:
    before = await schema(database.admin_url)
    assert await migrate(owners_url, database.url) == [TAKEOVER, *SINCE]
    after, made = await schema(database.admin_url), await schema(empty.admin_url)
    assert after == made
    assert len(made) > 200
    changed = {each.partition("(")[0] for each in set(before) ^ set(made) if "passage_vectors" not in each}
    assert changed == {
        *("FUNCTION erase_words", "FUNCTION refuse_erasure", "FUNCTION show_words", "FUNCTION renew_lease"),
        *("erase_words", "renew_lease"),
    }, "functions that nothing called, and whom they are granted to"


async def test_every_row_stays_and_every_meeting_is_read(
    owners_url: str, database: Database, owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    before = await rows(owner)
    assert not [name for name, held in before.items() if not held], "a table that shows nothing"
    await migrate(owners_url, database.url)
    assert await rows(owner) == before
    spoken = 0
    for tenant in TENANTS:
        pool = PostgresPool(database.url, tenant)
        for row in await PostgresRegistry(pool).list_all():
            meeting, _ = await read_with_seq(PostgresStore(pool), row.id, ContextConfig())
            spoken += len(meeting.utterances)
        await pool.aclose()
    assert spoken == len(before["utterances"])
    assert await owner.fetchval("SELECT count(*) FROM moim.snapshots") == 0, "of any shape of that time"


async def test_who_asked_without_a_name_is_nobody(
    owners_url: str, database: Database, owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await owner.execute("UPDATE moim.invocations SET asker = via WHERE via = 'cli'")
    await owner.execute("UPDATE moim.invocations SET via = 'http', asker = 'http' WHERE tenant = 'theirs'")
    await owner.execute("UPDATE moim.invocations SET asker = 'http' WHERE id = 'voice:line-25'")
    await migrate(owners_url, database.url)
    askers = await owner.fetch("SELECT tenant, via, asker FROM moim.invocations ORDER BY 1, 2, 3")
    assert [tuple(row) for row in askers] == [
        ("default", "chat", "minji"),
        ("default", "cli", "cli ~"),
        ("default", "cli", "cli ~"),
        ("default", "voice", "Ben Carter"),
        ("default", "voice", "http"),  # a participant of that name
        ("theirs", "http", "http ~"),
    ]


async def test_three_at_once_and_once_more(owners_url: str, database: Database) -> None:
    assert await pending(database.url), "the app says that it is not migrated"
    applied = await asyncio.gather(*(migrate(owners_url, database.url) for _ in range(3)))
    assert sorted(applied) == [[], [], [TAKEOVER, *SINCE]]
    assert await migrate(owners_url, database.url) == []
    assert await pending(database.url) == []


async def test_a_moim_of_before_that_still_runs_finds_its_own_migrations(
    owners_url: str, database: Database, owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    before = {row["version"] for row in await owner.fetch(NOTED)}
    await migrate(owners_url, database.url, "before")
    assert {row["version"] for row in await owner.fetch(NOTED)} > before


@pytest.mark.parametrize("missing", ["before/0034_recordings", "before/0012_times_derived", "filled/%"])
async def test_one_that_lacks_a_migration_of_before_is_left_alone(
    owners_url: str, database: Database, owner: asyncpg.Connection[asyncpg.Record], missing: str
) -> None:
    await owner.execute("DELETE FROM moim.schema_migrations WHERE version LIKE $1", missing)
    noted, before = await owner.fetch(NOTED), await schema(database.admin_url)
    at = "before/0033" if missing == "before/0034_recordings" else "before/0034"
    with pytest.raises(Refused, match=rf"stands at {at}.* run `moim migrate` of commit [0-9a-f]{{8}} first"):
        await migrate(owners_url, database.url)
    assert (await owner.fetch(NOTED), await schema(database.admin_url)) == (noted, before)
