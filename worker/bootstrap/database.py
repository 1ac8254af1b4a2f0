"""Opens Postgres: the tenant's tables, and what keeps their schema."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from worker.adapters import migrations
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_leases import PostgresLeases, PostgresStandbys
from worker.adapters.postgres_passages import PostgresDocuments, PostgresPassages
from worker.adapters.postgres_people import PostgresAudit, PostgresConsents, PostgresPeople
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresLinks, PostgresOverviews, PostgresRegistry
from worker.adapters.postgres_store import PostgresLateWords, PostgresStore
from worker.configuration.settings import Settings


@dataclass(frozen=True, slots=True)
class Database:
    """One tenant's tables, by what they hold; all share the connections of one pool."""

    pool: PostgresPool
    record: PostgresStore
    late: PostgresLateWords
    registry: PostgresRegistry
    overviews: PostgresOverviews
    leases: PostgresLeases
    standbys: PostgresStandbys
    erasures: PostgresErasures
    consents: PostgresConsents
    people: PostgresPeople
    audit: PostgresAudit
    links: PostgresLinks
    documents: PostgresDocuments
    passages: PostgresPassages

    @classmethod
    def on(cls, pool: PostgresPool) -> Database:
        """Give the tables of a pool's tenant."""
        return cls(
            pool=pool,
            record=PostgresStore(pool),
            late=PostgresLateWords(pool),
            registry=PostgresRegistry(pool),
            overviews=PostgresOverviews(pool),
            leases=PostgresLeases(pool),
            standbys=PostgresStandbys(pool),
            erasures=PostgresErasures(pool),
            consents=PostgresConsents(pool),
            people=PostgresPeople(pool),
            audit=PostgresAudit(pool),
            links=PostgresLinks(pool),
            documents=PostgresDocuments(pool),
            passages=PostgresPassages(pool),
        )


@asynccontextmanager
async def database(settings: Settings, *, max_size: int = 3) -> AsyncIterator[Database]:
    """Open connections to Postgres, `max_size` at most, as the app's own role, for this process's tenant.

    Nothing is connected before it is used. Raises `ConfigError` without DATABASE_URL.
    """
    settings.require("DATABASE_URL")
    pool = PostgresPool(settings.database.url.get_secret_value(), settings.agent.tenant, max_size=max_size)
    try:
        yield Database.on(pool)
    finally:
        await pool.aclose()


async def migrate(admin_url: str, app_url: str, stage: migrations.Stage = "all") -> list[str]:
    """Bring the schema up to date, and return the migrations that were applied; see `migrations.migrate`."""
    return await migrations.migrate(admin_url, app_url, stage)


async def demand_schema(settings: Settings) -> None:
    """Raise `Refused` where the schema lacks a migration, or DATABASE_URL's role would see other tenants."""
    await migrations.demand_schema(settings.database.url.get_secret_value())


async def demand_owner(settings: Settings) -> None:
    """Raise `Refused` where DATABASE_ADMIN_URL's role could not migrate."""
    await migrations.demand_owner(settings.database.admin_url.get_secret_value())
