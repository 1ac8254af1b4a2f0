"""The trials of `moim check` for Postgres: what meetings, dispatchers and migrations need of it, done once.

Each gives one line; where it does not work, it raises what is wrong and how to mend it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from context.ports import PortError, Refused
from worker.bootstrap.database import database, try_owners_lock
from worker.configuration.settings import Settings

_DISPATCHERS: Final = (
    "give `moim dispatcher` Postgres' own address, or that of a pooler in session mode: by this one it is "
    "not woken, and looks for meetings only twice a second"
)
Trial = Callable[[Settings], Awaitable[str]]


async def _statements(settings: Settings) -> str:
    async with database(settings) as tables:
        if await tables.trials.statements():
            return "a prepared statement works in transaction after transaction"
        return "a prepared statement works in transaction after transaction, on changing connections"


async def _lease(settings: Settings) -> str:
    async with database(settings) as tables:
        await tables.trials.lease()
    return "a meeting's lease is taken, renewed and let go (rolled back)"


async def _lock(settings: Settings) -> str:
    async with database(settings) as tables:
        await tables.trials.lock()
    return "an advisory lock keeps others out as long as its transaction"


async def _listen(settings: Settings) -> str:
    async with database(settings) as tables:
        if await tables.trials.listen():
            return "LISTEN hears what another connection notifies: a dispatcher is woken at once"
        with suppress(PortError):
            if not await tables.trials.statements():
                return f"LISTEN hears nothing, which is fine for a worker; {_DISPATCHERS}"
    raise Refused(f"LISTEN hears nothing: {_DISPATCHERS}")


async def _owners_lock(settings: Settings) -> str:
    await try_owners_lock(settings)
    return "an advisory lock stays with its connection: one migration keeps another out"


_TRIALS: Final[dict[str, Trial]] = {
    "postgres statements": _statements,
    "postgres lease": _lease,
    "postgres lock": _lock,
    "postgres listen": _listen,
}


def trials(_settings: Settings) -> dict[str, Trial]:
    """The trials of DATABASE_URL by the names of their findings."""
    return _TRIALS


def owner_trials(settings: Settings) -> dict[str, Trial]:
    """The trials of DATABASE_ADMIN_URL; none without one."""
    return {"postgres-owner lock": _owners_lock} if settings.database.admin_url.get_secret_value() else {}
