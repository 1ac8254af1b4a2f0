"""What has been heard in a room and is on no record yet."""

from __future__ import annotations

import asyncio

import pytest

from stt.track import Track
from stt.track_events import Heard, TrackEvent
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.speech import Act, FakeEngine, LevelVad, play, silence, tone
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from worker.participants.tracks import Tracks, track_maker
from worker.participants.turns import utterance_of

pytestmark = in_virtual_time


async def test_what_is_unwritten_begins_with_the_oldest_words_that_are_no_text() -> None:
    loop = asyncio.get_running_loop()
    began_s, told = loop.time(), list[TrackEvent]()
    engines = {"민지": FakeEngine([Act("한 번", hangs=False)]), "ben": FakeEngine([Act(hangs=True)])}

    def make(participant: str, track_id: str, on_event: object) -> Track:
        return Track(participant, track_id, engines[participant], LevelVad(), told.append, origin_s=began_s)

    tracks = Tracks(
        make,
        on_event=told.append,
        on_end=lambda _track: None,
        own=lambda work, name: loop.create_task(work, name=name),
    )
    minji, ben = (tracks.opened(who, f"TR_{who}", paused=False) for who in engines)
    assert tracks.unwritten == {}
    said = silence(2000) + tone(1000) + silence(2000)
    await asyncio.gather(play(minji.push, said, clock_s=loop.time), play(ben.push, said, clock_s=loop.time))
    assert [event.participant for event in told if isinstance(event, Heard)] == ["민지"]
    assert tracks.unwritten.keys() == {"ben"}, "who is silent, or text, has lost nothing"
    assert 1000 <= tracks.unwritten["ben"] <= 2000
    await play(minji.push, tone(500), clock_s=loop.time)  # in mid-sentence
    assert tracks.unwritten.keys() == {"민지", "ben"}
    assert 4000 <= tracks.unwritten["민지"] <= 5100
    await tracks.aclose()


async def _speaks(world: World, engine: FakeEngine, who: str, ms: int) -> None:
    """Have somebody say something in the room, and fold what was heard."""
    told = list[TrackEvent]()
    make = track_maker(world.session, engine, "auto", make_vad=LevelVad)
    assert make is not None
    track = make(who, f"TR_{who}", told.append)
    clock_s = asyncio.get_running_loop().time
    await play(track.push, silence(800) + tone(ms) + silence(1500), clock_s=clock_s)
    await track.finish()
    for heard in told:
        if isinstance(heard, Heard):
            world.session.post(utterance_of(heard, who))
    await world.settle()


@pytest.mark.parametrize(("ours", "other"), [("ko", "en"), ("en", "ko")])
async def test_a_successor_expects_the_languages_that_are_on_record(ours: str, other: str) -> None:
    store = FakeStore()
    first, second = (FakeEngine([Act("가나", language=ours), Act("가나", language=ours)]) for _ in range(2))
    async with meeting_at_work(store) as world:
        await _speaks(world, first, "minji", 4000)
        await _speaks(world, first, "minji", 4000)
        await world.kill()
    assert first.expected[0] == {"ko": 0.5, "en": 0.5}
    async with meeting_at_work(store, epoch=world.epoch) as world:
        await _speaks(world, second, "minji", 1000)
        await _speaks(world, second, "ben", 1000)
    assert [expected[ours] > 0.75 for expected in second.expected] == [True, True]
    assert second.expected[0][other] < second.expected[1][other], "ben was not heard yet"


async def test_all_tracks_of_a_meeting_follow_its_languages_together() -> None:
    told = list[TrackEvent]()
    engine = FakeEngine([Act("we ship it", language="en")] * 3)
    clock_s = asyncio.get_running_loop().time
    async with meeting_at_work() as world:
        make = track_maker(world.session, engine, "auto", make_vad=LevelVad)
        assert make is not None
        for who in ("minji", "ben"):
            track = make(who, f"TR_{who}", told.append)
            await play(track.push, silence(800) + tone(4000) + silence(1500), clock_s=clock_s)
            await track.finish()
    assert engine.expected[0]["en"] == 0.5
    assert engine.expected[1]["en"] > 0.7
