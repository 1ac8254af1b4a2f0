"""When people meet next: the moment that they said, among the first lines of the minutes."""

from __future__ import annotations

import pytest

from context.events.events import MeetingStarted
from context.export.document import document
from context.export.minutes import to_markdown
from context.models import Statement, Summary
from context.statements.next_meeting import next_meeting
from tests.unit.cases import cases
from tests.unit.context.meetings import met, newer, spoken
from tests.unit.context.samples import START, utter


@cases
def test_it_is_when_they_say(lines: tuple[str, ...], due: str | None) -> None:
    told = next_meeting([utter(n, "ab"[n % 2], text) for n, text in enumerate(lines, 1)])
    assert (told and told.due) == due


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        (
            "ko",
            "다음 모임은 1월 20일 저녁 일곱 시에 하겠습니다.",
            "- 다음 회의: 1월 20일 저녁 일곱 시 = 2025-01-20 (B: ",
        ),
        (
            "en",
            "Our next meeting is on the 20th of January at half past ten.",
            "- Next meeting: the 20th of January at half past ten = 2025-01-20 (B: ",
        ),
    ],
)
def test_minutes_say_it_among_their_first_lines(language: str, text: str, line: str) -> None:
    told = document(met(MeetingStarted(at=START), spoken(1, text, "b")))
    assert told["next_meeting"]["due_date"] == "2025-01-20"
    first = to_markdown(told, language, transcript=False).split("\n## ")[0]
    assert line in first


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("ko", ["출시는 웹부터 하기로 했습니다.", "다음 회의는 1월 20일 오전 10시로 정했습니다."]),
        (
            "en",
            ["We decided to ship the web app first.", "We agreed that our next meeting is on January 20."],
        ),
    ],
)
def test_it_stands_behind_what_was_decided(language: str, lines: list[str]) -> None:
    """It has a line of its own, and is told in that alone, though it was decided."""
    meeting = met(*(spoken(n, text) for n, text in enumerate(lines, 1)), summarise=False)
    decided = tuple(Statement(text=text, evidence=(n,), status="decided") for n, text in enumerate(lines, 1))
    meeting.receive(newer(meeting.segments[0], Summary(text="…", decisions=decided)))
    told = document(meeting)
    assert told["next_meeting"]["evidence"] == [2]
    first = to_markdown(told, language, transcript=False).split("\n## ")[0]
    assert first.index(lines[0].rstrip(".")) < first.index(lines[1].rstrip("."))
    assert first.count(lines[1].rstrip(".")) == 1
