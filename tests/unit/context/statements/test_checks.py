"""What is certainly wrong with a statement is found; what only its meaning speaks against is left to a verifier."""

from __future__ import annotations

import pytest

from context.evidence.claim_words import quotes_stand
from context.evidence.polarity import is_negated
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.korean import has_hangul
from context.language.spoken_sentences import split_utterances
from context.language.to_agent import without_instructions
from context.models import Statement, Summary
from context.plain.facade import summarise
from context.statements.checks import Fault, certain_fault, checked, sources_of
from tests.unit.cases import beside, cases
from tests.unit.context.samples import load
from tests.unit.worker.agent.meetings import EN, KO, said

KOREAN = sources_of(said(KO))
TALK: dict[str, tuple[tuple[str, ...], dict[int, str]]] = {
    "release": ((), KOREAN),
    "server": ((), sources_of(said(EN))),
    **{
        name: (talk["people"], {int(number): text for number, text in talk["said"].items()})
        for name, talk in beside(__file__)["TALK"].items()
    },
}


@cases
def test_a_statement_stands_or_it_is_told_what_is_wrong(
    meeting: str, text: str, cites: tuple[int, ...], wrong: Fault | None
) -> None:
    """What a good model writes in its own words stands."""
    people, sources = TALK[meeting]
    assert certain_fault(text, cites, sources, people) == wrong


@cases
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
    assert certain_fault("예산은 2억 원으로 정해졌다.", (1,), sources) is None
    assert certain_fault("예산은 3억 원으로 정해졌다.", (1,), sources) == "number"
    assert certain_fault("예산은 2억 원이다.", (2,), sources) == "unknown_utterance"


@cases
def test_numbers_days_and_names_agree(claim: str, speech: str, wrong: Fault | None) -> None:
    names = ("김민지", "박준호", "최하나", "Alice Moreau", "Ben Carter", "Chloe Park")
    assert certain_fault(claim, (1,), {1: speech}, names) == wrong


@cases
def test_owner_and_moment_stand_or_are_taken_off(
    text: str, owner: str, due: str, speech: str, left: tuple[str | None, str | None]
) -> None:
    statement = Statement(text=text, evidence=(1,), owner=owner, due=due)
    result = checked(Summary(pending=(statement,)), {1: speech})
    (kept,) = result.summary.pending
    assert (kept.owner, kept.due) == left
    assert len(result.dropped) == (left[0] != owner) + (left[1] != due)


@pytest.mark.parametrize("name", ["ko-release-planning", "en-sprint-review"])
def test_what_was_said_always_stands(name: str) -> None:
    utterances = load(name)
    sources, names = sources_of(utterances), tuple({u.speaker_name for u in utterances})
    for said_ in split_utterances(without_instructions(utterances, DEFAULT_WAKE_WORDS)):
        assert certain_fault(said_.text, (said_.utterance.id,), sources, names) is None
    assert checked(summarise(Summary(), utterances), sources, names).dropped == ()


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("김민지: 예산은 다음 달에 다시 봅시다.", "민지는 “다음 달에 다시 봅시다”라고 했다.", "민지는 “예산은 절대 안 됩니다”라고 했다."),
        ("Dana: Let us look at the budget in May.", "Dana said “look at the budget in May”.", "Dana said “the budget is dead”."),
    ],
)  # fmt: skip
def test_quotation_marks_stand_around_what_was_said(said: str, right: str, wrong: str) -> None:
    names = (said.partition(":")[0],)
    assert certain_fault(right, (1,), {1: said}, names) is None
    assert certain_fault(wrong, (1,), {1: said}, names) == "quote"


MARKS = ["“{}”", '"{}"', "「{}」", "«{}»", "„{}“", "《{}》", "〈{}〉", "‘{}’", "'{}'"]


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [("김민지: 빨간 타일로 하겠습니다.", "빨간 타일로 하겠습니다", "파란 타일로 하겠습니다"),
     ("Ana: We take the red tiles, don't we?", "take the red tiles, don't", "take the blue tiles, don't")],
)  # fmt: skip
def test_every_kind_of_quotation_mark_counts(marks: str, said: str, right: str, wrong: str) -> None:
    name = said.partition(":")[0]
    for quote, fault in ((right, None), (wrong, "quote")):
        assert certain_fault(f"{name}: {marks.format(quote)}", (1,), {1: said}, (name,)) == fault


@pytest.mark.parametrize(
    "text",
    ["Ana's tiles and Ben's tiles are in the '90s and '80s style.", "«네»라고 했다", "They said “ok”."],
)
def test_an_apostrophe_is_no_quotation_mark(text: str) -> None:
    assert quotes_stand(text, "네, ok, and no more.")


@cases
def test_what_is_said_to_the_agent_is_evidence_for_nothing_but_that_it_was_asked(
    lines: list[str], claim: str, cites: tuple[int, ...], wrong: Fault | None
) -> None:
    talk = said([("kim", "김민지" if has_hangul(claim) else "Dana", line) for line in lines])
    assert certain_fault(claim, cites, sources_of(talk), ("김민지", "Dana")) == wrong
