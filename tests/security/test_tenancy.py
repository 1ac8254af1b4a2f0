"""Tenants are kept apart by the database itself. All 10,000 reads: `python -m tests.security tenancy`."""

from __future__ import annotations

import random

import asyncpg
import pytest

from tests.conftest import Database
from tests.security.tenancy import TENANTS, fuzz, own_id, seed_rows
from worker.adapters.postgres_passages import PostgresDocuments, PostgresPassages
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.passages.passage_store import Scope, Search

pytestmark = pytest.mark.postgres


async def test_a_thousand_random_reads_see_no_foreign_row(database: Database) -> None:
    await seed_rows(database.url)
    result = await fuzz(database.url, database.admin_url, seed=20260105, count=1000)
    assert result.foreign == []
    assert result.reads == 1000
    assert result.rows > 200, "the reads do find what is the tenant's own"


async def test_the_search_would_notice(database: Database, owner: asyncpg.Connection) -> None:
    """Without the policies the same reads show the others' rows."""
    await seed_rows(database.url)
    await owner.execute("ALTER TABLE moim.meetings DISABLE ROW LEVEL SECURITY")
    await owner.execute("ALTER TABLE moim.events DISABLE ROW LEVEL SECURITY")
    result = await fuzz(database.url, database.admin_url, seed=1, count=300)
    assert any("table events" in line for line in result.foreign)
    assert any("table meetings" in line for line in result.foreign)


async def test_the_adapters_see_their_own_tenant_alone(database: Database) -> None:
    await seed_rows(database.url)
    dice = random.Random(7)
    for tenant in TENANTS:
        others = [f"<<{other}>>" for other in TENANTS if other != tenant]
        pool = PostgresPool(database.url, tenant, max_size=1)
        ids = ["m-shared", *map(own_id, TENANTS)]
        seen: list[object] = [
            await PostgresRegistry(pool).list_all(),
            await PostgresDocuments(pool).list_all(),
            await PostgresPassages(pool).readable(Scope()),
            await PostgresPassages(pool).matches([Search(("words", "page"), Scope())]),
        ]
        for meeting_id in dice.sample(ids, len(ids)):
            row, stored = (
                await PostgresRegistry(pool).get(meeting_id),
                await PostgresStore(pool).load(meeting_id),
            )
            mine = meeting_id in ("m-shared", own_id(tenant))
            assert (row is not None) is mine
            assert (stored is not None) is mine
            seen += [row, stored, await PostgresPassages(pool).of_source("meeting", meeting_id)]
        text = repr(seen)
        assert f"<<{tenant}>>" in text
        assert not [mark for mark in others if mark in text]
        await pool.aclose()


async def test_every_table_view_and_function_keeps_the_rule(owner: asyncpg.Connection) -> None:
    tables = await owner.fetch(
        "SELECT c.oid, c.relname, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions::text AS options,"
        " EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant') AS has_tenant"
        " FROM pg_class c WHERE relnamespace = 'moim'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')"
    )
    assert len(tables) > 10
    for table in tables:
        name = table["relname"]
        if name == "schema_migrations":
            continue
        assert table["relkind"] not in (b"m", b"f"), f"{name}: no row-level security there"
        assert table["has_tenant"], f"{name}: whose rows are these?"
        if table["relkind"] == b"v":
            assert "security_invoker=true" in (table["options"] or ""), name
            continue
        assert table["relrowsecurity"], name
        assert table["relforcerowsecurity"], name
        policies = await owner.fetch(
            "SELECT polcmd, polpermissive, pg_get_expr(polqual, polrelid) AS seen,"
            " pg_get_expr(polwithcheck, polrelid) AS written FROM pg_policy WHERE polrelid = $1",
            table["oid"],
        )
        assert policies, f"{name}: no policy"
        for policy in policies:
            expected = "(tenant = current_setting('moim.tenant'::text, true))"
            assert (policy["seen"], policy["written"]) == (expected, expected), name
            assert policy["polcmd"] == b"*", name
    powerful = await owner.fetch(
        "SELECT p.oid::regprocedure::text AS name, p.proconfig, p.prosrc FROM pg_proc p"
        " WHERE pronamespace = 'moim'::regnamespace AND prosecdef"
    )
    for function in powerful:
        assert any(item.startswith("search_path=") for item in function["proconfig"] or ()), function["name"]
        assert "moim.tenant" in function["prosrc"], f"{function['name']} must check the tenant"


async def test_the_apps_role_is_modest(database: Database) -> None:
    app = await asyncpg.connect(database.url)
    try:
        role = await app.fetchrow(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles"
            " WHERE rolname = current_user"
        )
        assert role is not None
        assert not any(role.values())
        owned = "SELECT count(*) FROM pg_class WHERE relnamespace = 'moim'::regnamespace AND pg_has_role(relowner, 'USAGE')"
        assert await app.fetchval(owned) == 0
        assert not await app.fetchval("SELECT has_schema_privilege('moim', 'CREATE')")
        memberships = await app.fetch(
            "SELECT r.rolname FROM pg_roles r WHERE pg_has_role(r.oid, 'MEMBER') AND r.rolname <> current_user"
        )
        assert {row["rolname"] for row in memberships} == {"moim_app"}
    finally:
        await app.close()
