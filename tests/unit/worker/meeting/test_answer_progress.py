"""What the agent does with a question is shown while that takes a while, and of a private one nothing is."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from context.ports import Unavailable
from tests.fakes.outlet import FakeOutlet
from tests.fakes.virtual_time import in_virtual_time
from worker.meeting.answer_progress import AGAIN_S, FIRST_S, AnswerProgress
from worker.outlets import Stage

pytestmark = in_virtual_time


async def _answered(doing: AnswerProgress) -> None:
    """An answer whose search takes a second and a half, and whose model two."""
    async with doing.told():
        doing.at("reading")
        doing.at("looking")
        await asyncio.sleep(1.5)
        doing.at("writing")
        await asyncio.sleep(2)


async def test_what_takes_a_while_is_told_as_long_as_it_lasts() -> None:
    outlet = FakeOutlet()
    await _answered(AnswerProgress(outlet, private=False))
    assert outlet.doings == ["looking", "looking", "writing", "writing"]
    await asyncio.sleep(10 * AGAIN_S)
    assert len(outlet.doings) == 4, "nothing behind the answer"


async def test_of_a_private_question_nothing_is_told() -> None:
    outlet = FakeOutlet()
    await _answered(AnswerProgress(outlet, private=True))
    assert outlet.doings == []


async def test_an_answer_that_is_there_at_once_tells_nothing() -> None:
    outlet = FakeOutlet()
    doing = AnswerProgress(outlet, private=False)
    async with doing.told():
        doing.at("writing")
        await asyncio.sleep(FIRST_S / 2)
    await asyncio.sleep(AGAIN_S)
    assert outlet.doings == []


@pytest.mark.parametrize("fault", [Unavailable("Redis is away"), ValueError("a fault of ours")])
async def test_an_answer_does_not_suffer_from_what_cannot_be_told(fault: Exception) -> None:
    class Away(FakeOutlet):
        async def doing(self, stage: Stage) -> None:
            del stage
            raise fault

    with capture_logs() as logs:
        await _answered(AnswerProgress(Away(), private=False))
    assert [entry["event"] for entry in logs] == (
        [] if isinstance(fault, Unavailable) else ["doing_not_told"]
    )


async def test_an_answer_that_fails_or_is_superseded_is_told_no_longer() -> None:
    outlet = FakeOutlet()
    task = asyncio.ensure_future(_answered(AnswerProgress(outlet, private=False)))
    await asyncio.sleep(FIRST_S + 0.1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    await asyncio.sleep(10 * AGAIN_S)
    assert outlet.doings == ["looking"]
