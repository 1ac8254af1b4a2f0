"""What several of these tests start: Moim's commands, called in this process, and a worker of text meetings."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from tests.conftest import Database, migrated_postgres, open_directory
from tests.contracts.world import World, world_in_postgres
from tests.security.doors.process import Served, running
from worker import __main__ as cli
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.redis_bus import RedisBus
from worker.embedded.postgres import EmbeddedPostgres
from worker.messages import SegmentMessage

Moim = Callable[..., Awaitable[tuple[int, str, str]]]
"""Calls a command with these arguments: its exit code, stdout and stderr."""


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Moim:
    """The command line, with the environment as it is."""

    async def run(*arguments: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(cli.main, arguments)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


@pytest.fixture
def moim(
    called: Moim, database: Database, redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Moim:
    """The command line, with a database, a Redis and directories of the test's own."""
    for name, value in {
        "DATABASE_URL": database.url,
        "DATABASE_ADMIN_URL": database.admin_url,
        "REDIS_URL": redis_url,
        "MOIM_STATE_DIR": str(tmp_path / "state"),
        "MOIM_CACHE_DIR": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    return called


@pytest.fixture
def world(pool: PostgresPool, database: Database) -> World:
    """The record's doors in this test's Postgres."""
    return world_in_postgres(pool, database)


_TO_A_PLAIN_OWNER = """
CREATE ROLE plain LOGIN PASSWORD 'plain' IN ROLE moim_app; ALTER SCHEMA moim OWNER TO plain;
DO $$ DECLARE thing text; BEGIN
    EXECUTE format('GRANT CREATE ON DATABASE %I TO plain', current_database());
    FOR thing IN SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'moim'::regnamespace AND relkind = 'r'
    LOOP EXECUTE 'ALTER TABLE ' || thing || ' OWNER TO plain'; END LOOP;
    FOR thing IN SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'moim'::regnamespace
    LOOP EXECUTE 'ALTER FUNCTION ' || thing || ' OWNER TO plain'; END LOOP;
END $$;
"""


@pytest.fixture
async def plain_owner(database: Database, owner: asyncpg.Connection[asyncpg.Record]) -> AsyncIterator[str]:
    """The URL of a role that owns this test's schema and is no superuser: row-level security binds it."""
    await owner.execute(_TO_A_PLAIN_OWNER)
    parts = urlsplit(database.admin_url)
    yield urlunsplit(parts._replace(netloc=f"plain:plain@{parts.hostname}:{parts.port}"))
    await owner.execute("REASSIGN OWNED BY plain TO CURRENT_USER; DROP OWNED BY plain; DROP ROLE plain")


@pytest.fixture
async def own_postgres() -> AsyncIterator[EmbeddedPostgres]:
    """A server that this test may stop, freeze and kill."""
    with open_directory() as directory:
        async with migrated_postgres(directory, durable=True) as server:
            yield server


@pytest.fixture
async def dispatcher(database: Database, redis_url: str, tmp_path: Path) -> AsyncIterator[Served]:
    """`moim dispatcher`, a process of its own, on this test's record."""
    settings = {"REDIS_URL": redis_url, "STT_ENGINE": "none", "EMBED_ENGINE": "none"}
    async with running(tmp_path, database.url, **settings) as served:
        yield served


async def say(
    bus: RedisBus, meeting_id: str, lines: Iterable[str], *, after: int = 0, who: str = "minji"
) -> None:
    """One turn after the other, as segments number `after` + 1 and so on."""
    for number, text in enumerate(lines, after + 1):
        start_ms = number * 2000
        segment = SegmentMessage(
            id=f"s{number}", speaker=who, text=text, start_ms=start_ms, end_ms=start_ms + 1500
        )
        await bus.send_segment(meeting_id, segment)


async def text_worker(
    database: Database, redis_url: str, state: Path, **more: str
) -> asyncio.subprocess.Process:
    """`moim worker --text`, a process of its own; `more`: settings beside the servers'."""
    settings = {
        "DATABASE_URL": database.url,
        "REDIS_URL": redis_url,
        "STT_ENGINE": "none",
        "MOIM_HTTP_PORT": "0",
        "MOIM_HTTP_HOST": "127.0.0.1",
        "MOIM_STATE_DIR": str(state),
        **more,
    }
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "worker", "worker", "--text"),
        env={**os.environ, **settings},
        stderr=asyncio.subprocess.DEVNULL,
    )
