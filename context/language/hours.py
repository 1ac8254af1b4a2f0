"""Hours of the day that an English text names, in its own words: half past ten, 3 pm, at ten.

A number is an hour by what stands beside it: "at" before it, "o'clock", "am" or minutes behind it. Korean
names an hour by 시 (`context.language.dates`).
"""

from __future__ import annotations

import re
from typing import Final

from context.language.closed_lists import closed_lists

_LISTS: Final = closed_lists("hours")
_HOUR: Final = rf"(?:{'|'.join(_LISTS['hours'])}|\d{{1,2}})"
_MINUTES: Final = rf"(?:{'|'.join(_LISTS['minutes'])})"
_PAST: Final = rf"(?:half|(?:a )?quarter|{_MINUTES})(?: minutes)? (?:past|to|after) {_HOUR}|half {_HOUR}"
_HALF: Final = rf"(?:\s?(?:am|pm|a\.m\.|p\.m\.)|{'|'.join(f' {each}' for each in _LISTS['halves'])})"
_END: Final = r"(?= |[,.?!]|$)"
_CLOCK: Final = rf"\d{{1,2}}[:.]\d{{2}}{_HALF}?|{_HOUR} o'clock|{_HOUR}{_HALF}|{_HOUR} {_MINUTES}{_END}"
_NAMED: Final = rf"(?:{_PAST}|{_CLOCK}|noon|midnight)"
_HOUR_EN: Final = re.compile(
    rf"(?<![\w.:])(?:(?:at |from )?{_NAMED}(?:{_HALF})?|at {_HOUR}{_END})(?!\w)", re.IGNORECASE
)


def hour_in(text: str) -> str | None:
    """The first hour that an English text names, with its "at"; None where it names none."""
    found = _HOUR_EN.search(text.replace("’", "'"))
    return found.group() if found else None
