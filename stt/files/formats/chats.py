"""Chats: KakaoTalk's (PC, Android, iOS, in Korean and English) and Zoom's saved chat.

What the chat itself says (who came, which message was taken back) is nobody's words, and a message to one
person was not said to the meeting: both are left out, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple

from stt.files.formats.half_days import HALF_OF_DAY, hour_of_day
from stt.files.rows import MAX_MS, Notes, Numbered, Row, Script, Source, Wrong

_CLOCK: Final = rf"(?:{HALF_OF_DAY}\s?)?\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?{HALF_OF_DAY})?"
_DAY: Final = (
    r"(?:\d{4}년 \d{1,2}월 \d{1,2}일|\d{4}\. ?\d{1,2}\. ?\d{1,2}\.|\d{4}-\d{2}-\d{2}"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4})"
)
_SPEAKER: Final = r"(?P<who>.{1,200}?)"
_PC: Final = re.compile(rf"\[{_SPEAKER}\] \[?(?P<clock>{_CLOCK})\]? (?P<text>.*)")
_PHONE: Final = re.compile(rf"(?P<day>{_DAY})(?:,| at)? (?P<clock>{_CLOCK}), {_SPEAKER} : (?P<text>.*)")
_PHONES_OWN: Final = re.compile(
    rf"{_DAY}(?:,| at)? {_CLOCK}(?:[:,] .*)?|(?:[A-Z][a-z]+day, )?{_DAY}(?: \w+요일)?"
)
_DIVIDER: Final = re.compile(rf"-+\s*(?:[A-Z][a-z]+day, )?{_DAY}(?: \w+요일)?\s*-+")
_KAKAOS_OWN: Final = re.compile(
    r"\S.{0,80}?님(?:이|을|과|에게|의) .{0,120}?(?:습니다|합니다)\..*"
    r"|\S.{0,80}?님(?:이|을) .{0,120}(?:습니다|합니다)"
    r"|(?:메시지가 삭제되었습니다|삭제된 메시지입니다|채팅방 관리자가 메시지를 가렸습니다)\.?"
    r"|채팅방 .{0,100}변경했습니다\.?|(?:보이스톡|페이스톡|라이브톡) .{0,30}"
    r"|.{1,80} (?:joined|left)(?: this chatroom)?\.|.{1,80} invited .{1,80}\."
    r"|.{1,80} has been removed from this chatroom\.|The message has been deleted\.?"
    r"|This message has been hidden by the chatroom managers\.|-{5,}|.*\d-\d\.txt"
    r"|(?:저장한 날짜|Date Saved) : .*|.*님과 카카오톡 대화|KakaoTalk Chats with .*"
)
_ZOOM: Final = re.compile(
    r"(?:(?P<day>\d{4}-\d{2}-\d{2}) )?(?P<clock>\d{2}:\d{2}:\d{2})\s{1,4}(?:From|발신자|시작)\s{1,4}"
    rf"{_SPEAKER}(?:\s{{1,4}}(?:[Tt]o|수신자)\s{{1,4}}(?P<whom>.{{1,200}}?))?\s{{0,2}}:\s*(?P<text>.*)"
)
_ZOOMS_OWN: Final = re.compile(
    r"(?:Reacted to \".*\" with .*|Removed a .* reaction from .*|(?:add|remove) \W+)"
)
_EVERYONE: Final = re.compile(r"everyone|everybody|\ball\b|panelists|모두|모든|전체", re.IGNORECASE)
"""The one to whom a message goes that is said to the meeting."""
_DIGITS: Final = re.compile(r"\d+")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MAX_NOTICE_CHARS: Final = 300
"""Characters of a line of the chat itself."""
_NO_DAY: Final = date(1, 1, 2)
"""The day of a time of day without one."""

Said = tuple[Row, datetime]
"""A message, and when it was written, in the time zone of who saved the chat."""


class _Message(NamedTuple):
    who: str
    when: datetime
    text: str
    private: bool = False


_Taken = _Message | date | str | None
"""What a line is: the first of a message; a day; one more of the message before; None: the chat's own."""


def fits_kakao(source: Source) -> bool:
    """Whether it is a chat saved by KakaoTalk, or copied from its window on a PC."""
    lines = [_spaced(line) for _, line in source.said[:60]]
    on_pc = sum(_PC.fullmatch(line) is not None for line in lines)
    divided = any(_DIVIDER.fullmatch(line) for line in lines)
    return any(_PHONE.fullmatch(line) for line in lines) or (
        on_pc > 0 and (divided or 2 * on_pc > len(lines))
    )


def fits_zoom(source: Source) -> bool:
    """Whether it is a chat saved by Zoom."""
    return any(_ZOOM.fullmatch(_spaced(line)) for _, line in source.said[:3])


