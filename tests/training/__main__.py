"""`python -m tests.training HEAD [--data DIR]…`: train a head, write its weights and its scores beside them.

`--data`: folders with more labels, read beside those of `tests/data`. The scores are cross-validated: what
is scored was never trained on, nor was anything that was written together with it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import context.answer_cache
import context.plain
import context.reading
from tests.training import acts, answers, likeness, noteworthy, owners, repeating, replacing, requests

HEADS = {
    "requests": (requests.train, context.reading),
    "acts": (acts.train, context.reading),
    "owners": (owners.train, context.reading),
    "replacing": (replacing.train, context.reading),
    "repeating": (repeating.train, context.reading),
    "answers": (answers.train, context.plain),
    "noteworthy": (noteworthy.train, context.plain),
    "likeness": (likeness.train, context.answer_cache),
}
"""What trains each, and the package that its weights lie in. `owners`, `replacing` and then `repeating` read what `acts` wrote."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.training", description=__doc__)
    parser.add_argument("head", choices=sorted(HEADS))
    parser.add_argument("--data", type=Path, action="append", default=[], metavar="DIR", help="more labels")
    args = parser.parse_args()
    train, room = HEADS[args.head]
    scores = json.dumps(train(args.data), ensure_ascii=False, indent=1)
    (Path(room.__path__[0]) / f"{args.head}.scores.json").write_text(scores + "\n", "utf-8")
    print(scores)
    return 0


if __name__ == "__main__":
    sys.exit(main())
