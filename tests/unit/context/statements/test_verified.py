"""What a verifier's verdicts leave of the minutes, in Korean and English."""

from __future__ import annotations

import pytest

from context.models import Statement, Summary
from context.statements.checks import statements_of
from context.statements.verdicts import Claim, Verdict, claims_of, judged, verdict_fault
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import said

KO = said([
    ("minji", "김민지", "5.2 배포는 12월 2일로 확정합니다."),
    ("junho", "박준호", "체험단은 스무 명이면 어떨까요?"),
    ("hana", "최하나", "테스트 보고서는 제가 금요일까지 쓰겠습니다."),
    ("minji", "김민지", "점심은 각자 먹어요."),
    ("junho", "박준호", "5.2 배포는 12월 9일로 미루기로 했습니다."),
])  # fmt: skip
EN = said([
    ("alice", "Alice", "The 5.2 release is on December 2, that is decided."),
    ("ben", "Ben", "How about twenty testers?"),
    ("chloe", "Chloe", "I will write the test report by Friday."),
    ("alice", "Alice", "Lunch is up to you."),
    ("ben", "Ben", "We moved the 5.2 release to December 9."),
])  # fmt: skip
TEXTS = {
    "ko": ("5.2 배포는 12월 2일이다.", "체험단은 스무 명으로 한다.", "최하나가 금요일까지 테스트 보고서를 쓴다."),
    "en": ("The 5.2 release is on December 2.", "There will be twenty testers.", "Chloe writes the test report by Friday."),
}  # fmt: skip
HEARD = {"ko": {each.id: each for each in KO}, "en": {each.id: each for each in EN}}
FINE = Verdict(support="supported", status="decided")


def notes(language: str) -> Summary:
    release, testers, report = TEXTS[language]
    first = Statement(text=release, evidence=(1,))
    return Summary(
        text=release,
        sentences=(first,),
        key_points=(Statement(text=report, evidence=(3,)),),
        decisions=(
            first.model_copy(update={"status": "decided"}),
            Statement(text=testers, evidence=(2,), status="decided"),
        ),
        pending=(Statement(text=report, evidence=(3,), kind="action", status="open", owner="최하나"),),
    )


def after(language: str, *verdicts: Verdict | None) -> Summary:
    content = notes(language)
    return judged(content, claims_of(content, Summary()), verdicts, HEARD[language]).summary


@BOTH
def test_each_statement_is_one_claim_however_often_it_stands(language: str) -> None:
    claims = claims_of(notes(language), Summary())
    assert [claim.kind for claim in claims] == ["decision", "decision", "task"]
    assert [claim.evidence for claim in claims] == [(1,), (2,), (3,)]
    known = notes(language).model_copy(update={"verified": True})
    assert claims_of(notes(language), known) == []
    unverified = after(language, None, None, None)
    assert claims_of(notes(language), unverified) == claims, "what nobody verified is tried again"


@BOTH
def test_what_the_verifier_passes_stands_as_it_was(language: str) -> None:
    assert after(language, FINE, FINE, FINE) == notes(language).model_copy(update={"verified": True})


@BOTH
@pytest.mark.parametrize("support", ["contradicted", "not_said"])
def test_what_was_not_said_is_dropped_wherever_it_stands(language: str, support: str) -> None:
    content = notes(language)
    verdicts = (FINE, FINE, Verdict(support=support))  # type: ignore[arg-type]  # both are
    result = judged(content, claims_of(content, Summary()), verdicts, HEARD[language])
    assert result.summary.pending == result.summary.key_points == ()
    assert result.summary.decisions == content.decisions
    assert result.dropped == ((TEXTS[language][2], support),)


@BOTH
@pytest.mark.parametrize(("status", "open_points"), [("proposed", 1), ("open", 1), ("rejected", 0)])
def test_a_proposal_is_no_decision(language: str, status: str, open_points: int) -> None:
    verdict = Verdict(support="supported", status=status)  # type: ignore[arg-type]  # all three are
    left = after(language, FINE, verdict, FINE)
    assert [each.evidence for each in left.decisions] == [(1,)]
    opened = [each for each in left.pending if each.kind == "open"]
    assert [(each.text, each.status) for each in opened] == [(TEXTS[language][1], "open")] * open_points


@BOTH
@pytest.mark.parametrize("support", ["supported", "contradicted"])
def test_a_decision_that_was_changed_later_is_superseded_by_that(language: str, support: str) -> None:
    changed = Verdict(support=support, status="decided", changed=(5,))  # type: ignore[arg-type]  # both are
    left = after(language, changed, FINE, FINE)
    assert (left.decisions[0].status, left.decisions[0].superseded_by) == ("superseded", "5")
    assert TEXTS[language][0] not in left.text, "no sentence tells it as it is now"


@BOTH
@pytest.mark.parametrize("changed", [(4,), (9,), (2,)])
def test_nothing_is_struck_through_by_another_matter_an_earlier_or_an_unknown_utterance(
    language: str, changed: tuple[int, ...]
) -> None:
    content = notes(language)
    testers = Verdict(support="supported", status="decided", changed=(5,))
    release = Verdict(support="supported", status="decided", changed=changed)
    left = judged(content, claims_of(content, Summary()), (release, testers, FINE), HEARD[language]).summary
    assert [each.status for each in left.decisions] == ["decided", "decided"]
    assert left.text == content.text


@BOTH
def test_without_verdicts_it_all_stands_and_says_that_it_is_unverified(language: str) -> None:
    left = after(language, None, None, None)
    assert left.text == notes(language).text
    assert all(each.unverified for each in statements_of(left))
    assert left.verified is False
    some = after(language, FINE, None, FINE)
    assert some.verified is False
    assert {each.unverified for each in statements_of(some)} == {True, False}
    again = judged(some, claims_of(some, some), [FINE], HEARD[language]).summary
    assert again == after(language, FINE, FINE, FINE), "what nobody verified is tried again, and no more"


SAID = {
    "ko": ("서지우", "그럼 정상 사진은 안 찍는 걸로 하겠습니다."),
    "en": ("Priya", "OK, one and a half million then."),
}
FORMS = {
    "ko": [
        "{who} 님은 “{said}”라고 말했습니다.",
        "{who} 님: {said}",
        "{who}: “{said}”",
        "{said}",
        "“{said}”",
    ],
    "en": ["{who} said: “{said}”", "“{said}” said {who}.", "{who}: {said}", "{said}", "“{said}”"],
}


@BOTH
@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("changed", [(), (9,)])
def test_a_whole_quotation_with_its_speaker_stands_whatever_the_verdict(
    language: str, number: int, changed: tuple[int, ...]
) -> None:
    who, words = SAID[language]
    heard = {each.id: each for each in said([("a", who, words)])}
    text = FORMS[language][number].format(who=who, said=words)
    verdict = Verdict(support="contradicted", changed=changed)
    assert verdict_fault(Claim(text=text, evidence=(1,)), verdict, heard) is None
    another = text.replace(who, "Dana")
    wrong = verdict_fault(Claim(text=another, evidence=(1,)), verdict, heard)
    assert wrong == (None if another == text else "contradicted")
    more = f"{who} resigned. {text}"
    assert verdict_fault(Claim(text=more, evidence=(1,)), verdict, heard) == "contradicted"
    proposed = Verdict(support="supported", status="proposed")
    decision = Claim(text=text, evidence=(1,), kind="decision")
    assert verdict_fault(decision, proposed, heard) == "not_decided"
