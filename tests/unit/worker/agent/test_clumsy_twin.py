"""A small model's slips of form cost what they spoil and nothing else: no whole answer, summary or list of verdicts."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from context.answering.planning import Plan
from context.budgets.tokens import EstimateTokenizer
from context.events.effects import JudgeTopic
from context.ports import ChatMessage
from context.statements.verdicts import Claim
from tests.fakes.clumsy import SLIPS, Slip
from tests.fakes.llm import ScriptedModel
from tests.fakes.verifiers import verifier
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import LINES, QUOTES, FakeContextSettings, Room, asked, meeting_of, said
from tests.unit.worker.agent.summary_jobs import Words, job
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.calls.structured import ask
from worker.agent.calls.verifying import Verifier
from worker.agent.graph.answering import Answerer
from worker.agent.prompt.judging_answers import AnswerVerdict
from worker.agent.summaries.summarising import Summariser
from worker.agent.summaries.topic_judging import TopicJudge

pytestmark = in_virtual_time

TOKENS = EstimateTokenizer()
ANSWER = {
    "ko": "- 출시일은 12월 22일로 결정되었습니다. [#3]\n- 12월 22일은 박준호 님이 제안했습니다. [#2][#1]\n"
    "- 결제 테스트 계획은 금요일까지 공유합니다. [#4]\n- 해외 배포는 이번에 하지 않습니다. [#5]",
    "en": "- They add a second server this week. [#3]\n- It costs about three hundred dollars a month. [#2][#1]\n"
    "- Ben orders the server tomorrow. [#4]\n- They will not move the database this month. [#5]",
}
STATEMENTS = {
    "ko": ("출시일은 12월 22일로 결정되었다.", "결제 테스트 계획을 금요일까지 공유한다.", "해외 배포는 이번에 하지 않는다."),
    "en": ("They add a second server this week.", "Ben orders the server tomorrow.", "They will not move the database this month."),
}  # fmt: skip
VERDICTS = [
    {"claim": 1, "verdict": "supported", "by": "Ben", "status": "decided", "changed": []},
    {"claim": 2, "verdict": "not_said", "changed": []},
    {"claim": 3, "verdict": "supported", "status": "proposed", "changed": [5]},
    {"claim": 4, "verdict": "contradicted", "status": "decided"},
]


def slips(purpose: str) -> Any:
    those = [slip for slip in SLIPS if purpose in slip.purposes]
    return pytest.mark.parametrize("slip", those, ids=[slip.name for slip in those])


def clumsy(slip: Slip, reply: Any, language: str) -> tuple[CalledModel, ScriptedModel]:
    """A model that slips each time that it is asked."""
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    spoilt = slip.make(text, language)
    assert spoilt != text, "the slip changes something"
    scripted = ScriptedModel([spoilt[at : at + 9] for at in range(0, len(spoilt), 9)])
    return CalledModel(scripted), scripted


@BOTH
@slips("answer")
async def test_no_answer_is_lost(slip: Slip, language: str) -> None:
    model, scripted = clumsy(slip, ANSWER[language], language)
    room, question_context = (
        Room(),
        FakeContextSettings(said(LINES[language]), QUOTES[language], language=language),
    )
    answerer = Answerer(
        model,
        question_context,
        deadlines=Deadlines(first_token_s=5, answer_s=10),
        clock=asyncio.get_running_loop().time,
        verifier=verifier(),
    )
    reply = await answerer.answer(asked("?"), meeting_of(()), room.open_reply, now_ms=lambda: 9750)
    assert not reply.degraded
    assert reply.evidence == (3, 2, 1, 4, 5)
    assert reply.run is not None
    assert reply.run.verified
    assert reply.run.taken_back == 0
    assert len(reply.text) < 500
    assert bool(scripted.closed) == (slip.name.endswith("_times")), "what loops is not waited for"
    assert ("loop" in reply.run.notes.get("generate_answer", "")) == slip.name.endswith("_times")


@BOTH
@slips("summary")
async def test_no_summary_and_no_statement_is_lost(slip: Slip, language: str) -> None:
    rows = [
        {"text": text, "evidence": [id_]} for id_, text in zip((3, 4, 5), STATEMENTS[language], strict=True)
    ]
    decided, task, kept_out = rows
    name = LINES[language][3][1]
    model, scripted = clumsy(
        slip,
        {
            "topic_name": "", "summary": rows, "key_points": [kept_out], "decisions": [decided, kept_out],
            "pending": [{**task, "owner": name}] if slip.name != "missing_list" else [], "keywords": [],
        },
        language,
    )  # fmt: skip
    ready = await Summariser(model, tokenizer=Words()).summarise(
        job(said(LINES[language])), language=language
    )
    assert ready.kind == "summary_ready"
    assert ready.engine == "scripted"
    assert len(scripted.calls) == 1, "nothing had to be repaired"
    assert [each.text for each in ready.content.sentences] == list(STATEMENTS[language])
    assert [each.evidence for each in ready.content.decisions] == [(3,), (5,)]
    assert [each.owner for each in ready.content.pending] == ([name] if slip.name != "missing_list" else [])


@BOTH
@slips("verification")
async def test_no_verdict_is_lost_but_the_one_that_ends_too_early(slip: Slip, language: str) -> None:
    claims = [Claim(text=each.text, evidence=(each.id,)) for each in said(LINES[language])[:4]]

    async def found(model: CalledModel) -> list[Any]:
        checks = Verifier(model, tokenizer=TOKENS)
        return list(await checks.verify(claims, said(LINES[language]), language=language, within_s=5))

    right = await found(CalledModel(ScriptedModel([json.dumps({"verdicts": VERDICTS})])))
    assert None not in right
    model, scripted = clumsy(slip, {"verdicts": VERDICTS}, language)
    if slip.name == "cut_off":
        right[3] = None
    assert await found(model) == right
    assert len(scripted.calls) == 1


@BOTH
@slips("plan")
async def test_no_plan_is_lost(slip: Slip, language: str) -> None:
    names = {"ko": ["출시 일정", "결제 테스트"], "en": ["Release date", "Second server"]}[language]
    model, scripted = clumsy(slip, {"required_topics": names}, language)
    prompt = [ChatMessage(role="user", content="?")]
    plan = await ask(model, prompt, Plan, name="plan", max_tokens=99, tokenizer=TOKENS)
    assert plan.required_topics == names
    assert len(scripted.calls) == 1


@BOTH
@slips("topic_detection")
async def test_no_verdict_on_a_topic_is_lost(slip: Slip, language: str) -> None:
    name = {"ko": "내년 예산", "en": "Office move"}[language]
    verdict = {
        "topic_changed": True,
        "previous_topic": "a",
        "current_topic": name,
        "confidence": 0.9,
        "reason": "r",
    }
    model, scripted = clumsy(slip, verdict, language)
    effect = JudgeTopic(at_utterance=5, recent=said(LINES[language]), previous_topic_summary="")
    judged = await TopicJudge(model).judge(effect)
    assert judged is not None
    assert (judged.changed, judged.name, judged.confidence) == (True, name, 0.9)
    assert len(scripted.calls) == 1


@BOTH
@slips("quality")
async def test_no_grade_is_lost(slip: Slip, language: str) -> None:
    missing = {"ko": ["담당자"], "en": ["the owner"]}[language]
    grade = {
        "completeness_score": 7, "overall_quality": 0.8, "missing_info": missing,
        "needs_retrieval": True, "suggested_query": "?",
    }  # fmt: skip
    model, scripted = clumsy(slip, grade, language)
    prompt = [ChatMessage(role="user", content="?")]
    found = await ask(model, prompt, AnswerVerdict, name="quality", max_tokens=99, tokenizer=TOKENS)
    assert found.model_dump() == grade
    assert len(scripted.calls) == 1


def test_each_slip_has_a_name_of_its_own_and_is_tried() -> None:
    assert len({slip.name for slip in SLIPS}) == len(SLIPS) == 43
    tried = {"answer", "summary", "verification", "plan", "topic_detection", "quality"}
    assert all(slip.purposes <= tried for slip in SLIPS)
