"""Statements that the record bears out pass; the usual inventions don't."""

from __future__ import annotations

import pytest

from context.models import Statement, Summary
from tests.unit.agent.meetings import EN, KO, said
from worker.agent.evidence import checked, fault, is_negated, sources_of

KOREAN = sources_of(said(KO))
ENGLISH = sources_of(said(EN))


@pytest.mark.parametrize(("text", "evidence"), [
    ("출시일은 12월 22일로 결정되었다.", (3,)),
    ("박준호가 12월 22일을 제안했고 김민지가 확정했다.", (2, 3)),
    ("박준호는 결제 테스트 계획을 금요일까지 공유한다.", (4,)),
    ("해외 배포는 이번에 진행하지 않는다.", (5,)),
    ("The release is on December 22.", (3,)),
])  # fmt: skip
def test_korean_statements_that_stand(text: str, evidence: tuple[int, ...]) -> None:
    assert fault(text, evidence, KOREAN) is None


@pytest.mark.parametrize(("text", "evidence"), [
    ("A second server costs about $300 a month.", (2, 1)),
    ("They will add a second server this week.", (3,)),
    ("Ben orders the server tomorrow.", (4,)),
    ("The database will not be moved this month.", (5,)),
    ("두 번째 서버를 이번 주에 추가하기로 했다.", (3,)),
])  # fmt: skip
def test_english_statements_that_stand(text: str, evidence: tuple[int, ...]) -> None:
    assert fault(text, evidence, ENGLISH) is None


@pytest.mark.parametrize(("text", "evidence", "wrong"), [
    ("출시일은 12월 22일이다.", (), "no_evidence"),
    ("출시일은 12월 22일이다.", (99,), "unknown_utterance"),
    ("출시일은 12월 25일이다.", (3,), "number"),
    ("출시일을 12월 22일로 결정하지 않았다.", (3,), "negation"),
    ("해외 배포는 이번에 합니다.", (5,), "negation"),
    ("점심은 비빔밥을 먹었다.", (3,), "unrelated"),
])  # fmt: skip
def test_korean_inventions(text: str, evidence: tuple[int, ...], wrong: str) -> None:
    assert fault(text, evidence, KOREAN) == wrong


@pytest.mark.parametrize(("text", "evidence", "wrong"), [
    ("They add a second server.", (), "no_evidence"),
    ("They add a second server.", (3, 42), "unknown_utterance"),
    ("A second server costs $400 a month.", (2,), "number"),
    ("They will not add a second server this week.", (3,), "negation"),
    ("The database will be moved this month.", (5,), "negation"),
    ("Lunch was delicious pizza.", (3,), "unrelated"),
])  # fmt: skip
def test_english_inventions(text: str, evidence: tuple[int, ...], wrong: str) -> None:
    assert fault(text, evidence, ENGLISH) == wrong


@pytest.mark.parametrize(("text", "negated"), [
    ("하지 않기로 했습니다", True), ("그건 안 됩니다", True), ("못 합니다", True), ("예산이 없습니다", True),
    ("보안 점검을 합니다", False), ("이번 안건은 예산입니다", False), ("하는 게 좋지 않을까요", False), ("문제 없습니다", False),
    ("we won't do it", True), ("nobody objected", True), ("without a test", True),
    ("another note on the knot", False), ("not only cheap", False),
])  # fmt: skip
def test_negation(text: str, negated: bool) -> None:
    assert is_negated(text) is negated


def test_a_summary_keeps_what_stands_and_counts_the_rest() -> None:
    good = Statement(text="출시일은 12월 22일로 결정되었다.", evidence=(3,))
    bad = Statement(text="출시일은 12월 31일로 결정되었다.", evidence=(3,))
    result = checked(Summary(text="x", sentences=(good, bad), decisions=(bad, good)), KOREAN)
    assert result.summary.sentences == (good,)
    assert result.summary.decisions == (good,)
    assert result.summary.text == good.text
    assert result.dropped == ((bad.text, "number"), (bad.text, "number"))


def test_a_carried_statement_is_held_against_what_the_last_summary_said() -> None:
    before = Summary(decisions=(Statement(text="예산은 2억 원으로 정했다.", evidence=(1,)),))
    sources = sources_of(said(KO, first=50), before)
    assert fault("예산은 2억 원으로 정해졌다.", (1,), sources) is None
    assert fault("예산은 3억 원으로 정해졌다.", (1,), sources) == "number"
    assert fault("예산은 2억 원으로 정하지 않았다.", (1,), sources) == "negation"
    assert fault("예산은 2억 원이다.", (2,), sources) == "unknown_utterance"
