"""How commands reach the record: run one coroutine with the database, find a meeting by its id."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from worker.bootstrap.database import Database, database
from worker.configuration.settings import Settings
from worker.errors import InputError
from worker.ports import MeetingRow

T = TypeVar("T")


def from_record(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    """Run `work` with the database, on an event loop of its own, and return what it returns.

    Raises `ConfigError` if no database is set.
    """

    async def run() -> T:
        async with database(settings) as tables:
            return await work(tables)

    return asyncio.run(run())


async def meeting_row(tables: Database, meeting_id: str) -> MeetingRow:
    """The meeting `meeting_id` as the registry has it. Raises `InputError` if there is none."""
    row = await tables.registry.get(meeting_id)
    if row is None:
        raise InputError(f"there is no meeting {meeting_id!r}: `moim meetings` lists them")
    return row
