"""Statements that the record bears out pass; the usual inventions don't."""

from __future__ import annotations

import pytest

from context.checking import checked, fault, is_negated, sources_of
from context.language.said import said_in
from context.models import Statement, Summary
from context.plain.door import summarise
from tests.unit.agent.meetings import EN, KO, said
from tests.unit.context.samples import load

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


WHO = ("김민지", "박준호", "최하나")
PEOPLE = ("Alice Moreau", "Ben Carter", "Chloe Park")


@pytest.mark.parametrize(
    ("claim", "speech", "names", "wrong"),
    [
        ("결제 테스트 계획은 금요일까지 공유된다.", "박준호: 계획은 금요일까지 공유하겠습니다", WHO, None),
        ("결제 테스트 계획은 목요일까지 공유된다.", "박준호: 계획은 금요일까지 공유하겠습니다", WHO, "date"),
        ("출시는 12월 22일이다.", "김민지: 출시는 십이월 이십이일로 하겠습니다", WHO, None),
        ("출시는 12월 22일이다.", "김민지: 출시는 시비월 이시비일로 하겠습니다", WHO, None),
        ("출시는 11월 15일이다.", "김민지: 출시를 십일월에서 십이월 십오일로", WHO, "date"),
        ("최하나가 계획을 공유한다.", "박준호: 계획은 금요일까지 공유하겠습니다", WHO, "name"),
        ("박준호가 계획을 공유한다.", "김민지: 준호 님이 계획을 공유해 주세요", WHO, None),
        ("개발자 세 명을 뽑는다.", "김민지: 개발자 두 명을 뽑겠습니다", WHO, "number"),
        ("서버 비용이 이십 퍼센트 늘었다.", "이서연: 서버 비용이 삼십 퍼센트 늘었습니다", WHO, "number"),
        ("The report comes on Thursday.", "Ben Carter: I report on Thursday.", PEOPLE, None),
        ("The report comes on Friday.", "Ben Carter: I report on Thursday.", PEOPLE, "date"),
        ("We move on March 12.", "Alice Moreau: we move on the twelfth of March", PEOPLE, None),
        ("We move on May 12.", "Alice Moreau: we move on the twelfth of March, not in May", PEOPLE, "date"),
        ("Chloe orders the server.", "Ben Carter: I will order the server", PEOPLE, "name"),
        ("Ben orders the server.", "Ben Carter: I will order the server", PEOPLE, None),
        ("They want an export to Google.", "Chloe Park: they want an export to Excel", PEOPLE, "name"),
        ("They hire three people.", "Chloe Park: they hire two people", PEOPLE, "number"),
        ("They hire twenty-two people.", "Chloe Park: they hire 22 people", PEOPLE, None),
    ],
)
def test_numbers_days_and_names_agree(claim: str, speech: str, names: tuple[str, ...], wrong: str) -> None:
    assert fault(claim, (1,), {1: speech}, names) == wrong


@pytest.mark.parametrize(
    ("statement", "speech", "owner", "due"),
    [
        (
            Statement(text="계획을 공유한다.", evidence=(1,), owner="박준호", due="금요일까지"),
            "박준호: 계획은 금요일까지 공유하겠습니다",
            "박준호",
            "금요일까지",
        ),
        (
            Statement(text="계획을 공유한다.", evidence=(1,), owner="최하나", due="월요일까지"),
            "박준호: 계획은 금요일까지 공유하겠습니다",
            None,
            None,
        ),
        (
            Statement(text="I order the server.", evidence=(1,), owner="Ben", due="by Monday"),
            "Ben Carter: I order the server by Tuesday",
            "Ben",
            None,
        ),
    ],
)
def test_owner_and_moment_stand_or_are_taken_off(
    statement: Statement, speech: str, owner: str | None, due: str | None
) -> None:
    result = checked(Summary(pending=(statement,)), {1: speech})
    (kept,) = result.summary.pending
    assert (kept.owner, kept.due) == (owner, due)
    assert len(result.dropped) == (owner != statement.owner) + (due != statement.due)


@pytest.mark.parametrize("name", ["ko-release-planning", "en-sprint-review"])
def test_what_was_said_always_stands(name: str) -> None:
    utterances = load(name)
    sources, names = sources_of(utterances), tuple({u.speaker_name for u in utterances})
    for said_ in said_in(utterances):
        assert fault(said_.text, (said_.utterance.id,), sources, names) is None
    assert checked(summarise(Summary(), utterances), sources, names).dropped == ()
