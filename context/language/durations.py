"""Durations as people write them: how far back `/off 5m` or /off 지난 5분 takes back what was said."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final

from context.language.closed_lists import closed_lists, one_of, word_sets
from context.language.numbers import CARDINALS, NATIVE_TO_TWELVE, SINO_TO_FIFTY_NINE

MAX_MINUTES_BACK: Final = 15
"""So many minutes back is the most that may be taken back at once."""

_LISTS: Final = closed_lists("commands")
_SETS: Final = word_sets("commands")
_EDGE_CHARACTERS: Final = " \t\n.,!?~…:;()[]<>+–—-“”‘’\"'`。、"
_UNITS: Final = {
    unit: seconds
    for name, seconds in (("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
    for unit in _LISTS[f"back_{name}"]
}
_NUMBERS: Final = {**CARDINALS, "a": 1.0, "an": 1.0, **NATIVE_TO_TWELVE, **SINO_TO_FIFTY_NINE}


_TIME: Final = re.compile(
    rf"(?<![a-z])(?:(?P<figure>\d{{1,9}}(?:[.,]\d{{1,3}})?)\s*(?P<unit>{one_of(_UNITS)})?"
    rf"|(?P<word>{one_of(_NUMBERS)})\s*(?P<units>{one_of(_UNITS)}))(?![a-z0-9])"
)


def minutes_back(asked: str) -> int | None:
    """How many minutes back an argument of `/off` reaches, begun ones as whole ones; 0: it names no time.

    None where it is not understood. A bare number means minutes. There may be more than `MAX_MINUTES_BACK`.
    """
    rest = unicodedata.normalize("NFKC", asked).lower().strip(_EDGE_CHARACTERS)
    seconds, named = 0.0, False
    while (found := _TIME.search(rest)) is not None:
        figure = found["figure"]
        number = float(figure.replace(",", ".")) if figure else _NUMBERS[found["word"]]
        seconds += number * _UNITS[found["unit"] or found["units"] or "m"]
        named = True
        rest = f"{rest[: found.start()]} {rest[found.end() :]}"
    for word in rest.split():
        if word.strip(_EDGE_CHARACTERS) and word.strip(_EDGE_CHARACTERS) not in _SETS["back_around"]:
            return None
    if not named:
        return 0
    return math.ceil(seconds / 60) or None
