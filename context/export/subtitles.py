"""Subtitles of a meeting for players, made of its document: WebVTT and SubRip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from context.text import one_line


def to_vtt(document: Mapping[str, Any]) -> str:
    """Write a document as WebVTT, a cue with a voice tag for each utterance that has words."""
    blocks = ["WEBVTT"]
    for number, name, text, start_ms, end_ms in _cues(document):
        voice = _xml(name.replace(">", " "))
        blocks.append(
            f"{number}\n{_stamp(start_ms, '.')} --> {_stamp(end_ms, '.')}\n<v {voice}>{_xml(text)}</v>"
        )
    return "\n\n".join(blocks) + "\n"


def to_srt(document: Mapping[str, Any]) -> str:
    """Write a document as SubRip, names before the words. It has no escapes, so an arrow becomes →."""
    blocks = [
        f"{place}\n{_stamp(start_ms, ',')} --> {_stamp(end_ms, ',')}\n{f'{name}: {text}'.replace('-->', '→')}"
        for place, (_, name, text, start_ms, end_ms) in enumerate(_cues(document), 1)
    ]
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def clock(ms: int) -> str:
    """Milliseconds from the meeting's start as `HH:MM:SS`; 0 for a negative number."""
    seconds = max(0, ms) // 1000
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _cues(document: Mapping[str, Any]) -> Iterator[tuple[int, str, str, int, int]]:
    names = {p["id"]: p["name"] for p in document["participants"]}
    for u in document["utterances"]:
        if text := one_line(u["text"]):
            name, start_ms = one_line(names.get(u["speaker"], u["speaker"])), max(0, u["start_ms"])
            yield u["id"], name, text, start_ms, max(u["end_ms"], start_ms + 1)


def _stamp(ms: int, point: str) -> str:
    return f"{clock(ms)}{point}{ms % 1000:03d}"


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
