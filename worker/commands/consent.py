"""Tell a live meeting that a participant agrees to be heard, or does not. It takes effect at once.

Examples:
    moim consent m-7f3a minji no
    moim consent m-7f3a minji no --erase       what she has said so far goes, too
    moim consent m-7f3a minji yes
"""

from __future__ import annotations

import argparse
import asyncio
import uuid

from context.events.actors import operator
from worker.bootstrap import streams
from worker.bootstrap.database import database
from worker.commands.audit import user
from worker.commands.name_arguments import an_id
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError
from worker.messages import ConsentMessage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )
    parser.add_argument(
        "person", metavar="PERSON", type=an_id, help="the participant's id: their LiveKit identity"
    )
    parser.add_argument("agreed", choices=["yes", "no"], help="whether they agree to be heard")
    parser.add_argument("--erase", action="store_true", help="with no: delete what they have said so far")
    parser.add_argument(
        "--by", metavar="NAME", default="", help="who reports this (default: the user's name)"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Send the consent to the meeting's holder. Raises `InputError` (exit 2) if no such meeting is live."""
    settings.require("DATABASE_URL", "REDIS_URL")
    if args.erase and args.agreed == "yes":
        raise InputError("--erase goes with `no`: who agrees keeps what they have said")
    message = ConsentMessage(
        id=f"consent-{uuid.uuid4().hex[:12]}",
        person=args.person,
        agreed=args.agreed == "yes",
        erase=args.erase,
        how="command",
        by=args.by or user(),
        actor=operator(user(), args.by),
    )
    asyncio.run(_tell(args.meeting, message, settings))
    return DONE


async def _tell(meeting_id: str, message: ConsentMessage, settings: Settings) -> None:
    async with database(settings) as tables:
        row = await tables.registry.get(meeting_id)
    if row is None or row.status != "live":
        state = "there is no such meeting" if row is None else f"it is {row.status}"
        raise InputError(f"meeting {meeting_id!r}: {state}; `moim meetings` lists them")
    async with streams.bus(settings) as bus:
        await bus.ask(meeting_id, message)
