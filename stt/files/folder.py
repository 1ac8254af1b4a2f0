"""Reads a recorded meeting's folder: `meeting.json` and one track per participant on a common clock.

`read_lines` reads a text file, whatever wrote it: UTF-8 with or without a byte order mark, UTF-16, CP949.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from context.primitives.text import clean_name, one_line
from stt.files.bad_input import BadInput


@dataclass(frozen=True, slots=True)
class RecordedTrack:
    """One participant's recorded sound: a file, or one sound track of it."""

    participant: str
    """The participant's id."""
    name: str
    path: Path
    """The sound file; its first sample is the meeting's start."""
    stream: int = 0
    """Which of the file's sound tracks it is."""


@dataclass(frozen=True, slots=True)
class RecordedMeeting:
    """What a folder's `meeting.json` tells of its meeting."""

    id: str
    language: str
    """`ko`, `en` or `auto`."""
    tracks: tuple[RecordedTrack, ...]


def read_folder(folder: Path) -> RecordedMeeting:
    """Read `id`, `language` and `participants` of a folder's `meeting.json`. Raises `BadInput`.

    Nothing else of it is read: a test meeting's true words may be there, too.
    """
    path = folder / "meeting.json"
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError as error:
        raise BadInput(
            path, "missing; a meeting's folder holds it and one track each; without it, name the files"
        ) from error
    except OSError as error:
        raise BadInput(path, f"can't be read ({error.strerror}); check its rights") from error
    except UnicodeDecodeError as error:
        raise BadInput(path, "not UTF-8; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise BadInput(path, f"not JSON ({error})", line=line) from error
    if not isinstance(data, dict):
        raise BadInput(path, "must be an object with id, language and participants")
    language = data.get("language", "auto")
    if language not in ("ko", "en", "auto"):
        raise BadInput(path, f'"language" is {language!r}; ko, en or auto')
    meeting_id = data.get("id", folder.resolve().name)
    if not isinstance(meeting_id, str) or not one_line(meeting_id):
        raise BadInput(path, '"id" must be a string that is not empty')
    people = data.get("participants")
    if not isinstance(people, dict) or not people:
        raise BadInput(path, '"participants" must be an object {id: {"name", "track"}} with somebody in it')
    tracks = tuple(_track(path, folder, who, entry) for who, entry in people.items())
    return RecordedMeeting(one_line(meeting_id), language, tracks)


def _track(path: Path, folder: Path, who: str, entry: Any) -> RecordedTrack:
    if not isinstance(entry, dict) or not isinstance(entry.get("track"), str):
        raise BadInput(path, f'participant {who!r} has no "track"; name the sound file of each')
    name = entry.get("name", who)
    if not isinstance(name, str):
        raise BadInput(path, f'participant {who!r}: "name" must be a string')
    sound = folder / entry["track"]
    if not sound.resolve().is_relative_to(folder.resolve()):
        raise BadInput(path, f"participant {who!r}: the track {entry['track']!r} lies outside the folder")
    if not sound.is_file():
        raise BadInput(path, f"participant {who!r}: no file {entry['track']!r} in the folder")
    return RecordedTrack(one_line(who) or who, clean_name(name) or clean_name(who, who), sound)


MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""The largest text file. A ten-hour transcript has some 2 MB; a line of a million characters some 3."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_lines(path: Path, data: bytes | None = None) -> Iterator[tuple[int, str]]:
    """Read the lines of a text file, numbered from 1, without line ends and NUL characters.

    `data`: what is in it, where `path` is only its name.
    Raises `BadInput` for a file that can't be read or is no text.
    """
    try:
        size = path.stat().st_size if data is None else len(data)
        if size > MAX_FILE_BYTES:
            most = MAX_FILE_BYTES >> 20
            raise BadInput(path, f"{size >> 20} MB of text; split it into files below {most} MB")
        raw = path.read_bytes() if data is None else data
    except IsADirectoryError as error:
        raise BadInput(path, "is a folder, not a transcript") from error
    except OSError as error:
        raise BadInput(path, f"can't be read ({error.strerror}); check the path and its rights") from error
    text = _decode(path, raw).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    yield from enumerate(text.split("\n"), start=1)


def _decode(path: Path, raw: bytes) -> str:
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), None) or _unmarked_utf16(raw)
    line = 1
    for encoding in (marked,) if marked else ("utf-8", "cp949"):  # EUC-KR is a part of the latter
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as error:
            if encoding == "utf-8":
                line = raw.count(b"\n", 0, error.start) + 1
            continue
        controls = sum(text.count(chr(code)) for code in range(1, 32) if chr(code) not in "\t\n\r\f\v\x1b")
        if controls <= len(text) // 20:
            return text
    raise BadInput(path, "unknown text encoding; save it as UTF-8", line=line)


def _unmarked_utf16(raw: bytes) -> str | None:
    """Recognise UTF-16 without a byte order mark, where each ASCII character has a NUL byte; else None."""
    head = raw[:4000]
    if len(head) < 8 or head.count(0) < len(head) // 5:
        return None
    odd, even = head[1::2].count(0), head[0::2].count(0)
    if odd > 4 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 4 * odd else None
