"""`python -m tests.load NAME [--meetings N …] [--seconds S] [--json]`: loads on this machine, and their tables."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from tests.bench.processes import load
from tests.load.claims import claims
from tests.load.goals import goals
from tests.load.rooms import RoomRow, rooms
from tests.load.text import Row, text


def main() -> int:
    """Run one load; 1 where a goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True)
    one = names.add_parser("text", help="text-fed meetings at real pace")
    one.add_argument("--meetings", type=int, nargs="+", default=[25, 50, 100, 200, 300], metavar="N")
    one.add_argument("--seconds", type=float, default=60.0, help="of talk, for each number of meetings")
    one.add_argument("--history", type=int, default=60, help="turns that each meeting begins with")
    one.add_argument("--workers", type=int, default=1, help="processes that share the meetings")
    one.add_argument(
        "--no-fsync", action="store_true", help="without waiting for the disk, which others share"
    )
    one.add_argument("--seed", type=int, default=6)
    one.add_argument("--json", action="store_true")
    two = names.add_parser("rooms", help="rooms of four people, beside LiveKit's own example")
    two.add_argument("--rooms", type=int, nargs="+", default=[1, 2, 4, 8], metavar="N")
    two.add_argument("--seconds", type=float, default=35.0, help="of talk, for each number of rooms and side")
    two.add_argument("--sides", nargs="+", choices=["moim", "example"], default=["moim", "example"])
    two.add_argument("--json", action="store_true")
    three = names.add_parser("claims", help="what looking for meetings that nobody holds costs Postgres")
    three.add_argument("--meetings", type=int, nargs="+", default=[100, 1_000, 10_000], metavar="N")
    three.add_argument("--json", action="store_true")
    args = parser.parse_args()
    loads = {"text": _text, "rooms": _rooms, "claims": _claims}
    return loads[args.name](args)


def _claims(args: argparse.Namespace) -> int:
    print(f"claims: {load()}", file=sys.stderr)
    for meetings in args.meetings:
        took = asyncio.run(claims(meetings))
        shown = ", ".join(f"{name} {figure:g}" for name, figure in took.items())
        print(shown if not args.json else json.dumps(took), flush=True)
    return 0


def _text(args: argparse.Namespace) -> int:
    rows = []
    print(f"text: seed {args.seed}, {load()}", file=sys.stderr)
    for meetings in args.meetings:
        row = asyncio.run(
            text(
                meetings,
                args.seconds,
                history=args.history,
                workers=args.workers,
                seed=args.seed,
                durable=not args.no_fsync,
            )
        )
        rows.append(row)
        print(_line(row) if not args.json else json.dumps(row.fields()), flush=True)
    return 0 if all(row.met for row in rows) else 1


def _rooms(args: argparse.Namespace) -> int:
    print(f"rooms: {load()}", file=sys.stderr)
    rows = []
    for count in args.rooms:
        for side in args.sides:
            row = asyncio.run(rooms(side, count, args.seconds))
            rows.append(row)
            print(_room_line(row) if not args.json else json.dumps(row.fields()), flush=True)
    judged = list(goals(rows))
    for goal in judged:
        print(goal if not args.json else json.dumps({"goal": goal.text, "met": goal.met}))
    return 0 if all(goal.met for goal in judged) else 1


def _room_line(row: RoomRow) -> str:
    return (
        f"{row.side:8s}{row.rooms:3d} rooms ({row.entered} entered): {row.cpu_per_room:.3f} core a room, jobs {row.cpu_jobs:.2f}, "
        f"main {row.cpu_main:.2f}, record {row.cpu_record:.2f}, SFU {row.cpu_sfu:.2f}; {row.delivered} of {row.lines} lines, "
        f"p50 {row.line_s_p50:.2f} p95 {row.line_s_p95:.2f} max {row.line_s_max:.2f} s; {row.pss_mb_per_job:.0f} MB a job; "
        f"{row.asked} requests; crowd {row.cpu_crowd:.2f} ({row.late_s:.2f} s late), rest {row.cpu_rest:.2f}; {load()}"
    )


def _line(row: Row) -> str:
    return (
        f"{row.meetings:4d} meetings {'✓' if row.met else '✗'}  lag p50 {row.lag_ms_p50:.0f} p95 {row.lag_ms_p95:.0f} "
        f"p99 {row.lag_ms_p99:.0f} max {row.lag_ms_max:.0f} ms, loop p99 ≤ {row.loop_ms_p99:.0f} ms, "
        f"{row.turns} turns, {row.lost} lost, {row.doubled} doubled, held after {row.held_s:.1f} s; cores: "
        f"worker {row.cpu_worker:.2f}, embeddings {row.cpu_embeddings:.2f}, Postgres {row.cpu_postgres:.2f}, "
        f"Valkey {row.cpu_valkey:.2f}, feeder {row.cpu_feeder:.2f}, others {row.cpu_others:.2f}; "
        f"{row.rss_mb_per_meeting:.2f} MB a meeting of {row.rss_mb:.0f}; {row.commits_per_s:.0f} commits/s on {row.connections} connections, "
        f"{row.log_kb_per_turn:.1f} KB of log and {row.record_kb_per_turn:.1f} of record a turn; "
        f"{row.commands_per_s:.0f} commands/s on {row.redis_clients} connections, Valkey {row.redis_mb:.0f} MB; "
        f"feeder late {row.feeder_late_ms:.0f} ms; {load()} {row.complaints or ''}"
    )


if __name__ == "__main__":
    sys.exit(main())
