"""Words while somebody speaks: read again once a second, in the way of no final, and gone with their reason."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from stt.segment import EngineBusy, EngineFailed
from stt.track_events import Heard, Interim, TrackEvent
from stt.turn_queue import QueuedTurn, TurnQueue
from tests.fakes.readings import ReadingEngine, counted
from tests.fakes.speech import silence
from tests.fakes.virtual_time import in_virtual_time

pytestmark = in_virtual_time

TALK = {
    "ko": "안녕하세요 오늘 회의를 시작하겠습니다 첫 번째 안건은 모바일 앱 출시 일정입니다 시월로 할까요 아니면 십이월로 "
    "할까요 저는 십이월이 좋다고 생각합니다 다들 어떠세요",
    "en": "Good morning let us begin with the first item which is the release of the mobile app should it be "
    "October or December I would rather take December what do you all think about",
}
FRAME_MS = 50


class Line:
    """One speaker's queue, and what it told when."""

    def __init__(self, engine: ReadingEngine, who: str = "minji") -> None:
        self.engine, self.events, self.told_s = engine, list[TrackEvent](), list[float]()
        self.queue = TurnQueue(who, "TR_1", engine, self._take)
        self._began_s = asyncio.get_running_loop().time()

    def _take(self, event: TrackEvent) -> None:
        self.events.append(event)
        self.told_s.append(asyncio.get_running_loop().time() - self._began_s)

    @property
    def interims(self) -> list[Interim]:
        return [event for event in self.events if isinstance(event, Interim)]

    async def says(self, sound: bytes, turn: QueuedTurn | None = None) -> QueuedTurn:
        """Begin a stretch, or go on with one, at real pace."""
        loop = asyncio.get_running_loop()
        turn = turn or self.queue.join(0, 0, began_s=loop.time())
        for at in range(0, len(sound), FRAME_MS * 32):
            await asyncio.sleep(FRAME_MS / 1000)
            self.queue.grow(turn, sound[at : at + FRAME_MS * 32])
        return turn

    def ends(self, turn: QueuedTurn, end_ms: int) -> None:
        self.queue.end(turn, end_ms - 500, end_ms)


@pytest.mark.parametrize("language", TALK)
async def test_words_appear_while_they_are_said_and_the_final_is_made_as_ever(language: str) -> None:
    line = Line(ReadingEngine(TALK[language].split()))
    turn = await line.says(counted(5500))
    line.ends(turn, 5500)
    await line.queue.finish(20)
    assert line.told_s[0] == pytest.approx(1.3, abs=0.1)
    assert line.interims[0].after_s == pytest.approx(1.3, abs=0.1)
    assert {each.after_s for each in line.interims[1:]} == {None}
    assert len(line.interims) == 5
    texts = [each.text for each in line.interims]
    assert all(TALK[language].startswith(text) for text in texts)
    assert [len(text) for text in texts] == sorted({len(text) for text in texts}), "it grows"
    firm = [each.text[: each.firm] for each in line.interims]
    assert firm[0] == ""
    assert firm[1] == texts[0], "two readings agree"
    assert all(later.startswith(earlier) for earlier, later in pairwise(firm))
    final = line.events[-1]
    assert isinstance(final, Heard)
    assert final.text == " ".join(TALK[language].split()[:13])
    assert line.engine.outcomes == ["read"] * 5


@pytest.mark.parametrize("language", TALK)
async def test_of_a_stretch_longer_than_the_window_only_the_newest_sound_is_read(language: str) -> None:
    engine = ReadingEngine(TALK[language].split())
    line = Line(engine)
    turn = await line.says(counted(10_000))
    line.ends(turn, 10_000)
    await line.queue.finish(20)
    assert max(engine.lengths_ms) <= 4_500
    assert len(engine.lengths_ms) == 10
    assert TALK[language].startswith(line.interims[-1].text)
    assert len(line.interims[-1].text.split()) >= 22


async def test_where_nothing_gets_firm_the_readings_end_before_they_get_slow() -> None:
    engine = ReadingEngine(TALK["en"].split(), misheard={n: f"noise{n} more" for n in range(1, 30)})
    line = Line(engine)
    turn = await line.says(counted(15_000))
    line.ends(turn, 15_000)
    await line.queue.finish(20)
    assert max(engine.lengths_ms) <= 9_000
    assert {each.firm for each in line.interims} == {0}


async def test_an_engine_that_tells_no_times_reads_all_of_it_again() -> None:
    engine = ReadingEngine(TALK["ko"].split(), timed=False, longest_s=25)
    line = Line(engine)
    turn = await line.says(counted(8_000))
    line.ends(turn, 8_000)
    await line.queue.finish(20)
    assert engine.lengths_ms == list(range(900, 8_000, 1000))
    assert TALK["ko"].startswith(line.interims[-1].text)


