"""`python -m tests.training requests|answers [--data DIR]…`: train a head, write its weights and its scores.

`--data`: folders with more labels, read beside those of `tests/data`. The scores are cross-validated: what
is scored was never trained on, nor was anything that was written together with it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from context.plain import requests as of_requests
from tests.training import answers, requests

HEADS = {"requests": requests.train, "answers": answers.train}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.training", description=__doc__)
    parser.add_argument("head", choices=sorted(HEADS))
    parser.add_argument("--data", type=Path, action="append", default=[], metavar="DIR", help="more labels")
    args = parser.parse_args()
    scores = json.dumps(HEADS[args.head](args.data), ensure_ascii=False, indent=1)
    (Path(of_requests.__file__).parent / f"{args.head}.scores.json").write_text(scores + "\n", "utf-8")
    print(scores)
    return 0


if __name__ == "__main__":
    sys.exit(main())
