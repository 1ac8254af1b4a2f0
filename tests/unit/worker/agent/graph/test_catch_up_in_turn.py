"""What somebody missed, through the graph: their own gap alone, at three depths, whoever answers."""

from __future__ import annotations

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.events.events import (
    ParticipantJoined,
    ParticipantLeft,
)
from context.manager import ContextManager
from context.models import Reply
from tests.fakes.llm import ScriptedModel
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from tests.unit.cases import beside
from tests.unit.worker.agent.meetings import Room, meeting_of, put, say
from tests.unit.worker.rooms import room
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings

pytestmark = in_virtual_time

BEFORE, AFTER = 3, 8
"""Ben is out from behind the third line to before the eighth."""
DATA = beside(__file__)
LINES = DATA["LINES"]
ASKED = DATA["ASKED"]


def meeting(language: str) -> ContextManager:
    manager = meeting_of((), people={"alice": "Alice", "ben": "Ben"})
    for number, text in enumerate(LINES[language], 1):
        at_ms = number * 10_000 - 1000
        if number == BEFORE + 1:
            manager.receive(ParticipantLeft(participant_id="ben", at_ms=at_ms))
        if number == AFTER:
            manager.receive(ParticipantJoined(participant_id="ben", name="Ben", at_ms=at_ms))
        say(manager, ("alice", "Alice", text), every_ms=10_000)
    return manager


async def ask(manager: ContextManager, text: str, model: ScriptedModel | None = None) -> tuple[Reply, Room]:
    """Ask as the attendant does: what one missed is private."""
    answerer = Answerer(CalledModel(model) if model else None, QuestionContextSettings(EstimateTokenizer()))
    return await put(answerer, manager, text, "ben", private=True, at_ms=90_000)


@BOTH
@pytest.mark.parametrize("with_model", [False, True])
async def test_only_the_gap_is_told_and_to_the_asker_alone(language: str, with_model: bool) -> None:
    """With a model too: it is shown more than the gap, and cannot know where that lies."""
    model = ScriptedModel(["Everything, from the beginning. [#1]"]) if with_model else None
    told = []
    for depth in ("brief", "normal", "full"):
        reply, heard_in = await ask(meeting(language), ASKED[language][depth], model)
        assert set(reply.evidence) <= set(range(BEFORE + 1, AFTER))
        assert {4, 5} <= set(reply.evidence), "the decision and the task, at every depth"
        assert [heard.to for heard in heard_in.replies] == ["ben"]
        assert reply.private
        assert not reply.degraded
        told.append(set(reply.evidence))
    brief, normal, full = told
    assert brief < normal < full or (brief < full and brief <= normal <= full)
    assert model is None or model.calls == []


@BOTH
@pytest.mark.parametrize("aloud", [False, True])
async def test_asked_in_the_chat_or_aloud_it_is_told_to_the_asker_alone(language: str, aloud: bool) -> None:
    called = "모임아, " if language == "ko" else "Moim, "
    async with room() as it:
        it.enter("alice").hears(LINES[language][3], 100)
        late = it.enter("ben")
        await it.world.settle()
        if aloud:
            late.hears(called + ASKED[language]["normal"], 3000)
        else:
            it.attendant.chat("chat-1", "ben", "Ben", ASKED[language]["normal"])
        await it.world.settle()
        assert [reply.to for reply in it.world.outlet.replies] == ["ben"]
