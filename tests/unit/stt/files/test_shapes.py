"""Transcripts as macOS and editors write them: decomposed letters, marks that nobody sees, any line break."""

from __future__ import annotations

import json
import unicodedata
import wave
from pathlib import Path

import pytest

from stt.files.folder import read_folder
from stt.files.transcripts import TextLine, read_transcript
from worker.replaying import read_recording

FILES = {
    "a.vtt": (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v 김민지>출시일은 11월 20일로 결정했습니다.</v>\n\n"
        "00:00:03.000 --> 00:00:05.000\n<v Zoë>Fine, I will write the résumé.</v>\n"
    ),
    "a.srt": (
        "1\n00:00:01,000 --> 00:00:02,000\n김민지: 출시일은 11월 20일로 결정했습니다.\n\n"
        "2\n00:00:03,000 --> 00:00:05,000\nZoë: Fine, I will write the résumé.\n"
    ),
    "a.txt": "김민지: 출시일은 11월 20일로 결정했습니다.\nZoë: Fine, I will write the résumé.\n",
    "a.jsonl": "\n".join(
        json.dumps({"speaker": who, "text": text}, ensure_ascii=False)
        for who, text in [
            ("김민지", "출시일은 11월 20일로 결정했습니다."),
            ("Zoë", "Fine, I will write the résumé."),
        ]
    ),
}


def read(folder: Path, name: str, text: str) -> list[TextLine]:
    path = folder / name
    path.write_text(text, "utf-8")
    return list(read_transcript(path).lines)


@pytest.mark.parametrize("name", FILES)
def test_decomposed_it_is_the_same_transcript(name: str, tmp_path: Path) -> None:
    composed = read(tmp_path, name, FILES[name])
    assert [(line.name, line.text) for line in composed] == [
        ("김민지", "출시일은 11월 20일로 결정했습니다."),
        ("Zoë", "Fine, I will write the résumé."),
    ]
    apart = unicodedata.normalize("NFD", FILES[name])
    assert apart != FILES[name]
    assert read(tmp_path, name, apart) == composed
    assert read(tmp_path, name, apart.replace("결", "결\u200b").replace("will", "w\u2060ill")) == composed


@pytest.mark.parametrize("name", FILES)
def test_one_name_is_one_speaker_and_a_break_is_a_blank(name: str, tmp_path: Path) -> None:
    text = (
        FILES[name].replace("Zoë", unicodedata.normalize("NFD", "김민지")).replace("Fine, I", "Fine,\u2028I")
    )
    lines = read(tmp_path, name, text)
    assert {line.speaker for line in lines} == {"김민지"}
    assert lines[1].text == "Fine, I will write the résumé."


@pytest.mark.parametrize("nothing", ["\u200b", "\u3164\u2800", "&#8203;"])
def test_a_cue_without_anything_to_be_seen_is_no_turn(nothing: str, tmp_path: Path) -> None:
    cue = "\n\n00:00:{0:02d}.000 --> 00:00:{0:02d}.500\n<v Ann>{1}</v>"
    text = f"WEBVTT{cue.format(1, nothing)}{cue.format(2, '네.')}\n"
    assert [(line.index, line.text) for line in read(tmp_path, "a.vtt", text)] == [(1, "네.")]


def test_files_that_macos_named_have_composed_names(tmp_path: Path) -> None:
    (tmp_path / unicodedata.normalize("NFD", "회의.vtt")).write_text(FILES["a.vtt"], "utf-8")
    with wave.open(str(tmp_path / unicodedata.normalize("NFD", "김민지.wav")), "wb") as recorded:
        recorded.setparams((1, 2, 16_000, 0, "NONE", ""))
        recorded.writeframes(bytes(3200))
    sound, text = sorted(tmp_path.iterdir(), key=lambda path: path.suffix, reverse=True)
    assert [(t.participant, t.name) for t in read_recording([sound]).tracks] == [("김민지", "김민지")]
    assert read_recording([text]).id == "회의"


@pytest.mark.parametrize(
    ("name", "shown"), [("\u200b", "minji"), ("김\n민지", "김 민지"), ("\u1100\u1175\u11b7", "김")]
)
def test_a_folder_names_its_people_in_one_line(name: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    people = {"minji": {"name": name, "track": "a.wav"}}
    (tmp_path / "meeting.json").write_text(json.dumps({"participants": people}), "utf-8")
    assert [track.name for track in read_folder(tmp_path).tracks] == [shown]
