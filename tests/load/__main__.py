"""`python -m tests.load NAME [--meetings N …] [--seconds S] [--json]`: loads on this machine, and their tables."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from tests.load.text import Row, text
from worker.bench.processes import load


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
    args = parser.parse_args()
    return _text(args)


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


def _line(row: Row) -> str:
    return (
        f"{row.meetings:4d} meetings {'✓' if row.met else '✗'}  lag p50 {row.lag_ms_p50:.0f} p95 {row.lag_ms_p95:.0f} "
        f"p99 {row.lag_ms_p99:.0f} max {row.lag_ms_max:.0f} ms, loop p99 ≤ {row.loop_ms_p99:.0f} ms, "
        f"{row.turns} turns, {row.lost} lost, {row.doubled} doubled, held after {row.held_s:.1f} s; cores: "
        f"worker {row.cpu_worker:.2f}, embeddings {row.cpu_embeddings:.2f}, Postgres {row.cpu_postgres:.2f}, "
        f"Valkey {row.cpu_valkey:.2f}, feeder {row.cpu_feeder:.2f}, others {row.cpu_others:.2f}; "
        f"{row.rss_mb_per_meeting:.2f} MB a meeting of {row.rss_mb:.0f}; feeder late {row.feeder_late_ms:.0f} ms; {load()}"
    )


if __name__ == "__main__":
    sys.exit(main())
