"""A question to a real meeting, through the real adapter, to a server that may misbehave."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from pydantic import SecretStr

from context.budgets.tokens import EstimateTokenizer, budget_for
from context.events.effects import Effect, Summarise
from context.events.events import MeetingOpened, MeetingStarted, UtteranceSpoken
from context.features import Features
from context.manager import ContextManager
from context.models import Reply
from context.question import Question
from tests.fakes.openai_chat import ChatServer, Status
from tests.fakes.verifiers import verifier
from tests.unit.worker.agent.meetings import Room
from worker.adapters.openai_llm import OpenAILanguageModel
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.summaries.summarising import Summariser

MEETINGS = Path(__file__).parent.parent / "data" / "audio"
TOKENS = EstimateTokenizer()


class Told(NamedTuple):
    """A scripted meeting, a question to it, what a model says, and whom that cites."""

    name: str
    question: str
    raw: str
    witness: str
    language: str


KO = Told(
    "ko-release-planning",
    "출시일이 언제로 결정됐어요?",
    "출시일은 12월 22일로 결정되었습니다. [#9]",
    "**김민지** (14:30:39)",
    "ko",
)
EN = Told(
    "en-sprint-review",
    "What did we decide about the second server?",
    "A second server will be added this week. [#7]",
    "**Alice Moreau** (14:30:22)",
    "en",
)


@dataclass
class Setting:
    server: ChatServer
    model: CalledModel
    settings: QuestionContextSettings
    summariser: Summariser

    async def meeting(self, name: str, *, summarised: bool = False) -> ContextManager:
        told = json.loads((MEETINGS / name / "meeting.json").read_text())
        manager = ContextManager(name)
        manager.receive(MeetingOpened(meeting_id=name, title=name))
        manager.receive(MeetingStarted(at=datetime(2026, 3, 2, 14, 30, tzinfo=UTC)))
        for index, line in enumerate(told["lines"]):
            effects = manager.receive(
                UtteranceSpoken(
                    key=str(index),
                    speaker_id=line["speaker"],
                    speaker_name=told["participants"][line["speaker"]]["name"],
                    text=line["text"],
                    start_ms=int(line["start_s"] * 1000),
                    end_ms=int(line["end_s"] * 1000),
                )
            )
            if summarised:
                await self.carry_out(manager, effects)
        return manager

    async def carry_out(self, manager: ContextManager, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Summarise):
                ready = await self.summariser.summarise(effect, language="auto")
                await self.carry_out(manager, manager.receive(ready))

    async def ask(
        self, manager: ContextManager, question: str, deadlines: Deadlines | None = None
    ) -> tuple[Reply, Room]:
        room = Room()
        answerer = Answerer(
            self.model, self.settings, deadlines=deadlines or Deadlines(), verifier=verifier()
        )
        invocation = Question(id="q", by="minji", via="chat", text=question, at_ms=200_000)
        reply = await answerer.answer(invocation, manager, room.open_reply, now_ms=lambda: 200_100)
        return reply, room


@pytest.fixture
async def setting() -> AsyncIterator[Setting]:
    async with ChatServer() as server:
        llm = OpenAILanguageModel(base_url=server.base_url, api_key=SecretStr("secret"), model="test-model")
        model = CalledModel(llm)
        yield Setting(
            server,
            model,
            QuestionContextSettings(TOKENS, budget=budget_for(llm.name)),
            Summariser(model, tokenizer=TOKENS),
        )
        await llm.aclose()


BOTH = pytest.mark.parametrize("told", [KO, EN], ids=["ko", "en"])


@BOTH
async def test_an_answer_with_its_witness(setting: Setting, told: Told) -> None:
    manager = await setting.meeting(told.name)
    setting.server.will(*told.raw)
    reply, room = await setting.ask(manager, told.question)
    assert reply.text == room.text
    assert reply.text.endswith(told.witness)
    assert not reply.degraded
    cited = manager.meeting.utterances[reply.evidence[0] - 1]
    assert cited.text in setting.server.requests[0]["messages"][1]["content"], "retrieval found the evidence"


@BOTH
async def test_busy_once_is_not_noticed(setting: Setting, told: Told) -> None:
    setting.server.will(Status(429, retry_after="0.1"))
    setting.server.will(*told.raw)
    reply, _ = await setting.ask(await setting.meeting(told.name), told.question)
    assert reply.text.endswith(told.witness)
    assert len(setting.server.requests) == 2


async def test_a_summary_by_the_server_reaches_the_prompt(setting: Setting) -> None:
    statement = {"text": "출시일은 12월 22일로 결정되었다.", "evidence": [9]}
    draft = {
        "topic_name": "출시",
        "summary": [statement],
        "key_points": [],
        "decisions": [statement],
        "pending": [],
    }
    for _ in range(12):
        setting.server.will(json.dumps(draft, ensure_ascii=False))
    manager = await setting.meeting("ko-release-planning", summarised=True)
    engines = [segment.notes.text for segment in manager.meeting.segments if segment.version]
    assert "출시일은 12월 22일로 결정되었다." in engines
    setting.server._scripts.clear()
    setting.server.will("출시일은 12월 22일입니다. [#9]")
    reply, _ = await setting.ask(manager, "회의 내용을 요약해 줘")
    assert (
        "decided: 출시일은 12월 22일로 결정되었다. [#9]"
        in setting.server.requests[-1]["messages"][1]["content"]
    )
    assert reply.call_type == "SUMMARY"


def _verdict(overall: float, missing: list[str]) -> str:
    return json.dumps(
        {
            "completeness_score": 10 * overall,
            "overall_quality": overall,
            "missing_info": missing,
            "needs_retrieval": False,
            "suggested_query": "",
        }
    )


@BOTH
async def test_a_model_grades_its_answer_over_the_wire_and_corrects_it_once(
    setting: Setting, told: Told
) -> None:
    manager = await setting.meeting(told.name)
    setting.server.will(*told.raw)
    setting.server.will(_verdict(0.3, ["누가 who"]))
    setting.server.will(*told.raw)
    room = Room()
    graded_too = Features(llm_based_quality_check=True)
    answerer = Answerer(setting.model, setting.settings, judge=setting.model, features=graded_too)
    invocation = Question(id="q", by="minji", via="chat", text=told.question, at_ms=200_000)
    reply = await answerer.answer(invocation, manager, room.open_reply, now_ms=lambda: 200_100)
    asked, graded, again = setting.server.requests
    assert graded["response_format"]["type"] == "json_schema"
    assert reply.text.splitlines()[0] in graded["messages"][-1]["content"].replace("‹", "<")
    assert "누가 who" in again["messages"][-1]["content"]
    assert "<first_answer>" in again["messages"][-1]["content"]
    assert "<first_answer>" not in asked["messages"][-1]["content"]
    assert reply.run is not None
    assert reply.run.quality_score is not None
    assert reply.run.tokens_used > 0
    assert not reply.degraded
