"""A meeting ends while its model takes 30 s and its engine hangs: all is said and on record in the time there is.

LiveKit closes a room 20 s after its last human; livekit-agents cancels a job 15 s after the room is gone.
"""

from __future__ import annotations

import asyncio

import pytest

from context.events import effects
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.topic_events import SummaryFailed, SummaryReady
from context.fold.window import RoughTokenizer
from stt.track_events import Missed
from tests.fakes.meeting import SETTINGS, meeting_at_work
from tests.fakes.thinking import SlowThinking
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from tests.unit.context.topic_talk import EN, KO
from tests.unit.worker.pressures import behind, fresh
from tests.unit.worker.rooms import FakeTrack
from worker.bootstrap.thinking import Thinking
from worker.participants.attendant import Attendant
from worker.pressure import CALM_S

pytestmark = in_virtual_time

LINES = {
    "ko": ["출시 일정부터 정하겠습니다.", "출시일은 십이월 이십이일로 결정하겠습니다."],
    "en": ["Let us talk about the release.", "We decided to ship on the twentieth of December."],
}
DECIDED = {"ko": "이십이일", "en": "twentieth"}
_ROOM_STANDS_S = 20.0
_JOB_LIVES_S = 15.0


class HangingTrack(FakeTrack):
    """Its engine answers nothing: what was said last is a gap once nobody can wait any longer."""

    async def finish(self, deadline_s: float) -> None:
        loop = asyncio.get_running_loop()
        until_s = loop.time() + deadline_s
        while loop.time() < until_s:
            if self.hurried_s is not None:
                until_s, self.hurried_s = min(until_s, loop.time() + self.hurried_s), None
            await asyncio.sleep(0.05)
        self.tell(Missed(self.participant, 5000, 6000, "stt_timeout", self.track_id, 6000))


async def _ends(language: str, *, takes_s: float, track: type[FakeTrack], goes_first: bool) -> None:
    """`goes_first`: the room is closed (deleted) while everybody is there, not because they left."""
    loop = asyncio.get_running_loop()
    async with meeting_at_work(thinker=SlowThinking(takes_s)) as world, asyncio.TaskGroup() as tasks:
        made: list[FakeTrack] = []

        def make(participant: str, track_id: str, on_event: object) -> FakeTrack:
            made.append(track(participant, track_id, on_event))
            return made[-1]

        attendant = Attendant(
            world.session,
            tasks,
            make_track=make,  # type: ignore[arg-type]  # as much of a track as an attendant needs
            wake_words=("Moim",),
            chat="questions",
        )
        attendant.joined("minji", "김민지")
        attendant.track_opened("minji", "TR_1")
        for number, line in enumerate(LINES[language]):
            made[0].hears(line, number * 1000)
        await asyncio.sleep(1)
        gone_s = loop.time()
        if not goes_first:
            attendant.left("minji")
            await asyncio.sleep(_ROOM_STANDS_S)
            said = [text for text, _ in world.outlet.said]
            assert len(said) == 1, "while the room stood"
            assert DECIDED[language] in said[0]
            gone_s = loop.time()
        attendant.closed("ROOM_CLOSED")
        assert world.running is not None
        done, _ = await asyncio.wait({world.running}, timeout=_JOB_LIVES_S - 0.5)
        assert done, "the job would have been cancelled"
        assert loop.time() - gone_s < _JOB_LIVES_S - 0.5
        assert world.session.stopped == ("ended", "room_closed")
        kinds = [stored.event.kind for stored in world.store.events_of("m-test")]
        assert kinds[-1] == "meeting_ended"
        (segment,) = world.session.manager.meeting.segments
        assert DECIDED[language] in segment.notes.text + " ".join(d.text for d in segment.notes.decisions)
        assert segment.covered_until == 2, "what was said last is in the summary that is saved"
        await attendant.aclose()


@pytest.mark.parametrize("goes_first", [False, True], ids=["left", "deleted"])
@pytest.mark.parametrize("track", [FakeTrack, HangingTrack])
@pytest.mark.parametrize("takes_s", [0.5, 30.0, 1000.0])
@pytest.mark.parametrize("language", LINES)
def test_it_is_over_in_time(language: str, takes_s: float, track: type[FakeTrack], goes_first: bool) -> None:
    run_virtual(_ends(language, takes_s=takes_s, track=track, goes_first=goes_first))


async def test_who_comes_back_has_a_model_that_takes_its_time_again() -> None:
    async with meeting_at_work(thinker=SlowThinking(10)) as world:
        world.speak(LINES["en"][1])
        assert "twentieth" in await world.session.close_topics(4)
        began_s = asyncio.get_running_loop().time()
        world.speak("We decided to buy a second server.")
        assert "second server" in await world.session.close_topics(30)
        assert asyncio.get_running_loop().time() - began_s >= 10


@pytest.mark.parametrize("language", LINES)
async def test_what_is_erased_while_it_closes_is_not_told_and_the_rest_is(language: str) -> None:
    async with meeting_at_work(thinker=SlowThinking(2)) as world:
        world.speak(LINES[language][1])
        world.speak(
            {"ko": "담당은 비밀요원이 맡겠습니다.", "en": "I will tell Secretagent about it."}[language]
        )
        closing = asyncio.ensure_future(world.session.close_topics())
        await asyncio.sleep(1)
        assert await world.session.erase(
            Target(what="utterances", utterances=(2,)), id_="e1", actor=operator("ops")
        )
        told = await closing
        assert DECIDED[language] in told
        assert "비밀" not in told
        assert "Secret" not in told
        (segment,) = world.session.manager.meeting.segments
        assert segment.covered_until == 2


class Counted(Thinking):
    """Notes when a summary is made."""

    def __init__(self) -> None:
        super().__init__(None, RoughTokenizer(), SETTINGS)
        self.made_s: list[float] = []

    async def summarise(
        self, effect: effects.Summarise, *, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        self.made_s.append(asyncio.get_running_loop().time())
        return await super().summarise(effect, by_rules=by_rules)


@pytest.mark.parametrize("language", LINES)
async def test_summaries_give_way_while_the_machine_is_at_its_limit_but_never_to_its_end(
    language: str,
) -> None:
    pressure, thinker, loop = fresh(), Counted(), asyncio.get_running_loop()
    async with meeting_at_work(thinker=thinker, language=language, pressure=pressure) as world:
        await world.say(*LINES[language])
        behind(60, pressure)
        thinker.made_s.clear()
        closed_s = loop.time()
        text = await world.session.close_topics()
        assert loop.time() - closed_s < 1, "who has left waits for nothing"
        assert DECIDED[language] in text


@pytest.mark.parametrize("lines", [KO, EN])
async def test_a_summary_that_gave_way_is_made_when_there_is_room(lines: list[str]) -> None:
    pressure, thinker = fresh(), Counted()
    async with meeting_at_work(thinker=thinker, pressure=pressure) as world:
        pressed_s = asyncio.get_running_loop().time()
        behind(60, pressure)
        await world.say(*lines)  # which waits for what it sets off
        assert len(world.session.manager.meeting.segments) == 2
        assert thinker.made_s, "a change of topic asks for one"
        assert thinker.made_s[0] - pressed_s == pytest.approx(CALM_S, abs=1)
        assert world.session.manager.meeting.segments[0].summary
