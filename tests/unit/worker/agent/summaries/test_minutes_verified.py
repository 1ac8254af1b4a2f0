"""Minutes are verified before they are written: a draft, one call to a verifier, and what that leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.events.effects import Summarise
from context.events.topic_events import SummaryReady
from context.models import TopicSegment, Utterance
from context.ports import Unavailable
from context.statements.checks import statements_of
from tests.fakes.llm import Hang, ScriptedModel
from tests.languages import BOTH
from tests.unit.cases import beside
from tests.unit.worker.agent.meetings import said
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.calls.verifying import Verifier
from worker.agent.summaries.summarising import EXTRACTIVE, Summariser

TOKENS = EstimateTokenizer()
TALK = {language: said(lines) for language, lines in beside(__file__)["TALK"].items()}
RELEASE = {"ko": "5.2 배포는 12월 2일이다.", "en": "The 5.2 release is on December 2."}
TESTERS = {"ko": "체험단은 스무 명이 좋다.", "en": "Twenty testers were suggested."}
REPORT = {"ko": "금요일까지 테스트 보고서를 쓴다.", "en": "The test report is written by Friday."}


def draft(language: str) -> str:
    release, testers = (
        {"text": RELEASE[language], "evidence": [1]},
        {"text": TESTERS[language], "evidence": [2]},
    )
    return json.dumps({
        "topic_name": "", "summary": [release], "key_points": [], "decisions": [release, testers],
        "pending": [{"text": REPORT[language], "evidence": [3]}], "keywords": [],
    })  # fmt: skip


def verdicts(*rows: dict[str, Any]) -> str:
    return json.dumps({"verdicts": [{"claim": place, **row} for place, row in enumerate(rows, 1)]})


FINE = {"verdict": "supported", "status": "decided"}


def job(language: str, until: int = 3) -> Summarise:
    """The topic is the first three turns; two more were said behind it."""
    heard: tuple[Utterance, ...] = TALK[language]
    topic = TopicSegment(id="t1", name="5.2", start_utterance_id=1, end_utterance_id=until)
    return Summarise(topic=topic, version=1, reason="topic_change", utterances=heard[:until], heard=heard)


class QuestionContext:
    """A summariser with a scripted writer and a scripted verifier."""

    def __init__(self, language: str, *script: Any, deadlines: Deadlines | None = None) -> None:
        self.writer, self.judge = ScriptedModel([draft(language)]), ScriptedModel(list(script))
        self.dropped: list[str] = []
        self.summariser = Summariser(
            CalledModel(self.writer),
            tokenizer=TOKENS,
            verifier=Verifier(CalledModel(self.judge), tokenizer=TOKENS),
            deadlines=deadlines,
            on_dropped=self.dropped.append,
        )

    async def made(self, language: str) -> SummaryReady:
        ready = await self.summariser.summarise(job(language), language=language)
        assert isinstance(ready, SummaryReady)
        return ready


@BOTH
async def test_all_new_statements_go_to_one_call_with_what_they_rest_on_and_what_came_later(
    language: str,
) -> None:
    question_context = QuestionContext(language, verdicts(FINE, FINE, FINE))
    ready = await question_context.made(language)
    assert ready.content.verified is True
    assert len(question_context.judge.calls) == 1
    shown = question_context.judge.calls[0][1].content
    assert all(text in shown for text in (RELEASE[language], TESTERS[language], REPORT[language]))
    assert shown.count(RELEASE[language]) == 1, "a sentence that is a decision, too, is one claim"
    assert TALK[language][4].text in shown, "said on the matter behind the topic"
    assert [record.purpose for record in ready.prompts] == ["summary", "verification"]
    assert all(record.tokens >= record.producers["transcript"] > 0 for record in ready.prompts)


@BOTH
async def test_what_the_verifier_refutes_is_dropped_and_counted(language: str) -> None:
    question_context = QuestionContext(
        language, verdicts(FINE, {"verdict": "not_said"}, {"verdict": "contradicted"})
    )
    content = (await question_context.made(language)).content
    assert [each.text for each in content.decisions] == [RELEASE[language]]
    assert content.pending == ()
    assert sorted(question_context.dropped) == ["contradicted", "not_said"]


@BOTH
async def test_a_proposal_goes_to_the_open_points_and_a_changed_decision_is_superseded(language: str) -> None:
    proposed = {"verdict": "supported", "status": "proposed"}
    question_context = QuestionContext(language, verdicts({**FINE, "changed": ["#5"]}, proposed, FINE))
    content = (await question_context.made(language)).content
    (release,) = content.decisions
    assert (release.status, release.superseded_by) == ("superseded", "5")
    assert [each.kind for each in content.pending] == ["open", "open"]
    assert TESTERS[language] in [each.text for each in content.pending]
    assert RELEASE[language] not in content.text


@BOTH
@pytest.mark.parametrize("trouble", [Unavailable("down"), Hang, "no JSON"])
async def test_without_a_verifier_within_reach_the_draft_stands_and_says_so(
    language: str, trouble: Any
) -> None:
    question_context = QuestionContext(
        language, trouble, deadlines=Deadlines(verify_summary_s={"topic_change": 0.1})
    )
    ready = await question_context.made(language)
    assert ready.engine == question_context.writer.name
    assert ready.content.verified is False
    assert [each.text for each in ready.content.decisions] == [RELEASE[language], TESTERS[language]]
    assert all(each.unverified for each in statements_of(ready.content))


@BOTH
async def test_a_draft_of_which_no_sentence_is_left_is_none(language: str) -> None:
    wrong = {"verdict": "not_said"}
    ready = await QuestionContext(language, verdicts(wrong, wrong, wrong)).made(language)
    assert ready.engine == EXTRACTIVE
    assert RELEASE[language] not in ready.content.text
    assert all(each.quoted for each in ready.content.sentences)


RIGHT = {
    "ko": (
        [
            ("minji", "김민지", "지금 할인율은 오십입니다."),
            ("junho", "박준호", "거기서 이십 포인트 내리죠."),
            ("minji", "김민지", "그럼 서른으로 확정합니다."),
        ],
        {"text": "할인율을 50%에서 30%로 내린다.", "evidence": [3]},
    ),
    "en": (
        [
            ("dana", "Dana", "The trucks go through Elm Street today."),
            ("ben", "Ben", "No, that is closed. Dock Road then."),
            ("dana", "Dana", "Fine, decided."),
        ],
        {"text": "They take Dock Road instead of Elm Street.", "evidence": [2]},
    ),
}
"""Right decisions whose words name more than what they cite: rules about words dropped both."""


@BOTH
@pytest.mark.parametrize("support", ["supported", "contradicted", None])
async def test_what_a_decision_means_is_the_verifiers_to_say(language: str, support: str | None) -> None:
    lines, right = RIGHT[language]
    heard = said(lines)
    topic = TopicSegment(id="t1", name="5.2", start_utterance_id=1, end_utterance_id=3)
    job_ = Summarise(topic=topic, version=1, reason="topic_change", utterances=heard, heard=heard)
    sure = {"text": heard[2].text, "evidence": [3]}
    drafted = json.dumps({
        "topic_name": "", "summary": [sure], "key_points": [], "pending": [], "keywords": [],
        "decisions": [right],
    })  # fmt: skip
    script = [verdicts({"verdict": support, "status": "decided"}, FINE)] if support else ["no JSON"] * 3
    summariser = Summariser(
        CalledModel(ScriptedModel([drafted])),
        tokenizer=TOKENS,
        verifier=Verifier(CalledModel(ScriptedModel(script)), tokenizer=TOKENS),
    )
    ready = await summariser.summarise(job_, language=language)
    assert isinstance(ready, SummaryReady)
    assert ready.content.verified is (support is not None)
    kept = [right["text"]] if support in ("supported", None) else []
    assert [each.text for each in ready.content.decisions] == kept
    assert all(each.unverified is (support is None) for each in ready.content.decisions)


ASKED = {
    "ko": ([("junho", "박준호", "기계는 누가 주문해야 하죠."), ("minji", "김민지", "아직 몰라요.")], "누가 기계를 주문하나?"),
    "en": ([("ben", "Ben", "Somebody has to order the machine."), ("dana", "Dana", "I don't know who.")], "Who orders the machine?"),
}  # fmt: skip


@BOTH
async def test_an_open_point_may_be_a_question(language: str) -> None:
    lines, question = ASKED[language]
    heard = said(lines)
    topic = TopicSegment(id="t1", name="5.2", start_utterance_id=1, end_utterance_id=2)
    job_ = Summarise(topic=topic, version=1, reason="topic_change", utterances=heard, heard=heard)
    told = {"text": question, "evidence": [1, 2]}
    sure = {"text": heard[0].text, "evidence": [1]}
    drafted = json.dumps({
        "topic_name": "", "summary": [sure], "key_points": [told], "decisions": [], "keywords": [],
        "pending": [{**told, "kind": "open"}],
    })  # fmt: skip
    summariser = Summariser(
        CalledModel(ScriptedModel([drafted])),
        tokenizer=TOKENS,
        verifier=Verifier(CalledModel(ScriptedModel([verdicts(FINE, FINE)])), tokenizer=TOKENS),
    )
    ready = await summariser.summarise(job_, language=language)
    assert isinstance(ready, SummaryReady)
    assert [each.text for each in ready.content.pending] == [question]
    assert ready.content.key_points == (), "as a point it states nothing"
