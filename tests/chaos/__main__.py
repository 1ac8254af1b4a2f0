"""`python -m tests.chaos NAME [--seed N] [--count N] [--json] …`: figures, goals, verdict; exit 1 on a miss."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import Any

from tests.chaos.report import Report

EXPERIMENTS = {
    "kills": "SIGKILL at seeded points of text meetings; --room: of a room with real speech",
    "takeover": "deaths of worker and job in real rooms: how long until somebody goes on",
    "paused": "schedules with a paused, cut-off or slow holder, on virtual time",
    "outages": "Postgres and Redis killed under load",
    "soak": "eight hours of fifteen speakers, as fast as they can be taken in",
    "consent": "who has not agreed is heard by no worker, however they come and whoever holds the meeting",
    "sigterm": "SIGTERM at seeded points",
}


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, what in EXPERIMENTS.items():
        command = commands.add_parser(name, help=what, description=what)
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--json", action="store_true", help="one line of JSON instead of the table")
        import_module(f"tests.chaos.{name}").add_arguments(command)
    return parser


def main() -> int:
    """Run one experiment."""
    args = _arguments().parse_args()
    run: Callable[[argparse.Namespace], Coroutine[Any, Any, Report]]
    run = import_module(f"tests.chaos.{args.name}").run
    report = asyncio.run(run(args))
    report.print(as_json=args.json)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
