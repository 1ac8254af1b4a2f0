"""The files of other tools: each in the form of a public sample (`tests/data/transcripts/README.md`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt.files.bad_input import BadInput
from stt.files.speakers import UNKNOWN_SPEAKER
from stt.files.transcripts import Transcript, read_transcript

HOME: Final = Path(__file__).parents[3] / "data" / "transcripts"
EXPECTED: Final[dict[str, Any]] = json.loads((HOME / "expected.json").read_text("utf-8"))
FILES: Final = sorted(
    path.name for path in HOME.iterdir() if path.suffix != ".md" and path.name != "expected.json"
)


def shape(read: Transcript) -> dict[str, Any]:
    return {
        "lines": [[line.speaker, line.text, line.start_ms, line.end_ms] for line in read.lines],
        "notes": [note.told("") for note in read.notes],
        "began": read.began.isoformat() if read.began else None,
    }


@pytest.mark.parametrize("name", [*FILES, "meet.md"])
def test_each_form_is_read_as_it_is_meant(name: str) -> None:
    assert shape(read_transcript(HOME / name)) == EXPECTED[name]


def test_every_file_that_is_expected_is_there() -> None:
    assert sorted(EXPECTED) == sorted({*FILES, "meet.md"})


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".txt", ".json", ".csv", ".tsv"))])
def test_the_content_tells_the_form_whatever_the_file_is_called(name: str, tmp_path: Path) -> None:
    """Programs call all of these .txt."""
    copy = tmp_path / "x.txt"
    copy.write_bytes((HOME / name).read_bytes())
    assert shape(read_transcript(copy)) == EXPECTED[name]


@pytest.mark.parametrize("glued", [True, False], ids=["one paragraph a turn", "one paragraph a line"])
def test_teams_writes_a_word_file(glued: bool, tmp_path: Path) -> None:
    """A turn is one paragraph with breaks in it, or, in older exports, a paragraph for each line."""
    text = (HOME / "teams.txt").read_text("utf-8")
    made = docx.Document()
    for turn in text.split("\n\n") if glued else text.split("\n"):
        made.add_paragraph(turn)
    made.save(str(tmp_path / "teams.docx"))
    read = shape(read_transcript(tmp_path / "teams.docx"))
    assert read["lines"] == EXPECTED["teams.txt"]["lines"]
    assert read["began"] == "2026-07-10T18:09:00"


def test_a_word_file_that_is_none_is_told(tmp_path: Path) -> None:
    for name, raw in (("a.docx", b"no zip"), ("b.docx", (HOME / "teams.vtt").read_bytes())):
        (tmp_path / name).write_bytes(raw)
        with pytest.raises(BadInput, match="no Word file that can be read"):
            read_transcript(tmp_path / name)


_NOISE: Final = st.sampled_from(
    ["", " ", "\t", "\u200b", "…", "[Music]", "회의는 14:30", "The plan: we go on", "* * *"]
)


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from([name for name in FILES if name.endswith((".txt", ".vtt", ".sbv"))]),
    st.lists(st.tuples(st.integers(0, 60), _NOISE), max_size=4),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_noise_in_a_file_puts_nothing_into_a_wrong_mouth(
    tmp_path_factory: pytest.TempPathFactory, name: str, noise: list[tuple[int, str]], end: str, bom: bool
) -> None:
    """Whatever lines come between: what is still read is said by who said it, or by the unknown speaker."""
    lines = (HOME / name).read_text("utf-8-sig").split("\n")
    for place, line in noise:
        lines.insert(place % (len(lines) + 1), line)
    path = tmp_path_factory.mktemp("noise") / name
    path.write_text(("\ufeff" if bom else "") + end.join(lines), "utf-8", newline="")
    try:
        read = read_transcript(path)
    except BadInput:
        return
    said = {text: who for who, text, *_ in EXPECTED[name]["lines"]}
    for line in read.lines:
        if line.text in said:
            assert line.speaker in {said[line.text], UNKNOWN_SPEAKER}


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(FILES), st.data())
def test_a_broken_file_is_words_or_one_clear_line(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    raw = bytearray((HOME / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(raw) - 1))
        what = data.draw(st.sampled_from(["cut", "drop", "change", "twice"]))
        match what:
            case "cut":
                raw = raw[: max(1, place)]
            case "drop":
                raw = raw[:place] + raw[place + data.draw(st.integers(1, 20)) :] or bytearray(b"x")
            case "change":
                raw[place] = data.draw(st.integers(0, 255))
            case _:
                raw = raw[:place] + raw[max(0, place - 40) :]
    path = tmp_path_factory.mktemp("broken") / name
    path.write_bytes(raw)
    message, read = "", None
    try:
        read = read_transcript(path)
    except BadInput as error:
        message = str(error)
    if read is None:
        assert message.startswith(str(path))
        assert "\n" not in message
    else:
        assert read.lines
        assert all(line.text and line.speaker and 0 <= line.start_ms <= line.end_ms for line in read.lines)
