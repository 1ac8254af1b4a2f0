"""Print a meeting from its record, up to the last durable event, the open topic included.

Examples:
    moim export m-7f3a --format json > meeting.json
    moim export m-7f3a --format md
    MOIM_MINUTES_TEMPLATE=docs/minutes-templates/formal.md.j2 moim export m-7f3a --format md
    moim export m-7f3a --format vtt > meeting.vtt
"""

from __future__ import annotations

import argparse

from worker.bootstrap.database import Database
from worker.commands.name_arguments import an_id
from worker.commands.record_access import from_record, meeting_row
from worker.configuration.settings import Settings
from worker.errors import DONE
from worker.minutes.minutes_writing import demand_template
from worker.record.restoring import FORMATS, empty_document, exported, load_document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )
    parser.add_argument("--format", choices=FORMATS, required=True, help="what to print")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the meeting in the wanted format. Raises `InputError` (exit 2) for an unknown meeting."""
    print(from_record(settings, lambda tables: _read(tables, args.meeting, args.format, settings)), end="")
    return DONE


async def _read(tables: Database, meeting_id: str, form: str, settings: Settings) -> str:
    row = await meeting_row(tables, meeting_id)
    if form == "md":
        await demand_template(settings)
    shape = await load_document(tables.record, row, settings) or empty_document(row, settings)
    return await exported(shape, form, settings)
