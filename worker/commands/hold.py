"""`moim hold`: nothing of a meeting is erased until it is let go of."""

from __future__ import annotations

import argparse
import asyncio

from worker.adapters.postgres_erasures import PostgresErasures
from worker.bootstrap import database
from worker.configuration.settings import Settings
from worker.errors import DONE

DESCRIPTION = """\
Put a meeting on (legal) hold: neither retention nor a wish to erase touches it. What is wished meanwhile
waits, and is done once the hold is lifted."""
EXAMPLES = """\
  moim hold m-7f3a
  moim hold m-7f3a --off"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("meeting", metavar="MEETING", help="the meeting's id (see `moim meetings`)")
    parser.add_argument("--off", action="store_true", help="lift it")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Do it; exit 2 where there is no such meeting."""
    settings.require("DATABASE_URL")
    asyncio.run(_hold(args.meeting, not args.off, settings))
    return DONE


async def _hold(meeting_id: str, held: bool, settings: Settings) -> None:
    async with database(settings) as pool:
        await PostgresErasures(pool).hold(meeting_id, held=held)
