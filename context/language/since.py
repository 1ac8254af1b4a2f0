# ruff: noqa: E501  # patterns read better unbroken
"""Since when does a question ask what changed? "3시 이후 뭐가 바뀌었어?", "what changed in the last ten minutes?"."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final

from context.language.numbers import NATIVE_TO_TWELVE
from context.models import Frozen

_SINO: Final = {"오": 5, "십": 10, "십오": 15, "이십": 20, "삼십": 30, "사십": 40, "오십": 50}
_WORDS_EN: Final = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "couple of": 2,
    "a couple of": 2,
    "few": 5,
    "a few": 5,
    "three": 3,
    "four": 4,
    "five": 5,
    "ten": 10,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "half an": 0.5,
    "half a": 0.5,
}
_KO_NUMBER: Final = "|".join((r"\d{1,3}", *sorted((*NATIVE_TO_TWELVE, *_SINO), key=len, reverse=True)))
_EN_NUMBER: Final = "|".join((r"\d{1,3}", *sorted(_WORDS_EN, key=len, reverse=True)))
_FROM_KO: Final = r"\s?(?:이후|부터|이래|뒤|후|넘어서|지나서)[가-힣]{0,2}"
_CLOCK_KO: Final = re.compile(
    rf"(?:(?P<half>오전|오후|아침|낮|저녁|밤|새벽)\s?)?(?:(?P<h>\d{{1,2}}):(?P<m>\d{{2}})|(?P<hour>{_KO_NUMBER})\s?시(?:\s?(?:(?P<thirty>반)|(?P<minute>{_KO_NUMBER})\s?분))?){_FROM_KO}"
)
_CLOCK_EN: Final = re.compile(
    r"\b(?:since|after|from)\s+(?:(?P<noon>noon|midday)|(?P<h>\d{1,2})(?::(?P<m>\d{2}))?\s*(?P<half>[ap]\.?m\.?|o'?clock)?)(?![\w:%])",
    re.IGNORECASE,
)
_AGO_KO: Final = re.compile(
    rf"(?:(?:지난|최근)\s?)?(?P<n>{_KO_NUMBER}|반)\s?(?P<unit>분|시간)(?P<thirty>\s?반)?\s?(?:(?:전|동안|사이|새)[가-힣]{{0,2}}(?:\s?(?:이후|부터)[가-힣]{{0,2}})?)"
)
_AGO_EN: Final = re.compile(
    rf"\b(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past|previous) (?:(?P<n>{_EN_NUMBER}) )?(?P<unit>minute|min|hour)s?\b"
    rf"|\b(?:since )?(?P<n2>{_EN_NUMBER}) (?P<unit2>minute|min|hour)s? ago\b",
    re.IGNORECASE,
)
_MEETING_KO: Final = re.compile(
    r"(?:지난|저번|이전|직전)\s?(?:번\s?)?(?:회의|미팅|번|주\s?회의|주)?\s?(?:이후|뒤|부터|보다|이래|에\s?비해|대비|과\s?비교|랑\s?비교)[가-힣]{0,2}"
)
_MEETING_EN: Final = re.compile(
    r"\b(?:since|after|from|compared (?:to|with)) (?:the |our )?(?:last|previous|prior|earlier) (?:meeting|call|sync|session|time|one|week(?:'s (?:meeting|call))?)\b",
    re.IGNORECASE,
)
_CHANGED: Final = re.compile(
    r"바뀌|바뀐|변경|변화|달라|새로|새로운|추가|업데이트|결정|정해|정한|확정|합의|무슨\s?일|뭐가\s?있|뭐\s?있"
    r"|\b(?:chang\w+|new|differ\w+|updat\w+|decid\w+|decisions?|agreed?|settled|happened|added)\b",
    re.IGNORECASE,
)


class Since(Frozen):
    """A moment from which on changes are asked for, and the subject, where one is named."""

    rest: str
    """The question without the moment."""
    hour: int | None = None
    minute: int = 0
    ambiguous: bool = False
    """Three o'clock may be in the morning or in the afternoon."""
    ago_ms: int | None = None
    last_meeting: bool = False


