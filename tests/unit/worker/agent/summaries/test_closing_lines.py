"""The closing summary's lines: each says what it is on, no due moment is told twice, nor when they meet next."""

from __future__ import annotations

from context.export.document import topic_rows
from context.export.statement_view import statements
from context.models import Statement, Summary
from context.statements.next_meeting import only_tells
from tests.bench.decisions import Excerpt, folded
from tests.unit.cases import cases
from tests.unit.worker.agent.meetings import EN, KO, weekly, with_summary
from worker.agent.summaries.closing_summary import closing_summary

_LINES = {"ko": KO, "en": EN}
_OWNERS = {"ko": "박준호", "en": "Ben Carter"}


def closing(language: str, notes: Summary, topic: str = "출시 release") -> list[str]:
    meeting = weekly(_LINES[language])
    with_summary(meeting, notes)
    meeting.topics.rename(meeting.segments[0].id, topic, firm=True)
    return closing_summary(meeting, language).splitlines()


@cases
def test_a_statement_that_does_not_say_what_it_is_on_has_its_topic_before_it(
    language: str, topic: str, text: str, told: str
) -> None:
    notes = Summary(text="x", decisions=(Statement(text=text, evidence=(3,)),))
    assert closing(language, notes, topic)[0].partition(": ")[2].startswith(f"{told} (")


@cases
def test_a_statement_that_says_what_it_is_on_stands_alone(language: str, topic: str, text: str) -> None:
    notes = Summary(text="x", decisions=(Statement(text=text, evidence=(3,)),))
    assert closing(language, notes, topic)[0].partition(": ")[2].startswith(text.rstrip("."))


@cases
def test_a_due_moment_is_told_once(language: str, text: str, due: str, notes: str) -> None:
    task = Statement(text=text, evidence=(4,), owner=_OWNERS[language], due=due, kind="action")
    told = closing(language, Summary(text="x", pending=(task,)))[1]
    assert told.endswith(f"{text.rstrip('.')} {notes}")


@cases
def test_a_decision_that_only_says_when_they_meet_next_is_told_once(
    lines: tuple[tuple[str, str], ...], when: str, decided: str
) -> None:
    meeting = folded(Excerpt(id="m", split="", language="auto", lines=lines, labels=()))
    (decision,) = statements(topic_rows(meeting))["decisions"]
    assert decided in decision["text"]
    closed = closing_summary(meeting).splitlines()
    assert sum(when in part for line in closed for part in line.split(" · ")) == 1
    assert any(when in each.text for segment in meeting.segments for each in segment.notes.decisions)


@cases
def test_a_decision_that_says_more_stays_one(text: str, due: str) -> None:
    assert not only_tells(text, Statement(text=text, evidence=(1,), due=due))
