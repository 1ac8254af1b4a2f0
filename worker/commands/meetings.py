"""List the meetings: wanted, live, ended, failed, and who holds them.

Examples:
    moim meetings
    moim meetings --json | jq '.[] | select(.status == "live")'
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from worker.commands.printing import in_columns
from worker.commands.record_access import from_record
from worker.configuration.settings import Settings
from worker.errors import DONE
from worker.ports import MeetingRow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="as a JSON list")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the tenant's meetings, newest first, as a table or as JSON."""
    rows = from_record(settings, lambda tables: tables.registry.list_all())
    if args.json:
        print(json.dumps([row.shown() for row in rows], ensure_ascii=False, indent=1))
    else:
        print(as_table(rows))
    return DONE


def as_table(rows: Sequence[MeetingRow]) -> str:
    """The meetings as a table with a heading, one line each; "no meetings" if there are none."""
    if not rows:
        return "no meetings"
    lines = [("MEETING", "STATUS", "ROOM", "STARTED (UTC)", "HOLDER", "TITLE")]
    for row in rows:
        holder = f"{row.holder.host}:{row.holder.job_pid} (epoch {row.epoch})" if row.holder else "-"
        started = f"{row.started_at:%Y-%m-%d %H:%M:%S}" if row.started_at is not None else "-"
        note = ": ".join(filter(None, (row.title, row.reason))) or "-"
        lines.append((row.id, row.status, row.room or "(text)", started, holder, note))
    return in_columns(lines)
