# ruff: noqa: E501  # patterns read better unbroken
"""Until when: the days and hours that a sentence names, in its own words."""

from __future__ import annotations

import re
from typing import Final

from context.language.dates import EARLY_DAY, MONTHS
from context.language.korean import has_hangul

_DAY_KO: Final = (
    r"(?:(?:(?:이번|다음|다다음|지난|오는)\s?주|매주|격주)\s?)?[월화수목금토일]요일(?:\s(?:아침|오전|오후|저녁)(?=에\s))?|(?:이번|다음|다다음)\s?(?:주말|주|달|분기|회의|스프린트|미팅|배포|릴리스)"
    r"|매일(?:\s(?:아침|오전|오후|저녁|밤))?|금주|차주|내주|내달|오늘\s퇴근|오늘|내일|모레|글피|주말|월말|연말|분기\s?말|이달\s?말|올해\s?말|내년"
    r"|(?:[0-9]{1,2}|[일이삼사오육칠팔구십시유]{1,3})월\s?(?:(?:[0-9]{1,2}|[일이삼사오육칠팔구십]{1,4})일|말|초|중순)?"
    r"|(?:[0-9]{1,2}|[이삼사오육칠팔구]?십[일이삼사오육칠팔구]?)일"
)
_HOUR_KO: Final = r"(?:\s?(?:오전|오후|저녁|아침)?\s?(?:[0-9]{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시(?:\s?반)?)?"
_CLOCK_KO: Final = (
    r"(?:오전|오후|저녁|아침|점심|밤)\s?(?:중|전까지|까지)|(?:오전|오후|저녁|아침|밤)(?=에\s)"
    r"|(?:(?:오전|오후|저녁|아침|밤|새벽)\s?)?(?:[0-9]{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시(?:\s?반|\s?[0-9]{1,2}분)?(?=에\s|(?:으)?로\s|까지|쯤|\s?전까지)"
)
_DUE_KO: Final = re.compile(
    rf"(?<![가-힣])((?:{_DAY_KO}|{_CLOCK_KO})(?:\s?(?:{_DAY_KO}|{_CLOCK_KO}))?{_HOUR_KO}(?:\s?(?:전까지|까지|이내|안|중|전))?)"
    r"(?=에|으로|로|\s|$|부터|쯤|,|(?<=까지)(?:는|만)|이?요(?:$|[\s,.?!]))"
)
_DAY_EN: Final = (
    r"(?:(?:every(?: other)?|next|this|coming) )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?: (?:morning|afternoon|evening|noon))?"
    r"|in the morning|first thing|(?:the |this |next )?weekend|this (?:morning|afternoon|evening)|today|tonight|tomorrow(?: (?:morning|afternoon|evening))?|(?:next|this) (?:week|month|sprint|quarter|meeting|year)"
    rf"|(?:the )?end of (?:the |this |next )?(?:day|week|month|sprint|quarter|year|{MONTHS})"
    r"|(?:the )?(?:first|second|third|fourth|last) (?:week|day) of [a-z]+"
    rf"|(?:{MONTHS})(?: \d{{1,2}}(?:st|nd|rd|th)?)"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)(?: of [a-z]+)?|(?:the |^)(?:tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth|(?:twenty|thirty)[- ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth))(?: of [a-z]+)?|the (?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth) of (?:january|february|march|april|may|june|july|august|september|october|november|december)|eod|eow|noon"
    rf"|{EARLY_DAY}"
)
MOMENT_EN: Final = rf"(?:(?:(?:by|before|until|no later than|within|on|over) (?:the )?)?(?:{_DAY_EN}))"
_DUE_EN: Final = re.compile(
    rf"\b((?:(?:by|before|until|no later than|within) (?:the )?)?(?:{_DAY_EN}))\b", re.IGNORECASE
)


def due_in(text: str) -> str | None:
    """Until when, in the words that were said; two moments are joined by a comma. None where none is named."""
    pattern = _DUE_KO if has_hangul(text) else _DUE_EN
    found = dict.fromkeys(" ".join(match.group(1).split()) for match in pattern.finditer(text))
    moments = [moment for moment in found if moment != "내년"][:3]
    return ", ".join(moments) or None
