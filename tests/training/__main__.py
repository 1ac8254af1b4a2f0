"""`python -m tests.training requests|answers|likeness [--data DIR]…`: train a head, write its weights and scores.

`--data`: folders with more labels, read beside those of `tests/data`. The scores are cross-validated: what
is scored was never trained on, nor was anything that was written together with it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from context.answer_cache import likeness as of_likeness
from context.plain import requests as of_requests
from tests.training import answers, likeness, requests

PLAIN = Path(of_requests.__file__).parent
HEADS = {
    "requests": (requests.train, PLAIN),
    "answers": (answers.train, PLAIN),
    "likeness": (likeness.train, Path(of_likeness.__file__).parent),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.training", description=__doc__)
    parser.add_argument("head", choices=sorted(HEADS))
    parser.add_argument("--data", type=Path, action="append", default=[], metavar="DIR", help="more labels")
    args = parser.parse_args()
    train, folder = HEADS[args.head]
    scores = json.dumps(train(args.data), ensure_ascii=False, indent=1)
    (folder / f"{args.head}.scores.json").write_text(scores + "\n", "utf-8")
    print(scores)
    return 0


if __name__ == "__main__":
    sys.exit(main())
