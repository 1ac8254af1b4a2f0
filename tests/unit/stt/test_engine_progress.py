"""An engine that is only behind gets time; one that hangs does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from stt.outage import Outage, Progressing
from stt.segment import Segment, Stretch
from stt.sound import Sound
from stt.transcription import GaveUp, Patience, Transcription, TryLater
from tests.fakes.virtual_time import in_virtual_time, run_virtual

SECOND = b"\1\0" * 16_000


class Overloaded:
    """Answers after `delay_s`; meanwhile it finishes what `others` says, by the time of the loop."""

    name = "overloaded"
    gives_interims = False

    def __init__(self, delay_s: float, others: Callable[[float], int | None]) -> None:
        self._delay_s, self._others = delay_s, others
        self.asked = 0

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        self.asked += 1
        async for _ in stretch.sound:
            pass
        await asyncio.sleep(self._delay_s)
        yield Segment("늦었지만 왔습니다", 0, 1000, final=True)

    async def done(self) -> int | None:
        return self._others(asyncio.get_running_loop().time())

    async def aclose(self) -> None:
        """Nothing to let go of."""


async def transcribed(engine: Overloaded) -> tuple[list[Segment], float]:
    sound = Sound()
    sound.append(SECOND)
    sound.end()
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    work = Transcription(
        engine, sound, key="a@0", language="ko", patience=Patience(), on_segment=lambda _: None
    )
    return await work.run(), loop.time() - began_s


def test_a_stretch_behind_others_keeps_its_place_and_comes_late() -> None:
    engine = Overloaded(40.0, int)  # one of somebody's every second
    segments, took_s = run_virtual(transcribed(engine))
    assert [segment.text for segment in segments] == ["늦었지만 왔습니다"]
    assert took_s == pytest.approx(40.0)
    assert engine.asked == 1, "a fresh attempt would have gone to the back of the queue"


def test_so_does_one_behind_others_that_take_their_time() -> None:
    """A machine at load 18 after a takeover: each stretch took the engine longer than between two looks."""
    engine = Overloaded(40.0, lambda now_s: int(now_s / 8))
    segments, _ = run_virtual(transcribed(engine))
    assert [segment.text for segment in segments] == ["늦었지만 왔습니다"]
    assert engine.asked == 1


@pytest.mark.parametrize("others", [lambda _now_s: 7, lambda _now_s: None], ids=["stands", "is silent"])
@in_virtual_time
async def test_an_engine_that_finishes_nothing_is_taken_for_hung_and_gets_its_answer_out(
    others: Callable[[float], int | None],
) -> None:
    engine = Overloaded(40.0, others)
    segments, took_s = await transcribed(engine)
    assert [segment.text for segment in segments] == ["늦었지만 왔습니다"]
    assert took_s <= 180
    assert engine.asked <= 12, "a server that is only slow is not stormed"


@in_virtual_time
async def test_a_stretch_that_hangs_while_others_become_text_is_given_up() -> None:
    loop = asyncio.get_running_loop()
    sound, outage, patience, began_s = Sound(), Outage(), Patience(), loop.time()
    sound.append(SECOND)
    sound.end()
    work = Transcription(
        Overloaded(3600.0, int),
        sound,
        key="a@0",
        language="ko",
        patience=patience,
        on_segment=lambda _: None,
        outage=outage,
    )
    with pytest.raises(TryLater) as later:
        await work.run()  # others of this meeting wait, too
    assert later.value.pause_s <= patience.longest_pause_s
    outage.note_text(1.0, 1.0)
    with pytest.raises(GaveUp) as gave_up:
        await work.run()
    assert gave_up.value.reason == "stt_timeout"
    assert loop.time() - began_s <= 3 * (patience.base_s + 1.0) + patience.engine_queue_s


class Hasty(Overloaded):
    """Stops by itself the first time, at the sound that it has; and takes a while to go."""

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        self.asked += 1
        if self.asked > 1:
            async for _ in stretch.sound:
                pass
        else:
            await anext(aiter(stretch.sound))
            await asyncio.sleep(self._delay_s)
        yield Segment(f"{self.asked}", 0, 1000, final=True)


@in_virtual_time
async def test_who_stops_while_somebody_speaks_has_not_finished_because_the_sound_ends_later() -> None:
    engine, sound = Hasty(5.0, lambda _: None), Sound()
    sound.append(SECOND)
    work = Transcription(
        engine, sound, key="a@0", language="ko", patience=Patience(), on_segment=lambda _: None
    )
    running = asyncio.ensure_future(work.run())
    await asyncio.sleep(1)
    sound.end()
    assert [segment.text for segment in await running] == ["2"]


def test_the_shared_engines_client_tells_its_progress() -> None:
    from pathlib import Path

    from stt.engine.engine_client import EngineClient

    assert isinstance(EngineClient(Path("nowhere.sock")), Progressing)
