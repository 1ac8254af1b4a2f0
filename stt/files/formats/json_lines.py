"""JSONL: a line `{"speaker": …, "text": …}` for each utterance, with `start_ms` and `end_ms` where known.

`start` and `end`, as other programs call them, are seconds, unless nobody can speak so slowly.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from context.primitives.text import one_line
from stt.files.pace import speaking_ms
from stt.files.rows import MAX_MS, Notes, Row, Script, Source, Wrong, short, stamp_ms

_SHAPE: Final = 'write {"speaker": "…", "text": "…"}'
_MAX_SPEAKER_CHARS: Final = 1_000
_KNOWN_KEYS: Final = frozenset({"speaker", "name", "text", "start_ms", "end_ms", "start", "end"})
_SLOWEST_PACE: Final = 20
"""Nobody takes so many times as long as usual for what they say."""

Item = tuple[int, Mapping[str, Any]]
"""An object, and the line on which it stands."""


def fits(source: Source) -> bool:
    """Whether it is called so, or begins with an object on a line of its own."""
    if source.suffix in (".jsonl", ".ndjson"):
        return True
    lines = source.said
    if not lines or not lines[0][1].startswith("{"):
        return False
    try:
        return isinstance(json.loads(lines[0][1]), dict)
    except (ValueError, RecursionError):
        return False


def read(source: Source, notes: Notes) -> Script:
    """Read an utterance from each line."""
    return read_items([(number, _object(number, raw)) for number, raw in source.said], notes)


def read_items(items: Sequence[Item], notes: Notes) -> Script:
    """Read an utterance from each object."""
    thousand = 1000.0 if _in_seconds(items) else 1.0
    used = [number for number, item in items if {"start", "end"} & item.keys()]
    if used:
        unit = "seconds" if thousand > 1 else "milliseconds, since nobody speaks so slowly"
        notes.tell(f'"start" and "end" are read as {unit}', used, more="and in {} more")
    unread = [number for number, item in items if item.keys() - _KNOWN_KEYS]
    if unread:
        names = sorted({str(key) for _, item in items for key in item.keys() - _KNOWN_KEYS})
        shown = ", ".join(f'"{short(name)}"' for name in names[:5]) + (", …" if len(names) > 5 else "")
        notes.tell(f"fields that are not read: {shown}", unread, more="and in {} more")
    return Script(list(_rows(items, thousand)))


def _rows(items: Sequence[Item], thousand: float) -> Iterator[Row]:
    for number, item in items:
        for field in ("text", "speaker"):
            value = item.get(field)
            if value is None:
                raise Wrong(number, f'"{field}" is missing; each line needs "speaker" and "text"')
            if not isinstance(value, str):
                raise Wrong(number, f'"{field}" must be a string, not {short(json.dumps(value))}')
        speaker = one_line(item["speaker"])
        if not speaker:
            raise Wrong(number, '"speaker" is empty; give the id or the name of who said it')
        if len(speaker) > _MAX_SPEAKER_CHARS:
            much = f"has {len(speaker)} characters (at most {_MAX_SPEAKER_CHARS})"
            raise Wrong(number, f'"speaker" {much}')
        name = one_line(item["name"]) if isinstance(item.get("name"), str) else ""
        start_ms, end_ms = (
            _moment(number, item, f"{field}_ms", 1.0)
            if item.get(f"{field}_ms") is not None
            else _moment(number, item, field, thousand)
            for field in ("start", "end")
        )
        times = f'"end_ms" {end_ms} with "start_ms" {start_ms}'
        yield Row(number, item["text"], start_ms, end_ms, speaker, name, times)


def _object(number: int, raw: str) -> Mapping[str, Any]:
    try:
        item = json.loads(raw)
    except json.JSONDecodeError as error:
        raise Wrong(number, f"not JSON ({error.msg}); {_SHAPE}") from error
    except (ValueError, RecursionError) as error:
        why = "nested too deeply, or a number too long"
        raise Wrong(number, f"not JSON ({why}); {_SHAPE}") from error
    if not isinstance(item, dict):
        raise Wrong(number, f"not an object: {short(raw)}; {_SHAPE}")
    return item


def _in_seconds(items: Sequence[Item]) -> bool:
    """Whether `start` and `end` are seconds: a fraction says so, else how long the words would take."""
    took = speaking_s = 0.0
    for _, item in items:
        start, end, text = item.get("start"), item.get("end"), item.get("text")
        if any(isinstance(moment, float) and not moment.is_integer() for moment in (start, end)):
            return True
        if isinstance(start, int | float) and isinstance(end, int | float) and isinstance(text, str):
            took += max(0.0, end - start)
            speaking_s += speaking_ms(text) / 1000
    return took <= _SLOWEST_PACE * speaking_s or not took


def _moment(number: int, item: Mapping[str, Any], field: str, thousand: float) -> int | None:
    value = item.get(field)
    if value is None:
        return None
    if isinstance(value, str) and (clock_ms := stamp_ms(value.strip())) is not None:
        return clock_ms
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        unit = "milliseconds" if thousand == 1 else "seconds"
        raise Wrong(number, f'"{field}" must be {unit}, not {short(json.dumps(value))}')
    if value < 0:
        raise Wrong(number, f'"{field}" is negative ({value}); times count from the start')
    if value * thousand > MAX_MS:
        unit = "milliseconds" if thousand == 1 else "seconds"
        raise Wrong(number, f'"{field}" is beyond a week ({value}); it counts {unit}')
    return int(value * thousand)
