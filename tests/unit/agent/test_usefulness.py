"""A model that answers with nonsense is told of, counted, and forgiven when it works again."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from pydantic import BaseModel

from context.budget import EstimateTokenizer
from context.effects import JudgeTopic, SummariseThread
from context.evidence.verdicts import Claim
from context.ports import ChatMessage, PortError, Refused, Unavailable
from context.thread.messages import Message
from tests.fakes.llm import Hang, ScriptedModel
from tests.unit.agent.meetings import said
from worker.agent import calling
from worker.agent.calling import Breaker, CalledModel, Deadlines
from worker.agent.judging import TopicJudge
from worker.agent.structured import Unusable, ask
from worker.agent.thread_summarising import ThreadSummariser
from worker.agent.usefulness import STALE_S, ReplyListener, Usefulness
from worker.agent.verifying import Verifier

SAID = said([("minji", "김민지", "금요일에 배포합니다."), ("ben", "Ben", "We ship on Friday.")])
ASKED = [ChatMessage(role="user", content="질문 question")]
GOOD = '{"topic": "예산"}'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "RETRY_PAUSE_S", 0.0)


class Shape(BaseModel):
    topic: str


class Told:
    """Keeps what it is told of replies."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []
        self.listener = ReplyListener(
            useless=lambda purpose, check: self.heard.append(("useless", purpose, check)),
            repaired=lambda purpose, well: self.heard.append(("repaired", purpose, well)),
            missed=lambda purpose, why: self.heard.append(("missed", purpose, why)),
        )

    def called(self, *scripts: Any) -> CalledModel:
        return CalledModel(ScriptedModel(*scripts), Breaker(threshold=50), self.listener)


async def test_three_replies_without_json_are_trouble_and_one_that_is_right_ends_it() -> None:
    told = Told()
    model = told.called(["네?"], ["네?"], ["네?"], [GOOD])
    with pytest.raises(Unusable):
        await ask(model, ASKED, Shape, name="summary", max_tokens=9)
    assert model.trouble == "", "two wrong replies may be chance"
    heard = [("useless", "summary", "json")] * 2 + [
        ("repaired", "summary", False),
        ("missed", "summary", "useless"),
    ]
    assert told.heard == heard
    with suppress(Unusable):
        await ask(model, ASKED, Shape, name="summary", max_tokens=9)
    assert told.heard[len(heard) :] == [("useless", "summary", "json"), ("repaired", "summary", True)]
    assert model.trouble == "", "the repair was right"


async def test_trouble_names_what_is_useless_and_why() -> None:
    told = Told()
    model = told.called(["네?"])
    for _ in range(2):
        with pytest.raises(Unusable):
            await ask(model, ASKED, Shape, name="summary", max_tokens=9)
    assert model.trouble == "scripted: its summaries are no valid JSON"
    assert not model.is_resting, "who works again is to be asked"
    for _ in range(3):
        model.checked("answer", "evidence", passed=False)
    assert model.trouble == (
        "scripted: its summaries are no valid JSON, its answers are not borne out by what they cite"
    )
    model.checked("answer", "evidence", passed=True)
    model.checked("plan", "json", passed=True)
    assert model.trouble == "scripted: its summaries are no valid JSON", "another purpose proves nothing"


def test_what_nobody_asks_for_any_more_is_forgotten() -> None:
    now_s = [0.0]
    replies = Usefulness(ReplyListener(), lambda: now_s[0])
    for _ in range(3):
        replies.checked("topic_detection", "json", passed=False)
    assert replies.trouble
    now_s[0] = STALE_S + 1
    assert not replies.trouble


@pytest.mark.parametrize(
    ("trouble", "why"), [(Unavailable("503"), "unavailable"), (Refused("401"), "refused")]
)
async def test_what_is_done_without_the_model_is_counted_once(trouble: PortError, why: str) -> None:
    told = Told()
    model = told.called([trouble])
    with pytest.raises(PortError):
        await model.structured(ASKED, schema={}, name="plan", max_tokens=9)
    with pytest.raises(PortError):
        [piece async for piece in model.stream(ASKED, max_tokens=9, name="compression")]
    model.gave_up("quality")
    assert told.heard == [
        ("missed", "plan", why),
        ("missed", "compression", why),
        ("missed", "quality", "late"),
    ]


async def test_a_model_that_rests_is_told_apart() -> None:
    told = Told()
    model = CalledModel(ScriptedModel([Unavailable("503")]), Breaker(threshold=1), told.listener)
    for _ in range(2):
        with pytest.raises(Unavailable):
            await model.structured(ASKED, schema={}, name="plan", max_tokens=9)
    assert [why for _, _, why in told.heard] == ["unavailable", "resting"]


@pytest.mark.parametrize("reply", [["no JSON, 아니요"], [Hang], [Unavailable("503")]])
async def test_a_verdict_on_a_topic_that_could_not_be_had_is_counted(reply: list[Any]) -> None:
    told = Told()
    judge = TopicJudge(told.called(reply), deadlines=Deadlines(judge_s=0.05))
    await judge.judge(JudgeTopic(at_utterance=1, recent=SAID, previous_topic_summary=""))
    assert sum(entry[:2] == ("missed", "topic_detection") for entry in told.heard) == 1


async def test_a_verifier_that_judges_nothing_is_useless() -> None:
    told = Told()
    model = told.called(['{"verdicts": []}'])
    verifier = Verifier(model, tokenizer=EstimateTokenizer())
    claims = [Claim(text="배포는 금요일입니다. It ships on Friday.", evidence=(1,))]
    for _ in range(3):
        await verifier.verify(claims, SAID, language="ko", within_s=1)
    assert model.trouble == "scripted: its verdicts on claims judge nothing"


async def test_a_summary_of_the_thread_that_is_none_is_useless() -> None:
    told = Told()
    model = told.called(
        ["죄송합니다"], ["죄송합니다"], ["죄송합니다"], [json.dumps({"summary": "Ben: 예산은 3억입니다."})]
    )
    summariser = ThreadSummariser(model)
    wanted = SummariseThread(
        version=1,
        purpose="span",
        turns=(1, 1),
        messages=(Message(role="user", content="Ben: 예산은 3억입니다."),),
        target_chars=100,
        original_chars=20,
        compression_rate=0.3,
    )
    for _ in range(3):
        await summariser.summarise(wanted)
    assert model.trouble == "scripted: its summaries of the thread are no valid JSON"
    await summariser.summarise(wanted)
    assert model.trouble == ""
