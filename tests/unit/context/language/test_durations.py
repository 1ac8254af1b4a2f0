"""What follows `/off`: how far back it reaches."""

from __future__ import annotations

import pytest

from context.language.commands import command_in
from context.language.durations import minutes_back


@pytest.mark.parametrize(
    ("intent", "minutes"),
    [
        ("", 0), ("now", 0), ("지금부터", 0), ("please", 0), ("부탁해요", 0),
        ("5m", 5), ("5M", 5), ("5m.", 5), ("５m", 5), ("5 mins", 5), ("(5m)", 5), ("~5m", 5), ("10", 10), ("5.5m", 6),
        ("last 5 minutes", 5), ("the last five minutes please", 5), ("5 minutes ago", 5), ("a minute", 1), ("90s", 2),
        ("5분", 5), ("5분 전", 5), ("5분만", 5), ("5분간", 5), ("지난 5분", 5), ("오분", 5), ("지난 오 분 동안", 5), ("30초", 1),
        ("지난 5분 삭제해 줘", 5), ("1h", 60), ("한 시간", 60), ("1시간 30분", 90), ("1000m", 1000),
        ("thirty minutes", 30), ("이십오 분", 25), ("열두 시간", 720),
        ("0m", None), ("0분", None), ("everything", None), ("다", None), ("5 apples", None), ("이 말 삭제해 줘", None),
    ],
)  # fmt: skip
def test_a_time_back_is_read_in_minutes(intent: str, minutes: int | None) -> None:
    assert minutes_back(intent) == minutes


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("“/off 5m”", "5m"), ("／off 5m", "5m"), ("/off5m", "5m"), ("/OFF! 5m", "5m"), ("/off 5m?", "5m?"), ("/off!", ""),
        ("off the record, last 5 minutes", "last 5 minutes"), ("오프 더 레코드 5분", "5분"),
    ],
)  # fmt: skip
def test_the_command_is_found_however_it_is_written(line: str, rest: str) -> None:
    command = command_in(line)
    assert command is not None
    assert (command.name, command.rest) == ("off", rest)


@pytest.mark.parametrize(
    "line", ["/off를 쓰면 어떻게 되나요?", "/off가 뭐야?", "/off means what?", "/office 5m"]
)
def test_who_talks_about_the_command_does_not_give_it(line: str) -> None:
    assert command_in(line) is None
