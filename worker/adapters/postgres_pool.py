"""A few connections to Postgres, and its errors as those of the ports.

Every call has one deadline over everything: getting a connection, the statement, giving the
connection back. A broken connection is thrown away and replaced by the next call, so a pool
outlives any restart of the server. Nothing is connected before the first call.

Connections keep no session state (the tenant is named per transaction), so they are not reset
between calls: that would be another round trip behind every statement.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import asyncpg

from context.ports import PortError, Refused, Unavailable
from worker.configuration.setting_values import ENCODED
from worker.errors import why_unreached

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    Connection = PoolConnectionProxy[asyncpg.Record]


_HANDSHAKE_S: Final = 30.0
"""How long a handshake may take, whether or not somebody still waits for it."""
_HANDSHAKES_END_S: Final = 0.5
"""How long handshakes that nobody waits for any more may go on when the pool is closed."""
_NAME_TENANT: Final = "SELECT set_config('moim.tenant', $1, true)"
_NOT_WAITING: Final = f"{_NAME_TENANT}, set_config('synchronous_commit', 'off', true)"

_PASSING_STATES: Final = (
    "08",  # the connection broke
    "25006",  # read-only: we are on a replica, for now
    "40",  # deadlock, serialisation
    "53",  # disk full, out of memory, too many connections
    "55P03",  # lock not available
    "57",  # shutting down, starting up, cancelled by an operator or a timeout
    "58",  # the server's own I/O
)
"""SQLSTATEs, or their first digits, of errors that another attempt may not meet."""

CONNECTION_ERRORS: Final = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # "cannot switch to state": the connection is dying under the call
    OSError,
    TimeoutError,
)
"""What a call to Postgres may raise through no fault of its caller."""

POOLER: Final = "a pooler in transaction mode is in between; use its session mode, or Postgres' own address"
"""What is wrong, and how to mend it, where a connection does not stay the same."""
_LOST_STATEMENTS: Final = (
    f"{POOLER}, or pgbouncer 1.21 or newer with max_prepared_statements=200 (Moim keeps 100 per connection)"
)

_HINTS: Final = {
    "26000": _LOST_STATEMENTS,  # no such prepared statement
    "42P05": _LOST_STATEMENTS,  # there is one already: another client's
    "28P01": f"check the password in DATABASE_URL ({ENCODED}; `moim migrate` makes a role that is missing)",
    "28000": "check the user in DATABASE_URL",
    "3D000": "create the database that DATABASE_URL names",
    "3F000": "run `moim migrate`",
    "42P01": "run `moim migrate`",
    "42703": "run `moim migrate`",
    "42883": "run `moim migrate`",
    "42501": "DATABASE_URL's role lacks a right: run `moim migrate` with this DATABASE_URL",
}


def translated(error: BaseException) -> PortError:
    """Return the port's error for one of asyncpg's or the system's: `Unavailable` where it may pass."""
    if isinstance(error, asyncpg.PostgresError):
        state = error.sqlstate or ""
        # Without its detail, which may quote a row, and with it what was said.
        text = f"Postgres: {error.args[0] if error.args else error!r} ({state})"
        if state.startswith(_PASSING_STATES):
            return Unavailable(text)
        hint = _HINTS.get(state)
        return Refused(f"{text}: {hint}" if hint else text)
    if isinstance(error, TimeoutError):
        return Unavailable("Postgres did not answer in time")
    if isinstance(error, ValueError):  # before InterfaceError: asyncpg's errors of data are both
        return Refused(f"Postgres: {error}")
    if isinstance(error, OSError | asyncpg.InterfaceError | asyncpg.InternalClientError):
        return Unavailable(f"Postgres cannot be reached: {why_unreached(error)}")
    return Refused(f"Postgres: {error!r}")


def demand_url(url: str) -> None:
    """Raise `Refused` where `url` is no address of a Postgres; the text never quotes it, for its password."""
    try:
        parts = urlsplit(url)
        well_formed = parts.scheme in {"postgresql", "postgres"} and parts.port != 0
    except ValueError:
        well_formed = False
    if not well_formed:
        raise Refused(
            "not an address of the form postgresql://USER:PASSWORD@HOST:PORT/DATABASE "
            "(special characters in the password are written as %XX)"
        )


async def _given_back(pool: asyncpg.Pool[asyncpg.Record], connection: Connection) -> None:
    """Give a connection back to its pool, also where whoever waits for that is cancelled.

    A server that stands still lets this fail behind the canceller's back; asyncpg's own `async with` would
    leave that error to be told by asyncio.
    """
    giving = asyncio.ensure_future(pool.release(connection))
    giving.add_done_callback(lambda done: done.cancelled() or done.exception())
    await asyncio.shield(giving)


async def _keep_as_is(_connection: Any) -> None:
    """Do what a connection needs before its next use: nothing."""


