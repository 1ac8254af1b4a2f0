"""The questions of `moim briefing`: one a line, each fault named by its line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from stt.files.audio import BadInput
from worker.commands.briefing import _read_queries
from worker.errors import InputError


def questions(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "q.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_questions_come_in_the_encodings_that_transcripts_come_in(tmp_path: Path, encoding: str) -> None:
    text = '{"id":"q1","query":"출시일이 언제죠?"}\n\n{"id":2,"query":"When do we ship?","at":3}\n'
    first, second = _read_queries(questions(tmp_path, text.encode(encoding)), 9)
    assert (first.number, first.id, first.text, first.at) == (1, "q1", "출시일이 언제죠?", 9)
    assert (second.number, second.id, second.text, second.at) == (3, 2, "When do we ship?", 3)  # as given


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("not json", "not JSON"),
        ('["q1"]', "not an object"),
        ('{"query":"언제죠?"}', '"id" is missing or empty'),
        ('{"id":"q1"}', '"query" is missing or empty'),
        ('{"id":"q1","query":" "}', '"query" is missing or empty'),
        ('{"id":"q1","query":"When?","at":-3}', '"at" is -3, not a number of lines'),
        ('{"id":"q1","query":"When?","at":"3"}', '"at" is "3", not a number of lines'),
        ('{"id":"q1","query":"When?","at":true}', '"at" is true, not a number of lines'),
    ],
)
def test_what_is_no_question_is_named_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    path = questions(tmp_path, '{"id":"q0","query":"왜?"}\n' + line + "\n")
    with pytest.raises(InputError) as caught:
        _read_queries(path, 9)
    assert str(caught.value).startswith(f"{path}:2: {why}")
    assert "\n" not in str(caught.value)


def test_a_file_without_questions_or_that_is_none_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _read_queries(questions(tmp_path, "\n"), 9) == []
    assert "holds no question" in capsys.readouterr().err
    for path, why in ((tmp_path, "is a folder"), (tmp_path / "nope", "can't be read")):
        with pytest.raises(BadInput, match=why):
            _read_queries(path, 9)
