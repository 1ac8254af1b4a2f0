"""How seldom a word is said in meetings: budgets are many, the raffle is one."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("rarity.json")
SELDOM: Final = 3.2
"""From here on a word belongs to a matter of its own: fewer than one meeting in twenty-five has it."""


def rarity(stem: str) -> float:
    """0 for what is said in every meeting, up to some 6 for what was never said in any."""
    meetings, known = _counts()
    return math.log(meetings / known.get(stem, 0.5))


@cache
def _counts() -> tuple[int, dict[str, int]]:
    found = json.loads(FILE.read_text("utf-8"))
    return found["meetings"], found["stems"]
