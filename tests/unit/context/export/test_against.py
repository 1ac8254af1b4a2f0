"""A decision is never listed without what was said against it later, nor an open point taken for a task."""

from __future__ import annotations

import pytest

from context.events.effects import Summarise
from context.events.events import MeetingEnded, MeetingStarted
from context.export.document import document, topic_rows
from context.export.minutes import to_markdown
from context.export.statement_view import statements
from context.fold.meeting import Meeting
from context.plain.lists import changes, decisions
from context.plain.record import record_of
from tests.unit.context.meetings import by_extraction, of, spoken
from tests.unit.context.samples import START

SOUP = (
    "Lunch will be soup, that's decided.",
    "The chairs are in the cellar.",
    "Actually there will be pasta for lunch, not soup.",
)
CHOIR = (
    "연주회는 오월 삼일로 정했습니다.",
    "의자는 지하실에 있어요.",
    "죄송한데 연주회를 옮겨야 해서 이제 오월 십일에 해요.",
)


def held(*lines: str) -> Meeting:
    """A meeting of these lines, quoted when it was over."""
    meeting = Meeting("m")
    meeting.receive(MeetingStarted(at=START))
    for number, text in enumerate(lines, 1):
        meeting.receive(spoken(number, text, "ab"[number % 2]))
    for effect in of(Summarise, meeting.receive(MeetingEnded(at_ms=10**6, reason="done"))):
        meeting.receive(by_extraction(effect))
    return meeting


@pytest.mark.parametrize("lines", [SOUP, CHOIR])
def test_what_was_said_against_a_decision_stands_beside_it(lines: tuple[str, ...]) -> None:
    told = document(held(*lines))
    (row,) = statements(told["topics"])["decisions"]
    assert row["contradicted_by"] == [{"text": lines[2], "evidence": [3]}]
    first, rest = to_markdown(told, transcript=False).split("\n## ", 1)
    listed = rest.split("\n## ")[0]
    for part in (first, listed):
        assert lines[0].rstrip(".") in part
        assert lines[2].rstrip(".") in part
        assert "14:30:15" in part


@pytest.mark.parametrize("lines", [SOUP, CHOIR])
def test_answers_list_it_behind_the_decision(lines: tuple[str, ...]) -> None:
    meeting = held(*lines)
    record = record_of("결정은?", utterances=meeting.utterances, segments=meeting.segments)
    for answer in (decisions(record, "SUMMARY"), changes(record, "SUMMARY")):
        assert answer.text.index(lines[0][:-1]) < answer.text.index(lines[2][:-1])
        assert set(answer.evidence) == {1, 3}


@pytest.mark.parametrize(
    "line",
    ["The posters are at the printer's.", "The concert hall has two hundred chairs.", "국이 맛있었어요."],
)
def test_what_is_of_another_matter_does_not(line: str) -> None:
    for before in (SOUP[:2], CHOIR[:2]):
        rows = topic_rows(held(*before, line))
        assert not any(row["contradictions"] for row in rows)


@pytest.mark.parametrize("line", ["Let's not decide the music today.", "음악은 오늘 정하지 맙시다."])
def test_an_open_point_with_a_day_is_no_task(line: str) -> None:
    row = {"text": line, "evidence": [1], "kind": "open", "due": "today", "status": "open"}
    found = statements([{"decisions": [], "pending": [row]}])
    assert (found["tasks"], found["open"]) == ([], [row])
