"""A real Postgres with pgvector from a wheel, for `moim dev` and the tests.

It listens on loopback TCP only, with passwords (SCRAM), so that other users of the machine stay
out. The data stays in its directory between runs; the schema comes from `moim migrate`, exactly
as with a server of the user's own.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import tempfile
from pathlib import Path
from typing import Final

import asyncpg

from worker.clock import monotonic_s
from worker.embedded.child import Child, EmbeddedError, EmbeddedServer, drawn_once, free_port
from worker.embedded.postgres_user import own_directory, postgres_binaries, reachable, unprivileged_account

_OWNER: Final = "postgres"
_APP: Final = "moim"
_DATABASE: Final = "moim"
_START_TIMEOUT_S: Final = 60.0
_STOP_TIMEOUT_S: Final = 10.0


class EmbeddedPostgres(EmbeddedServer):
    """A Postgres server on loopback, its data in `data_dir`. After `start`, `url` and `admin_url` are known.

    If the server has died, the next `start` starts it again, on the same port.
    """

    def __init__(
        self, data_dir: Path, port: int = 0, *, durable: bool = True, patience_s: float = 12.0
    ) -> None:
        """`port`: 0 for any free one. `durable=False` turns fsync off, for tests only.

        `patience_s`: how long to wait for an earlier server on the same data that is still shutting down.
        """
        self._patience_s = patience_s
        self._account = unprivileged_account()
        self._home = reachable(Path(data_dir).absolute(), self._account, "postgres")
        self._port = port
        self._durable = durable
        self._passwords: dict[str, str] = {}

    @property
    def data_dir(self) -> Path:
        """The directory that really holds the data; `places` says when it is not the given one."""
        return self._home

    @property
    def url(self) -> str:
        """The address for `DATABASE_URL`, as the app's own role, which `moim migrate` makes."""
        return self._url(_APP, _DATABASE)

    @property
    def admin_url(self) -> str:
        """The address for `DATABASE_ADMIN_URL`, as the owner, for `moim migrate`."""
        return self._url(_OWNER, _DATABASE)

    async def start(self) -> None:
        """Start the server if it does not run; a new database is empty. Raises `EmbeddedError`."""
        if self.pid is not None:
            return
        binaries = postgres_binaries(self._account)
        self._home.mkdir(parents=True, exist_ok=True)
        cluster = self._home / "pg"
        own_directory(cluster, self._account)
        self._passwords = json.loads(drawn_once(self._home / "passwords.json", _passwords))
        if not (cluster / "PG_VERSION").exists():
            await self._initialise(binaries / "initdb", cluster)
        await self._launch(binaries / "postgres", cluster)

    async def stop(self) -> None:
        """Stop the server: open transactions are rolled back, everything committed is kept."""
        await self._end(signal.SIGINT, _STOP_TIMEOUT_S)

    def _url(self, user: str, database: str) -> str:
        if not self._passwords:
            raise EmbeddedError("the embedded Postgres has not been started")
        return f"postgresql://{user}:{self._passwords[user]}@127.0.0.1:{self._port}/{database}"

    async def _initialise(self, initdb: Path, cluster: Path) -> None:
        """Make the cluster by `initdb`, which clears up after an interrupted run. Raises `EmbeddedError`."""
        with tempfile.NamedTemporaryFile("w", dir=cluster.parent, prefix="pw-") as password:
            password.write(self._passwords[_OWNER] + "\n")
            password.flush()
            if self._account:
                os.chown(password.name, self._account.uid, self._account.gid)
            command: list[str | Path] = [
                initdb,
                f"--pgdata={cluster}",
                f"--username={_OWNER}",
                "--encoding=UTF8",
                "--auth=scram-sha-256",
                f"--pwfile={password.name}",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
            ]
            if not self._durable:
                command.append("--no-sync")
            child = self._spawn(command)
            try:
                code = await child.wait(_START_TIMEOUT_S)
            finally:
                await child.stop(signal.SIGINT, _STOP_TIMEOUT_S)  # too slow, or nobody waits for it any more
            if code != 0:
                raise EmbeddedError(f"cannot make a database in {cluster}: {child.last_words()}")

    def _spawn(self, command: list[str | Path]) -> Child:
        return Child(
            command,
            log_file=self._home / "postgres.log",
            # SIGINT is Postgres' fast shutdown; SIGTERM would wait for its clients to leave.
            parent_death_signal=signal.SIGINT,
            account=self._account,
            environment={"TZ": "UTC"},
        )

    async def _launch(self, server: Path, cluster: Path) -> None:
        """Start the server and wait until it answers, trying again while a predecessor still shuts down."""
        begin = monotonic_s()
        chosen = self._port
        while True:
            self._port = self._port or free_port()
            self._child = self._spawn([server, "-D", cluster, *self._settings()])
            if await self._answers(begin + _START_TIMEOUT_S):
                return
            words = self._child.last_words(20)
            busy = "postmaster.pid" in words or "shared memory block" in words
            taken = "could not bind" in words and chosen == 0
            if not (busy or taken) or monotonic_s() > begin + self._patience_s:
                what = "another server uses it: stop that one" if busy else self._child.last_words()
                raise EmbeddedError(f"the embedded Postgres in {cluster} does not start: {what}")
            self._port = 0 if taken else self._port  # somebody else took it since we looked
            await asyncio.sleep(0.1)

    def _settings(self) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self._port,
            "unix_socket_directories": "",
            "max_connections": 100,
            "shared_buffers": "32MB",
            "wal_level": "minimal",
            "max_wal_senders": 0,
            "max_wal_size": "256MB",
            "jit": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_min_messages": "warning",
            "huge_pages": "off",
            "io_method": "sync",
        }
        if not self._durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        return [f"--{name}={value}" for name, value in settings.items()]

    async def _answers(self, deadline: float) -> bool:
        """Wait for the first connection, and make the database if it is missing. False: the server ended."""
        while monotonic_s() < deadline and self._child is not None:
            if self._child.returncode is not None:
                return False
            try:
                connection = await asyncpg.connect(self._url(_OWNER, "postgres"), timeout=5)
            except (OSError, asyncpg.CannotConnectNowError, asyncpg.PostgresConnectionError, TimeoutError):
                await asyncio.sleep(0.02)
                continue
            except asyncpg.PostgresError as error:  # another server on our port
                raise EmbeddedError(f"the embedded Postgres on port {self._port}: {error}") from error
            try:
                if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", _DATABASE):
                    await connection.execute(f"CREATE DATABASE {_DATABASE}")
            finally:
                await connection.close()
            return True
        raise EmbeddedError(f"the embedded Postgres did not answer within {_START_TIMEOUT_S:.0f} s")


def _passwords() -> str:
    """New passwords of the owner and the app's role, as a JSON object by user."""
    return json.dumps({user: secrets.token_hex(16) for user in (_OWNER, _APP)})
