"""Measure speed (and, with --data, quality) beside named baselines of the same run.

examples:
  python -m tests.bench                  all of speed; those that need a LiveKit server take a minute or two each
  python -m tests.bench fold --json
  python -m tests.bench learnt           what is learnt, cross-validated, beside the rules' first runs
  python -m tests.bench decisions        quality, against labels; other meetings by --data DIR
  python -m tests.bench fold --record    writes the figures into docs/measurements.md as well
  python -m tests.bench model --help     a language model behind an endpoint, or its recorded replies
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.figures import Figure, as_json, show
from tests.bench.measurements import record
from tests.bench.measures import QUALITY, SPEED
from worker.clock import now_utc
from worker.configuration.settings import Settings
from worker.errors import DONE, FAILED, WRONG_INPUT, exit_code, one_line
from worker.monitoring import telemetry


def main(argv: Sequence[str]) -> int:
    """Measure one after the other; progress goes to stderr. 1 where a figure misses its goal."""
    if argv[:1] == ["model"]:
        from tests.bench.model.command import model

        return model(argv[1:])
    names = (*SPEED, *QUALITY)
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}, model; default: those of speed"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="real meetings, for the quality measures")
    parser.add_argument("--json", action="store_true", help='{"figures": …, "baselines": …}')
    parser.add_argument("--record", action="store_true", help="write them into docs/measurements.md, too")
    args = parser.parse_args(argv)
    wanted = args.names or [*SPEED, *(QUALITY if args.data else ())]
    for name in wanted:
        if name not in names:
            parser.error(f"no measure {name!r}: there are {', '.join(names)}, model")
    telemetry.configure(Settings.load(), quiet=True)
    figures: list[Figure] = []
    for name in wanted:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        found = QUALITY[name](args.data) if name in QUALITY else SPEED[name]()
        if args.record:
            record(name, found, now_utc().date())
        figures += found
    print(as_json(figures)) if args.json else show(figures)
    return FAILED if any(each.met is False for each in figures) else DONE


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Exception as error:
        code = exit_code(error)
        if code != WRONG_INPUT:
            raise
        sys.exit(f"tests.bench: {one_line(error)}")
