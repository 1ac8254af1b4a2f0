"""The moment that a question means, where it asks what changed: "3시 이후 뭐가 바뀌었어?", "since noon?".

`since_in` finds it in the question's words; `moment_ms` tells when that is in the meeting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final

from context.language.closed_lists import closed_lists, word_sets
from context.language.numbers import CARDINALS, NATIVE_TO_TWELVE, SINO_TO_FIFTY_NINE
from context.time_spans import Since

_NUMBERS_EN: Final = {
    **CARDINALS,
    "a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 5, "a few": 5, "half an": 0.5, "half a": 0.5,
}  # fmt: skip
_LISTS: Final = closed_lists("since")
_SETS: Final = word_sets("since")
_ALSO_FROM_KO: Final = ("이후", "부터")
_MAX_WORDS: Final = 7
"""Words that name a moment, at most: in the last couple of hours."""


@lru_cache(maxsize=64)
def since_in(question: str) -> Since | None:
    """The moment since which `question` asks what changed; None where it does not ask that."""
    words = question.split()
    spoken = [word.strip(".,?!()\"'“”").lower().replace("’", "'") for word in words]
    if not _asks_what_changed(spoken):
        return None
    ends = {start: range(start + 1, min(start + _MAX_WORDS, len(spoken)) + 1) for start in range(len(spoken))}
    shortest_first = [(start, end) for start in ends for end in ends[start]]
    longest_first = [(start, end) for start in ends for end in reversed(ends[start])]
    for read in _READERS:
        # Behind a moment in Korean may stand what looks like more of its ending.
        for start, end in shortest_first if read in _IN_KOREAN else longest_first:
            moment = read(spoken[start:end])
            if moment is None:
                continue
            if end < len(spoken) and spoken[end].startswith(_ALSO_FROM_KO):  # 한 시간 전 부터
                end += 1  # noqa: PLW2901 - the span of this reader alone
            if _asks_what_changed(spoken[:start] + spoken[end:]):
                rest = " ".join(words[:start] + words[end:])
                return moment.model_copy(update={"rest": rest})
    return None


def _asks_what_changed(spoken: Sequence[str]) -> bool:
    text = f" {' '.join(spoken)} "
    in_korean = any(phrase in text for phrase in _LISTS["changed_ko"])
    begun = any(f" {stem}" in text for stem in _LISTS["changes_en"])
    return in_korean or begun or not _SETS["changed_en"].isdisjoint(spoken)


def moment_ms(since: Since, *, began: datetime, now_ms: int) -> int:
    """The moment in milliseconds from the meeting's start; 0: before it, above `now_ms`: not come yet.

    `began`: when the meeting began, in the time zone in which people read their clocks. A clock's time is the
    last such one in the meeting; where there is none, the one nearest to it tells whether it is yet to come.
    """
    if since.last_meeting:
        return 0
    if since.ago_ms is not None:
        return max(0, now_ms - since.ago_ms)
    hours = {since.hour, (since.hour or 0) % 12 + 12 if since.ambiguous else since.hour}
    now = began + timedelta(milliseconds=now_ms)
    moments = [
        datetime.combine(day, time((hour or 0) % 24, since.minute), began.tzinfo)
        for day in {began.date(), now.date()}
        for hour in hours
    ]
    within = [at for at in moments if began <= at <= now]
    nearest = min(moments, key=lambda at: max(began - at, at - now))
    if not within and nearest > now:
        return now_ms + 1
    return round((max(within) - began) / timedelta(milliseconds=1)) if within else 0


def _meeting_ko(spoken: Sequence[str]) -> Since | None:
    """The last meeting, in Korean: 지난 회의 이후."""
    meeting = _after_one_of("last_ko", "".join(spoken))
    if meeting is None:
        return None
    behind = _after_one_of("meetings_ko", meeting) or meeting
    return Since(rest="", last_meeting=True) if behind.startswith(_LISTS["compared_ko"]) else None


def _meeting_en(spoken: Sequence[str]) -> Since | None:
    """The last meeting, in English: compared with our previous call, since last week's meeting."""
    text = " ".join(word for word in spoken if word not in ("the", "our"))
    meeting = _after_one_of("last_en", _after_one_of("from_en", text) or "")
    return Since(rest="", last_meeting=True) if meeting in _LISTS["meetings_en"] else None


