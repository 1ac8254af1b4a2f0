"""What every speech engine does, whatever is behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest

from stt.engine.engine_client import EngineClient
from stt.engine.speech_server import EngineServer
from stt.providers.clova.engine import ClovaSpeech
from stt.providers.livekit_plugin import LiveKitPlugin
from stt.providers.openai_compatible import OpenAICompatible
from stt.segment import EngineBusy, EngineFailed, Segment, SpeechEngine, SpeechError, Stretch
from tests.fakes import spoken
from tests.fakes.clova_speech import ClovaSpeechServer
from tests.fakes.livekit_stt import BatchSTT, StreamingSTT
from tests.fakes.openai_stt import OpenAISpeechServer
from tests.fakes.recogniser import ScriptedRecogniser


async def _shared_engine(stack: AsyncExitStack, tmp_path: Path) -> SpeechEngine:
    server = EngineServer(ScriptedRecogniser(), tmp_path / "e.sock")
    group = await stack.enter_async_context(asyncio.TaskGroup())
    group.create_task(server.serve())
    await server.ready.wait()
    stack.callback(server.stop)
    return EngineClient(tmp_path / "e.sock")


async def _shared_engine_with_interims(stack: AsyncExitStack, tmp_path: Path) -> SpeechEngine:
    engine = await _shared_engine(stack, tmp_path)
    engine.gives_interims = True
    return engine


async def _openai(stack: AsyncExitStack, _tmp: Path) -> SpeechEngine:
    server = await stack.enter_async_context(OpenAISpeechServer().running())
    return OpenAICompatible(base_url=server.base_url, api_key="k")


async def _openai_with_interims(stack: AsyncExitStack, _tmp: Path) -> SpeechEngine:
    server = await stack.enter_async_context(OpenAISpeechServer().running())
    return OpenAICompatible(base_url=server.base_url, api_key="k", gives_interims=True)


async def _openai_plain_json(stack: AsyncExitStack, _tmp: Path) -> SpeechEngine:
    server = await stack.enter_async_context(OpenAISpeechServer(accepts_verbose=False).running())
    return OpenAICompatible(base_url=server.base_url, api_key="k")


async def _livekit_batch(_stack: AsyncExitStack, _tmp: Path) -> SpeechEngine:
    return LiveKitPlugin(BatchSTT())


async def _livekit_streaming(_stack: AsyncExitStack, _tmp: Path) -> SpeechEngine:
    return LiveKitPlugin(StreamingSTT())


async def _clova(stack: AsyncExitStack, _tmp: Path) -> SpeechEngine:
    server = await stack.enter_async_context(ClovaSpeechServer().running())
    return ClovaSpeech([server.address], ahead_s=60)


async def _fake(_stack: AsyncExitStack, _tmp: Path) -> SpeechEngine:
    return spoken.SpokenEngine()


ENGINES = [
    *(_fake, _shared_engine, _shared_engine_with_interims, _openai, _openai_with_interims),
    *(_openai_plain_json, _livekit_batch, _livekit_streaming, _clova),
]


@pytest.fixture(params=ENGINES, ids=lambda make: make.__name__.strip("_"))
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SpeechEngine]:
    async with AsyncExitStack() as stack:
        engine: SpeechEngine = await request.param(stack, tmp_path)
        yield engine
        await engine.aclose()


async def finals(engine: SpeechEngine, stretch: Stretch) -> list[Segment]:
    return [segment async for segment in engine.transcribe(stretch) if segment.final]


def text(segments: list[Segment]) -> str:
    return " ".join(segment.text for segment in segments)


@pytest.mark.parametrize("value", sorted(spoken.LINES))
async def test_the_finals_together_are_what_was_said(engine: SpeechEngine, value: int) -> None:
    assert text(await finals(engine, spoken.stretch(value))) == spoken.LINES[value][1]


async def test_times_lie_within_the_stretch_and_in_order(engine: SpeechEngine) -> None:
    segments = [segment async for segment in engine.transcribe(spoken.stretch(1, 2000))]
    assert segments[-1].final
    for segment in segments:
        assert 0 <= segment.start_ms <= segment.end_ms <= 2000
    assert segments[-1].end_ms == 2000


async def test_confidence_is_a_share_or_none(engine: SpeechEngine) -> None:
    for segment in await finals(engine, spoken.stretch(2)):
        assert segment.confidence is None or 0 < segment.confidence <= 1


@pytest.mark.parametrize("value", [1, 2])
async def test_language_is_a_short_code_or_none(engine: SpeechEngine, value: int) -> None:
    for segment in await finals(engine, spoken.stretch(value, language=spoken.LINES[value][0])):
        assert segment.language in (None, spoken.LINES[value][0])


@pytest.mark.parametrize("value", [1, 2])
async def test_interims_come_while_it_is_said_and_only_where_they_are_promised(
    engine: SpeechEngine, value: int
) -> None:
    async def sound() -> AsyncIterator[bytes]:
        async for chunk in spoken.chunks(spoken.pcm(value, 3500)):
            yield chunk
            await asyncio.sleep(0.01)

    segments = [segment async for segment in engine.transcribe(Stretch("s", "auto", sound()))]
    interims = [segment for segment in segments if not segment.final]
    assert bool(interims) == engine.gives_interims
    assert text([segment for segment in segments if segment.final]) == spoken.LINES[value][1]
    for segment in interims:
        assert spoken.LINES[value][1].startswith(segment.text.strip())
        assert 0 <= segment.firm <= len(segment.text)


async def test_silence_gives_nothing(engine: SpeechEngine) -> None:
    assert await finals(engine, spoken.stretch(spoken.SILENCE)) == []


@pytest.mark.parametrize("terms", [("결제", "Kubernetes"), ("<|endoftext|>", "a,b", "", "콕")])
async def test_terms_that_nobody_says_add_nothing(engine: SpeechEngine, terms: tuple[str, ...]) -> None:
    for value in (1, 2):
        stretch = spoken.stretch(value, language=spoken.LINES[value][0], terms=terms)
        assert text(await finals(engine, stretch)) == spoken.LINES[value][1]
    assert await finals(engine, spoken.stretch(spoken.SILENCE, terms=terms)) == []


async def test_a_stretch_without_sound_gives_nothing(engine: SpeechEngine) -> None:
    assert await finals(engine, Stretch("empty", "auto", spoken.chunks(b""))) == []


async def test_stretches_side_by_side_do_not_mix(engine: SpeechEngine) -> None:
    values = [1, 2, 3, 4] * 3
    results = await asyncio.gather(
        *(finals(engine, spoken.stretch(value, key=str(n))) for n, value in enumerate(values))
    )
    assert [text(result) for result in results] == [spoken.LINES[value][1] for value in values]


async def test_a_failure_costs_its_own_stretch_only(engine: SpeechEngine) -> None:
    with pytest.raises(EngineFailed):
        await finals(engine, spoken.stretch(spoken.BROKEN))
    assert text(await finals(engine, spoken.stretch(1))) == spoken.LINES[1][1]


async def test_an_overload_is_a_speech_error(engine: SpeechEngine) -> None:
    with pytest.raises(EngineFailed if isinstance(engine, EngineClient) else EngineBusy):
        await finals(engine, spoken.stretch(spoken.OVERLOADED))


async def test_the_sound_is_heard_to_its_end(engine: SpeechEngine) -> None:
    heard = 0

    async def sound() -> AsyncIterator[bytes]:
        nonlocal heard
        async for chunk in spoken.chunks(spoken.pcm(1, 1500)):
            yield chunk
            heard += len(chunk)

    await finals(engine, Stretch("s", "ko", sound()))
    assert heard == len(spoken.pcm(1, 1500))


async def test_sound_may_come_as_slowly_as_speech(engine: SpeechEngine) -> None:
    async def sound() -> AsyncIterator[bytes]:
        async for chunk in spoken.chunks(spoken.pcm(2, 300)):
            await asyncio.sleep(0.01)
            yield chunk

    assert text(await finals(engine, Stretch("s", "en", sound()))) == spoken.LINES[2][1]


async def test_sound_that_breaks_is_an_error_and_the_engine_lives_on(engine: SpeechEngine) -> None:
    async def sound() -> AsyncIterator[bytes]:
        yield spoken.pcm(1, 100)
        raise SpeechError("the track is gone")

    with pytest.raises(SpeechError):
        await finals(engine, Stretch("s", "ko", sound()))
    assert text(await finals(engine, spoken.stretch(3))) == spoken.LINES[3][1]


@pytest.mark.parametrize("cancel", [True, False], ids=["cancelled", "closed"])
async def test_giving_up_in_the_middle_leaves_nothing_behind(engine: SpeechEngine, cancel: bool) -> None:
    begun = asyncio.Event()

    async def sound() -> AsyncIterator[bytes]:
        yield spoken.pcm(1, 100)
        begun.set()
        await asyncio.Event().wait()

    tasks_before = asyncio.all_tasks()
    segments = engine.transcribe(Stretch("s", "ko", sound()))

    async def listen() -> None:
        async with aclosing(segments):  # type: ignore[type-var] # every engine's is a generator
            async for _ in segments:
                pass

    task = asyncio.get_running_loop().create_task(listen())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    if not cancel:
        await segments.aclose()  # type: ignore[attr-defined]  # a generator
    async with asyncio.timeout(2):  # a library's own task may need to hear that its call was given up
        while not asyncio.all_tasks() <= tasks_before:
            await asyncio.sleep(0.005)
    assert text(await finals(engine, spoken.stretch(4))) == spoken.LINES[4][1]


async def test_it_has_a_name_and_may_be_closed_twice(engine: SpeechEngine) -> None:
    assert engine.name
    await engine.aclose()
    await engine.aclose()
