"""Show who did what with the meetings: read, exported, shared, corrected, erased. The newest comes first.

Examples:
    moim audit
    moim audit --meeting m-7f3a
    moim audit --who minji                       as a user, a participant or an operator
    moim audit --who program --since 2026-11-01 --json
    moim audit --who "user minji"
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import structlog

from context.events.actors import operator
from context.ports import PortError
from stt.files.bad_input import BadInput
from worker.audit_log import Deed, login
from worker.commands.record_access import from_record
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError

log = structlog.get_logger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--meeting", metavar="ID", help="only what was done with this meeting")
    parser.add_argument("--who", metavar="NAME", help="only what they did, as `who` is shown")
    parser.add_argument("--since", metavar="DATE", help="only from this day or moment on (ISO 8601)")
    parser.add_argument("--limit", metavar="N", type=int, default=100, help="at most N rows (default 100)")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the rows of the audit log that fit, as lines or as JSON."""
    if args.limit < 1:
        raise InputError(f"--limit {args.limit}: give a number of rows above 0")
    since = _moment(args.since) if args.since else None
    rows = from_record(
        settings,
        lambda tables: tables.audit.newest(
            meeting_id=args.meeting, who=args.who, since=since, limit=args.limit
        ),
    )
    if args.json:
        print(json.dumps([row.model_dump(mode="json") for row in rows], ensure_ascii=False, indent=2))
    else:
        for row in rows:
            about = " ".join(part for part in (row.meeting_id, row.subject) if part)
            print(f"{row.at:%Y-%m-%d %H:%M:%S}Z  {row.who:<28} {row.how:<10} {row.action:<16} {about}")
    return DONE


def user() -> str:
    """The login of whoever calls this command, as the system has it, whatever LOGNAME says."""
    return login(os.getuid())


@contextmanager
def noted(settings: Settings, action: str, *, meeting: str | None, person: str | None) -> Iterator[None]:
    """Add to the audit log that this user calls the command `action`, and carry it out in the block.

    Raises `PortError` where the row cannot be written: then nothing is read out, and nothing is changed. A
    command that refuses what it was given has a second row, `export_refused`.
    """
    deed = Deed(
        who=operator(user()).known_as, how="command", action=action, meeting_id=meeting, subject=person
    )

    def note(deed: Deed) -> None:
        from_record(settings, lambda tables: tables.audit.note(deed))

    note(deed)
    try:
        yield
    except (InputError, BadInput):
        try:
            note(deed.model_copy(update={"action": f"{action}_refused"}))
        except PortError as error:
            log.warning("audit_not_written", action=f"{action}_refused", error=str(error))
        raise


def _moment(text: str) -> datetime:
    try:
        since = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"--since {text}: give a day or a moment, such as 2026-11-01") from error
    return since if since.tzinfo else since.replace(tzinfo=UTC)
