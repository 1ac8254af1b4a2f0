"""Statements that can be read alone: with what they lean on, each voice on its own line, one due moment."""

from __future__ import annotations

from context.models import Statement, Summary
from context.plain.facade import summarise
from tests.unit.cases import cases
from tests.unit.context.samples import utter


def summary_of(lines: tuple[tuple[str, str], ...]) -> Summary:
    return summarise(Summary(), [utter(n, who, text) for n, (who, text) in enumerate(lines, 1)])


def only(statements: tuple[Statement, ...]) -> Statement:
    (statement,) = statements
    return statement


@cases
def test_a_decision_takes_in_what_it_confirms(lines: tuple[tuple[str, str], ...], text: str) -> None:
    assert only(summary_of(lines).decisions).text == text


@cases
def test_a_value_that_is_asked_for_named_and_taken_is_one_decision(
    lines: tuple[tuple[str, str], ...], text: str
) -> None:
    assert only(summary_of(lines).decisions).text == text


@cases
def test_a_value_that_is_said_again_at_once_is_one_decision(
    lines: tuple[tuple[str, str], ...], text: str
) -> None:
    assert text in only(summary_of(lines).decisions).text


@cases
def test_a_yes_takes_the_value_that_was_named_right_before(
    lines: tuple[tuple[str, str], ...], value: str
) -> None:
    assert value in only(summary_of(lines).decisions).text


@cases
def test_a_question_is_one_without_its_mark(lines: tuple[tuple[str, str], ...], text: str) -> None:
    assert only(summary_of(lines).decisions).text == text


@cases
def test_those_who_agree_to_a_proposal_settle_it(lines: tuple[tuple[str, str], ...], text: str) -> None:
    assert only(summary_of(lines).decisions).text == text


@cases
def test_what_answers_another_matter_settles_nothing_put_long_before(
    lines: tuple[tuple[str, str], ...], answer: str
) -> None:
    decisions = summary_of(lines).decisions
    assert decisions
    assert all(answer not in each.text for each in decisions)


@cases
def test_a_yes_to_another_matter_is_told_with_nothing_before_it(
    lines: tuple[tuple[str, str], ...], matter: str, yes: str
) -> None:
    summary = summary_of(lines)
    statements = [*summary.decisions, *summary.pending]
    assert any(yes in each.text for each in statements) or any(matter in each.text for each in statements)
    assert not any(matter in each.text and yes in each.text for each in statements)


@cases
def test_a_task_says_what_is_asked_and_who_takes_it_on(
    lines: tuple[tuple[str, str], ...], text: str, owner: str, due: str
) -> None:
    task = only(summary_of(lines).pending)
    assert (task.kind, task.text, task.owner, task.due) == ("action", text, owner, due)


@cases
def test_an_open_point_takes_in_the_matter_that_it_answers(
    lines: tuple[tuple[str, str], ...], text: str
) -> None:
    points = [each for each in summary_of(lines).pending if each.kind == "open"]
    assert only(tuple(points)).text == text


@cases
def test_a_second_yes_takes_nothing_that_was_turned_down(
    lines: tuple[tuple[str, str], ...], text: str
) -> None:
    assert only(summary_of(lines).decisions).text == text


@cases
def test_whoever_is_asked_until_when_tells_the_due(
    lines: tuple[tuple[str, str], ...], owner: str, due: str | None
) -> None:
    task = only(summary_of(lines).pending)
    assert (task.owner, task.due) == (owner, due)


@cases
def test_promises_of_two_people_are_two_tasks(
    lines: tuple[tuple[str, str], ...], tasks: tuple[tuple[str, str], ...]
) -> None:
    assert [(each.owner, each.text) for each in summary_of(lines).pending] == [tuple(each) for each in tasks]


@cases
def test_what_a_task_is_about_is_not_its_due_moment(
    lines: tuple[tuple[str, str], ...], due: str | None
) -> None:
    assert only(summary_of(lines).pending).due == due


@cases
def test_no_decision_is_made_of_an_answer_to_a_question(lines: tuple[tuple[str, str], ...]) -> None:
    assert not summary_of(lines).decisions


@cases
def test_no_decision_is_dropped_that_only_seems_to_lean_on_another(
    lines: tuple[tuple[str, str], ...], matters: list[str]
) -> None:
    decisions = summary_of(lines).decisions
    assert len(decisions) == len(matters)
    assert all(matter in each.text for matter, each in zip(matters, decisions, strict=True))


@cases
def test_what_is_turned_down_is_nobodys_task(lines: tuple[tuple[str, str], ...]) -> None:
    assert all(each.kind != "action" for each in summary_of(lines).pending)


@cases
def test_no_line_has_the_words_of_two_speakers(lines: tuple[tuple[str, str], ...]) -> None:
    summary = summary_of(lines)
    statements = [*summary.decisions, *summary.pending]
    assert statements
    for statement in statements:
        for line in statement.text.split("\n"):
            assert any(line.rstrip(".?") in text for _, text in lines), line


@cases
def test_an_empty_phrase_is_no_point(lines: tuple[tuple[str, str], ...], phrase: str) -> None:
    summary = summary_of(lines)
    assert summary.text
    assert phrase not in summary.text
    assert all(phrase not in each.text for each in summary.key_points)


@cases
def test_a_pronoun_takes_what_somebody_else_has_put(lines: tuple[tuple[str, str], ...], text: str) -> None:
    assert only(summary_of(lines).decisions).text == text


@cases
def test_what_is_not_taken_or_names_nothing_is_no_decision(lines: tuple[tuple[str, str], ...]) -> None:
    assert not summary_of(lines).decisions


@cases
def test_a_figure_is_told_with_the_question_that_it_answers(
    lines: tuple[tuple[str, str], ...], point: str
) -> None:
    assert [each.text for each in summary_of(lines).key_points] == [point]


@cases
def test_a_heading_with_a_yes_is_no_decision_of_its_own(lines: tuple[tuple[str, str], ...]) -> None:
    assert not summary_of(lines).decisions


@cases
def test_a_heading_takes_in_what_was_put_of_its_matter(
    lines: tuple[tuple[str, str], ...], first: str
) -> None:
    assert only(summary_of(lines).decisions).text.startswith(first)


@cases
def test_what_says_that_it_is_undecided_is_an_open_point(
    lines: tuple[tuple[str, str], ...], says: str
) -> None:
    left_open = [each.text for each in summary_of(lines).pending if each.kind == "open"]
    assert len(left_open) == 1
    assert left_open[0].endswith(says)


@cases
def test_what_is_left_open_was_asked_right_before(lines: tuple[tuple[str, str], ...], text: str) -> None:
    assert [each.text for each in summary_of(lines).pending if each.kind == "open"] == [text]


@cases
def test_what_leaves_nothing_open_is_no_open_point(lines: tuple[tuple[str, str], ...]) -> None:
    assert all(each.kind != "open" for each in summary_of(lines).pending)


@cases
def test_when_people_meet_next_is_no_answer_to_what_was_asked_before(
    lines: tuple[tuple[str, str], ...], asked: str
) -> None:
    found = summary_of(lines)
    told = (*found.decisions, *found.pending)
    assert any(asked in each.text for each in told), "who took it on answers it"
    assert not any(asked in each.text and len(lines) in each.evidence for each in told)
