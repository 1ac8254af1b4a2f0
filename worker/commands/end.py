"""End a meeting as if everybody had left: its holder transcribes the last words, writes the closing summary
and ends the record.

Examples:
    moim end m-7f3a
"""

from __future__ import annotations

import argparse

from worker.bootstrap.database import Database
from worker.commands.name_arguments import an_id
from worker.commands.record_access import from_record, meeting_row
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Ask the meeting's holder to end it. Raises `InputError` (exit 2) if no such meeting is open."""
    from_record(settings, lambda tables: _end(tables, args.meeting))
    return DONE


async def _end(tables: Database, meeting_id: str) -> None:
    if not await tables.registry.request_end(meeting_id):
        row = await meeting_row(tables, meeting_id)
        raise InputError(f"meeting {meeting_id!r} is {row.status} already")
