from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.primitives.text import one_line
from stt.files.bad_input import BadInput
from stt.files.pace import speaking_ms
from stt.files.speakers import UNKNOWN_SPEAKER
from stt.files.transcripts import TextLine, read_transcript
from tests.unit.cases import cases

VTT = """WEBVTT - 회의
Kind: captions

STYLE
::cue { color: red }

NOTE this is
a comment --- of two lines

1
00:00:01.000 --> 00:00:03.500 align:start
<v 김민지>출시일은 <b>금요일</b>입니다.</v>

00:04.000 --> 00:06.000
<v.loud Ben Ross>Ship it &amp; go.</v> <v 김민지>네.</v>

01:00:00.000 --> 01:00:01.000
Nobody's
line
"""

SRT = """1
00:00:01,000 --> 00:00:03,500
김민지: 출시일은 금요일입니다.

2
00:00:04,000 --> 00:00:06,000
Ben: We ship at 10:30.
So it is.

3
00:00:07,000 --> 00:00:08,000
and goes on

"""


def write(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read_lines(path: Path) -> list[TextLine]:
    return list(read_transcript(path).lines)


def shape(lines: list[TextLine]) -> list[tuple[str, str, int, int]]:
    return [(line.speaker, line.text, line.start_ms, line.end_ms) for line in lines]


def jsonl(*items: object) -> str:
    return "\n".join(
        item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items
    )


def problem(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_lines(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


def test_webvtt_voices_notes_styles_and_entities(tmp_path: Path) -> None:
    lines = read_lines(write(tmp_path, "a.vtt", VTT))
    assert shape(lines) == [
        ("김민지", "출시일은 금요일입니다.", 1000, 3500),
        ("Ben Ross", "Ship it & go.", 4000, 6000),
        ("김민지", "네.", 4000, 6000),
        (UNKNOWN_SPEAKER, "Nobody's line", 3_600_000, 3_601_000),
    ]
    assert [line.index for line in lines] == [0, 1, 2, 3]
    assert not any(line.times_derived for line in lines)


def test_srt_names_are_speakers_and_a_cue_without_is_nobodys(tmp_path: Path) -> None:
    assert shape(read_lines(write(tmp_path, "a.srt", SRT))) == [
        ("김민지", "출시일은 금요일입니다.", 1000, 3500),
        ("Ben", "We ship at 10:30. So it is.", 4000, 6000),
        (UNKNOWN_SPEAKER, "and goes on", 7000, 8000),
    ]


@pytest.mark.parametrize("text", ["결론은 이렇습니다: 금요일에 출시합니다.", "One thing: we ship on Friday."])
def test_one_colon_in_a_sentence_makes_nobody_a_speaker(tmp_path: Path, text: str) -> None:
    cues = [text, "안녕하세요", "Good morning"]
    content = "\n\n".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{cue}" for n, cue in enumerate(cues, 1))
    lines = read_lines(write(tmp_path, "a.srt", content))
    assert [(line.speaker, line.text) for line in lines] == [(UNKNOWN_SPEAKER, cue) for cue in cues]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp949", "euc-kr"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_whatever_encoding_wrote_it(tmp_path: Path, encoding: str, newline: str) -> None:
    path = write(tmp_path, "a.srt", SRT.replace("\n", newline).encode(encoding))
    lines = read_lines(path)
    assert lines[0].text == "출시일은 금요일입니다."
    assert lines[1].text == "We ship at 10:30. So it is."


def test_unknown_encodings_are_named_with_their_line(tmp_path: Path) -> None:
    path = write(
        tmp_path, "a.jsonl", b'{"speaker":"a","text":"x"}\n{"speaker":"a","text":"\xff\xfe\xfa\x80"}\n'
    )
    assert f"{path}:2: unknown text encoding" in problem(path)


@pytest.mark.parametrize("junk", [bytes(range(1, 32)) * 50, b"\x80\x81\xff" * 100])
def test_what_is_no_text_is_refused(tmp_path: Path, junk: bytes) -> None:
    assert "unknown text encoding" in problem(write(tmp_path, "a.srt", junk))


def test_jsonl_with_times(tmp_path: Path) -> None:
    minji = {
        "speaker": "minji",
        "name": "김민지",
        "text": "출시일은 금요일입니다.",
        "start_ms": 500,
        "end_ms": 2500,
    }
    ben = {"speaker": "ben", "text": "Friday \u202eit is\u202c 👋", "start_ms": 100.7, "end_ms": 50}
    first, second = read_lines(write(tmp_path, "a.jsonl", jsonl(minji, "", ben)))
    assert first == TextLine(0, "minji", "김민지", "출시일은 금요일입니다.", 500, 2500)
    assert second == TextLine(1, "ben", "ben", "Friday it is 👋", 100, 100)


def test_jsonl_without_times_gets_them_from_a_speaking_rate_and_says_so(tmp_path: Path) -> None:
    texts = ["출시일은 금요일입니다.", "We ship on Friday then.", "네"]
    path = write(tmp_path, "a.jsonl", jsonl(*({"speaker": "a", "text": text} for text in texts)))
    lines = read_lines(path)
    assert all(line.times_derived for line in lines)
    assert lines[0].start_ms == 0
    for before, after in itertools.pairwise(lines):
        assert after.start_ms == before.end_ms + 300
    for line in lines:
        assert line.end_ms - line.start_ms == speaking_ms(line.text)


def test_an_end_alone_at_zero_says_nothing_of_how_long_it_was(tmp_path: Path) -> None:
    item = {"speaker": "a", "text": "We ship on Friday then.", "end_ms": 0}
    (line,) = read_lines(write(tmp_path, "a.jsonl", jsonl(item)))
    assert (line.start_ms, line.end_ms) == (0, speaking_ms(line.text))


def test_names_in_markup_are_names_and_an_empty_cue_keeps_its_number(tmp_path: Path) -> None:
    cues = ("<i>김민지:</i> 안녕하세요", "<b></b>", '<font color="red">Ben</font>: Hello {\\an8}there')
    times = "00:00:0{0},000 --> 00:00:0{0},900"
    srt = "\n".join(f"{n}\n{times.format(n)}\n{text}\n" for n, text in enumerate(cues, 1))
    vtt = "WEBVTT\n\n" + srt.replace(",", ".")
    for name, content in (("a.srt", srt), ("a.vtt", vtt)):
        lines = read_lines(write(tmp_path, name, content))
        assert [(line.index, line.speaker, line.text) for line in lines] == [
            (0, "김민지", "안녕하세요"),
            (2, "Ben", "Hello there"),
        ]


@cases
def test_what_ends_before_it_begins_is_told_once(name: str, content: str, told: str, tmp_path: Path) -> None:
    transcript = read_transcript(write(tmp_path, name, content))
    assert all(line.end_ms >= line.start_ms for line in transcript.lines)
    (note,) = (note.told("FILE") for note in transcript.notes if "before it begins" in note.text)
    assert note.startswith(f"FILE{told}")
    assert "\n" not in note


def test_a_line_without_words_says_nothing_but_keeps_its_number(tmp_path: Path) -> None:
    path = write(
        tmp_path, "a.jsonl", jsonl(*({"speaker": "a", "text": text} for text in ("하나", " ", "two")))
    )
    assert [(line.index, line.text) for line in read_lines(path)] == [(0, "하나"), (2, "two")]


@cases
def test_a_bad_line_is_named(line: object, what: str, tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", jsonl({"speaker": "a", "text": "좋습니다"}, line))
    assert f"{path}:2: " in problem(path)
    assert what in problem(path)


@cases
def test_a_bad_file_is_named(name: str, content: str, what: str, tmp_path: Path) -> None:
    assert what in problem(write(tmp_path, name, content))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    assert "can't be read" in problem(tmp_path / "none.vtt")
    (tmp_path / "folder.srt").mkdir()
    assert "is a folder" in problem(tmp_path / "folder.srt")


def test_nul_bytes_and_control_characters_are_left_out(tmp_path: Path) -> None:
    path = write(
        tmp_path, "a.jsonl", b'{"speaker":"a","te\0xt":"\xec\x95\x88\\u0000\\ud800\xeb\x85\x95\\u0007 hi"}'
    )
    assert read_lines(path)[0].text == "안\ufffd녕 hi"


@pytest.mark.parametrize("word", ["가", "a "])
def test_a_million_characters_in_a_line(tmp_path: Path, word: str) -> None:
    text = (word * 1_000_000)[:1_000_000].strip()
    (line,) = read_lines(write(tmp_path, "a.jsonl", jsonl({"speaker": "a", "text": text})))
    assert line.text == text
    assert "not JSON" in problem(write(tmp_path, "c.jsonl", "[" * 100_000))
    assert ":1: 5000000 characters" in problem(
        write(tmp_path, "b.jsonl", jsonl({"speaker": "a", "text": "가" * 5_000_000}))
    )


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["minji", "ben", "하나"]),
            st.text(st.characters(codec="utf-8"), max_size=40),
            st.none() | st.integers(0, 10**7),
            st.none() | st.integers(0, 10**7),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_no_line_is_lost_and_every_time_has_sense(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str, int | None, int | None]]
) -> None:
    items = [
        {"speaker": who, "text": text, "start_ms": start, "end_ms": end} for who, text, start, end in said
    ] + [{"speaker": "last", "text": "끝"}]
    path = write(tmp_path_factory.mktemp("lines"), "a.jsonl", jsonl(*items))
    lines = read_lines(path)
    for line in lines:
        assert line.speaker == items[line.index]["speaker"]
        assert 0 <= line.start_ms <= line.end_ms
        assert line.text == line.text.strip()
    kept = {line.index for line in lines}
    assert all(not one_line(text) for n, (_, text, *_) in enumerate(said) if n not in kept)


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["a.vtt", "a.srt", "a.jsonl"]))
def test_any_bytes_give_lines_or_one_clear_line(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, name: str
) -> None:
    path = write(tmp_path_factory.mktemp("bytes"), name, raw)
    try:
        lines = read_lines(path)
    except BadInput as error:
        message = str(error)
        lines = []
    assert lines or message.startswith(str(path))


def test_notes_have_a_name_on_every_line_and_derived_times(tmp_path: Path) -> None:
    notes = "김민지: 출시일은 금요일입니다.\r\n\r\nBen Ross：We ship at 10:30.\r\n"
    for name, content in (("회의.txt", notes), ("cp949.txt", notes.encode("cp949"))):
        lines = read_lines(write(tmp_path, name, content))
        assert [(line.speaker, line.text) for line in lines] == [
            ("김민지", "출시일은 금요일입니다."),
            ("Ben Ross", "We ship at 10:30."),
        ]
        assert all(line.times_derived for line in lines)
        assert lines[0].end_ms < lines[1].start_ms
