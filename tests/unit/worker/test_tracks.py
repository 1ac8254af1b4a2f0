"""What has been heard in a room and is on no record yet."""

from __future__ import annotations

import asyncio

from stt.heard import Heard, TrackEvent
from stt.track import Track
from tests.fakes.speech import Act, FakeEngine, LevelVad, play, silence, tone
from tests.fakes.virtual_time import in_virtual_time
from worker.room.tracks import Tracks

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
