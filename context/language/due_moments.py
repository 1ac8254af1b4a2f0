"""The moment until which something is to be done: one of those that are named (`deadline_in`)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.dates import Moment, counted, lone_days, moments_in, month_days, names_day, weekdays

_LISTS: Final = closed_lists("moments")
_SPAN_WORDS: Final = {*_LISTS["spans_ko"], *_LISTS["spans_en"], "meeting"} - {"day"}
_NOT_BEFORE: Final = re.compile(r"\bnot\s+(?:on\s+)?$", re.IGNORECASE)
_NOT_BEHIND: Final = re.compile(r"\s*(?:[은는엔]|에는)?\s*(?:말고|아니고|아니라)")


def deadline_in(text: str) -> str | None:
    """The one moment until which something is to be done, in the words of `text`; None where it names none.

    Of several the last that is named as a limit ("by Friday", "금요일까지"), else the last. A day that is
    said twice is one, in the words that tell it best, and an hour goes with the day that is named beside it.
    """
    said = _each_once(text)
    limits = [moment for moment in said if moment.limits] or said
    days = [moment.words for moment in limits if names_day(moment.words)]
    if days:
        return max((day for day in days if days[-1] in day), key=len)
    if not limits or _names_span(limits[-1].words):
        return limits[-1].words if limits else None
    hour = limits[-1]
    beside = [moment for moment in said if names_day(moment.words)]
    before = [moment.words for moment in beside if moment.end <= hour.start]
    if before:
        return f"{before[-1]} {hour.words}"
    behind = [moment for moment in beside if text[hour.end : moment.start].strip(" ,") in ("", "on")]
    return f"{hour.words}{text[hour.end : behind[0].end]}" if behind else hour.words


def _is_ruled_out(moment: Moment, text: str) -> bool:
    """Whether a text says that a moment is not meant: "not this week", 이번 주 말고."""
    return bool(_NOT_BEFORE.search(text[: moment.start]) or _NOT_BEHIND.match(text[moment.end :]))


def _each_once(text: str) -> list[Moment]:
    """The moments that a text means; what is said in a row of one day ("Thursday, the 12th") is one."""
    moments: list[Moment] = []
    for moment in (each for each in moments_in(text) if not _is_ruled_out(each, text)):
        before = moments[-1] if moments else None
        if before is None or text[before.end : moment.start].strip(" ,("):
            moments.append(moment)
            continue
        joined = None
        if names_day(before.words) and names_day(moment.words):
            joined = max(before.words, moment.words, key=_tells)
        elif counted(before.words.lower(), "weeks") is not None and weekdays(moment.words):
            joined = f"{before.words} {moment.words}"  # next week, Tuesday
        if joined is None:
            moments.append(moment)
        else:
            moments[-1] = replace(before, words=joined, end=moment.end, limits=before.limits or moment.limits)
    return moments


def _tells(moment: str) -> int:
    """How much a moment tells of its day: a date most, then how far ahead it is, then a day of the week."""
    lowered = moment.lower()
    if month_days(lowered) or lone_days(lowered):
        return 2
    return int(counted(lowered, "ahead") is not None)


def _names_span(moment: str) -> bool:
    """Whether a moment names a week, month or meeting, and so goes with no day: 다음 주, next meeting."""
    return any(span in moment.lower() for span in _SPAN_WORDS)
