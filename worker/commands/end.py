"""`moim end`: end a meeting as if everybody had left."""

from __future__ import annotations

import argparse
import asyncio

from worker import bootstrap
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError

DESCRIPTION = "Ask the meeting's holder to end it: last words, closing summary, end of the record."
EXAMPLES = """\
  moim end m-7f3a"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("meeting", metavar="MEETING", help="the meeting's id (see `moim meetings`)")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Ask; exit 2 where no such meeting is open."""
    settings.require("DATABASE_URL")
    asyncio.run(_end(args.meeting, settings))
    return DONE


async def _end(meeting_id: str, settings: Settings) -> None:
    async with bootstrap.registry(settings) as registry:
        if await registry.request_end(meeting_id):
            return
        row = await registry.get(meeting_id)
    if row is None:
        raise InputError(f"there is no meeting {meeting_id!r}: `moim meetings` lists them")
    raise InputError(f"meeting {meeting_id!r} is {row.status} already")
