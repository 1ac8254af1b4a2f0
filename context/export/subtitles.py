"""A meeting's transcript as files for players and programs, made of its document: WebVTT, SubRip and JSONL.

Each reads back as it was (`stt.files`): what a name or a word has of the format's own signs is escaped.
SubRip has no escapes, so a sign that nobody sees (`MARK`) parts what would be read otherwise, and stands
before a label that nobody would take for a name.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from context.language.edits import edit_mark
from context.language.labels import Form, form_before
from context.primitives.text import one_line

MARK: Final = "\u2063"
"""Unicode's invisible separator: nothing that is said has it (`one_line` takes it out)."""
_SIGNS: Final = re.compile(r"<(?=[/\w])|\{(?=\\)|&(?=[#\w])|--(?=>)")
"""Signs that SubRip's readers take for the beginning of a tag, an escape or a cue's times."""


def to_vtt(document: Mapping[str, Any]) -> str:
    """Write a document as WebVTT, a cue with a voice tag for each utterance that has words.

    Behind words that were edited a tag of their own says by whom.
    """
    blocks = ["WEBVTT"]
    for number, name, text, start_ms, end_ms, edit in _cues(document):
        voice, mark = _xml(name), f" <c.edited>{_xml(edit)}</c>" if edit else ""
        blocks.append(
            f"{number}\n{_stamp(start_ms, '.')} --> {_stamp(end_ms, '.')}\n<v {voice}>{_xml(text)}</v>{mark}"
        )
    return "\n\n".join(blocks) + "\n"


def to_srt(document: Mapping[str, Any]) -> str:
    """Write a document as SubRip, names before the words.

    A name needs no mark where it looks like a whole one, or where one of the file's comes again: see
    `stt.files.speakers`.
    """
    cues = list(_cues(document))
    shapes = [form_before(name, text) for _, name, text, *_ in cues]
    uses = Counter(cue[1] for cue, shape in zip(cues, shapes, strict=True) if shape >= Form.NAME)
    plain = Form.NAME if any(count > 1 for count in uses.values()) else Form.WHOLE
    blocks = []
    for place, (_, name, text, start_ms, end_ms, edit) in enumerate(cues, 1):
        label = _apart(name) if shapes[place - 1] >= plain else MARK + _apart(name).replace(":", f":{MARK}")
        line = f"{label}: {_apart(text)}{f' <i>{_apart(edit)}</i>' if edit else ''}"
        blocks.append(f"{place}\n{_stamp(start_ms, ',')} --> {_stamp(end_ms, ',')}\n{line}")
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def to_jsonl(document: Mapping[str, Any]) -> str:
    """Write a document as JSONL, a line for each utterance that has words: what `moim replay` takes."""
    names = {p["id"]: p["name"] for p in document["participants"]}
    rows = (
        {
            "speaker": u["speaker"],
            "name": names.get(u["speaker"], u["speaker"]),
            "text": u["text"],
            "start_ms": u["start_ms"],
            "end_ms": u["end_ms"],
        }
        for u in document["utterances"]
        if one_line(u["text"])
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def clock(ms: int) -> str:
    """Milliseconds from the meeting's start as `HH:MM:SS`; 0 for a negative number."""
    seconds = max(0, ms) // 1000
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _cues(document: Mapping[str, Any]) -> Iterator[tuple[int, str, str, int, int, str]]:
    """The number, speaker, words, beginning, end and mark of an edit of each utterance that has words."""
    language = document["meeting"]["language"]
    names = {p["id"]: p["name"] for p in document["participants"]}
    for u in document["utterances"]:
        if text := one_line(u["text"]):
            name, start_ms = one_line(names.get(u["speaker"], u["speaker"])), max(0, u["start_ms"])
            by = u.get("corrected_by")
            edit = edit_mark(names.get(by, by), language).strip()
            yield u["id"], name, text, start_ms, max(u["end_ms"], start_ms + 1), edit


def _stamp(ms: int, point: str) -> str:
    return f"{clock(ms)}{point}{ms % 1000:03d}"


def _xml(text: str) -> str:
    """Text as WebVTT has it; an override in braces, as SubRip has it, would be taken out of it, too."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("{\\", "&#123;\\")


def _apart(text: str) -> str:
    return _SIGNS.sub(lambda sign: f"{sign[0][0]}{MARK}{sign[0][1:]}", text)