def read_kakao(source: Source, notes: Notes) -> Script:
    """Read a chat of KakaoTalk: a message has all lines until the next one."""
    return _messages(source.lines, notes, _kakao)


def read_zoom(source: Source, notes: Notes) -> Script:
    """Read a chat of Zoom. Its times are times of day without a day: they count from the first message."""
    return _messages(source.lines, notes, _zoom)


def _messages(lines: Sequence[Numbered], notes: Notes, taken: Callable[[str, date | None], _Taken]) -> Script:
    messages: list[Said] = []
    day: date | None = None
    private = False
    left_out: list[int] = []
    for number, raw in lines:
        match taken(_spaced(raw), day):
            case _Message(who, when, text, private):
                day = day or when.date()
                if not private:
                    messages.append((Row(number, text, speaker=who), when))
                    continue
            case str(text) if messages and not private:
                row, when = messages[-1]
                messages[-1] = (row._replace(text=f"{row.text}\n{text}"), when)
                continue
            case date() as day:
                continue
        if raw.strip():
            left_out.append(number)
    if left_out:
        text = "a line of the chat itself, or to one person alone, is left out"
        notes.tell(text, left_out, more="and {} more")
    return placed_in_time(messages)


def placed_in_time(messages: Sequence[Said]) -> Script:
    """Give messages their times from the first one on. Raises `Wrong` where they span more than a meeting."""
    if not messages:
        return Script([])
    moments = list(_past_midnight(when for _, when in messages))
    began = min(moments)
    rows = []
    for (row, _), when in zip(messages, moments, strict=True):
        start_ms = round((when - began) / timedelta(milliseconds=1))
        if start_ms > MAX_MS:
            days = (when - began).days
            text = f"{days} days after the first message: keep one meeting's messages in the file"
            raise Wrong(row.number, text)
        rows.append(row._replace(start_ms=start_ms))
    return Script(rows, began if began.year > 1 else None)


def _past_midnight(moments: Iterable[datetime]) -> Iterator[datetime]:
    """Times of day without a day: one that is much earlier than the one before is of the next day."""
    days, before = 0, datetime(1, 1, 1)  # noqa: DTZ001 - before all that is compared with it
    for when in moments:
        if when.year == 1 and when + timedelta(days=days, hours=12) < before:
            days += 1
        before = when + timedelta(days=days)
        yield before


def _kakao(line: str, day: date | None) -> _Taken:
    if (match := _PHONE.fullmatch(line)) is not None:
        when = datetime.combine(_day(match["day"]), _clock(match["clock"]))
        return _Message(match["who"].strip(), when, match["text"])
    if (match := _PC.fullmatch(line)) is not None:
        return _Message(
            match["who"].strip(), datetime.combine(day or _NO_DAY, _clock(match["clock"])), match["text"]
        )
    if is_own(line) or (len(line) <= _MAX_NOTICE_CHARS and _PHONES_OWN.fullmatch(line)):
        return None
    return _day(line) if _DIVIDER.fullmatch(line) else line


def _zoom(line: str, _: date | None) -> _Taken:
    match = _ZOOM.fullmatch(line)
    text = match["text"] if match else line.strip()
    if len(text) <= _MAX_NOTICE_CHARS and _ZOOMS_OWN.fullmatch(text):
        return None
    if match is None:
        return line
    when = datetime.combine(_day(match["day"]) if match["day"] else _NO_DAY, _clock(match["clock"]))
    return _Message(match["who"].strip(), when, text, not _EVERYONE.search(match["whom"] or "all"))


def is_own(line: str) -> bool:
    """Whether KakaoTalk itself says this in a chat."""
    return len(line) <= _MAX_NOTICE_CHARS and _KAKAOS_OWN.fullmatch(line) is not None


def _spaced(line: str) -> str:
    """A line with usual blanks: English times have narrow ones before AM."""
    return line.replace("\u202f", " ").replace("\xa0", " ").rstrip()


def _day(text: str) -> date:
    numbers = [int(digits[:4]) for digits in _DIGITS.findall(text)]
    month = next((place for place, name in enumerate(_MONTHS, 1) if f" {name}" in f" {text.lower()}"), None)
    try:
        if month is not None and len(numbers) > 1:
            return date(numbers[1], month, numbers[0])
        return date(*numbers[:3])
    except (ValueError, TypeError):
        return _NO_DAY


def _clock(text: str) -> time:
    hour, minute, *second = (int(digits) for digits in _DIGITS.findall(text))
    hour = hour_of_day(hour, text)
    return time(min(hour, 23), min(minute, 59), min(second[0] if second else 0, 59))