def _ago_ko(spoken: Sequence[str]) -> Since | None:
    """How long ago it was, in Korean: 지난 30분 동안, 한 시간 반 전부터."""
    text = "".join(spoken)
    text = _after_one_of("within_ko", text) or text
    unit = "시간" if "시간" in text else "분"
    number, _, behind = text.partition(unit)
    half = 0.5 if behind.startswith("반") else 0.0
    counted = NATIVE_TO_TWELVE if unit == "시간" else SINO_TO_FIFTY_NINE
    count = 0.5 if number == "반" else _number_ko(number, counted)
    if not count or not behind.removeprefix("반").startswith(_LISTS["ago_ko"]):
        return None
    return _before(count + half, unit == "시간")


def _ago_en(spoken: Sequence[str]) -> Since | None:
    """How long ago it was, in English: in the last half an hour, since 20 minutes ago."""
    ago = spoken[-1] == "ago"
    text = " ".join(spoken).removesuffix(" ago")
    if ago:
        text = text.removeprefix("since ")
    else:
        text = _after_one_of("within_en", text) or text
        text = _after_one_of("last_en", text.removeprefix("the ")) or ""
    number, _, unit = text.rpartition(" ")
    count = _number_en(number) if number or ago else 1.0
    return _before(count, unit in ("hour", "hours")) if unit in _LISTS["units_en"] else None


def _clock_ko(spoken: Sequence[str]) -> Since | None:
    """A time of day, in Korean: 오후 두 시 반 이후로, 14:00부터."""
    text = "".join(spoken)
    half = next((prefix for prefix in _LISTS["halves_ko"] if text.startswith(prefix)), "")
    time_of_day = _before_one_of(_LISTS["from_ko"], text.removeprefix(half))
    hour, colon, minute = time_of_day.partition(":")
    if not colon:
        hour, _, minute = time_of_day.partition("시")
    minutes = (
        30.0 if minute == "반" else _number_ko(minute.removesuffix("" if colon else "분"), SINO_TO_FIFTY_NINE)
    )
    hours = _number_ko(hour, NATIVE_TO_TWELVE)
    if (minute and not minutes and minute != "00") or (not hours and hour.strip("0")) or not hour:
        return None
    later = half in _LISTS["later_halves_ko"]
    return _clock(round(hours), round(minutes), later, ambiguous=not half and not colon)


def _clock_en(spoken: Sequence[str]) -> Since | None:
    """A time of day, in English: since 2:50 pm, after noon."""
    if spoken[0] not in ("since", "after", "from"):
        return None
    text = "".join(spoken[1:]).replace(".", "")
    if text in ("noon", "midday"):
        return _clock(12, 0, later=True, ambiguous=False)
    half = next((suffix for suffix in _LISTS["halves_en"] if text.endswith(suffix)), "")
    hour, colon, minute = text.removesuffix(half).partition(":")
    if not hour.isdecimal() or (colon and not minute.isdecimal()) or not (half or colon):
        return None  # since 3 … what?
    return _clock(int(hour), int(minute or 0), half == "pm", ambiguous=half not in ("am", "pm") and not colon)


def _before(count: float, hours: bool) -> Since | None:
    return Since(rest="", ago_ms=round(count * (3_600_000 if hours else 60_000))) if count else None


def _clock(hour: int, minute: int, later: bool, ambiguous: bool) -> Since | None:
    if hour > 24 or minute > 59:
        return None
    if later and hour < 12:
        hour += 12
    return Since(rest="", hour=hour % 24, minute=minute, ambiguous=ambiguous and hour <= 12)


def _number_ko(word: str, counted: Mapping[str, int]) -> float:
    return float(word) if word.isdecimal() else counted.get(word, 0.0)


def _number_en(word: str) -> float:
    return float(word) if word.isdecimal() else _NUMBERS_EN.get(word, 0.0)


def _after_one_of(key: str, text: str) -> str | None:
    """What stands behind the word of a list with which `text` begins; None where it begins with none."""
    begun = next((word for word in _LISTS[key] if text.startswith(word)), None)
    return None if begun is None else text.removeprefix(begun).lstrip()


def _before_one_of(endings: Sequence[str], text: str) -> str:
    """What stands before an ending of a list, with at most two syllables behind it: 이후에는."""
    for ending in endings:
        before, separator, behind = text.rpartition(ending)
        if separator and len(behind) <= 2:
            return before
    return ""


_IN_KOREAN: Final = (_meeting_ko, _ago_ko, _clock_ko)
_READERS: Final = (*_IN_KOREAN, _meeting_en, _ago_en, _clock_en)
