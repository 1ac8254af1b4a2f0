"""One quick retry, one breaker."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from pydantic import BaseModel

from context.ports import ChatMessage, CutOff, Refused, Unavailable
from tests.fakes.llm import Hang, ScriptedModel
from worker.agent import calling
from worker.agent.calling import Breaker, CalledModel
from worker.agent.structured import Unusable, ask

ASKED = [ChatMessage(role="user", content="질문 question")]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "RETRY_PAUSE_S", 0.0)


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


async def test_two_failures_are_enough() -> None:
    scripted = ScriptedModel([Unavailable("500")])
    with pytest.raises(Unavailable):
        await CalledModel(scripted).structured(ASKED, schema={}, name="x", max_tokens=9)
    assert len(scripted.calls) == 2


async def test_a_refusal_is_not_retried_and_does_not_open_the_circuit() -> None:
    scripted = ScriptedModel([Refused("401")])
    model = CalledModel(scripted, Breaker(threshold=1))
    with pytest.raises(Refused):
        await read(model)
    assert len(scripted.calls) == 1
    assert not model.is_resting


async def test_an_answer_that_reached_its_limit_is_no_failure_of_the_model() -> None:
    scripted = ScriptedModel([CutOff("9 tokens")])
    model = CalledModel(scripted, Breaker(threshold=1))
    for _ in range(3):
        with pytest.raises(CutOff):
            await read(model)
    assert len(scripted.calls) == 3
    assert not model.is_resting
    assert model.trouble == ""


async def test_a_long_retry_after_is_not_waited_for() -> None:
    scripted = ScriptedModel([busy(30.0)])
    with pytest.raises(Unavailable):
        await asyncio.wait_for(read(CalledModel(scripted)), 1)
    assert len(scripted.calls) == 1


async def test_what_has_begun_is_not_begun_again() -> None:
    scripted = ScriptedModel(["half", Unavailable("cut")])
    pieces = []
    with pytest.raises(Unavailable):
        pieces.extend([piece async for piece in CalledModel(scripted).stream(ASKED, max_tokens=9)])
    assert len(scripted.calls) == 1


async def test_a_model_that_keeps_failing_is_left_alone() -> None:
    scripted = ScriptedModel([Unavailable("500")])
    model = CalledModel(scripted, Breaker(threshold=4))
    for _ in range(5):
        with pytest.raises(Unavailable):
            await read(model)
    assert len(scripted.calls) == 4
    assert model.is_resting


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
    shape = await ask(CalledModel(scripted), ASKED, Shape, name="x", max_tokens=9)
    assert shape.topic == "예산"
    repair = scripted.calls[1]
    assert repair[-2].content == '{"tpic": "예산"}'
    assert "topic" in repair[-1].content
    assert "Field required" in repair[-1].content


@pytest.mark.parametrize("garbage", ["", "죄송합니다", "{", '{"topic": 3}', "[1, 2]", "\x00"])
async def test_garbage_twice_is_unusable(garbage: str) -> None:
    scripted = ScriptedModel([garbage])
    with pytest.raises(Unusable):
        await ask(CalledModel(scripted), ASKED, Shape, name="x", max_tokens=9)
    assert len(scripted.calls) == 2


async def test_whoever_asks_for_a_long_wait_is_not_asked_before() -> None:
    scripted = ScriptedModel([busy(30)], ["네"])
    model = CalledModel(scripted)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await read(model)
    assert len(scripted.calls) == 1
    assert model.is_resting
    assert model.trouble == "scripted rests after failures (429)"


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
    assert len(scripted.calls) == asked == 5
    now[0] += 30
    with pytest.raises(Unavailable):  # the trial fails: closed for another while
        await read(model)
    assert model.is_resting
    assert len(scripted.calls) == asked + 1
    now[0] += 30
    assert await read(model) == "다시 됩니다"
    assert model.trouble == ""
