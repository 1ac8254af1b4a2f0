"""`python -m tests.bench`: measure, and show the figures."""

from __future__ import annotations

import argparse
import asyncio
import sys

from worker.bench.figures import as_json, show

if __name__ == "__main__":
    if sys.argv[1:2] == ["model"]:
        from tests.bench.model.command import model

        sys.exit(model(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="pages (default); model, see `model --help`")
    parser.add_argument("--json", action="store_true", help='{"figures": …, "baselines": …}')
    args = parser.parse_args()
    if set(args.names) - {"pages"}:
        sys.exit(f"there is no measure {args.names[0]!r}: use pages or model")
    from tests.bench.pages import pages

    figures = asyncio.run(pages())
    print(as_json(figures)) if args.json else show(figures)
    sys.exit(any(each.met is False for each in figures))
