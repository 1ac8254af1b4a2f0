"""`python -m tests.security injections|tenancy|doors [--seed N]`: figures, and exit 1 where there is an effect."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import time
from collections.abc import Sequence
from typing import Any

import structlog


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.security", description=__doc__)
    parser.add_argument("suite", choices=["injections", "tenancy", "doors"])
    parser.add_argument("--seed", type=int, default=1, help="draws the cases by rule, or the reads (1)")
    parser.add_argument("--count", type=int, help="cases by rule (230), or reads (10,000)")
    parser.add_argument("--only", metavar="NAME", action="append", help="of the doors, this one alone")
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.CRITICAL)
    began_s = time.monotonic()
    if args.suite == "injections":
        figures, failed = _injections(args.seed, 230 if args.count is None else args.count)
    elif args.suite == "tenancy":
        figures, failed = _tenancy(args.seed, args.count or 10_000)
    else:
        figures, failed = _doors(args.seed, args.only)
    figures["seconds"] = round(time.monotonic() - began_s, 1)
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    return 1 if failed else 0


def _injections(seed: int, count: int) -> tuple[dict[str, Any], bool]:
    from tests.security.cases import by_hand
    from tests.security.injections import by_kind, run

    result = run(count, seed)
    for case, route, effect in result.found:
        print(f"{case} ({route}) {effect.kind}: {effect.detail[:200]!r}", file=sys.stderr)
    figures = {
        "suite": "injections",
        "seed": seed,
        "by_hand": len(by_hand()),
        "by_rule": count,
        "channels": dict(result.cases),
        "meetings_played": result.runs,
        "prompts_obeyed": result.obeyed,
        "effects": len(result.found),
        "effects_by_kind": {f"{route} {kind}": n for (route, kind), n in by_kind(result.found).items()},
        "real_decisions": result.genuine,
        "real_decisions_lost": result.lost,
    }
    return figures, bool(result.found or result.lost)


def _tenancy(seed: int, count: int) -> tuple[dict[str, Any], bool]:
    from tests.security.doors import attack
    from tests.security.tenancy import with_servers

    result = asyncio.run(with_servers(seed, count))
    doors = asyncio.run(attack("tenants", seed))  # Redis, HTTP, push, the command line
    for line in [*result.foreign[:50], *doors.got_in[:50]]:
        print(line, file=sys.stderr)
    figures = {
        "suite": "tenancy",
        "seed": seed,
        **result.as_figures(),
        "by_the_doors": {"tried": doors.tried, "got_in": len(doors.got_in), **doors.figures},
    }
    return figures, bool(result.foreign or doors.got_in)


def _doors(seed: int, only: Sequence[str] | None) -> tuple[dict[str, Any], bool]:
    from tests.security.doors import ATTACKS, attack

    figures: dict[str, Any] = {"suite": "doors", "seed": seed}
    failed = False
    for name in only or ATTACKS:
        outcome = asyncio.run(attack(name, seed))
        for line in outcome.got_in[:50]:
            print(f"{name}: {line}", file=sys.stderr)
        figures[name] = {"tried": outcome.tried, "got_in": len(outcome.got_in), **outcome.figures}
        failed = failed or bool(outcome.got_in)
    return figures, failed


if __name__ == "__main__":
    sys.exit(main())