@lru_cache(maxsize=64)
def since_in(question: str) -> Since | None:
    """The moment since which `question` asks what changed; None where it does not ask that."""
    if _CHANGED.search(question) is None:
        return None
    for pattern, read in _READERS:
        found = pattern.search(question)
        if found is None:
            continue
        rest = f"{question[: found.start()]} {question[found.end() :]}"
        moment = read(found)
        if moment is not None and _CHANGED.search(rest) is not None:
            return moment.model_copy(update={"rest": rest})
    return None


def moment_ms(since: Since, *, began: datetime, now_ms: int) -> int:
    """The moment in meeting time: 0 for everything, `now_ms` or more for one that has not come.

    `began`: when the meeting began, in the time zone in which people read their clocks. A clock's time is the last
    such one before now; three o'clock without a half of the day, the one nearest to the meeting.
    """
    if since.last_meeting:
        return 0
    if since.ago_ms is not None:
        return max(0, now_ms - since.ago_ms)
    hours = {since.hour, (since.hour or 0) % 12 + 12 if since.ambiguous else since.hour}
    now = began + timedelta(milliseconds=now_ms)
    told = [
        datetime.combine(day, time((hour or 0) % 24, since.minute), began.tzinfo)
        for day in {began.date(), now.date()}
        for hour in hours
    ]
    within = [at for at in told if began <= at <= now]
    nearest = min(told, key=lambda at: max(began - at, at - now))
    if not within and nearest > now:
        return now_ms + 1
    return round((max(within) - began) / timedelta(milliseconds=1)) if within else 0


def _meeting(_found: re.Match[str]) -> Since:
    return Since(rest="", last_meeting=True)


def _ago_ko(found: re.Match[str]) -> Since | None:
    count = 0.5 if found["n"] == "반" else _number_ko(found["n"])
    return _before(count + (0.5 if found["thirty"] else 0.0), found["unit"] == "시간")


def _ago_en(found: re.Match[str]) -> Since | None:
    number, unit = found["n"] or found["n2"], (found["unit"] or found["unit2"]).lower()
    count = 1.0 if number is None else float(_WORDS_EN.get(number.lower()) or number)
    return _before(count, unit == "hour")


def _before(count: float, hours: bool) -> Since | None:
    return Since(rest="", ago_ms=round(count * (3_600_000 if hours else 60_000))) if count else None


def _clock_ko(found: re.Match[str]) -> Since | None:
    hour = int(found["h"]) if found["h"] else round(_number_ko(found["hour"]))
    minute = 30 if found["thirty"] else int(found["m"] or _number_ko(found["minute"] or "0"))
    half = found["half"]
    digital = found["h"] is not None
    return _clock(hour, minute, half in ("오후", "저녁", "밤", "낮"), half is None and not digital)


def _clock_en(found: re.Match[str]) -> Since | None:
    if found["noon"]:
        return _clock(12, 0, later=True, ambiguous=False)
    half = (found["half"] or "").lower().replace(".", "")
    if not half and found["m"] is None:
        return None  # since 3 … what?
    return _clock(
        int(found["h"]), int(found["m"] or 0), half == "pm", half not in ("am", "pm") and found["m"] is None
    )


def _clock(hour: int, minute: int, later: bool, ambiguous: bool) -> Since | None:
    if hour > 24 or minute > 59:
        return None
    if later and hour < 12:
        hour += 12
    return Since(rest="", hour=hour % 24, minute=minute, ambiguous=ambiguous and hour <= 12)


def _number_ko(said: str) -> float:
    return float(NATIVE_TO_TWELVE.get(said) or _SINO.get(said) or (said if said.isdigit() else 0))


_READERS: Final = (
    (_MEETING_KO, _meeting),
    (_MEETING_EN, _meeting),
    (_AGO_KO, _ago_ko),
    (_AGO_EN, _ago_en),
    (_CLOCK_KO, _clock_ko),
    (_CLOCK_EN, _clock_en),
)
