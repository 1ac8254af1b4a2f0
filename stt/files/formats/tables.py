"""Tables with a line of headings: Whisper's .tsv and whisper.cpp's .csv (both in ms), KakaoTalk's .csv."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from stt.files.formats.chats import is_own, placed_in_time
from stt.files.rows import MAX_MS, Notes, Row, Script, Source, Wrong

_WHISPER: Final = (["start", "end", "text"], ["start", "end", "speaker", "text"])
_KAKAO: Final = ["date", "user", "message"]


def fits(source: Source) -> bool:
    """Whether it begins with the headings of one of these tables, or is called a table."""
    columns = _columns(source)
    return columns in _WHISPER or columns == _KAKAO or source.suffix in (".tsv", ".csv")


def read(source: Source, notes: Notes) -> Script:
    """Read the rows of the table."""
    columns = _columns(source)
    if columns not in _WHISPER and columns != _KAKAO:
        known = "`start,end,speaker,text` (in ms) or `Date,User,Message`"
        raise Wrong(1, f"no table that is known: its first line is {known}")
    rows = _records(source)
    if columns == _KAKAO:
        return _chat(rows, notes)
    return Script(list(_segments(rows, columns)))


def _columns(source: Source) -> list[str]:
    first = source.said[0][1] if source.said else ""
    return [column.strip().lower() for column in first.split(_delimiter(first))]


def _delimiter(head: str) -> str:
    return "\t" if "\t" in head else ","


def _records(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The records below the headings, each with its first line; a quoted field may have line breaks."""
    lines = [f"{line}\n" for _, line in source.lines]
    delimiter = _delimiter(source.said[0][1])
    if delimiter == "\t":
        reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(lines)
    number, head = 1, True
    try:
        for record in reader:
            if record and not head:
                yield number, record
            head = head and not record
            number = reader.line_num + 1
    except csv.Error as error:
        raise Wrong(number, f"no row of a table ({error}); save it as CSV in UTF-8") from error


def _segments(rows: Iterator[tuple[int, list[str]]], columns: Sequence[str]) -> Iterator[Row]:
    for number, record in rows:
        fields, text = record[: len(columns) - 1], " ".join(record[len(columns) - 1 :])
        if len(fields) < len(columns) - 1:
            raise Wrong(number, f"{len(record)} fields; each row has {', '.join(columns)}")
        speaker = fields[2].strip() if "speaker" in columns else ""
        start_ms, end_ms = _ms(number, fields[0]), _ms(number, fields[1])
        yield Row(number, text, start_ms, end_ms, speaker or None, told="its time", judged=True)


def _ms(number: int, field: str) -> int:
    value = field.strip()
    if not (value.isascii() and value.isdecimal()) or int(value[:12]) > MAX_MS:
        raise Wrong(number, "its time is no number of milliseconds; Whisper writes `3828`")
    return int(value)


def _chat(rows: Iterator[tuple[int, list[str]]], notes: Notes) -> Script:
    messages: list[tuple[Row, datetime]] = []
    left_out: list[int] = []
    for number, record in rows:
        when, who, text = (*(cell.strip() for cell in record), "", "", "")[:3]
        if (not when and not who) or is_own(text):
            left_out.append(number)
            continue
        try:
            messages.append((Row(number, text, speaker=who or None), datetime.fromisoformat(when)))
        except ValueError:
            raise Wrong(number, "no date and time; KakaoTalk writes `2026-05-17 09:00:00`") from None
    if left_out:
        notes.tell("a message of the chat itself is left out", left_out)
    return placed_in_time(messages)
