"""Show how summaries shorten what the agent was asked in a meeting: the compression rate, each summary with
its turns and sizes, the totals. With --budget: the tokens that models were sent, and what the last prompt
consisted of.

Examples:
    moim thread m-7f3a
    moim thread m-7f3a --rate 0.2        shorter summaries from the next one on (while the meeting is live)
    moim thread m-7f3a --budget
    moim thread m-7f3a --json | jq .statistics
"""

from __future__ import annotations

import argparse
import asyncio
import json
import uuid
from typing import Final

from context.fold.meeting import Meeting
from context.ports import Unavailable
from context.thread.summaries import checked_rate
from context.thread.thread import as_fields, as_text
from worker.bootstrap import streams
from worker.bootstrap.database import Database
from worker.commands.name_arguments import an_id
from worker.commands.record_access import from_record, meeting_row
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError
from worker.meeting.panels import dashboard, spending
from worker.messages import AskMessage
from worker.record.restoring import load_meeting

_RATE_DEADLINE_S: Final = 10.0
_POLL_S: Final = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )
    parser.add_argument("--rate", type=float, metavar="R", help="set the compression rate, 0.1 to 0.5")
    parser.add_argument("--budget", action="store_true", help="what models were sent instead")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the thread's summaries, or with `--budget` the budget; with `--rate`, set the rate before."""
    try:
        rate = None if args.rate is None else checked_rate(args.rate)
    except ValueError as error:
        raise InputError(f"--rate: {error}") from None
    meeting = from_record(settings, lambda tables: _read(tables, args.meeting, rate, settings))
    if args.json:
        shape = spending(meeting, settings) if args.budget else as_fields(meeting.thread)
        print(json.dumps(shape, ensure_ascii=False, indent=1))
    else:
        print(dashboard(meeting, settings) if args.budget else as_text(meeting.thread))
    return DONE


async def _read(tables: Database, meeting_id: str, rate: float | None, settings: Settings) -> Meeting:
    row, store = await meeting_row(tables, meeting_id), tables.record
    if rate is None:
        return await load_meeting(store, meeting_id, settings)
    if row.status != "live":
        raise InputError(f"meeting {row.id!r} is {row.status}: a rate can be set while it is live")
    message = AskMessage(id=f"cli-{uuid.uuid4().hex[:12]}", by="cli", text=f"/rate {rate:g}")
    async with streams.bus(settings) as bus:
        await bus.ask(row.id, message)
    try:
        async with asyncio.timeout(_RATE_DEADLINE_S):
            while True:
                meeting = await load_meeting(store, meeting_id, settings)
                if meeting.thread.policy.compression_rate == rate:
                    return meeting
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        raise Unavailable(
            f"the holder of meeting {meeting_id!r} set no rate in {_RATE_DEADLINE_S:.0f} s: see its log"
        ) from None
