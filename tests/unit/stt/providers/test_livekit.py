from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from livekit.agents import NOT_GIVEN

from stt.providers import livekit_plugin
from stt.providers.livekit_plugin import LiveKitPlugin, load_plugin
from stt.segment import EngineFailed, Segment, Stretch
from tests.fakes import spoken
from tests.fakes.livekit_stt import BatchSTT, Manner, StreamingSTT


async def ask(engine: LiveKitPlugin, value: int = 1, ms: int = 800) -> list[Segment]:
    return [segment async for segment in engine.transcribe(spoken.stretch(value, ms))]


@pytest.mark.parametrize("marks_interim", [True, False])
async def test_the_one_result_of_a_batch_plugin_is_final_whatever_it_calls_it(marks_interim: bool) -> None:
    (segment,) = await ask(LiveKitPlugin(BatchSTT(marks_interim=marks_interim)))
    assert segment == Segment(spoken.LINES[1][1], 0, 800, final=True, language="ko")


@pytest.mark.parametrize(("language", "given"), [("ko", "ko"), ("en", "en"), ("auto", NOT_GIVEN)])
async def test_the_language_is_passed_where_it_is_known(language: str, given: object) -> None:
    plugin = BatchSTT()
    engine = LiveKitPlugin(plugin)
    _ = [segment async for segment in engine.transcribe(spoken.stretch(1, language=language))]
    assert plugin.languages == [given]


@pytest.mark.parametrize("value", [1, 2])
async def test_interims_come_while_the_speech_goes_on(value: int) -> None:
    engine = LiveKitPlugin(StreamingSTT())
    spoken_to_its_end = asyncio.Event()

    async def sound() -> AsyncIterator[bytes]:
        async for chunk in spoken.chunks(spoken.pcm(value, 400)):
            yield chunk
        await asyncio.wait_for(spoken_to_its_end.wait(), 5)

    segments = []
    async for segment in engine.transcribe(Stretch("s", "auto", sound())):
        segments.append(segment)
        spoken_to_its_end.set()  # only an interim can come before this
    assert not segments[0].final
    assert [segment.text for segment in segments if segment.final] == [spoken.LINES[value][1]]
    assert segments[-1].confidence == 0.8
    assert segments[-1].language == spoken.LINES[value][0]


@pytest.mark.parametrize("manner", ["well", "no_times", "time_of_day"])
async def test_times_count_from_the_stretchs_first_sample(manner: Manner) -> None:
    final = (await ask(LiveKitPlugin(StreamingSTT(manner=manner)), ms=1500))[-1]
    assert final.final
    assert (final.start_ms, final.end_ms) == (0, pytest.approx(1500, abs=1))


async def test_a_stream_that_has_said_all_and_does_not_close_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(livekit_plugin, "_SETTLE_S", 0.05)
    plugin = StreamingSTT(manner="never_closes")
    segments = await ask(LiveKitPlugin(plugin))
    assert segments[-1].text == spoken.LINES[1][1]
    assert plugin.streams[0].closed


@pytest.mark.parametrize(
    ("manner", "what"),
    [
        ("hangs", "no result 0.1 s after the speech"),
        ("silent_death", "ZeroDivisionError: a defect of the plugin"),
    ],
)
async def test_a_plugin_that_misbehaves_costs_its_stretch_and_its_stream_is_closed(
    manner: Manner, what: str
) -> None:
    plugin = StreamingSTT(manner=manner)
    engine = LiveKitPlugin(plugin, deadline_s=0.1)
    with pytest.raises(EngineFailed, match=what):
        await ask(engine)
    assert all(stream.closed for stream in plugin.streams)
    plugin.manner = "well"
    assert (await ask(engine, 2))[-1].text == spoken.LINES[2][1]


async def test_a_stream_that_ends_while_somebody_speaks_is_a_failure() -> None:
    plugin = StreamingSTT(manner="closes_early")

    async def sound() -> AsyncIterator[bytes]:
        async for chunk in spoken.chunks(spoken.pcm(1, 400)):
            yield chunk
        await asyncio.Event().wait()

    with pytest.raises(EngineFailed, match="stopped before the end of the sound"):
        async for _ in LiveKitPlugin(plugin).transcribe(Stretch("s", "ko", sound())):
            pass
    assert plugin.streams[0].closed


async def test_the_deadline_counts_from_the_end_of_the_sound() -> None:
    engine = LiveKitPlugin(StreamingSTT(), deadline_s=0.1)

    async def sound() -> AsyncIterator[bytes]:
        yield spoken.pcm(1, 200)
        await asyncio.sleep(0.3)
        yield spoken.pcm(1, 200)

    segments = [segment async for segment in engine.transcribe(Stretch("s", "ko", sound()))]
    assert segments[-1].final


def test_a_plugin_is_found_by_its_import_path() -> None:
    engine = load_plugin("livekit:tests.fakes.livekit_stt:make", language="ko")
    assert isinstance(engine._plugin, BatchSTT)
    assert engine._plugin.language == "ko"
    assert load_plugin("tests.fakes.livekit_stt:make")._plugin.language == ""  # type: ignore[attr-defined]  # the fake's
    assert not engine.gives_interims
    assert load_plugin("livekit:tests.fakes.livekit_stt:StreamingSTT").gives_interims


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("livekit:nowhere", "write livekit:package.module:factory"),
        ("livekit:nowhere.at.all:STT", "is the plugin's package installed"),
        ("livekit:tests.fakes.livekit_stt:Missing", "has no attribute 'Missing'"),
        ("livekit:tests.fakes.spoken:LINES", "can't be called"),
        ("livekit:builtins:dict", "gave a dict, not a livekit-agents STT"),
        ("livekit:livekit.agents.stt:STT", "TypeError"),
    ],
)
def test_a_path_that_leads_nowhere_is_named_with_its_mend(path: str, what: str) -> None:
    with pytest.raises(EngineFailed, match=what) as caught:
        load_plugin(path)
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)
