"""JSON in one piece: Moim's own document, and the segments of speech engines and services.

Whisper, WhisperX, whisper.cpp and OpenAI's API; Fireflies; NAVER CLOVA Speech; AssemblyAI. They differ in the
names of their fields and in the unit of their times, and say the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from context.primitives.text import one_line
from stt.files.formats import json_lines
from stt.files.rows import MAX_MS, Notes, Row, Script, Source, Wrong, seconds_ms, stamp_ms

_KNOWN_FORMATS: Final = (
    "Moim's own, Whisper, WhisperX, whisper.cpp, OpenAI, Fireflies, CLOVA Speech, AssemblyAI, "
    'or [{"speaker": "…", "text": "…"}, …]'
)


class _Shape(NamedTuple):
    """Where the segments of a kind of document stand, and how their fields are called."""

    path: tuple[str, ...]
    texts: tuple[str, ...]
    times: tuple[str, str]
    moment: Callable[[object], int | None]
    speakers: tuple[str, ...] = ("speaker",)
    beside: str = ""
    """A field that only this kind has."""


def _ms(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= MAX_MS else None


def _seconds(value: object) -> int | None:
    """Seconds as a number or a text, or a clock (`0:12`)."""
    if isinstance(value, str):
        if ":" in value:
            return stamp_ms(value.strip())
        try:
            value = float(value)
        except ValueError:
            return None
    return seconds_ms(value)


_SENTENCES: Final = _Shape(
    ("sentences",),
    ("text", "sentence", "raw_text"),
    ("start_time", "end_time"),
    _seconds,
    ("speaker_name", "speaker_id"),
)
_SHAPES: Final = (
    _SENTENCES,
    _SENTENCES._replace(path=("transcript", "sentences")),
    _SENTENCES._replace(path=("data", "transcript", "sentences")),
    _Shape(("transcription",), ("text",), ("offsets.from", "offsets.to"), _ms),
    _Shape(
        ("segments",), ("text",), ("start", "end"), _ms, ("speaker.name", "speaker.label"), beside="message"
    ),
    _Shape(("segments",), ("text",), ("start", "end"), _seconds),
    _Shape(("utterances",), ("text",), ("start", "end"), _ms, beside="audio_duration"),
)


def fits(source: Source) -> bool:
    """Whether it is called so, or is an object or a list in one piece."""
    if source.suffix in (".json", ".jsonl", ".ndjson"):
        return source.suffix == ".json"
    lines = source.said
    if not lines or lines[0][1][0] not in "{[":
        return False
    try:
        return isinstance(json.loads(source.text), dict | list)
    except (ValueError, RecursionError):
        return False


def read(source: Source, notes: Notes) -> Script:
    """Read the document's utterances, whichever kind it is of."""
    try:
        whole = json.loads(source.text)
    except json.JSONDecodeError as error:
        if json_lines.fits(source):
            return json_lines.read(source, notes)
        raise Wrong(error.lineno, f"not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise Wrong(None, "not JSON (nested too deeply, or a number too long)") from error
    if isinstance(whole, dict) and isinstance(whole.get("meeting"), dict) and "utterances" in whole:
        return _moims(whole, notes)
    if isinstance(whole, dict) and {"speaker", "text"} <= whole.keys():
        whole = [whole]
    if isinstance(whole, list):
        return _listed(whole, notes)
    for shape in _SHAPES:
        segments = _at(whole, ".".join(shape.path))
        if isinstance(segments, list) and (not shape.beside or shape.beside in whole):
            if not segments and isinstance(whole.get("text"), str):
                break
            return Script(
                _by_name(list(_segments(segments, shape))), _date(_at(whole, ".".join(shape.path[:-1])))
            )
    if isinstance(whole, dict) and isinstance(whole.get("text"), str):
        return Script([Row(0, whole["text"])])
    raise Wrong(None, f"no transcript that is known; there are {_KNOWN_FORMATS}")


def _listed(items: Sequence[Any], notes: Notes) -> Script:
    if all(isinstance(item, dict) for item in items):
        if all("speaker" in item and "text" in item for item in items):
            return json_lines.read_items([(0, item) for item in items], notes)
        if all({"sentence", "text", "raw_text"} & item.keys() for item in items):
            times = (
                ("startTime", "endTime") if any("startTime" in item for item in items) else _SENTENCES.times
            )
            return Script(_by_name(list(_segments(items, _SENTENCES._replace(times=times)))))
    raise Wrong(None, f"no transcript that is known; there are {_KNOWN_FORMATS}")


def _segments(segments: Sequence[Any], shape: _Shape) -> Iterator[Row]:
    for place, segment in enumerate(segments, 1):
        text = next((value for key in shape.texts if isinstance(value := _at(segment, key), str)), None)
        if text is None:
            raise Wrong(None, f'segment {place}: "{shape.texts[0]}" is missing, or no text')
        moments = []
        for key in shape.times:
            value = _at(segment, key)
            moment = None if value is None else shape.moment(value)
            if value is not None and moment is None:
                raise Wrong(None, f'segment {place}: "{key}" is no time')
            moments.append(moment)
        values = (_at(segment, key) for key in shape.speakers)
        labels = [one_line(str(value)) for value in values if value is not None]
        # No engine writes labels: what looks like one was said.
        row = Row(0, text, moments[0], moments[1], told=f"segment {place}", judged=True)
        yield _told(row, [label for label in labels if label])


def _told(row: Row, labels: Sequence[str]) -> Row:
    """A row with its speaker: the last that is said of them is their id, the first their name."""
    if not labels or labels[-1] == "?":
        return row
    name = labels[0] if len(labels) > 1 or not labels[0].isdecimal() else f"Speaker {labels[0]}"
    return row._replace(speaker=labels[-1], name=name)


def _by_name(rows: Sequence[Row]) -> list[Row]:
    """The rows with the name as the speaker's id, unless two bear it."""
    bearers: dict[str, set[str]] = {}
    for row in rows:
        bearers.setdefault(row.name, set()).add(row.speaker or "")
    return [
        row._replace(speaker=row.name) if row.speaker and len(bearers[row.name]) == 1 else row for row in rows
    ]


def _moims(whole: Mapping[str, Any], notes: Notes) -> Script:
    """The utterances of Moim's document; topics and all else are made anew."""
    people = whole.get("participants")
    names = {_at(one, "id"): _at(one, "name") for one in people} if isinstance(people, list) else {}
    rows = []
    utterances = whole["utterances"]
    for place, utterance in enumerate(utterances if isinstance(utterances, list) else [], 1):
        speaker, text = _at(utterance, "speaker"), _at(utterance, "text")
        if not isinstance(speaker, str) or not isinstance(text, str):
            raise Wrong(None, f'utterance {place}: "speaker" and "text" must be texts')
        start_ms, end_ms = _ms(_at(utterance, "start_ms")), _ms(_at(utterance, "end_ms"))
        name = names.get(speaker)
        derived = _at(utterance, "times_derived") is True
        place_name = f"utterance {place}"
        rows.append(
            Row(
                0, text, start_ms, end_ms, speaker, name if isinstance(name, str) else "", place_name, derived
            )
        )
    notes.tell("Moim's document: what was said is read, topics and minutes are made anew")
    return Script(rows, _date(whole["meeting"]))


def _date(of: object) -> datetime | None:
    """When the meeting began, as Moim (ISO 8601) or Fireflies (ms since 1970) write it."""
    began, epoch = _at(of, "started_at"), _at(of, "date")
    try:
        if isinstance(began, str):
            return datetime.fromisoformat(began)
        if isinstance(epoch, int | float) and epoch > 0:
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=epoch)
    except (ValueError, OverflowError):
        return None
    return None


def _at(whole: object, path: str) -> Any:
    """The value at a path of keys (`offsets.from`); None where there is none."""
    for key in path.split(".") if path else ():
        whole = whole.get(key) if isinstance(whole, dict) else None
    return whole
