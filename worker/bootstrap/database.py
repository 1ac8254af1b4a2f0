"""Opens Postgres: the tenant's tables, and what keeps their schema."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from worker.adapters import migrations
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_leases import PostgresLeases, PostgresStandbys
from worker.adapters.postgres_passages import PostgresDocuments, PostgresPassages
from worker.adapters.postgres_people import PostgresAudit, PostgresConsents, PostgresPeople
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_recordings import PostgresRecordings
from worker.adapters.postgres_registry import (
    PostgresLinks,
    PostgresOverviews,
    PostgresRegistry,
    PostgresRoomKeys,
)
from worker.adapters.postgres_sessions import PostgresSessions
from worker.adapters.postgres_store import PostgresLateWords, PostgresStore
from worker.adapters.postgres_trials import PostgresTrials, try_session_lock
from worker.configuration.settings import Settings


class Database:
    """One tenant's tables, by what they hold; all share the connections of one pool."""

    def __init__(self, pool: PostgresPool) -> None:
        """Give the tables of the pool's tenant."""
        self.pool = pool
        self.record = PostgresStore(pool)
        self.late = PostgresLateWords(pool)
        self.registry = PostgresRegistry(pool)
        self.room_keys = PostgresRoomKeys(pool)
        self.overviews = PostgresOverviews(pool)
        self.leases = PostgresLeases(pool)
        self.standbys = PostgresStandbys(pool)
        self.erasures = PostgresErasures(pool)
        self.consents = PostgresConsents(pool)
        self.people = PostgresPeople(pool)
        self.audit = PostgresAudit(pool)
        self.links = PostgresLinks(pool)
        self.sessions = PostgresSessions(pool)
        self.documents = PostgresDocuments(pool)
        self.passages = PostgresPassages(pool)
        self.recordings = PostgresRecordings(pool)
        self.trials = PostgresTrials(pool)


@asynccontextmanager
async def database(settings: Settings, *, max_size: int = 3) -> AsyncIterator[Database]:
    """Open connections to Postgres, `max_size` at most, as the app's own role, for this process's tenant.

    Nothing is connected before it is used. Raises `ConfigError` without DATABASE_URL.
    """
    settings.require("DATABASE_URL")
    pool = PostgresPool(settings.database.url.get_secret_value(), settings.process.tenant, max_size=max_size)
    try:
        yield Database(pool)
    finally:
        await pool.aclose()


async def migrate(admin_url: str, app_url: str, stage: migrations.Stage = "all") -> list[str]:
    """Bring the schema up to date, and return the migrations that were applied; see `migrations.migrate`."""
    return await migrations.migrate(admin_url, app_url, stage)


async def schema_fault(settings: Settings) -> str:
    """Say what the schema lacks that this version cannot run without; "" where it lacks nothing of that.

    What may come after a deploy is none of it. Raises `PortError`.
    """
    return await migrations.schema_fault(settings.database.url.get_secret_value(), "before")


async def demand_schema(settings: Settings) -> None:
    """Raise `Refused` where the schema lacks a migration, or DATABASE_URL's role would see other tenants."""
    await migrations.demand_schema(settings.database.url.get_secret_value())


async def demand_owner(settings: Settings) -> None:
    """Raise `Refused` where DATABASE_ADMIN_URL's role could not migrate."""
    await migrations.demand_owner(settings.database.admin_url.get_secret_value())


async def try_owners_lock(settings: Settings) -> None:
    """Raise `PortError` where a migration with DATABASE_ADMIN_URL would not keep another one out."""
    await try_session_lock(settings.database.admin_url.get_secret_value())
