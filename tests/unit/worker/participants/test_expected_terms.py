"""What a meeting's speech engine is told to expect, and from where."""

from __future__ import annotations

import asyncio

import pytest

from context.corpora.passage import Passage
from context.events import events
from context.fold.meeting import Meeting
from context.ports import PortError, Unavailable
from context.primitives.guest_identity import guest_identity
from context.terms import WRITTEN_WEIGHT, Term
from stt.track_events import Heard, TrackEvent
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.passages import FakePassages
from tests.fakes.speech import Act, FakeEngine, LevelVad, play, silence, tone
from tests.fakes.virtual_time import in_virtual_time
from worker.agent.term_sources import TermSources
from worker.participants.expected_terms import READ_AGAIN_S, WITHIN_S, ExpectedTerms
from worker.participants.tracks import track_maker

pytestmark = in_virtual_time


class Written:
    """Gives one term at each asking, numbered."""

    def __init__(self) -> None:
        self.asked = 0
        self.trouble: Exception | None = None
        self.takes_s = 0.0

    async def written(self, meeting: Meeting) -> list[Term]:
        self.asked += 1
        await asyncio.sleep(self.takes_s)
        if self.trouble is not None:
            raise self.trouble
        return [Term(f"문서{self.asked}", WRITTEN_WEIGHT)]


def expected(world: World, written: Written) -> ExpectedTerms:
    loop = asyncio.get_running_loop()
    return ExpectedTerms(world.session, configured=("SLA",), written=written, run=loop.create_task)


async def test_what_is_written_is_read_beside_the_meeting_and_again_after_a_minute() -> None:
    written = Written()
    async with meeting_at_work() as world:
        terms = expected(world, written)
        assert terms() == ("SLA",), "nobody waits for it"
        await asyncio.sleep(1)
        assert terms() == ("SLA", "문서1")
        await asyncio.sleep(READ_AGAIN_S - 2)
        assert terms() == ("SLA", "문서1")
        assert written.asked == 1
        await asyncio.sleep(2)
        terms()
        await asyncio.sleep(1)
        assert terms() == ("SLA", "문서2"), "what was erased meanwhile is gone"


@pytest.mark.parametrize("trouble", [Unavailable("the database is away"), ValueError("a defect"), None])
async def test_what_cannot_be_read_is_told_no_more(trouble: PortError | ValueError | None) -> None:
    written = Written()
    async with meeting_at_work() as world:
        terms = expected(world, written)
        terms()
        await asyncio.sleep(READ_AGAIN_S)
        assert terms() == ("SLA", "문서1")
        written.trouble, written.takes_s = trouble, WITHIN_S * 2 if trouble is None else 0
        await asyncio.sleep(READ_AGAIN_S)
        terms()
        await asyncio.sleep(WITHIN_S + 1)
        assert terms() == ("SLA",)


async def test_while_a_guest_is_there_nothing_of_documents_and_earlier_meetings_is_told() -> None:
    written, guest = Written(), guest_identity("abc", "0123456789ab")
    async with meeting_at_work() as world:
        terms = expected(world, written)
        terms()
        await asyncio.sleep(1)
        assert "문서1" in terms()
        world.session.post(events.ParticipantJoined(participant_id=guest, name="손님", at_ms=1))
        await world.settle()
        assert "문서1" not in terms()
        world.session.post(events.ParticipantLeft(participant_id=guest, at_ms=2))
        await world.settle()
        assert "문서1" in terms()


@pytest.mark.parametrize(
    ("said", "document", "other", "found", "hidden"),
    [
        ("예산 이야기를 하죠", "예산: 마케팅 비용, 캐시", "휴가 규정: 연차 신청", "캐시", "연차"),
        (
            "Let us discuss the roadmap",
            "Roadmap: PostgreSQL, cache",
            "Canteen: lasagne",
            "PostgreSQL",
            "lasagne",
        ),
    ],
)
async def test_documents_that_everybody_may_read_and_that_bear_on_the_talk_give_terms(
    said: str, document: str, other: str, found: str, hidden: str
) -> None:
    store = FakePassages()
    secret = Passage(
        corpus="document", source_id="d2", position=0, text=f"{document} 비밀 Zeppelin", access=("boss",)
    )
    await store.put(
        [
            Passage(corpus="document", source_id="d1", position=0, text=document),
            secret,
            Passage(corpus="document", source_id="d3", position=0, text=other),
        ]
    )
    async with meeting_at_work() as world:
        await world.say(said)
        terms = {term.text for term in await TermSources(store).written(world.session.manager.meeting)}
    assert found in terms
    assert hidden not in terms
    assert "Zeppelin" not in terms, "nobody reads in the transcript what not everybody may read"


async def test_a_track_gives_each_stretch_the_terms_of_its_moment() -> None:
    loop = asyncio.get_running_loop()
    engine, told = FakeEngine([Act("하나"), Act("둘")]), list[TrackEvent]()
    async with meeting_at_work() as world:
        terms = ExpectedTerms(world.session)
        make = track_maker(world.session, engine, "ko", make_vad=LevelVad, terms=terms)
        assert make is not None
        track = make("p", "TR_1", told.append)
        await play(track.push, silence(500) + tone(1000) + silence(1500), clock_s=loop.time)
        world.session.post(events.ParticipantJoined(participant_id="p", name="김민수", at_ms=0))
        await world.settle()
        await play(track.push, tone(1000) + silence(1500), clock_s=loop.time)
        await track.finish()
    assert [event.text for event in told if isinstance(event, Heard)] == ["하나", "둘"]
    assert engine.told == [(), ("김민수", "민수")]