async def test_readings_give_way_to_finals_and_are_dropped_not_queued() -> None:
    engine = ReadingEngine(TALK["ko"].split(), final_s=2.0)
    minji, ben = Line(engine), Line(engine, "ben")
    engine.finals = 1
    turn = await minji.says(counted(2_400))
    assert minji.interims == []
    assert set(engine.outcomes) == {"yielded"}
    engine.finals = 0
    turn = await minji.says(counted(3_000)[2_400 * 32 :], turn)
    await asyncio.sleep(0.4)
    assert len(minji.interims) == 1, "as soon as there is room, of all that was said meanwhile"
    assert engine.lengths_ms == [2_400]
    other = await ben.says(counted(800))
    ben.ends(other, 800)
    before = len(engine.lengths_ms)
    turn = await minji.says(counted(1_500), turn)  # Ben's final takes 2 s
    assert len(engine.lengths_ms) == before
    minji.ends(turn, 4_500)
    await minji.queue.finish(20)
    await ben.queue.finish(20)
    assert engine.most_at_once == 1
    assert [type(event).__name__ for event in ben.events] == ["Heard"]


async def test_readings_give_way_to_a_machine_at_its_limit() -> None:
    engine = ReadingEngine(TALK["ko"].split(), gives_way=True)
    line = Line(engine)
    turn = await line.says(counted(2_500))
    assert (engine.lengths_ms, set(engine.outcomes)) == ([], {"yielded"})
    engine.gives_way = False
    turn = await line.says(counted(1_000), turn)
    assert line.interims
    await line.queue.aclose()


async def test_one_speaker_has_one_reading_at_a_time_however_slow_it_is() -> None:
    engine = ReadingEngine(TALK["ko"].split(), takes_s=2.5)
    line = Line(engine)
    turn = await line.says(counted(8_000))
    line.ends(turn, 8_000)
    await line.queue.finish(20)
    assert engine.most_at_once == 1
    assert engine.outcomes == ["read", "read", "dropped"]


async def test_the_end_of_the_stretch_gives_up_the_reading_under_way() -> None:
    engine = ReadingEngine(TALK["ko"].split(), takes_s=0.8)
    line = Line(engine)
    turn = await line.says(counted(1_200))
    line.ends(turn, 1_200)
    await asyncio.sleep(0.01)
    assert (engine.at_once, engine.finals) == (0, 1), "the final does not wait for it"
    await line.queue.finish(20)
    assert engine.outcomes == ["dropped"]
    assert line.interims == []
    assert isinstance(line.events[-1], Heard)


async def test_a_pause_is_not_read() -> None:
    engine = ReadingEngine(TALK["ko"].split())
    line = Line(engine)
    turn = await line.says(counted(1_500))
    before = len(engine.lengths_ms)
    turn = await line.says(silence(3_000), turn)
    assert len(engine.lengths_ms) == before
    turn = await line.says(counted(600), turn)
    assert len(engine.lengths_ms) == before + 1
    await line.queue.aclose()


@pytest.mark.parametrize("error", [EngineFailed("no such model"), ValueError("odd"), EngineBusy("full")])
async def test_a_reading_that_fails_costs_no_final(error: Exception) -> None:
    engine = ReadingEngine(TALK["en"].split(), trouble=[error])
    line = Line(engine)
    turn = await line.says(counted(4_000))
    line.ends(turn, 4_000)
    await line.queue.finish(20)
    final = line.events[-1]
    assert isinstance(final, Heard)
    assert final.text == " ".join(TALK["en"].split()[:10])
    assert bool(line.interims) == isinstance(error, EngineBusy), (
        "but for a busy engine, it is not asked again"
    )


async def _closes(queue: TurnQueue) -> None:
    await queue.aclose()


async def _has_no_time(queue: TurnQueue) -> None:
    await queue.finish(0)


@pytest.mark.parametrize("stops", [_closes, _has_no_time])
async def test_a_meeting_that_is_given_up_in_the_middle_leaves_no_reading_behind(
    stops: Callable[[TurnQueue], Awaitable[None]],
) -> None:
    engine = ReadingEngine(TALK["ko"].split())
    line = Line(engine)
    await line.says(counted(2_100))
    assert engine.at_once == 1
    shown = len(line.interims)
    await stops(line.queue)
    await asyncio.sleep(5)
    assert (engine.at_once, engine.finals, len(line.interims)) == (0, 0, shown)


async def test_switched_off_nothing_is_read() -> None:
    engine = ReadingEngine(TALK["ko"].split(), gives_interims=False)
    line = Line(engine)
    turn = await line.says(counted(4_000))
    line.ends(turn, 4_000)
    await line.queue.finish(20)
    assert engine.lengths_ms == []
    assert [type(event).__name__ for event in line.events] == ["Heard"]
