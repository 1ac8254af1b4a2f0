"""What is for one person's listener reaches nobody else, whichever way it is asked."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from context.events.actors import participant
from context.events.erasure_target import Target
from context.events.events import QuestionAsked
from context.export.document import document
from context.fold.meeting import Meeting
from context.question import Question
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.virtual_time import in_virtual_time
from tests.training.meetings import DATA
from tests.unit.worker.participants.consent_rooms import Room, room
from tests.unit.worker.participants.inputs import Asked
from worker.messages import AskMessage, SegmentMessage
from worker.participants.consent import ConsentRule
from worker.participants.text_input import TextInput

pytestmark = in_virtual_time

WAYS = [
    row["text"]
    for row in map(json.loads, (DATA / "questions" / "ways_to_ask.jsonl").read_text("utf-8").splitlines())
    if row["id"].startswith("missed-")
]
SECRET = "암호는 파란고래입니다. The password is blue whale."
AWAY = ("암호", "파란고래", "password", "blue whale")


async def asked_by_chat(it: Room, text: str) -> None:
    await it.writes("ben", text if text.startswith(("@", "Moim", "모")) else f"@Moim {text}")


async def asked_by_voice(it: Room, text: str) -> None:
    name = "" if text.startswith(("Moim", "모")) else "Moim, "
    said = SegmentMessage(id="s9", speaker="ben", text=f"{name}{text}?", start_ms=60_000, end_ms=61_000)
    await fed(it, said)


async def asked_by_redis(it: Room, text: str) -> None:
    await fed(it, AskMessage(id="q", by="ben", text=text))


async def asked_by_http(it: Room, text: str) -> None:
    await fed(it, AskMessage(id="http-q", by="ben", text=text, via="http"))


async def asked_by_command(it: Room, text: str) -> None:
    await fed(it, AskMessage(id="cli-q", by="ben", text=text, via="cli"))


async def fed(it: Room, message: Any) -> None:
    await TextInput(Asked(message), it.world.session, ends_meeting=False, attendant=it.attendant).run()
    await it.world.settle()


DOORS = [asked_by_chat, asked_by_voice, asked_by_redis, asked_by_http, asked_by_command]


@pytest.mark.parametrize("door", DOORS)
async def test_what_somebody_missed_is_told_to_them_alone(door: Any) -> None:
    """All 24 ways to ask it that somebody wrote who had not read the code, by every door: 120 questions."""
    answered = 0
    for text in WAYS:
        async with room(ConsentRule()) as it:
            it.attendant.joined("ben", "Ben")
            it.attendant.joined("ann", "Ann")
            await it.world.say(SECRET)
            await door(it, text)
            replies = it.world.outlet.replies
            assert [reply.to for reply in replies] in (["ben"], []), text
            answered += len(replies)
            (asked,) = it.world.session.manager.meeting.replies or [None]
            assert asked is None or asked.private
            public = json.dumps(document(it.world.session.manager.meeting)["replies"], ensure_ascii=False)
            shown = [
                str(each) for kind, each in it.world.outlet.others if kind == "reply" and not each.private
            ]
            told = [words for words, to in it.world.outlet.said if to != "ben"]
            assert not any(word in line for word in AWAY for line in (public, *shown, *told)), text
            assert not it.world.outlet.doings
    # In a room a garbled name calls nobody.
    assert answered >= (20 if door in (asked_by_chat, asked_by_voice) else len(WAYS))


@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐지?", "When do we ship?"])
async def test_questions_are_recorded_in_the_order_of_asking_whatever_their_reading_takes(text: str) -> None:
    async with room(ConsentRule()) as it:
        slow = [0.09, 0.0, 0.05]
        reading = it.world.session.questions._reader.read

        class Slow:
            async def read(self, question: Question, meeting: Any) -> Question:
                await asyncio.sleep(slow.pop(0))
                return await reading(question, meeting)

        it.world.session.questions._reader = Slow()
        for number in range(3):
            it.attendant.questions.ask(f"q{number}", f"asker-{number}", text, via="chat", private=False)
        await it.world.settle()
        await it.world.session.recorder.settled(it.world.session.seq)
        assert [each.id for each in await recorded(it.world)] == ["q0", "q1", "q2"]


async def test_a_question_that_is_being_read_when_a_meeting_is_left_is_on_the_record_and_answered_once() -> (
    None
):
    async with meeting_at_work() as world:
        asked = Question(id="q1", by="ben", via="chat", text="What did we decide?", at_ms=1)
        world.session.questions.ask(asked)
        await world.session.leave("handed over")
        assert [each.id for each in await recorded(world)] == ["q1"]
        answers = len(world.outlet.replies)
    async with meeting_at_work(world.store, epoch=world.store.record.open_meeting("m-test")) as successor:
        await successor.settle()
        assert answers + len(successor.outlet.replies) == 1


@pytest.mark.parametrize("text", ["나 없을 때 뭐라고 했어?", "What did we decide?"])
async def test_a_question_that_is_being_read_is_not_lost_and_not_spared(text: str) -> None:
    """Neither the end of the meeting nor an erasure of its asker, while its vector is waited for, misses it."""

    class Slow:
        async def read(self, question: Question, meeting: Meeting) -> Question:
            await asyncio.sleep(0.09)
            raise RuntimeError("an embedder with a fault")  # read by words then

    for erased in (False, True):
        async with meeting_at_work() as world:
            world.session.questions._reader = Slow()
            await world.say(SECRET)
            world.session.questions.ask(Question(id="q1", by="ben", via="chat", text=text, at_ms=1500))
            await asyncio.sleep(0.02)
            if erased:
                target = Target(what="person", person="ben")
                assert await world.session.erase(target, id_="e1", actor=participant("ben"), by="Ben")
                await world.settle()
                state = json.dumps(world.session.manager.meeting.snapshot(), ensure_ascii=False)
                assert text not in state, "the erasure knows of it"
                assert [each.id for each in await recorded(world)] == ["q1"]
            else:
                await world.session.end("over")
                assert [(each.text, each.matter) for each in await recorded(world)] == [(text, text)]
                assert len(world.outlet.replies) == 1


@pytest.mark.parametrize("text", ["나 없을 때 뭐라고 했어?", "What did I miss?"])
async def test_for_whose_ears_an_older_records_question_is_stays_as_it_was_recorded(text: str) -> None:
    async with meeting_at_work() as world:
        await world.say(SECRET)
        for number, private in enumerate((False, True)):
            world.ask(text, f"q{number}", by=f"ben-{number}", private=private)
        await world.settle()
        replies = {each.invocation_id: each.private for each in world.session.manager.meeting.replies}
        assert replies == {"q0": False, "q1": True}
        assert {each.invocation_id: each.to for each in world.outlet.replies} == {"q0": None, "q1": "ben-1"}


async def recorded(world: World) -> list[Question]:
    stored = await world.store.load(world.session.meeting_id, use_snapshot=False)
    return [each.event.question for each in stored.events if isinstance(each.event, QuestionAsked)]
