"""Who speaks in a file, or that it does not say: small files of every kind, what a reader would say is right."""

from __future__ import annotations

from pathlib import Path

from stt.files.speakers import UNKNOWN_NAMES
from stt.files.transcripts import read_transcript
from tests.unit.cases import cases


@cases
def test_who_speaks(name: str, content: str, who: str, tmp_path: Path) -> None:
    """`who`: for each utterance its speaker and words; `?` is the unknown one, who is always told of."""
    path = tmp_path / name
    path.write_text(content, "utf-8")
    read = read_transcript(path)
    names = ["?" if line.name in UNKNOWN_NAMES.values() else line.name for line in read.lines]
    assert [f"{name}: {line.text}" for name, line in zip(names, read.lines, strict=True)] == who.split("\n")
    assert ("?" in names) == any("unknown speaker" in note.text for note in read.notes)


@cases
def test_what_is_left_out_is_told(name: str, content: str, words: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    read = read_transcript(path)
    assert "\n".join(line.text for line in read.lines) == words
    assert any(told in note.told("") for note in read.notes)
