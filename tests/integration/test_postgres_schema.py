"""The schema keeps tenants apart, and its migration can be run at any time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from context.ports import Refused, Unavailable
from tests.conftest import Database
from tests.integration.readiness import until_ready
from tests.security.doors.process import running
from worker.adapters.migrations import demand_schema, migrate, migrations, pending, schema_fault
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.ports import Holder

pytestmark = pytest.mark.postgres


async def test_migrating_again_changes_nothing(database: Database) -> None:
    assert await migrate(database.admin_url, database.url) == []
    assert await pending(database.url) == []


async def test_two_migrations_of_an_empty_database_at_once(
    database: Database, owner: asyncpg.Connection
) -> None:
    await owner.execute("DROP SCHEMA moim CASCADE")
    assert await pending(database.url) == list(migrations())
    applied = await asyncio.gather(*(migrate(database.admin_url, database.url) for _ in range(3)))
    assert sorted(map(len, applied)) == [0, 0, len(migrations())]


async def test_what_the_schema_lacks_is_one_line_that_says_how_to_mend_it(
    database: Database, owner: asyncpg.Connection
) -> None:
    assert await schema_fault(database.url) == ""
    newest = list(migrations())[-1]
    await owner.execute("DELETE FROM moim.schema_migrations WHERE version = $1", newest)
    old = f"the schema is older than this Moim, it lacks {newest}: run `moim migrate`"
    assert await schema_fault(database.url) == await schema_fault(database.url, "before") == old
    assert await schema_fault(database.url, "after") == "", "a new version may run before that"
    await owner.execute("DROP SCHEMA moim CASCADE")
    none = "the database has no schema of this Moim: run `moim migrate`"
    assert await schema_fault(database.url) == none
    with pytest.raises(Refused, match=none):  # as `moim check` says it
        await demand_schema(database.url)


async def test_a_dispatcher_says_that_the_schema_is_missing_until_it_is_there(
    database: Database, owner: asyncpg.Connection, tmp_path: Path
) -> None:
    await owner.execute("DROP SCHEMA moim CASCADE")
    async with running(tmp_path, database.url, STT_ENGINE="none", EMBED_ENGINE="none") as served:
        await until_ready(served.port, yes=False, why="no schema of this Moim: run `moim migrate`")
        await migrate(database.admin_url, database.url)
        await until_ready(served.port, yes=True)


async def test_a_missing_role_is_made_with_the_password_of_its_url(database: Database) -> None:
    parts = urlsplit(database.url)
    url = urlunsplit(parts._replace(netloc=f"o%27Hara:p%40ss%25w@{parts.hostname}:{parts.port}"))
    await migrate(database.admin_url, url)
    pool = PostgresPool(url)
    assert await PostgresRegistry(pool).list_all() == []
    await pool.aclose()


async def test_a_wrong_url_is_one_clear_line_without_the_password(database: Database) -> None:
    parts = urlsplit(database.url)
    wrong = urlunsplit(parts._replace(netloc=f"{parts.username}:s3cret@{parts.hostname}:{parts.port}"))
    with pytest.raises(Refused, match=r"DATABASE_URL: .*check the password") as refused:
        await pending(wrong)
    assert "s3cret" not in str(refused.value)
    with pytest.raises(Refused, match="names no user"):
        await migrate(database.admin_url, "postgresql://127.0.0.1/moim")
    nowhere = urlunsplit(parts._replace(netloc=f"{parts.username}:x@127.0.0.1:1"))
    with pytest.raises(Unavailable, match=r"DATABASE_ADMIN_URL: .*cannot be reached"):
        await migrate(nowhere, database.url)
    with pytest.raises(Refused, match="create the database"):
        await pending(urlunsplit(parts._replace(path="/nothing_here")))


@pytest.mark.parametrize(
    "url",
    ["", "moim", "redis://127.0.0.1", "postgresql://moim:s3c/ret@127.0.0.1/moim", "postgresql://[::1/moim"],
)
async def test_what_is_no_address_is_refused_and_not_quoted(database: Database, url: str) -> None:
    for call, variable in (
        (migrate(database.admin_url, url), "DATABASE_URL: "),
        (migrate(url, database.url), "DATABASE_ADMIN_URL: "),
        (pending(url), "DATABASE_URL: "),
        (PostgresRegistry(PostgresPool(url)).list_all(), ""),
    ):
        with pytest.raises(Refused, match=rf"^{variable}not an address of the form") as refused:
            await call
        assert "s3c" not in str(refused.value)


async def test_ids_that_cannot_be_sent_are_refused(pool: PostgresPool) -> None:
    for odd in ("a\ud800", "a\0b"):
        with pytest.raises(Refused):
            await PostgresRegistry(pool).get(odd)
        with pytest.raises(Refused):
            await PostgresStore(pool).load(odd)


async def test_events_of_a_newer_version_are_refused_with_a_hint(
    pool: PostgresPool, owner: asyncpg.Connection
) -> None:
    await PostgresRegistry(pool).want("room", meeting_id="m-1")
    await owner.execute(
        "INSERT INTO moim.events (tenant, meeting_id, seq, epoch, kind, version, payload)"
        """ VALUES ('default', 'm-1', 1, 1, 'telepathy', 99, '{"kind": "telepathy"}')"""
    )
    with pytest.raises(Refused, match=r"event 1 .*update this worker"):
        await PostgresStore(pool).load("m-1")


async def test_the_owner_is_refused_as_the_apps_role(database: Database) -> None:
    with pytest.raises(Refused, match="superuser or owns the schema"):
        await migrate(database.admin_url, database.admin_url)


async def test_tenants_see_nothing_of_each_other(database: Database) -> None:
    ours, theirs = PostgresPool(database.url, "ours"), PostgresPool(database.url, "theirs")
    await PostgresRegistry(ours).want("room", meeting_id="m-1", title="비밀 회의")
    assert await PostgresRegistry(theirs).get("m-1") is None
    assert await PostgresRegistry(theirs).list_all() == []
    assert await PostgresRegistry(theirs).claim_unheld(limit=10, retry_after_s=1) == []
    assert not await PostgresRegistry(theirs).request_end("m-1")
    assert not await PostgresRegistry(theirs).rename("m-1", "ours now")
    assert await PostgresStore(theirs).load("m-1") is None
    with pytest.raises(Refused, match="no meeting"):
        await PostgresLeases(theirs).acquire("m-1", Holder(host="h", worker_pid=1, job_pid=2), 5)
    # The same id and room may exist there: it is another meeting.
    await PostgresRegistry(theirs).want("room", meeting_id="m-1", title="another")
    row = await PostgresRegistry(ours).get("m-1")
    assert row is not None
    assert row.title == "비밀 회의"
    await ours.aclose()
    await theirs.aclose()


async def test_the_database_itself_refuses_what_the_app_must_not_do(pool: PostgresPool) -> None:
    await PostgresRegistry(pool).want("room", meeting_id="m-1")
    async with pool.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM moim.meetings") == 0, "no tenant, no rows"
    for forbidden in (
        "DELETE FROM moim.events",
        "UPDATE moim.events SET payload = '{}'",
        "UPDATE moim.utterances SET text = ''",
        "DELETE FROM moim.leases",
        "DELETE FROM moim.pushes",
        "UPDATE moim.push_feeds SET since = now()",
        "TRUNCATE moim.meetings",
        "ALTER TABLE moim.meetings DISABLE ROW LEVEL SECURITY",
        "DROP TABLE moim.snapshots",
        "SET ROLE postgres",
    ):
        with pytest.raises(Refused):
            async with pool.transaction() as connection:
                await connection.execute(forbidden)
    with pytest.raises(Refused, match="row-level security"):
        async with pool.transaction() as connection:
            await connection.execute("INSERT INTO moim.meetings (tenant, id) VALUES ('theirs', 'm-2')")
