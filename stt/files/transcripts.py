"""Reads transcripts: their content tells the format. A cue or a line is one utterance, never merged.

The readers (`formats`) find the rows of a file; who speaks in those that do not say it is judged over the
whole file (`speakers`); here each row gets its times. Whatever is dropped, made up or not understood is a
note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from context.primitives.text import one_line
from stt.files.bad_input import BadInput
from stt.files.folder import read_lines
from stt.files.formats import (
    chats,
    json_documents,
    json_lines,
    lines,
    meet,
    moim_minutes,
    name_headings,
    subtitle_cues,
    tables,
    word,
)
from stt.files.pace import PAUSE_MS, speaking_ms
from stt.files.rows import Note, Notes, Numbered, Row, Script, Source, Wrong
from stt.files.speakers import with_speakers
from stt.files.suffixes import TRANSCRIPTS, is_transcript

MAX_TEXT_CHARS: Final = 4_000_000
"""A line with more characters is refused: nobody has said that."""


class Format(NamedTuple):
    """A kind of transcript."""

    name: str
    """The name that `moim replay --help` lists."""
    fits: Callable[[Source], bool]
    """Whether a file is of this kind, by its content; where that is not sure, by its suffix."""
    read: Callable[[Source, Notes], Script]
    """Finds the file's rows; raises `Wrong`."""


FORMATS: Final = (
    Format(
        "WebVTT (.vtt): Zoom, Teams, YouTube, Whisper, Moim",
        subtitle_cues.fits_webvtt,
        subtitle_cues.read_webvtt,
    ),
    Format(
        "SubRip (.srt): Whisper, WhisperX, Otter, Moim", subtitle_cues.fits_subrip, subtitle_cues.read_subrip
    ),
    Format("SBV (.sbv): YouTube, Google Meet", subtitle_cues.fits_sbv, subtitle_cues.read_sbv),
    Format(
        "JSON (.json): Moim, Whisper, WhisperX, whisper.cpp, OpenAI, Fireflies, CLOVA Speech, AssemblyAI",
        json_documents.fits,
        json_documents.read,
    ),
    Format(
        'JSONL (.jsonl) {"speaker", "text", "start_ms"?, "end_ms"?}: Moim', json_lines.fits, json_lines.read
    ),
    Format("tables: Whisper (.tsv), whisper.cpp and KakaoTalk (.csv)", tables.fits, tables.read),
    Format("chats (.txt): KakaoTalk", chats.fits_kakao, chats.read_kakao),
    Format("chats (.txt): Zoom", chats.fits_zoom, chats.read_zoom),
    Format("minutes (.md): Moim", moim_minutes.fits, moim_minutes.read),
    Format("transcripts (.txt, .md, .docx): Google Meet", meet.fits, meet.read),
    Format(
        "a name and a time above each turn (.txt, .docx): Otter, CLOVA Note, Teams, Word, Fireflies, YouTube",
        name_headings.fits,
        name_headings.read,
    ),
    Format("`Name: text` on each line (.txt), with or without times", lines.fits, lines.read),
)
"""The formats in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One utterance of a transcript. Times are in ms from the meeting's start."""

    index: int
    """The number from 0, in the order of the file; a line without words has a number and no `TextLine`."""
    speaker: str
    """Who speaks, as an id: the same name is the same person."""
    name: str
    """The speaker's name as people see it."""
    text: str
    start_ms: int
    end_ms: int
    times_derived: bool = False
    """Whether a time is missing in the file and was derived from a speaking rate."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a transcript file says, and what is to be told about it."""

    lines: tuple[TextLine, ...]
    notes: tuple[Note, ...] = ()
    began: datetime | None = None
    """When the meeting began, as the file tells it; without a zone it is that of who saved it."""


def read_transcript(path: Path, data: bytes | None = None) -> Transcript:
    """Read a transcript file. Raises `BadInput`, which names file, line and mend.

    `data`: what is in it, where `path` is only its name.
    """
    suffix = path.suffix.lower()
    if not is_transcript(path):
        known = ", ".join(TRANSCRIPTS)
        raise BadInput(path, f"unknown kind of transcript {suffix or '(no suffix)'}; one of {known}")
    reads = word.paragraphs if suffix == ".docx" else read_lines
    numbered: Iterable[Numbered] = reads(path, data)
    source = Source(list(numbered), suffix)
    notes = Notes()
    try:
        form = next(one for one in FORMATS if one.fits(source))
        script = form.read(source, notes)
        lines = _placed(with_speakers(script.rows, notes), notes)
    except Wrong as wrong:
        raise BadInput(path, str(wrong), line=wrong.number) from wrong.__cause__
    if not lines:
        raise BadInput(path, "nothing is said in it; an empty transcript can't be replayed")
    return Transcript(tuple(lines), tuple(notes), script.began)


def _placed(rows: Sequence[Row], notes: Notes) -> list[TextLine]:
    """Give each row its times, and tell where they had to be made up."""
    lines: list[TextLine] = []
    backwards: list[Row] = []
    clock_ms = 0
    nexts = [after.start_ms for after in rows[1:]] + [None]
    for index, (row, next_ms) in enumerate(zip(rows, nexts, strict=False)):
        text = one_line(row.text, 3 * len(row.text))
        if len(text) > MAX_TEXT_CHARS:
            much = f"{len(text)} characters in one line"
            raise Wrong(row.number or None, f"{much}; split it (at most {MAX_TEXT_CHARS})")
        start_ms, end_ms, derived = _times(row, text, clock_ms, next_ms)
        if end_ms < start_ms:
            backwards.append(row)
            end_ms = start_ms
        if text:  # one without words says nothing, but keeps its number
            clock_ms = max(clock_ms, end_ms)
            speaker = row.speaker or ""
            lines.append(TextLine(index, speaker, row.name or speaker, text, start_ms, end_ms, derived))
    if backwards:
        wrong = f"{backwards[0].told} ends before it begins"
        others = f" (so do {len(backwards) - 1} more)" if len(backwards) > 1 else ""
        mend = "taken as over where it begins; mend the times"
        notes.tell(f"{wrong}{others}: {mend}", [backwards[0].number])
    _tell_derived(rows, notes)
    return lines


def _times(row: Row, text: str, clock_ms: int, next_ms: int | None) -> tuple[int, int, bool]:
    """A row's beginning and end, and whether one of them was derived."""
    start_ms, end_ms = row.start_ms, row.end_ms
    derived = row.times_derived or start_ms is None or end_ms is None
    if start_ms is None:
        start_ms = clock_ms + PAUSE_MS if clock_ms else 0
        if end_ms is not None:
            start_ms = max(0, min(start_ms, end_ms - speaking_ms(text)))
    if end_ms is None or (row.start_ms is None and end_ms == 0):  # an end alone at 0 says nothing
        end_ms = start_ms + speaking_ms(text)
        if next_ms is not None and row.start_ms is not None and next_ms > start_ms:
            end_ms = min(end_ms, next_ms)  # nobody speaks at once who does not have to
    return start_ms, end_ms, derived


def _tell_derived(rows: Sequence[Row], notes: Notes) -> None:
    spoken = [row for row in rows if one_line(row.text)]
    starts = [row.number for row in spoken if row.start_ms is None]
    ends = [row.number for row in spoken if row.start_ms is not None and row.end_ms is None]
    if len(starts) == len(spoken) and spoken:
        notes.tell("no times in it: they are derived from a speaking rate")
    elif starts:
        notes.tell("no time: derived from a speaking rate", starts)
    if ends:
        notes.tell("no end: derived from a speaking rate", ends)
