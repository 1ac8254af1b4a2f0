"""Put a meeting on (legal) hold: neither retention nor a request to erase touches it. What is asked for
meanwhile waits, and is done once the hold is lifted.

Examples:
    moim hold m-7f3a
    moim hold m-7f3a --off
"""

from __future__ import annotations

import argparse

from worker.commands.name_arguments import an_id
from worker.commands.record_access import from_record
from worker.configuration.settings import Settings
from worker.errors import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )
    parser.add_argument("--off", action="store_true", help="lift the hold")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Put the meeting on hold, or lift the hold. Raises `Refused` (exit 2) if there is no such meeting."""
    from_record(settings, lambda tables: tables.erasures.hold(args.meeting, held=not args.off))
    return DONE
