"""A real pgbouncer before the run's Postgres, as Debian packages it; skips where there is none."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from tests.conftest import Database, open_directory
from worker.embedded.child import Child, free_port
from worker.embedded.postgres_user import unprivileged_account

_FOUND: Final = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def _version(binary: str) -> tuple[int, ...]:
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"PgBouncer (\d+)\.(\d+)", said)
    assert found is not None, said
    return tuple(map(int, found.groups()))


BRINGS_STATEMENTS: Final = _FOUND is not None and _version(_FOUND) >= (1, 21)
"""Whether this version can bring prepared statements along in transaction mode."""


@asynccontextmanager
async def pgbouncer(database: Database, **options: str) -> AsyncIterator[Database]:
    """Its addresses for `database`; `options` are pgbouncer's own, e.g. `pool_mode`.

    In transaction mode it loses prepared statements, as versions below 1.21 do. A newer one is told to, unless
    `max_prepared_statements` says otherwise.
    """
    if _FOUND is None:
        pytest.skip("pgbouncer is not on this machine: apt-get install pgbouncer")
    with open_directory() as directory:
        url, admin_url = urlsplit(database.url), urlsplit(database.admin_url)
        port = free_port()
        settings = {
            "listen_addr": "127.0.0.1",
            "listen_port": str(port),
            "unix_socket_dir": "",
            "auth_type": "trust",
            "auth_file": str(directory / "users.txt"),
            **options,
        }
        if _version(_FOUND) >= (1, 21):
            settings.setdefault("max_prepared_statements", "0")
        users = [f'"{each.username}" "{each.password}"\n' for each in (url, admin_url)]
        (directory / "users.txt").write_text("".join(users))
        lines = [f"{name} = {value}" for name, value in settings.items()]
        (directory / "pgbouncer.ini").write_text(
            "\n".join(["[databases]", f"* = host={url.hostname} port={url.port}", "[pgbouncer]", *lines, ""])
        )
        child = Child(
            [_FOUND, directory / "pgbouncer.ini"],
            log_file=directory / "pgbouncer.log",
            parent_death_signal=signal.SIGKILL,
            account=unprivileged_account(),  # it does not run as root
        )
        try:
            behind = Database(url=_at(port, database.url), admin_url=_at(port, database.admin_url))
            async with asyncio.timeout(10):
                while not await _answers(behind.url):
                    assert child.returncode is None, child.last_words()
                    await asyncio.sleep(0.05)
            yield behind
        finally:
            await child.stop(signal.SIGINT, 10)


def _at(port: int, url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.username}:{parts.password}@127.0.0.1:{port}"))


async def _answers(url: str) -> bool:
    try:
        connection = await asyncpg.connect(url, timeout=5)
    except (OSError, asyncpg.PostgresError):
        return False
    await connection.close()
    return True
