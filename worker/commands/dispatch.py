"""Want Moim in a room, or a text meeting without one. The dispatcher finds the meeting a worker, however long
that takes. The same room again, while its meeting is open, is the same meeting.

Examples:
    moim dispatch standup
    moim dispatch standup --title "주간 회의"
    moim dispatch --text --meeting chat-42     fed through Redis, without a room
"""

from __future__ import annotations

import argparse
import json
import sys
from urllib.parse import quote

from context.ports import Refused
from worker.bootstrap.database import Database
from worker.commands.names import a_room, an_id
from worker.commands.record import from_record
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError
from worker.ports import MeetingRow

_LONGEST_DAYS = 36_500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "room", nargs="?", metavar="ROOM", type=a_room, help="LiveKit room; made if there is none"
    )
    parser.add_argument("--meeting", metavar="ID", type=an_id, help="the meeting's id; default: a new one")
    parser.add_argument("--title", metavar="T", help="its title")
    parser.add_argument("--keep", metavar="DAYS", type=int, help="erase its words so many days after its end")
    parser.add_argument("--text", action="store_true", help="a meeting without a room")
    parser.add_argument(
        "--standby",
        action="store_true",
        help="a second job listens beside the first and takes over without a gap",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write the meeting down as wanted, and print `{"meeting_id": …, "room": …}`."""
    if args.text and (args.room or not args.meeting):
        raise InputError("dispatch --text takes --meeting ID and no room")
    if not args.text and not args.room:
        raise InputError("dispatch needs a ROOM, or --text --meeting ID")
    if args.keep is not None and not 1 <= args.keep <= _LONGEST_DAYS:
        raise InputError(f"--keep {args.keep}: from 1 to {_LONGEST_DAYS} days")
    if args.text and args.standby:
        raise InputError(
            "dispatch --standby is for meetings in rooms: a text meeting's stream waits by itself"
        )
    row = from_record(settings, lambda tables: _want(tables, args))
    print(json.dumps({"meeting_id": row.id, "room": row.room}, ensure_ascii=False))
    if pages := settings.pages.url.rstrip("/"):
        may_speak = ", and speak in it" if row.room else ""
        print(f"look at it{may_speak}: {pages}/m/{quote(row.id, safe='')}", file=sys.stderr)
    return DONE


async def _want(tables: Database, args: argparse.Namespace) -> MeetingRow:
    try:
        row = await tables.registry.want(args.room, meeting_id=args.meeting, title=args.title)
        if args.keep is not None:
            await tables.erasures.keep(row.id, args.keep)
        if args.standby:
            await tables.standbys.want(row.id)
    except Refused as error:  # an ended meeting, an impossible id
        raise InputError(str(error)) from error
    return row
