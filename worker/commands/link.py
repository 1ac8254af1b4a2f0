"""Print a link to one meeting's page. Whoever has the link may look at this meeting alone, or with --edit
correct it, until the link expires or is withdrawn. It is shown once: only a digest of its secret is kept.

Examples:
    moim link m-7f3a                     to look, for a week
    moim link m-7f3a --edit --for 12h    to edit, until tonight
    moim link m-7f3a --list
    moim link m-7f3a --withdraw 5c1d09ab
"""

from __future__ import annotations

import argparse
import re
from datetime import timedelta
from typing import Final

from worker.bootstrap.database import Database
from worker.commands.name_arguments import an_id
from worker.commands.printing import in_columns
from worker.commands.record_access import from_record, meeting_row
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError
from worker.web.sharing import MAX_LIFETIME, path_of

_UNITS: Final = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_SPAN: Final = re.compile(r"(\d{1,6})([mhd])")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )
    parser.add_argument("--edit", action="store_true", help="whoever opens it may edit, and speak")
    parser.add_argument(
        "--for", dest="lasting", default="7d", metavar="SPAN", help="how long: 30m, 12h, 7d (default)"
    )
    others = parser.add_mutually_exclusive_group()
    others.add_argument("--list", action="store_true", help="list the links that still open the meeting")
    others.add_argument("--withdraw", metavar="LINK", help="make this link (its id) invalid")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print a new link, the list of links, or which link was withdrawn."""
    print(from_record(settings, lambda tables: _link(tables, args, settings)))
    return DONE


async def _link(tables: Database, args: argparse.Namespace, settings: Settings) -> str:
    await meeting_row(tables, args.meeting)
    links = tables.links
    if args.list:
        standing = await links.standing(args.meeting)
        lines = [("LINK", "MAY", "UNTIL (UTC)")]
        lines += [
            (each.id, "edit" if each.may_edit else "look", f"{each.expires_at:%Y-%m-%d %H:%M}")
            for each in standing
        ]
        return in_columns(lines) if standing else "no link opens it"
    if args.withdraw is not None:
        if not await links.withdraw(args.meeting, args.withdraw):
            raise InputError(f"--withdraw {args.withdraw}: no such link opens it: see --list")
        return f"link {args.withdraw} opens nothing any more"
    settings.require("MOIM_PAGES_URL")
    link, secret = await links.make(args.meeting, may_edit=args.edit, lasting=_span(args.lasting))
    return f"{settings.pages.url.rstrip('/')}{path_of(link, secret)}"


def _span(text: str) -> timedelta:
    match = _SPAN.fullmatch(text)
    span = int(match[1]) * _UNITS[match[2]] if match else timedelta()  # 0 is refused just below
    if not timedelta(minutes=1) <= span <= MAX_LIFETIME:
        raise InputError(
            f"--for {text}: give a span such as 30m, 12h or 7d, a minute to {MAX_LIFETIME.days} days"
        )
    return span