class PostgresPool:
    """The connections of one process to one database, for one tenant.

    Whatever is called, or goes wrong in a block, raises `Unavailable` where another attempt may help, else
    `Refused`.
    """

    def __init__(
        self, url: str, tenant: str = "default", *, max_size: int = 3, deadline_s: float = 5.0
    ) -> None:
        self.url = url
        self.tenant = tenant
        self._max_size = max_size
        self._deadline_s = deadline_s
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        self._abandoned: set[asyncio.Future[asyncpg.Connection[asyncpg.Record]]] = set()

    @asynccontextmanager
    async def connection(self, deadline_s: float | None = None) -> AsyncIterator[Connection]:
        """Give a connection, outside a transaction, for a block that may take `deadline_s` in all."""
        limit_s = deadline_s or self._deadline_s
        try:
            async with asyncio.timeout(limit_s):
                pool = await self._open()
                connection = await pool.acquire(timeout=limit_s)
                try:
                    yield connection
                finally:
                    await _given_back(pool, connection)
        except PortError:
            raise
        except (*CONNECTION_ERRORS, ValueError) as error:
            raise translated(error) from error

    @asynccontextmanager
    async def transaction(
        self, *, deadline_s: float | None = None, read_only: bool = False, lasting: bool = True
    ) -> AsyncIterator[Connection]:
        """Give a transaction that sees this tenant's rows; a read-only one sees one moment throughout.

        `lasting=False`: its commit does not wait for the disk. A crash of the server may take back what
        was so committed in the second before, in order: for what can be made again.
        """
        async with (
            self.connection(deadline_s) as connection,
            connection.transaction(
                isolation="repeatable_read" if read_only else "read_committed", readonly=read_only
            ),
        ):
            await connection.execute(_NAME_TENANT if lasting else _NOT_WAITING, self.tenant)
            yield connection

    async def call(self, statement: str, *arguments: Any) -> Any:
        """Return one value of a statement that names its tenant ($1) itself: one round trip is enough."""
        async with self.connection() as connection:
            return await connection.fetchval(statement, self.tenant, *arguments)

    async def rows(
        self, statement: str, *arguments: Any, read_only: bool = False, deadline_s: float | None = None
    ) -> list[asyncpg.Record]:
        """Return all rows of a statement, in a transaction of its own; its first parameter is the tenant."""
        async with self.transaction(read_only=read_only, deadline_s=deadline_s) as connection:
            return await connection.fetch(statement, self.tenant, *arguments)

    async def row(self, statement: str, *arguments: Any, read_only: bool = False) -> asyncpg.Record | None:
        """Return the first row of a statement (see `rows`); None where it has none."""
        async with self.transaction(read_only=read_only) as connection:
            return await connection.fetchrow(statement, self.tenant, *arguments)

    async def value(self, statement: str, *arguments: Any, read_only: bool = False) -> Any:
        """Return the first value of the first row of a statement (see `rows`); None where it has no row."""
        async with self.transaction(read_only=read_only) as connection:
            return await connection.fetchval(statement, self.tenant, *arguments)

    async def run(self, statement: str, *arguments: Any) -> None:
        """Run a statement that returns nothing (see `rows`)."""
        async with self.transaction() as connection:
            await connection.execute(statement, self.tenant, *arguments)

    async def connect(self, *where: Any, **how: Any) -> asyncpg.Connection[asyncpg.Record]:
        """Connect as `asyncpg.connect`; if the caller is cancelled, the handshake still comes to its end.

        asyncpg that is cancelled between its socket and its handshake leaves a future behind whose error
        nobody looks at, and asyncio tells of that when the process ends. Its own timeout does so, too, where
        the loop stood still for that long: so it has a long one, and the caller's is another.
        """
        connecting = asyncio.ensure_future(asyncpg.connect(*where, **{**how, "timeout": _HANDSHAKE_S}))
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            self._abandoned.add(connecting)
            connecting.add_done_callback(self._throw_away)
            raise

    def _throw_away(self, connected: asyncio.Future[asyncpg.Connection[asyncpg.Record]]) -> None:
        self._abandoned.discard(connected)
        if not connected.cancelled() and connected.exception() is None:
            connected.result().terminate()

    async def aclose(self) -> None:
        """Close the connections; what still runs after 2 s is cut off."""
        if self._abandoned:
            await asyncio.wait(self._abandoned, timeout=_HANDSHAKES_END_S)
            for connecting in self._abandoned:
                connecting.cancel()
            await asyncio.gather(*self._abandoned, return_exceptions=True)
        pool, self._pool = self._pool, None
        if pool is not None:
            try:
                async with asyncio.timeout(2):
                    await pool.close()
            except TimeoutError:
                pool.terminate()

    async def _open(self) -> asyncpg.Pool[asyncpg.Record]:
        async with self._opening:
            if self._pool is None:
                demand_url(self.url)
                self._pool = await asyncpg.create_pool(
                    self.url,
                    min_size=0,  # nobody restores a floor behind our back, with a traceback for every try
                    max_size=self._max_size,
                    max_inactive_connection_lifetime=0,
                    timeout=self._deadline_s,
                    command_timeout=self._deadline_s * 2,  # the deadline above comes first
                    connect=self.connect,
                    reset=_keep_as_is,
                    server_settings={"application_name": "moim"},
                )
            return self._pool


class Tables:
    """Base of the Postgres adapters: what is kept in the database for the tenant of a pool."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool
