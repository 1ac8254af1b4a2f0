"""Subtitles of a meeting for players, made of its document: WebVTT and SubRip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from context.language.edits import edit_mark

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def to_vtt(document: Mapping[str, Any]) -> str:
    """Write a document as WebVTT, a cue with a voice tag for each utterance that has words.

    Behind words that were edited a tag of their own says by whom.
    """
    blocks = ["WEBVTT"]
    for number, name, text, start_ms, end_ms, edit in _cues(document):
        voice, mark = _xml(name.replace(">", " ")), f" <c.edited>{_xml(edit)}</c>" if edit else ""
        blocks.append(
            f"{number}\n{_stamp(start_ms, '.')} --> {_stamp(end_ms, '.')}\n<v {voice}>{_xml(text)}</v>{mark}"
        )
    return "\n\n".join(blocks) + "\n"


def to_srt(document: Mapping[str, Any]) -> str:
    """Write a document as SubRip, names before the words. It has no escapes, so an arrow becomes →."""
    blocks = []
    for place, (_, name, text, start_ms, end_ms, edit) in enumerate(_cues(document), 1):
        line = f"{name}: {text}{f' <i>{edit}</i>' if edit else ''}".replace("-->", "→")
        blocks.append(f"{place}\n{_stamp(start_ms, ',')} --> {_stamp(end_ms, ',')}\n{line}")
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def clock(ms: int) -> str:
    """Milliseconds from the meeting's start as `HH:MM:SS`; 0 for a negative number."""
    seconds = max(0, ms) // 1000
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _cues(document: Mapping[str, Any]) -> Iterator[tuple[int, str, str, int, int, str]]:
    """Of each utterance that has words: number, speaker, words, beginning and end, the mark of an edit."""
    language = document["meeting"]["language"]
    names = {p["id"]: p["name"] for p in document["participants"]}
    for u in document["utterances"]:
        if text := plain(u["text"]):
            name, start_ms = plain(names.get(u["speaker"], u["speaker"])), max(0, u["start_ms"])
            by = u.get("corrected_by")
            edit = edit_mark(names.get(by, by), language).strip()
            yield u["id"], name, text, start_ms, max(u["end_ms"], start_ms + 1), edit


def _stamp(ms: int, point: str) -> str:
    return f"{clock(ms)}{point}{ms % 1000:03d}"


def plain(text: str) -> str:
    """Put a text on one line: control characters become blanks."""
    return _CONTROL.sub(" ", text).strip()


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
