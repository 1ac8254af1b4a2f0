"""Until when: the days and hours that a sentence names, in its own words."""

from __future__ import annotations

import re
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.dates import EARLY_DAY, MONTHS
from context.language.korean import has_hangul

_LISTS: Final = closed_lists("moments")


def _one_of(key: str) -> str:
    """A pattern for the words of a list, the longest first; what has a hyphen is also written apart."""
    return f"(?:{'|'.join(sorted(_LISTS[key], key=len, reverse=True))})".replace("-", "[- ]")


_HALF: Final = _one_of("halves_ko")
_NEXT: Final = _one_of("next_ko")
_SINO: Final = "일이삼사오육칠팔구십"
_HOUR: Final = rf"(?:[0-9]{{1,2}}|{_one_of('hours_ko')})\s?시(?:\s?반|\s?[0-9]{{1,2}}분)?"
_DAYS_KO: Final = (
    rf"(?:(?:(?:{_NEXT}|지난|오는)\s?주|매주|격주)\s?)?[월화수목금토일]요일(?:\s{_HALF}(?=에\s))?",
    rf"{_NEXT}\s?{_one_of('spans_ko')}",
    rf"매일(?:\s{_HALF})?",
    _one_of("days_ko"),
    rf"(?:[0-9]{{1,2}}|[{_SINO}시유]{{1,3}})월\s?(?:(?:[0-9]{{1,2}}|[{_SINO}]{{1,4}})일|말|초|중순)?",
    rf"(?:[0-9]{{1,2}}|[{_SINO[1:9]}]?십[{_SINO[:9]}]?)일",
)
_CLOCKS_KO: Final = (
    rf"{_HALF}\s?(?:중|전까지|까지)",
    rf"{_HALF}(?=에\s)",
    rf"(?:{_HALF}\s?)?{_HOUR}(?=에\s|(?:으)?로\s|까지|쯤|\s?전까지)",
)
_MOMENT_KO: Final = f"(?:{'|'.join((*_DAYS_KO, *_CLOCKS_KO))})"
_DUE_KO: Final = re.compile(
    rf"(?<![가-힣])({_MOMENT_KO}(?:\s?{_MOMENT_KO})?(?:\s?{_HALF}?\s?{_HOUR})?(?:\s?{_one_of('until_ko')})?)"
    r"(?=에|으로|로|\s|$|부터|쯤|,|(?<=까지)(?:는|만)|이?요(?:$|[\s,.?!]))"
)
_OF_A_MONTH: Final = "(?: of [a-z]+)?"
_DAYS_EN: Final = (
    rf"(?:{_one_of('next_weekday_en')} )?{_one_of('weekdays_en')}(?: {_one_of('halves_en')})?",
    _one_of("days_en"),
    rf"(?:the )?end of (?:the |this |next )?(?:{_one_of('spans_en')}|{MONTHS})",
    r"(?:the )?(?:first|second|third|fourth|last) (?:week|day) of [a-z]+",
    rf"(?:{MONTHS})(?: \d{{1,2}}(?:st|nd|rd|th)?)",
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th){_OF_A_MONTH}",
    rf"(?:the |^){_one_of('late_ordinals_en')}{_OF_A_MONTH}",
    rf"the {_one_of('early_ordinals_en')} of (?:{MONTHS})",
    EARLY_DAY,
)
_DUE_EN: Final = re.compile(
    rf"\b((?:{_one_of('until_en')} (?:the )?)?(?:{'|'.join(_DAYS_EN)}))\b", re.IGNORECASE
)


def due_in(text: str) -> str | None:
    """Until when, in the words that were said, several apart by commas; None where there is none."""
    pattern = _DUE_KO if has_hangul(text) else _DUE_EN
    found = dict.fromkeys(" ".join(match.group(1).split()) for match in pattern.finditer(text))
    moments = [moment for moment in found if moment != "내년"][:3]
    return ", ".join(moments) or None
