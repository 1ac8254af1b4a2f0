"""Want Moim in a room, or a text meeting without one. The dispatcher finds the meeting a worker, however long
that takes. The same room again, while its meeting is open, is the same meeting.

Examples:
    moim dispatch standup
    moim dispatch standup --title "주간 회의"
    moim dispatch standup --e2ee-key-file key   a room with end-to-end encryption
    moim dispatch --text --meeting chat-42     fed through Redis, without a room
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from urllib.parse import quote

from pydantic import SecretStr

from context.ports import Refused
from context.primitives.text import one_line
from worker.bootstrap.database import Database
from worker.commands.name_arguments import a_room, an_id
from worker.commands.record_access import from_record
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError
from worker.names import MAX_KEY_CHARS, key_fault
from worker.ports import MeetingRow

_MAX_DAYS = 36_500
_MAX_READ_CHARS = 2 * MAX_KEY_CHARS
"""So many characters of a file are read: one more than a key may have tells that it has too many."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "room", nargs="?", metavar="ROOM", type=a_room, help="LiveKit room; made if there is none"
    )
    parser.add_argument("--meeting", metavar="ID", type=an_id, help="the meeting's id; default: a new one")
    parser.add_argument("--title", metavar="T", help="its title")
    parser.add_argument("--keep", metavar="DAYS", type=int, help="erase its words so many days after its end")
    parser.add_argument(
        "--e2ee-key-file",
        metavar="FILE",
        type=Path,
        help="holds the passphrase of an end-to-end encrypted room (-: standard input); or MOIM_E2EE_KEY",
    )
    parser.add_argument(
        "--e2ee-key", nargs="?", const="", help=argparse.SUPPRESS
    )  # refused, without a letter
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
    if args.keep is not None and not 1 <= args.keep <= _MAX_DAYS:
        raise InputError(f"--keep {args.keep}: from 1 to {_MAX_DAYS} days")
    if args.text and args.standby:
        raise InputError(
            "dispatch --standby is for meetings in rooms: a text meeting's stream waits by itself"
        )
    key = _key(args, settings)
    row = from_record(settings, lambda tables: _want(tables, args, key))
    print(json.dumps({"meeting_id": row.id, "room": row.room}, ensure_ascii=False))
    if pages := settings.pages.url.rstrip("/"):
        may_speak = ", and speak in it" if row.room else ""
        print(f"look at it{may_speak}: {pages}/m/{quote(row.id, safe='')}", file=sys.stderr)
    return DONE


def _key(args: argparse.Namespace, settings: Settings) -> SecretStr | None:
    """Read the key of an encrypted room, which no list of processes shows. Raises `InputError`."""
    file: Path | None = args.e2ee_key_file
    if args.e2ee_key is not None:
        raise InputError(
            "dispatch --e2ee-key: everybody on this machine sees a key among the arguments; "
            "write it into a file, for --e2ee-key-file FILE, and choose another one"
        )
    if args.text:
        if file is not None:
            raise InputError("dispatch --e2ee-key-file is for meetings in rooms")
        return None
    if file is None:
        return _of_environment(settings.livekit.e2ee_key)
    try:
        text = sys.stdin.read(_MAX_READ_CHARS) if str(file) == "-" else _first_of(file)
    except OSError as error:  # what is no file may be the key itself
        raise InputError(
            f"--e2ee-key-file: {error.strerror}; name a file that holds the key, or - for standard input"
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"--e2ee-key-file {file}: it is no text in UTF-8") from None
    key = text.removesuffix("\n").removesuffix("\r")
    if (fault := key_fault(key)) is not None:
        raise InputError(f"--e2ee-key-file {file}: the key {fault}")
    return SecretStr(key)


def _of_environment(key: SecretStr) -> SecretStr | None:
    if not (text := key.get_secret_value()):
        return None
    if (fault := key_fault(text)) is not None:
        raise InputError(f"MOIM_E2EE_KEY: the key {fault}")
    return key


def _first_of(file: Path) -> str:
    with file.open(encoding="utf-8-sig") as opened:  # some editors put a mark before the text
        return opened.read(_MAX_READ_CHARS)


async def _want(tables: Database, args: argparse.Namespace, key: SecretStr | None) -> MeetingRow:
    try:
        meeting_id, title = one_line(args.meeting or ""), one_line(args.title or "")
        row = await tables.registry.want(
            args.room, meeting_id=meeting_id or None, title=title or None, key=key
        )
        if args.keep is not None:
            await tables.erasures.keep(row.id, args.keep)
        if args.standby:
            await tables.standbys.want(row.id)
    except Refused as error:  # an ended meeting, an impossible id
        raise InputError(str(error)) from error
    return row
