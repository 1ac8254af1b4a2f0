"""`moim export`: a meeting from its record."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any
from zoneinfo import ZoneInfo

from worker import bootstrap
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError
from worker.record.restoring import FORMATS, exported, unspoken, written

DESCRIPTION = "Print a meeting from its record, up to the last durable event, the open topic included."
EXAMPLES = """\
  moim export m-7f3a --format json > meeting.json
  moim export m-7f3a --format md
  moim export m-7f3a --format vtt > meeting.vtt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("meeting", metavar="MEETING", help="the meeting's id (see `moim meetings`)")
    parser.add_argument("--format", choices=FORMATS, required=True, help="what to print")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print it; exit 2 for an unknown meeting."""
    shape = asyncio.run(_read(args.meeting, settings))
    print(written(shape, args.format, zone=ZoneInfo(settings.agent.time_zone)), end="")
    return DONE


async def _read(meeting_id: str, settings: Settings) -> dict[str, Any]:
    async with bootstrap.database(settings) as pool:
        row = await PostgresRegistry(pool).get(meeting_id)
        if row is None:
            raise InputError(f"there is no meeting {meeting_id!r}: `moim meetings` lists them")
        return await exported(PostgresStore(pool), row, settings) or unspoken(row, settings)
