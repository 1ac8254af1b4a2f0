"""The commands of docs/how-to/backup.md, run as they stand there, from one real Postgres to another."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from context.events.events import MeetingStarted
from context.ports import RecordedEvent
from tests.conftest import open_directory
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.bootstrap.database import migrate
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.postgres_user import postgres_binaries, unprivileged_account
from worker.ports import Holder

pytestmark = pytest.mark.postgres

PAGE: Final = Path(__file__).parents[2] / "docs" / "how-to" / "backup.md"
OWNER: Final = "moim_owner"
PASSWORD: Final = "of-the-owner"


def commands() -> list[str]:
    """The page's blocks of commands: to back up, and to restore."""
    return re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def at(url: str, *, user: str = "", database: str = "") -> str:
    """The address with another user (the owner), or another database."""
    parts = urlsplit(url)
    place = f"{user}:{PASSWORD}@{parts.hostname}:{parts.port}" if user else parts.netloc
    return urlunsplit(parts._replace(netloc=place, path=f"/{database}" if database else parts.path))


@asynccontextmanager
async def server(directory: Path) -> AsyncIterator[EmbeddedPostgres]:
    postgres = EmbeddedPostgres(directory, durable=False)
    await postgres.start()
    try:
        yield postgres
    finally:
        await postgres.stop()


async def shell(script: str, folder: Path, **environment: str) -> tuple[int, str]:
    programs = (str(postgres_binaries(unprivileged_account())), str(Path(sys.executable).parent))
    path = os.pathsep.join((*programs, os.environ["PATH"]))
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", script),
        cwd=folder,
        env={**os.environ, "PATH": path, "MOIM_STATE_DIR": str(folder), **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def on_record(url: str) -> None:
    """A meeting of the tenant `default`, with one event."""
    pool = PostgresPool(url)
    await PostgresRegistry(pool).want("회의실", meeting_id="m-1", title="주간 회의")
    epoch = await PostgresLeases(pool).acquire("m-1", Holder(host="h", worker_pid=1, job_pid=2), 60)
    assert epoch is not None
    began = MeetingStarted(at=datetime(2026, 3, 3, tzinfo=UTC))
    await PostgresStore(pool).append("m-1", epoch, [RecordedEvent(seq=1, event=began)])
    await pool.aclose()


async def own(postgres: EmbeddedPostgres) -> None:
    """Give the database to an owner who is no superuser, as deploy/postgres/owner.sh does."""
    superuser = await asyncpg.connect(postgres.admin_url)
    await superuser.execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE PASSWORD '{PASSWORD}'")
    await superuser.execute(f"ALTER DATABASE moim OWNER TO {OWNER}")
    await superuser.execute("CREATE EXTENSION vector WITH SCHEMA public")
    await superuser.close()


async def test_what_was_backed_up_is_restored_on_another_server(tmp_path: Path) -> None:
    backing_up, restoring = commands()
    with open_directory() as directory:
        async with server(directory / "old") as old:
            await own(old)
            await migrate(at(old.admin_url, user=OWNER), old.url)
            await on_record(old.url)
            code, said = await shell(f"pg_dump '{at(old.admin_url, user=OWNER)}'", tmp_path)
            assert code != 0
            assert "would be affected by row-level security policy" in said, "the owner alone is not enough"
            assert await shell(backing_up, tmp_path, SUPERUSER_URL=old.admin_url) == (0, "")
            app = urlsplit(old.url)
        async with server(directory / "new") as new:
            superuser = await asyncpg.connect(at(new.admin_url, database="postgres"))
            await superuser.execute("DROP DATABASE moim")  # an empty server has none
            await superuser.close()
            port = urlsplit(new.url).port
            url = urlunsplit(app._replace(netloc=f"{app.username}:{app.password}@127.0.0.1:{port}"))
            code, said = await shell(
                restoring,
                tmp_path,
                NEW_SERVER_URL=at(new.admin_url, database="postgres"),
                DATABASE_URL=url,
                DATABASE_ADMIN_URL=at(new.admin_url, user=OWNER),
            )
            assert code == 0, said
            assert "주간 회의" in said
            pool = PostgresPool(url)
            stored = await PostgresStore(pool).load("m-1")
            assert stored is not None
            assert [type(each.event) for each in stored.events] == [MeetingStarted]
            await pool.aclose()
