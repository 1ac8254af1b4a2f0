"""What a sentence does by itself, and in its place. How often that is right: `context/reading/acts.scores.json`."""

from __future__ import annotations

import pytest

from context.language.said import said_in
from context.models import Summary
from context.plain.door import summarise
from context.reading.acts import act_of, acts_of, is_courtesy
from tests.unit.context.samples import utter


@pytest.mark.parametrize(
    "text",
    [
        "출시일은 십이월 이십이일로 결정하겠습니다.",
        "예산은 이억 원으로 확정합니다.",
        "Agreed, we launch on November 20.",
        "We decided to keep the old logo.",
    ],
)
def test_what_is_decided_outright_is_a_decision(text: str) -> None:
    (decision,) = summarise(Summary(), [utter(1, "a", text)]).decisions
    assert decision.text == text


@pytest.mark.parametrize(
    "text",
    [
        "저는 십이월 이십이일을 제안합니다.",
        "아직 결정하지 못했습니다.",
        "그거 끊으면 안 돼요?",
        "다음 안건으로 넘어가겠습니다.",
        "Let us pick a launch date.",
        "We have not decided on the server.",
        "Could we go with the blue one?",
        "Let's move on to the next item.",
    ],
)
def test_what_is_wished_asked_denied_or_announced_is_none(text: str) -> None:
    assert summarise(Summary(), [utter(1, "a", text)]).decisions == ()


@pytest.mark.parametrize(
    ("decided", "announced"),
    [
        ("출시일은 11월 20일로 확정합니다.", "다음 안건으로 넘어가겠습니다."),
        ("We settled on five thousand dollars for the launch.", "Let's move on to the next item."),
    ],
)
def test_moving_on_erases_nothing(decided: str, announced: str) -> None:
    summary = summarise(Summary(), [utter(1, "a", decided), utter(2, "a", announced)])
    assert [(each.text, each.status) for each in summary.decisions] == [(decided, "decided")]


@pytest.mark.parametrize("text", ["다들 수고하셨습니다.", "안녕하세요.", "Good morning everyone.", "Yeah."])
def test_courtesies_are_known(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("제가 금요일까지 보고서 정리해서 올릴게요.", "task"),
        ("I'll send the report by Friday.", "task"),
        ("캐시 도입은 다음 달에 다시 논의하겠습니다.", "open"),
        ("Let's come back to the budget next time.", "open"),
    ],
)
def test_tasks_and_what_is_left_open_by_their_words(text: str, act: str) -> None:
    assert act_of(text) == act


def test_nothing_said_is_nothing_done() -> None:
    assert acts_of([]).likely.shape == (0, 3)


def test_what_follows_tells_what_a_proposal_was() -> None:
    for proposal, yes in (
        ("20일 어때요?", "네, 그렇게 하죠."),
        ("How about the 20th?", "Okay, let's do that."),
    ):
        said = said_in([utter(1, "a", proposal), utter(2, "b", yes)])
        alone, answered = acts_of(said[:1]), acts_of(said)
        assert answered.likely[:, 0].max() > alone.likely[:, 0].max()
