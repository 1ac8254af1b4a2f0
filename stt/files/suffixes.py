"""The endings of files that can be read. They stand alone: who only asks needs no codecs."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

SOUND: Final = (
    *(".wav", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".aac", ".wma", ".aiff", ".aif", ".amr"),
    *(".m4a", ".mp4", ".mov", ".3gp", ".webm", ".mka", ".mkv"),
)
TRANSCRIPTS: Final = (
    *(".vtt", ".srt", ".sbv", ".jsonl", ".ndjson", ".json", ".tsv", ".csv"),
    *(".txt", ".md", ".docx"),
)


def is_audio(path: PurePath) -> bool:
    """Whether a file is sound, by its ending."""
    return path.suffix.lower() in SOUND


def is_transcript(path: PurePath) -> bool:
    """Whether a file may be a transcript, by its ending."""
    return path.suffix.lower() in TRANSCRIPTS
