"""What `moim check` tries in Postgres: what meetings, dispatchers and migrations do there.

All of it works with Postgres itself. A pooler in between may break it: in transaction mode it gives each
transaction whatever connection is free, and prepared statements, LISTEN and a session's locks stay behind.
An idle pooler nearly always gives the same one, and nothing is seen; hence others are kept busy meanwhile.
Whatever is written is rolled back.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from context.ports import Refused, Unavailable
from worker.adapters.postgres_pool import CONNECTION_ERRORS, POOLER, PostgresPool, translated
from worker.adapters.sql import statements
from worker.clock import happens
from worker.ports import Holder

if TYPE_CHECKING:
    from worker.adapters.postgres_pool import Connection

_LEASES: Final = statements("leases")
_REGISTRY: Final = statements("registry")
_BACKEND: Final = "SELECT pg_backend_pid()"
_UNLOCK: Final = "pg_advisory_unlock($1)"
_OTHER_CONNECTIONS: Final = 2
"""So many others at once move us to another connection, whether the pooler takes the newest or the oldest."""
_WAIT_S: Final = 3.0
"""What is not there after so long does not come."""
_TTL_S: Final = 5.0


class PostgresTrials:
    """Trials with the app's role, on a pool of at least three connections. Each raises `PortError`."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def statements(self) -> bool:
        """Use a prepared statement in several transactions, while others are under way.

        Returns whether all were on one connection of Postgres'; False: a pooler brings statements along.
        """
        async with self._pool.connection() as ours, AsyncExitStack() as others:
            first = await ours.fetchval(_BACKEND)
            backends = {first}
            for _ in range(_OTHER_CONNECTIONS):
                try:
                    async with asyncio.timeout(_WAIT_S):
                        await others.enter_async_context(self._pool.transaction())
                        backends.add(await ours.fetchval(_BACKEND))
                except TimeoutError as error:
                    raise Unavailable(
                        "two transactions do not go on at once: give the pooler more connections to Postgres "
                        "(pgbouncer: default_pool_size), three for each process of Moim"
                    ) from error
        return backends == {first}

    async def lease(self) -> None:
        """Take a meeting's lease, keep it, and let it go to another, in a transaction that is rolled back."""
        meeting_id, tenant = f"moim-check-{secrets.token_hex(8)}", self._pool.tenant
        ours, theirs = (
            Holder(host="moim check", worker_pid=pid, job_pid=pid).model_dump_json() for pid in (1, 2)
        )
        async with self._pool.connection() as connection, _rolled_back(connection):

            async def ask(statement: str, *arguments: Any) -> Any:
                return await connection.fetchval(statement, tenant, *arguments)

            await ask(_REGISTRY["tenant"])
            await ask(_REGISTRY["want"], None, meeting_id, meeting_id, None)
            epoch = await ask(_LEASES["acquire"], meeting_id, ours, _TTL_S)
            refused = await ask(_LEASES["acquire"], meeting_id, theirs, _TTL_S)
            renewed = await ask(_LEASES["renew"], meeting_id, epoch, _TTL_S, None)
            await ask(_LEASES["release"], meeting_id, epoch)
            later = await ask(_LEASES["acquire"], meeting_id, theirs, _TTL_S)
            fenced = await ask(_LEASES["renew"], meeting_id, epoch, _TTL_S, None)
        if (refused, renewed, fenced) != (0, False, None) or not later > epoch > 0:
            raise Refused("a meeting's lease is not taken, kept and let go as it should: run `moim migrate`")

    async def lock(self) -> None:
        """Lock out another connection by an advisory lock of a transaction, and let it in afterwards."""
        key = secrets.randbits(62)
        async with self._pool.transaction() as ours:
            await ours.execute("SELECT pg_advisory_xact_lock($1)", key)
            if await self._may_lock(key):
                raise Refused(
                    "an advisory lock keeps nobody out: does DATABASE_URL always lead to the same Postgres?"
                )
        if not await self._may_lock(key):
            raise Refused("an advisory lock outlives its transaction: is DATABASE_URL a Postgres?")

    async def _may_lock(self, key: int) -> bool:
        async with self._pool.transaction() as other:
            return bool(await other.fetchval("SELECT pg_try_advisory_xact_lock($1)", key))

    async def listen(self) -> bool:
        """Whether a connection that listens hears what another one notifies, as a dispatcher has to."""
        channel, news = f"moim_check_{secrets.token_hex(8)}", asyncio.Event()

        def hear(*_told: object) -> None:
            news.set()

        async with _connected(self._pool.url) as listening:
            await listening.add_listener(channel, hear)
            async with self._pool.connection() as other:
                await other.execute("SELECT pg_notify($1, '')", channel)
            return await happens(news, _WAIT_S)


async def try_session_lock(admin_url: str) -> None:
    """Hold an advisory lock on one connection over the transactions of another, as `moim migrate` does.

    Raises `PortError` where the two are not sessions of their own.
    """
    key, shared, moved = secrets.randbits(62), False, False
    async with _connected(admin_url) as ours, AsyncExitStack() as others:
        backend = await ours.fetchval(_BACKEND)
        await ours.execute("SELECT pg_advisory_lock($1)", key)
        for _ in range(_OTHER_CONNECTIONS):
            other = await others.enter_async_context(_connected(admin_url))
            await others.enter_async_context(other.transaction())
            if await other.fetchval(
                "SELECT pg_try_advisory_lock($1)", key
            ):  # it is our session: let go of both
                shared = True
                await other.execute(f"SELECT {_UNLOCK}, {_UNLOCK}", key)
            moved = moved or backend != await ours.fetchval(_BACKEND)
        unlocked = not (shared or moved) and await ours.fetchval(f"SELECT {_UNLOCK}", key)
    if not unlocked:
        raise Refused(
            f"an advisory lock does not stay with its connection: {POOLER}. Two runs of `moim migrate` "
            "would not wait for each other"
        )


@asynccontextmanager
async def _rolled_back(connection: Connection) -> AsyncIterator[None]:
    """Run the block in a transaction that leaves nothing."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[asyncpg.Connection[Any]]:
    """Connect for the block, outside any pool of ours. Raises `PortError`."""
    try:
        connection = await asyncpg.connect(url, timeout=5, command_timeout=5)
        try:
            yield connection
        finally:
            connection.terminate()
    except CONNECTION_ERRORS as error:
        raise translated(error) from error
