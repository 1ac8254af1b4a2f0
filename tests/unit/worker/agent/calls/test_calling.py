"""Calls of a model: one quick retry, one breaker, and trouble that is told of, counted and forgiven."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from context.budgets.tokens import EstimateTokenizer
from context.events.effects import JudgeTopic, SummariseThread
from context.events.message import Message
from context.ports import ChatMessage, CutOff, PortError, Refused, Unavailable
from context.statements.verdicts import Claim
from tests.fakes.llm import Hang, ScriptedModel, Step
from tests.unit.worker.agent.meetings import said
from worker.agent.calls.calling import LONGEST_REST_S, Breaker, CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.calls.structured import Unusable, ask
from worker.agent.calls.usefulness import STALE_S, ReplyListener, Usefulness
from worker.agent.calls.verifying import Verifier
from worker.agent.summaries.thread_summarising import ThreadSummariser
from worker.agent.summaries.topic_judging import TopicJudge

TOKENS = EstimateTokenizer()
ASKED = [ChatMessage(role="user", content="질문 question")]


def busy(retry_after_s: float | None) -> Unavailable:
    error = Unavailable("429")
    error.retry_after_s = retry_after_s
    return error


async def read(model: CalledModel) -> str:
    return "".join([piece async for piece in model.stream(ASKED, max_tokens=9)])


async def test_a_passing_failure_is_tried_once_more() -> None:
    scripted = ScriptedModel([busy(None)], ["괜찮", "아요"])
    assert await read(CalledModel(scripted)) == "괜찮아요"
    assert len(scripted.calls) == 2


@pytest.mark.parametrize(
    ("script", "times", "calls", "resting"),
    [
        ([Unavailable("500")], 1, 2, False),  # two failures are enough
        ([Unavailable("500")], 5, 4, True),  # and whoever keeps failing is left alone
        ([Refused("401")], 2, 2, False),  # a refusal is not tried again and opens no circuit
        ([CutOff("9 tokens")], 3, 3, False),  # an answer at its limit is no failure
        ([busy(30)], 3, 1, True),  # who asks for a long wait is not asked before
        (["half", Unavailable("cut")], 1, 1, False),  # what has begun is not begun again
    ],
)
async def test_how_often_a_failing_model_is_asked(
    script: list[Step], times: int, calls: int, resting: bool
) -> None:
    scripted = ScriptedModel(script)
    model = CalledModel(scripted, Breaker(threshold=4))
    for _ in range(times):
        with pytest.raises(PortError):
            await asyncio.wait_for(read(model), 1)
    assert (len(scripted.calls), model.is_resting) == (calls, resting)


async def test_closing_reaches_the_model() -> None:
    scripted = ScriptedModel(["one", Hang])
    pieces = CalledModel(scripted).stream(ASKED, max_tokens=9)
    assert await anext(pieces) == "one"
    await pieces.aclose()  # type: ignore[attr-defined]  # an async generator, by the port's wish
    assert scripted.closed == 1


class Shape(BaseModel):
    topic: str


async def test_json_is_repaired_once_and_the_model_told_why() -> None:
    scripted = ScriptedModel(['{"tpic": "예산"}'], ['```json\n{"topic": "예산"}\n```'])
    shape = await ask(CalledModel(scripted), ASKED, Shape, name="x", max_tokens=9, tokenizer=TOKENS)
    assert shape.topic == "예산"
    repair = scripted.calls[1]
    assert repair[-2].content == '{"tpic": "예산"}'
    assert "topic" in repair[-1].content
    assert "Field required" in repair[-1].content


@pytest.mark.parametrize("garbage", ["", "죄송합니다", "{", '{"topic": 3}', "[1, 2]", "\x00"])
async def test_garbage_twice_is_unusable(garbage: str) -> None:
    scripted = ScriptedModel([garbage])
    with pytest.raises(Unusable):
        await ask(CalledModel(scripted), ASKED, Shape, name="x", max_tokens=9, tokenizer=TOKENS)
    assert len(scripted.calls) == 2


class Shapes(BaseModel):
    shapes: list[Shape]


async def test_a_bad_item_is_not_sent_back() -> None:
    scripted = ScriptedModel(['{"shapes": [{"topic": 3}, {"topic": "예산"}, "x", null]}'])
    found = await ask(CalledModel(scripted), ASKED, Shapes, name="x", max_tokens=9, tokenizer=TOKENS)
    assert [shape.topic for shape in found.shapes] == ["예산"]
    assert len(scripted.calls) == 1


async def test_a_model_that_refuses_everything_is_trouble_without_resting() -> None:
    scripted = ScriptedModel(
        [Refused("401: key sk-1")], [Refused("401: key sk-1")], ["네"], [Refused("401: key sk-1")]
    )
    model = CalledModel(scripted)
    troubles = []
    for _ in range(4):
        with suppress(Refused):
            await read(model)
        troubles.append(model.trouble)
    assert troubles == ["", "scripted fails (401)", "", ""]
    assert not model.is_resting


async def test_it_recovers_by_itself() -> None:
    now = [0.0]
    scripted = ScriptedModel(*[[Unavailable("503")]] * 6, ["다시 됩니다"])
    model = CalledModel(scripted, Breaker(threshold=5, cooldown_s=30, clock=lambda: now[0]))
    while not model.is_resting:
        with suppress(Unavailable):
            await read(model)
    asked = len(scripted.calls)
    with pytest.raises(Unavailable, match="left alone"):
        await read(model)
    assert model.trouble == "scripted rests after failures (503)"
    assert len(scripted.calls) == asked == 5
    now[0] += 30
    with pytest.raises(Unavailable):  # the trial fails: closed for another while
        await read(model)
    assert model.is_resting
    assert len(scripted.calls) == asked + 1
    now[0] += 30
    assert await read(model) == "다시 됩니다"
    assert model.trouble == ""


class Time:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_trial_that_never_reports_blocks_for_one_cool_down() -> None:
    time = Time()
    breaker = Breaker(threshold=1, cooldown_s=30, clock=time)
    breaker.failed()
    time.now_s += 31
    assert breaker.admit()
    time.now_s += 30
    assert breaker.admit()


@given(st.lists(st.sampled_from(["ok", "bad", "wait"]), max_size=60))
def test_a_success_always_closes_and_waiting_always_helps(steps: list[str]) -> None:
    time = Time()
    breaker = Breaker(threshold=2, cooldown_s=10, clock=time)
    for step in steps:
        if step == "wait":
            time.now_s += 10
        elif breaker.admit():
            (breaker.succeeded if step == "ok" else breaker.failed)()
            if step == "ok":
                assert not breaker.is_open
    time.now_s += 10
    assert breaker.admit()


def test_a_server_that_asks_to_be_left_alone_is_for_a_minute_at_most() -> None:
    time = Time()
    breaker = Breaker(threshold=3, clock=time)
    breaker.rest(7)
    assert breaker.is_open
    assert not breaker.admit()
    time.now_s += 7
    assert breaker.admit()
    breaker.rest(3600)
    time.now_s += LONGEST_REST_S
    assert breaker.admit()


SAID = said([("minji", "김민지", "금요일에 배포합니다."), ("ben", "Ben", "We ship on Friday.")])
GOOD = '{"topic": "예산"}'


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
        await ask(model, ASKED, Shape, name="summary", max_tokens=9, tokenizer=TOKENS)
    assert model.trouble == "", "two wrong replies may be chance"
    heard = [("useless", "summary", "json")] * 2 + [
        ("repaired", "summary", False),
        ("missed", "summary", "useless"),
    ]
    assert told.heard == heard
    with suppress(Unusable):
        await ask(model, ASKED, Shape, name="summary", max_tokens=9, tokenizer=TOKENS)
    assert told.heard[len(heard) :] == [("useless", "summary", "json"), ("repaired", "summary", True)]
    assert model.trouble == "", "the repair was right"


async def test_trouble_names_what_is_useless_and_why() -> None:
    told = Told()
    model = told.called(["네?"])
    for _ in range(2):
        with pytest.raises(Unusable):
            await ask(model, ASKED, Shape, name="summary", max_tokens=9, tokenizer=TOKENS)
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
    verifier = Verifier(model, tokenizer=TOKENS)
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


def test_only_failures_in_a_row_open_it_and_one_trial_passes_at_a_time() -> None:
    time = Time()
    breaker = Breaker(threshold=3, cooldown_s=30, clock=time)
    for told in (breaker.failed, breaker.failed, breaker.succeeded, breaker.failed, breaker.failed):
        told()
    assert breaker.admit(), "never three in a row"
    breaker.failed()
    assert not breaker.admit()
    time.now_s += 30
    assert [breaker.admit(), breaker.admit()] == [True, False], "one trial at a time"
