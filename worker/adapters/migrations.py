"""Migrations of the database (`moim migrate`): its schema, and the app's own role.

Migrations are plain SQL files, numbered, applied once each in a transaction of its own:
`before/` = safe while the old version of Moim still runs, to be applied before a deploy;
`after/` = to be applied once no old version runs any more. An advisory lock lets two
migrations at once wait for each other. A database of before the first release, when the same schema
was made by 34 files, is taken over (docs/decisions/0060).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

import asyncpg

from context.ports import Refused
from worker.adapters.postgres_pool import CONNECTION_ERRORS, demand_url, translated

Stage = Literal["before", "after", "all"]

APP_GROUP: Final = "moim_app"
"""The role that has the app's rights; DATABASE_URL's user becomes a member of it."""
_FOLDER: Final = Path(__file__).parent / "sql" / "migrations"
_TAKEOVER_FILE: Final = _FOLDER / "takeover.sql"
_LOCK: Final = 0x6D6F696D  # "moim"
_DEADLINE_S: Final = 60.0
_SCHEMA: Final = """
CREATE SCHEMA IF NOT EXISTS moim;
CREATE TABLE IF NOT EXISTS moim.schema_migrations (
    version text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
"""
_NOTE_APPLIED: Final = "INSERT INTO moim.schema_migrations (version) VALUES ($1)"
_FIRST_RELEASE: Final = 8
"""So many migrations of `before/` make the schema of the first release."""
_BEFORE_RELEASE: Final = 34
"""So many made it until then."""
_FIRST_BEFORE_RELEASE: Final = "before/0001_the_record"
_LAST_BEFORE_RELEASE: Final = frozenset({"before/0034_recordings", "filled/0019_conversation_summaries"})
"""What the last `moim migrate` of before the first release noted at its end."""
_MIGRATE_BEFORE_RELEASE: Final = "`moim migrate` of commit 6357c966"
TAKEOVER: Final = "takeover"
"""The step that takes a database of before the first release over."""


def migrations(stage: Stage = "all") -> dict[str, str]:
    """Return the migrations of this version in order: SQL by stage and name (`before/0001_the_record`)."""
    stages = ("before", "after") if stage == "all" else (stage,)
    return {
        f"{name}/{path.stem}": path.read_text(encoding="utf-8")
        for name in stages
        for path in sorted((_FOLDER / name).glob("*.sql"))
    }


async def migrate(admin_url: str, app_url: str, stage: Stage = "all") -> list[str]:
    """Apply the missing migrations of `stage`, make the app's role if it is missing; return their names.

    A database of before the first release is taken over first, which is named `TAKEOVER`. `admin_url` names
    the owner, `app_url` the app's role. Raises `Refused` or `Unavailable`, in one line.
    """
    _demand_url(admin_url, "DATABASE_ADMIN_URL")
    _demand_url(app_url, "DATABASE_URL")
    user, password = _credentials(app_url)
    async with _connected(admin_url, "DATABASE_ADMIN_URL") as owner:
        await owner.execute("SELECT pg_advisory_lock($1)", _LOCK)
        await _make_roles(owner, user, password)
        await owner.execute(_SCHEMA)
        await _run(owner, "GRANT USAGE ON SCHEMA moim TO %I", APP_GROUP)
        await _run(owner, "GRANT SELECT ON moim.schema_migrations TO %I", APP_GROUP)
        known = await _noted(owner)
        applied = []
        if _is_before_release(known):
            of_release = list(migrations("before"))[:_FIRST_RELEASE]
            await _apply(owner, TAKEOVER, _TAKEOVER_FILE.read_text(encoding="utf-8"), of_release)
            known = await _noted(owner)
            applied.append(TAKEOVER)
        for name, sql in migrations(stage).items():
            if name not in known:
                await _apply(owner, name, sql, [name])
                applied.append(name)
        await _make_vectors(owner)
    async with _connected(app_url, "DATABASE_URL") as app:
        await _demand_row_security(app, user)
    return applied


async def pending(app_url: str, stage: Stage = "all") -> list[str]:
    """Return the names of the migrations of `stage` that the database lacks, seen with the app's own role."""
    _demand_url(app_url, "DATABASE_URL")
    async with _connected(app_url, "DATABASE_URL") as app:
        if await app.fetchval("SELECT to_regclass('moim.schema_migrations')") is None:
            return list(migrations(stage))
        known = await _noted(app)
    return [name for name in migrations(stage) if name not in known]


async def schema_fault(app_url: str, stage: Stage = "all") -> str:
    """Say in one line what the schema lacks of `stage`, and how to mend it; "" where it lacks nothing."""
    missing = await pending(app_url, stage)
    if not missing:
        return ""
    if missing == list(migrations(stage)):
        return "the database has no schema of this Moim: run `moim migrate`"
    return f"the schema is older than this Moim, it lacks {', '.join(missing)}: run `moim migrate`"


async def demand_schema(app_url: str) -> None:
    """Raise `Refused` where a migration is missing, or row-level security would not bind DATABASE_URL's role.

    Row-level security is what parts tenants.
    """
    fault = await schema_fault(app_url)
    async with _connected(app_url, "DATABASE_URL") as app:
        await _demand_row_security(app, _credentials(app_url)[0])
    if fault:
        raise Refused(fault)


async def demand_owner(admin_url: str) -> None:
    """Raise `Refused` where DATABASE_ADMIN_URL's role could not migrate."""
    _demand_url(admin_url, "DATABASE_ADMIN_URL")
    async with _connected(admin_url, "DATABASE_ADMIN_URL") as owner:
        may = await owner.fetchval(
            "SELECT coalesce((SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace"
            " WHERE nspname = 'moim'), has_database_privilege(current_database(), 'CREATE'))"
        )
        if not may:
            raise Refused(
                f"DATABASE_ADMIN_URL: {await owner.fetchval('SELECT current_user')!r} may not migrate: "
                "name the owner of the database, or of the schema `moim` where there is one"
            )


async def _noted(connection: asyncpg.Connection[asyncpg.Record]) -> set[str]:
    """Return the names of the migrations that the database has had."""
    return {row["version"] for row in await connection.fetch("SELECT version FROM moim.schema_migrations")}


def _is_before_release(known: set[str]) -> bool:
    """Whether these are the migrations of a database of before the first release that is not taken over yet.

    Raises `Refused` where they are not all of that time: what was left out is in no file of this version.
    """
    if _FIRST_BEFORE_RELEASE not in known or next(iter(migrations("before"))) in known:
        return False
    numbered = sorted(name for name in known if name.startswith("before/"))
    if len(numbered) < _BEFORE_RELEASE or not known >= _LAST_BEFORE_RELEASE:
        raise Refused(
            f"the schema stands at {numbered[-1]} of before the first release, and has not all that the last "
            f"Moim of that time made: run {_MIGRATE_BEFORE_RELEASE} first, then this one"
        )
    return True


async def _apply(owner: asyncpg.Connection[asyncpg.Record], name: str, sql: str, noted: list[str]) -> None:
    """Run a migration and note that the database has had these, in one transaction."""
    try:
        async with owner.transaction():
            await owner.execute(sql)
            await owner.executemany(_NOTE_APPLIED, [(version,) for version in noted])
    except asyncpg.PostgresError as error:
        ours = translated(error)
        raise type(ours)(f"migration {name} failed and was rolled back: {ours}") from error


def _demand_url(url: str, variable: str) -> None:
    try:
        demand_url(url)
    except Refused as error:
        raise Refused(f"{variable}: {error}") from None


def _credentials(app_url: str) -> tuple[str, str | None]:
    parts = urlsplit(app_url)
    if not parts.username:
        raise Refused("DATABASE_URL names no user: postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
    return unquote(parts.username), unquote(parts.password) if parts.password else None


@asynccontextmanager
async def _connected(url: str, variable: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """Connect for this block; errors name the variable that the URL comes from, and never the password."""
    try:
        connection = await asyncpg.connect(url, timeout=10, command_timeout=_DEADLINE_S)
        try:
            yield connection
        finally:
            await connection.close(timeout=5)
    except (*CONNECTION_ERRORS, ValueError) as error:
        ours = translated(error)
        raise type(ours)(f"{variable}: {ours}") from error


async def _run(owner: asyncpg.Connection[Any], template: str, *names: str) -> None:
    """Run DDL, its identifiers (%I) and literals (%L) quoted by the server itself."""
    places = ", ".join(f"${number}::text" for number in range(2, len(names) + 2))
    await owner.execute(await owner.fetchval(f"SELECT format($1, {places})", template, *names))


async def _make_roles(owner: asyncpg.Connection[Any], user: str, password: str | None) -> None:
    """Make the role that has the app's rights, and the app's login as its member, where they are missing."""
    exists = "SELECT 1 FROM pg_roles WHERE rolname = $1"
    try:
        if not await owner.fetchval(exists, APP_GROUP):
            await _run(owner, "CREATE ROLE %I NOLOGIN", APP_GROUP)
        if not await owner.fetchval(exists, user):
            if password is None:
                raise Refused(f"the role {user!r} does not exist, and DATABASE_URL gives no password for it")
            await _run(owner, "CREATE ROLE %I LOGIN NOINHERIT PASSWORD %L", user, password)
            await _run(owner, "ALTER ROLE %I INHERIT", user)
        if not await owner.fetchval("SELECT pg_has_role($1::name, $2::name, 'MEMBER')", user, APP_GROUP):
            await _run(owner, "GRANT %I TO %I", APP_GROUP, user)
    except (asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
        # Another migration, of another database on this server, made one of them just now.
        await _make_roles(owner, user, password)
    except asyncpg.InsufficientPrivilegeError as error:
        raise Refused(
            f"DATABASE_ADMIN_URL's role may not create the role {user!r} ({error}): give it CREATEROLE, "
            f"or create it yourself: CREATE ROLE {APP_GROUP} NOLOGIN; "
            f"CREATE ROLE {user} LOGIN IN ROLE {APP_GROUP}"
        ) from error


async def _make_vectors(owner: asyncpg.Connection[Any]) -> None:
    """Make the table of vectors where the server has pgvector; where it has none, `moim check` says so."""
    if await owner.fetchval("SELECT to_regproc('moim.make_passage_vectors')") is None:
        return
    with suppress(
        asyncpg.InsufficientPrivilegeError, asyncpg.UndefinedFileError, asyncpg.DuplicateObjectError
    ):
        if await owner.fetchval("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
            await owner.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    await owner.fetchval("SELECT moim.make_passage_vectors()")


async def _demand_row_security(app: asyncpg.Connection[Any], user: str) -> None:
    """Row-level security binds neither superusers nor those who may bypass it."""
    exempt = await app.fetchval(
        "SELECT rolsuper OR rolbypassrls OR EXISTS (SELECT FROM pg_namespace"
        " WHERE nspname = 'moim' AND pg_has_role(nspowner, 'USAGE'))"
        " FROM pg_roles WHERE rolname = current_user"
    )
    if exempt:
        raise Refused(
            f"DATABASE_URL's user {user!r} is a superuser or owns the schema: tenants would not be kept "
            "apart. Give DATABASE_URL a user of its own; `moim migrate` creates it"
        )
