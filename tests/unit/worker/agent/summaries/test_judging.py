"""A verdict in time, or "unchanged" with the reason why."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.config import ContextConfig
from context.events.effects import JudgeTopic
from context.events.events import MeetingStarted
from context.events.topic_events import TopicJudged
from context.fold.meeting import Meeting
from context.language.korean import has_hangul
from context.ports import Unavailable
from context.topic_detector import TopicVerdict
from tests.fakes.llm import Hang, ScriptedModel
from tests.unit.context.meetings import spoken
from tests.unit.worker.agent.meetings import EN, KO, START, said
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.summaries.topic_judging import TopicJudge


def suspected(lines: Any) -> JudgeTopic:
    return JudgeTopic(at_utterance=5, recent=said(lines), previous_topic_summary="첫 안건 <b>")


@pytest.mark.parametrize(("lines", "name"), [(KO, "내년 예산"), (EN, "Office move")])
async def test_a_change(lines: Any, name: str) -> None:
    verdict = {"topic_changed": True, "current_topic": name, "confidence": 90}
    scripted = ScriptedModel([json.dumps(verdict)])
    judged = await TopicJudge(CalledModel(scripted)).judge(suspected(lines))
    assert judged.model_copy(update={"prompts": ()}) == TopicJudged(
        at_utterance=5, changed=True, name=name, confidence=0.9
    )
    (prompt,) = judged.prompts
    assert (prompt.purpose, prompt.level) == ("topic_detection", 0)
    assert prompt.tokens == EstimateTokenizer().count(scripted.calls[0][0].content)
    prompt = scripted.calls[0][-1].content
    assert all(one.text in prompt for one in said(lines))
    assert "첫 안건 ‹b›" in prompt


@pytest.mark.parametrize(("lines", "name"), [(KO, "내년 예산"), (EN, "Office move")])
@pytest.mark.parametrize(("confidence", "moved"), [(0.3, False), (49, False), (None, False), (0.5, True)])
async def test_a_verdict_that_is_not_sure_moves_no_boundary(
    lines: Any, name: str, confidence: float | None, moved: bool
) -> None:
    verdict = {"topic_changed": True, "current_topic": name}
    if confidence is not None:
        verdict["confidence"] = confidence
    meeting = Meeting("m", ContextConfig(), judge=True)
    meeting.receive(MeetingStarted(at=START))
    for n in range(40):
        who, _, text = lines[n % len(lines)]
        meeting.receive(spoken(n, text, who, start_ms=n * 1000, end_ms=n * 1000 + 900))
    before = len(meeting.segments)
    asked = JudgeTopic(at_utterance=35, recent=said(lines), previous_topic_summary="")
    meeting.changes.judging[35] = asked
    judged = await TopicJudge(CalledModel(ScriptedModel([json.dumps(verdict)]))).judge(asked)
    assert (judged.changed, judged.reason) == (moved, "" if moved else "not sure: ")
    meeting.receive(judged)
    assert len(meeting.segments) == before + moved


@pytest.mark.parametrize(("lines", "asked"), [(KO, "[#5]에서"), (EN, "begin at [#5]?")])
async def test_it_is_asked_in_the_language_of_the_talk_for_what_is_read(lines: Any, asked: str) -> None:
    scripted = ScriptedModel([json.dumps({"topic_changed": False})])
    await TopicJudge(CalledModel(scripted)).judge(suspected(lines))
    prompt = scripted.calls[0][-1].content
    assert asked in prompt
    assert has_hangul(prompt.split("</latest_turns>")[1]) == (lines is KO)
    fields = set(TopicVerdict.model_fields)
    assert set(re.findall(r'^- "(\w+)":', prompt, re.MULTILINE)) == fields
    (example,) = re.findall(r"\{.+\}", prompt)
    assert set(json.loads(example)) == fields


async def test_without_a_model_there_is_no_verdict() -> None:
    assert await TopicJudge(None).judge(suspected(KO)) is None


@pytest.mark.parametrize(
    ("script", "reason"),
    [([Hang], "timeout"), ([Unavailable("500")], "unavailable"), (["음…"], "parse_error")],
)
async def test_no_verdict_in_time_means_unchanged(script: list[Any], reason: str) -> None:
    judge = TopicJudge(CalledModel(ScriptedModel(script)), deadlines=Deadlines(judge_s=0.05))
    judged = await judge.judge(suspected(EN))
    assert judged.model_copy(update={"prompts": ()}) == TopicJudged(
        at_utterance=5, changed=False, reason=reason
    )
    sent = 2 if reason == "parse_error" else 1
    assert len(judged.prompts) == sent, "it was sent, whatever came of it, and sent back where it was wrong"
    assert judged.prompts[-1].tokens >= judged.prompts[0].tokens
