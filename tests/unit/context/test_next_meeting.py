"""When people meet next: the moment that they said, among the first lines of the minutes."""

from __future__ import annotations

import pytest

from context.events.events import MeetingStarted
from context.export.document import document
from context.export.minutes import to_markdown
from context.statements.next_meeting import next_meeting
from tests.unit.cases import cases
from tests.unit.context.meetings import met, spoken
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
            "Our next meeting is on the 20th of January.",
            "- Next meeting: the 20th of January = 2025-01-20 (B: ",
        ),
    ],
)
def test_minutes_say_it_among_their_first_lines(language: str, text: str, line: str) -> None:
    told = document(met(MeetingStarted(at=START), spoken(1, text, "b")))
    assert told["next_meeting"]["due_date"] == "2025-01-20"
    first = to_markdown(told, language, transcript=False).split("\n## ")[0]
    assert line in first
