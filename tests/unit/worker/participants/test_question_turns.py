"""Questions of many askers: each has a turn, and a flood keeps nobody waiting but whoever made it."""

from __future__ import annotations

import asyncio

import pytest

from context.language.korean import has_hangul
from context.models import QuestionChannel
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.rooms import room
from worker.meeting.side_tasks import OwnTasks
from worker.participants.question_turns import PEOPLE_PACE, PROGRAMS_PACE, QuestionTurns, Turn
from worker.participants.reading_turns import ReadingTurns

pytestmark = in_virtual_time


class Asked:
    """What was put, in its order, and what was told to whom."""

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.put: list[tuple[str, float]] = []
        self.told: list[tuple[str, str]] = []
        self.turns = QuestionTurns(OwnTasks(tasks), self._say)

    async def _say(self, text: str, to: str) -> None:
        self.told.append((to, text))

    def ask(self, by: str, via: QuestionChannel = "chat", text: str = "출시일이 언제야?") -> None:
        def put(turn: Turn) -> None:
            if not turn.cancelled():
                self.put.append((by, asyncio.get_running_loop().time()))

        turn = self.turns.take(by, via, text)
        if turn is not None and turn.done():
            put(turn)
        elif turn is not None:
            turn.add_done_callback(put)

    def count(self, by: str) -> int:
        return sum(who == by for who, _ in self.put)


@pytest.mark.parametrize(("text", "korean"), [("출시일이 언제야?", True), ("When do we ship?", False)])
async def test_a_flood_is_put_as_time_allows_and_the_rest_is_told_once(text: str, korean: bool) -> None:
    async with asyncio.TaskGroup() as tasks:
        asked = Asked(tasks)
        for _ in range(3_000):
            asked.ask("alice", text=text)
        asked.ask("ben")
        assert asked.put[-1][0] == "ben", "at once"
        assert asked.count("alice") == PEOPLE_PACE.at_once
        await asyncio.sleep(60)
        assert asked.count("alice") == PEOPLE_PACE.at_once + PEOPLE_PACE.waiting
        ((whom, said),) = asked.told
        assert (whom, has_hangul(said)) == ("alice", korean)
        for _ in range(100):
            asked.ask("alice")
        await asyncio.sleep(60)
        assert len(asked.told) == 2, "for another flood"


async def test_those_that_wait_are_taken_in_turns() -> None:
    async with asyncio.TaskGroup() as tasks:
        asked = Asked(tasks)
        for who in ("alice", "ben"):
            for _ in range(PEOPLE_PACE.at_once + 3):
                asked.ask(who)
        began_s = len(asked.put)
        await asyncio.sleep(60)
        assert [who for who, _ in asked.put[began_s:]] == ["alice", "ben"] * 3


async def test_programs_ask_for_many_and_are_bounded_too() -> None:
    async with asyncio.TaskGroup() as tasks:
        asked = Asked(tasks)
        for _ in range(3_000):
            asked.ask("cli", via="redis")
        asked.ask("other", via="redis")
        assert (asked.count("cli"), asked.count("other")) == (PROGRAMS_PACE.at_once, 1)
        await asyncio.sleep(60)
        assert asked.count("cli") == PROGRAMS_PACE.at_once + PROGRAMS_PACE.waiting
        assert len(asked.told) == 1


async def test_in_a_room_another_is_answered_during_a_flood_and_orders_are_obeyed() -> None:
    async with room() as it:
        it.enter("alice").hears("출시일은 이십이일로 결정하겠습니다.", 100)
        it.enter("ben").hears("We will add a second server this week.", 2000)
        await it.world.settle()
        for number in range(3_000):
            it.attendant.chat(f"a{number}", "alice", "Alice", "출시일이 언제야?")
        it.attendant.chat("b", "ben", "Ben", "When do we add a server?")
        it.attendant.chat("off", "alice", "Alice", "/pause")
        await it.world.settle()
        asked = [each.invocation_id for each in it.world.outlet.replies]
        assert "b" in asked
        assert len(asked) <= PEOPLE_PACE.at_once + 1
        assert it.session.manager.meeting.paused
        left_out = [to for said, to in it.world.outlet.said if "질문이 한꺼번에" in said]
        assert left_out == ["alice"]


def test_a_sender_has_so_many_texts_under_way() -> None:
    turns = ReadingTurns()
    assert [turns.admit("alice") for _ in range(100)] == [True] * 64 + [False] * 36
    assert turns.admit("ben")
    assert [turns.is_news("alice"), turns.is_news("alice")] == [True, False]
    for _ in range(64):
        turns.done("alice")
    assert turns.admit("alice")
    assert turns.is_news("alice"), "another flood is told anew"


@pytest.mark.parametrize("text", ["출시일이 언제야?", "When do we ship?"])
async def test_a_question_that_waited_is_asked_as_of_its_turn(text: str) -> None:
    async with room() as it:
        it.enter("alice").hears("출시일은 이십이일로 결정하겠습니다. We ship on the 22nd.", 100)
        await it.world.settle()
        for number in range(PEOPLE_PACE.at_once + 1):
            it.attendant.chat(f"a{number}", "alice", "Alice", text)
        it.enter("ben").hears("We will add a second server this week.", 2000)
        await it.world.settle()
        await asyncio.sleep(2 * PEOPLE_PACE.every_s)
        await it.world.settle()
        stored = await it.world.store.load("m-test")
    first, *_, last = [each.event.question for each in stored.events if each.event.kind == "question_asked"]
    assert last.id == f"a{PEOPLE_PACE.at_once}"
    assert last.at_ms >= first.at_ms + 1000 * PEOPLE_PACE.every_s
    assert last.after_utterance == first.after_utterance + 1
