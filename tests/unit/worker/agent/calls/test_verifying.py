"""A verifier sees claims and utterances, gives a verdict for each, and is missed where it is away."""

from __future__ import annotations

import json

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.ports import Unavailable
from context.retrieval.lexical import LexicalIndex
from context.statements.verdicts import Claim, Verdict, verdict_fault, witnesses
from tests.fakes.llm import Hang, ScriptedModel
from tests.unit.cases import beside
from tests.unit.worker.agent.meetings import said as spoken
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.verifying import Verifier

KO, EN = (spoken(lines) for lines in beside(__file__)["TALK"].values())
DATE = {
    "ko": Claim(text="배포일은 12월 2일이다.", evidence=(1, 2), kind="decision"),
    "en": Claim(text="They ship on December 2nd.", evidence=(1, 2), kind="decision"),
}


def verifier(*script: object) -> tuple[Verifier, ScriptedModel]:
    model = ScriptedModel(list(script))  # type: ignore[arg-type]  # answers of any kind
    return Verifier(CalledModel(model), tokenizer=EstimateTokenizer()), model


@pytest.mark.parametrize(("language", "said"), [("ko", KO), ("en", EN)])
def test_what_settled_it_later_stands_among_the_witnesses(language, said):
    index = LexicalIndex(said)
    shown = [each.id for each in witnesses([DATE[language]], said, index)]
    assert shown[:3] == [1, 2, 3]
    assert 5 in shown


@pytest.mark.parametrize(("language", "said"), [("ko", KO), ("en", EN)])
async def test_each_claim_gets_its_verdict_and_only_claims_and_utterances_are_shown(language, said):
    verdicts = [
        {"claim": 2, "verdict": "not_said"},
        {"claim": 1, "verdict": "supported", "status": "decided", "changed": ["#5", 77]},
    ]
    checks, model = verifier(json.dumps({"verdicts": verdicts}))
    other = Claim(text="?", evidence=(4,))
    found = await checks.verify([DATE[language], other], said, language=language, within_s=1)
    assert found == (
        Verdict(support="supported", status="decided", changed=(5,)),
        Verdict(support="not_said"),
    )
    assert verdict_fault(DATE[language], found[0], {}) == "changed_later"
    assert verdict_fault(other, found[1], {}) == "not_said"
    rules, asked = (message.content for message in model.calls[0])
    assert "<question>" not in asked
    assert said[4].text in asked
    assert DATE[language].text in asked
    assert "JSON" in rules


@pytest.mark.parametrize("trouble", [Unavailable("down"), Hang, "no JSON at all"])
async def test_without_the_verifier_there_is_no_verdict(trouble):
    model = CalledModel(ScriptedModel([trouble]))
    checks = Verifier(model, tokenizer=EstimateTokenizer())
    found = await checks.verify([DATE["en"]], EN, language="en", within_s=0.05)
    assert found == (None,)


async def test_a_claim_that_the_verifier_forgot_has_no_verdict():
    checks, _ = verifier(json.dumps({"verdicts": [{"claim": 1, "verdict": "supported"}]}))
    claims = [DATE["en"], Claim(text="Lunch is up to everybody.", evidence=(4,))]
    assert (await checks.verify(claims, EN, language="en", within_s=1))[1] is None


ROOMS = {
    "ko": ("김민지", "2인실 40개입니다. 조식은 아직 모릅니다."),
    "en": ("Dana", "I don't think we go with Elm Street. It is forty double rooms."),
}


@pytest.mark.parametrize(
    ("language", "text", "stands"),
    [
        ("ko", "2인실 40개입니다", True),
        ("ko", "김민지: “2인실 40개입니다.”", True),
        ("ko", "박준호: 2인실 40개입니다.", False),
        ("ko", "2인실 45개입니다", False),
        ("ko", "조식은 압니다", False),
        ("en", "It is forty double rooms.", True),
        ("en", "Dana: It is forty double rooms.", True),
        ("en", "Ben: It is forty double rooms.", False),
        ("en", "we go with Elm Street", False),
    ],
)
@pytest.mark.parametrize("support", ["contradicted", "not_said"])
def test_no_verdict_denies_that_somebody_said_their_own_words(language, text, stands, support):
    (said,) = spoken([("x", *ROOMS[language])])
    claim = Claim(text=text, evidence=(said.id,))
    found = verdict_fault(claim, Verdict(support=support), {said.id: said})
    assert found == (None if stands else support)


async def test_a_claim_that_is_judged_twice_and_differently_has_no_verdict():
    twice = [{"claim": 1, "verdict": verdict} for verdict in ("contradicted", "supported")]
    checks, _ = verifier(json.dumps({"verdicts": [*twice, *[{"claim": 2, "verdict": "not said"}] * 2]}))
    claims = [DATE["en"], Claim(text="Lunch is up to everybody.", evidence=(4,))]
    found = await checks.verify(claims, EN, language="en", within_s=1)
    assert found == (None, Verdict(support="not_said"))


@pytest.mark.parametrize("changed", ["yes", True, "later", ["soon"]])
async def test_a_verdict_that_does_not_say_what_changed_a_claim_is_none(changed):
    bad = {"claim": 1, "verdict": "supported", "changed": changed}
    good = {"claim": 2, "verdict": "supported", "changed": None}
    checks, model = verifier(json.dumps({"verdicts": [bad, good]}))
    claims = [DATE["en"], Claim(text="Lunch is up to everybody.", evidence=(4,))]
    found = await checks.verify(claims, EN, language="en", within_s=1)
    assert found == (None, Verdict(support="supported"))
    assert len(model.calls) == 1


def test_a_proposal_told_as_a_decision_does_not_stand():
    claim = Claim(text="Dinner is on Friday.", evidence=(3,), kind="decision")
    assert verdict_fault(claim, Verdict(support="supported", status="proposed"), {}) == "not_decided"
    spoken_of = claim.model_copy(update={"kind": "statement"})
    assert verdict_fault(spoken_of, Verdict(support="supported", status="proposed"), {}) is None


@pytest.mark.parametrize("within", [400, 1500])
def test_the_prompt_keeps_its_bound(within):
    tokenizer = EstimateTokenizer()
    checks = Verifier(None, tokenizer=tokenizer, most_tokens=within)
    long = [each.model_copy(update={"text": each.text * 40}) for each in KO]
    messages = checks.messages([DATE["ko"]] * 20, long, "ko")
    assert tokenizer.count(messages[1].content) <= within + 40
