"""How commands reach the record: run one coroutine on a connection pool, find a meeting by its id."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.bootstrap import database
from worker.configuration.settings import Settings
from worker.errors import InputError
from worker.ports import MeetingRow

T = TypeVar("T")


def from_record(settings: Settings, work: Callable[[PostgresPool], Awaitable[T]]) -> T:
    """Run `work` with a pool of connections, on an event loop of its own, and return what it returns.

    Raises `ConfigError` if no database is set.
    """

    async def run() -> T:
        async with database(settings) as pool:
            return await work(pool)

    return asyncio.run(run())


async def meeting_row(pool: PostgresPool, meeting_id: str) -> MeetingRow:
    """The meeting `meeting_id` as the registry has it. Raises `InputError` if there is none."""
    row = await PostgresRegistry(pool).get(meeting_id)
    if row is None:
        raise InputError(f"there is no meeting {meeting_id!r}: `moim meetings` lists them")
    return row
