"""A figure counts what it was said to count; what is not certain speaks against nobody."""

from __future__ import annotations

import pytest

from context.evidence.units import units_heard
from context.statements.checks import certain_fault


@pytest.mark.parametrize(
    ("claim", "spoken"),
    [
        ("It takes three months.", "It will take three weeks."),
        ("The budget is 5 million dollars.", "The budget is five million euros."),
        ("It costs $700.", "It costs seven hundred pounds."),
        ("90 hours of training.", "Ninety minutes of training."),
        ("30명이 온다.", "서른 퍼센트 온대요."),
        ("예산은 500만 달러다.", "예산은 오백만 원입니다."),
        ("서른 건을 뽑는다.", "서른 명 뽑죠."),
        ("두 달 걸린다.", "두 시간 걸려요."),
    ],
)
def test_a_figure_with_another_unit_is_wrong(claim: str, spoken: str) -> None:
    assert not units_heard(claim, spoken)
    assert certain_fault(claim, (1,), {1: f"Kim: {spoken}"}) == "number"
    assert units_heard(spoken, spoken)


@pytest.mark.parametrize(
    ("claim", "spoken"),
    [
        ("It takes three weeks.", "It'll take three weeks, I think."),
        ("The budget is €5 million.", "We have five million euros."),
        ("20 people come.", "Twenty, for three weeks."),  # bare: it may count anything
        ("40 percent of them.", "Forty people, so forty percent."),
        ("할인율은 30%다.", "서른 퍼센트로 하죠."),
        ("3주 걸린다.", "세 주 걸려요."),
        ("예산은 500만 원이다.", "예산은 오백만 원입니다."),
        ("이번 주 금요일까지다.", "이 분이 두 명이라고 하셨어요."),
        ("2개월 걸린다.", "이 주 걸릴지도 몰라요."),  # two weeks, or this week
        ("세 대를 산다.", "세 개 삽시다."),
    ],
)
def test_what_may_be_so_stands(claim: str, spoken: str) -> None:
    assert units_heard(claim, spoken)
