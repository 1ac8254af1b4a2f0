"""Who asks from outside a room waits as long as its holder may take for an answer and its verification."""

from __future__ import annotations

import asyncio

import pytest

from context.fold.window import RoughTokenizer
from context.ports import Unavailable
from context.question import Question
from tests.fakes.bus import FakeBus
from tests.fakes.meeting import LoopClock
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from worker.agent.calls.deadlines import Deadlines
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.meeting.asker import Asker
from worker.ports import MeetingRow

pytestmark = in_virtual_time

ROW = MeetingRow(id="m-1", room="회의실", status="live")


@pytest.mark.parametrize("verify_s", [8.0, 30.0])
async def test_an_answer_that_is_verified_for_long_is_still_waited_for(verify_s: float) -> None:
    settings = Settings.from_env({"MOIM_VERIFY_S": str(verify_s)})
    asker = Asker(
        FakeStore(),
        Thinking(None, RoughTokenizer(), settings),
        settings,
        bus=FakeBus(),
        clock=LoopClock(),
        take_up=lambda _: asyncio.sleep(0),
    )
    began_s = asyncio.get_running_loop().time()
    with pytest.raises(Unavailable, match="no reply from meeting 'm-1'"):
        async for _ in asker.ask(
            ROW, Question(id="q", by="page ~1", via="http", text="언제 출시해요?", at_ms=0)
        ):
            pass
    assert asyncio.get_running_loop().time() - began_s > Deadlines().answer_s + verify_s
