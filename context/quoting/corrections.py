# ruff: noqa: E501  # patterns read better unbroken
"""A figure, a day or a time that somebody puts right a few turns later: both are quoted, the right one last.

"Four hundred and twelve, I think." — "I counted again, it's three hundred and eighty-six." Quoting only the
first would be a false answer, and a convincing one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.models import Utterance
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.retrieval.questions import Asked, gives

_WITHIN: Final = 3
_MEASURED: Final = frozenset(["when", "how_much"])
_PUTS_RIGHT: Final = re.compile(
    r"^\W*(?:어|아|음|저기)?[\s,]*(?:아니|아뇨|그게 아니|정정)|아니(?:에요|예요|고|라|었)|틀렸|틀린|잘못|착각|다시\s?(?:세|계산|확인|보니)|실은|사실은|[가-힣]까지\s?(?:해서|하면|치면)|바뀌었|바뀐|당겨졌|미뤄졌"
    r"|^\W*(?:(?:um|uh|oh|ah|sorry|well|hang on|wait)[\s,.]+)*(?:no\b(?! (?:problem|worries|rush))|not quite|correction|actually)"
    r"|\bactually\b|\bthat was before\b|\bcount(?:ed)? (?:\w+ )?again\b|\bre-?count\w*|\bi mis\w+|\bwrong\b|\bmy mistake\b|\bit's (?:really|now|more like)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d+(?:[.:,]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thir\w+|fourt\w+|fift\w+|sixt\w+|sevent\w+|eight\w+|ninet\w+|twent\w+|fort\w+|hundred|thousand|half|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|(?:(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)?(?:다섯|여섯|일곱|여덟|아홉|한|두|세|네)|열|스무|서른|마흔|쉰|예순|일흔|여든|아흔|[일이삼사오육칠팔구십백천만]+)(?=\s?(?:시|개|명|건|분|달|주|번|장|대|원|월|일|퍼센트))|[월화수목금토일]요일",
    re.IGNORECASE,
)


def corrected(chosen: Sequence[Found], asked: Asked, record: Record) -> list[Found]:
    """`chosen`, and behind each figure, day or time that was put right soon after, what it was put right to."""
    quoted = list(chosen)
    if not (asked.kind in _MEASURED or asked.checking) or asked.saying:
        return quoted
    known = {each.utterance.id for each in quoted}
    for each in chosen:
        standing = each
        while (right := _put_right(standing, asked, record)) is not None and right.utterance.id not in known:
            known.add(right.utterance.id)
            quoted.append(right)
            standing = right
    return sorted(quoted, key=lambda each: each.utterance.id)


def _put_right(found: Found, asked: Asked, record: Record) -> Found | None:
    """What put a quote right, if it gives the kind of thing that is asked for."""
    right = put_right(found.utterance, record)
    if right is None or not (asked.kind is None or gives(asked, right[0], record.names)):
        return None
    return Found(right[0], right[1], found.score, replies=True)


def put_right(utterance: Utterance, record: Record) -> tuple[str, Utterance] | None:
    """The first sentence soon after a turn that says otherwise and gives another figure."""
    before = figures(utterance.text)
    for later in record.after(utterance, _WITHIN) if before else ():
        if not puts_right(later):
            continue
        for part in split(later):
            new = figures(part.text)
            if kind_of(part.text, record.names) != "question" and new and not new <= before:
                return part.text, later
    return None


def puts_right(utterance: Utterance) -> bool:
    """Whether a turn says that what was said before it is not so."""
    return _PUTS_RIGHT.search(utterance.text) is not None


def figures(text: str) -> frozenset[str]:
    """The figures, times and weekdays of a text, as they are said."""
    return frozenset(match.lower() for match in _NUMBER.findall(text))
