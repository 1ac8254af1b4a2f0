"""Erase words from the record, for good: a person's in every meeting, some turns', or a whole meeting's.
What was made of them is erased, too, and is made again from what is left. A mark says that something was
erased, by whom and when. At the end a receipt is printed. What is interrupted is finished by the dispatcher.

Examples:
    moim erase --person minji --dry-run           how many turns of hers are in which meetings
    moim erase --person minji
    moim erase --meeting m-7f3a --utterance 12 --utterance 15
    moim erase --meeting m-7f3a --person minji    only there
    moim erase --meeting m-7f3a                   all that was said there

Of a person go the words that were spoken under this id, whomever a correction shows them under. Other ids
that somebody merged with it, and lines of others that were moved to it, are listed and left: confirm them by
    moim erase --person minji --also minji-phone
    moim erase --meeting m-7f3a --person minji --line 12
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import uuid
from collections.abc import Sequence

from context.events.actors import operator
from context.events.erasure_target import Target
from context.ports import PortError
from worker.bootstrap.database import Database, database
from worker.bootstrap.parts import correcting, parts
from worker.clock import monotonic_s
from worker.commands.audit import user
from worker.commands.name_arguments import an_id
from worker.configuration.settings import Settings
from worker.erasures import Beside, Receipt
from worker.errors import DONE, FAILED, InputError
from worker.meeting.correcting import Correcting
from worker.web.rights import receipt_fields

_LOOK_EVERY_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--person", metavar="ID", type=an_id, help="a participant's id; in all meetings")
    parser.add_argument("--meeting", metavar="ID", type=an_id, help="in this meeting")
    parser.add_argument(
        "--utterance", metavar="N", type=int, action="append", default=[], help="a turn's number there"
    )
    parser.add_argument(
        "--also", metavar="ID", action="append", default=[], help="with --person: an id that is theirs, too"
    )
    parser.add_argument(
        "--line",
        metavar="N",
        type=int,
        action="append",
        default=[],
        help="with --person and --meeting: a turn of somebody else's that is theirs",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say how many turns it would be")
    parser.add_argument("--by", metavar="NAME", default="", help="who asks for it (default: the user's name)")
    parser.add_argument("--why", metavar="TEXT", default="", help="kept with the receipt")
    parser.add_argument(
        "--wait", metavar="SECONDS", type=float, default=120.0, help="for live meetings (default 120)"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Erase and print the receipt; exit 1 if some meeting still waits when `--wait` is over."""
    settings.require("DATABASE_URL")
    return asyncio.run(_erase(args, _target(args), settings))


def _target(args: argparse.Namespace) -> Target:
    if args.utterance:
        if not args.meeting or args.person:
            raise InputError("--utterance: name the --meeting that it is of, and no --person")
        return Target(what="utterances", utterances=tuple(args.utterance))
    if (args.also or args.line) and not args.person:
        raise InputError("--also, --line: name the --person whose words these are")
    if args.line and not args.meeting:
        raise InputError("--line: name the --meeting that it is of")
    if args.person:
        also, lines = tuple(args.also), tuple(args.line)
        return Target(what="person", person=args.person, people=also, utterances=lines)
    if args.meeting:
        return Target(what="meeting")
    raise InputError("say what: --person ID, --meeting ID, or --meeting ID with --utterance N")


async def _erase(args: argparse.Namespace, target: Target, settings: Settings) -> int:
    async with parts(settings) as shared, database(settings) as tables:
        erasures = tables.erasures
        target = await erasures.meant(target, args.meeting)
        if target.person is not None:
            _list_beside(target, await erasures.beside(target.person, args.meeting))
        if args.dry_run:
            _print({"target": target.what, "meetings": await erasures.preview(target, args.meeting)})
            return DONE
        id_, actor = uuid.uuid4().hex, operator(user(), args.by)
        meetings = await erasures.ask(target, id_=id_, actor=actor, meeting_id=args.meeting, why=args.why)
        _say(f"erasure {id_}: {meetings} meeting(s)")
        until_s = monotonic_s() + args.wait
        receipt = await _carried_out(tables, correcting(shared, tables), id_, until_s)
        _print(receipt_fields(receipt))
        return DONE if receipt.done else FAILED


def _list_beside(target: Target, others: Sequence[Beside]) -> None:
    """Say what is shown as the person's, or merged with them, and not confirmed: it is left as it is."""
    for other in others:
        merged = [one for one in other.merged if one not in target.people]
        moved = [number for number in other.moved_here if number not in target.utterances]
        if merged:
            _say(f"  {other.meeting_id}: left, merged with them: {', '.join(merged)} (--also confirms)")
        if moved:
            numbers = ", ".join(map(str, moved))
            _say(
                f"  {other.meeting_id}: left, spoken by others and moved to them: {numbers} (--line confirms)"
            )
        if other.moved_away:
            numbers = ", ".join(map(str, other.moved_away))
            _say(f"  {other.meeting_id}: theirs, though shown under others: {numbers}")


async def _carried_out(tables: Database, rewriting: Correcting, id_: str, until_s: float) -> Receipt:
    """Rewrite the meetings that are over, and wait until the holders of the others have; the last receipt.

    A meeting that is on hold is not waited for, and nothing is after the moment `until_s`.
    """
    erasures = tables.erasures
    told_meetings: set[str] = set()
    on_hold: set[str] = set()
    while True:
        receipt = await erasures.receipt(id_)
        assert receipt is not None
        waiting: list[str] = []
        for step in receipt.steps:
            done, held = step.done_at is not None, step.meeting_id in on_hold
            if not done and not held:
                waiting.append(step.meeting_id)
            elif step.meeting_id not in told_meetings:
                told_meetings.add(step.meeting_id)
                happened = step.refused or f"{step.counts.get('utterances', 0)} turn(s) emptied"
                if not done:
                    happened = "on hold, so nothing of it is erased before the hold is lifted"
                _say(f"  {step.meeting_id}: {happened}")
        if not waiting or monotonic_s() > until_s:
            return receipt
        for meeting_id in waiting:
            if not await erasures.waiting(meeting_id):  # on hold, or done just now: the next receipt tells
                on_hold.add(meeting_id)
                continue
            row = await tables.registry.get(meeting_id)
            if row is not None and row.status in {"ended", "failed"}:
                try:
                    await rewriting.erase(meeting_id)
                except PortError as error:
                    _say(f"  {meeting_id}: waits ({error})")
        await asyncio.sleep(_LOOK_EVERY_S)


def _print(answer: object) -> None:
    print(json.dumps(answer, ensure_ascii=False, indent=2))


def _say(text: str) -> None:
    print(text, file=sys.stderr)
