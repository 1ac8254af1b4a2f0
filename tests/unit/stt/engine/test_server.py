"""Server and client on a real socket, with a recogniser that can be held up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from stt.agreement import Reading
from stt.engine.engine_client import EngineClient
from stt.engine.engine_server import EngineStuck
from stt.engine.protocol import VERSION, encode
from stt.engine.speech_server import EngineServer
from stt.segment import EngineBusy, EngineFailed, Segment
from stt.spoken_language import FIRST_SHARES
from tests.fakes import spoken
from tests.fakes.recogniser import ScriptedRecogniser
from tests.fakes.waiting import until


@asynccontextmanager
async def serving(
    recogniser: ScriptedRecogniser, path: Path, **options: float
) -> AsyncIterator[EngineServer]:
    server = EngineServer(recogniser, path, **options)  # type: ignore[arg-type] # workers, queue_limit, …
    async with asyncio.TaskGroup() as group:
        group.create_task(server.serve())
        await server.ready.wait()
        try:
            yield server
        finally:
            recogniser.gate.set()
            server.stop()


@asynccontextmanager
async def clients(path: Path, count: int, **options: float) -> AsyncIterator[list[EngineClient]]:
    async with AsyncExitStack() as stack:
        made = [EngineClient(path, **options) for _ in range(count)]
        for client in made:
            stack.push_async_callback(client.aclose)
        yield made


async def ask(client: EngineClient, value: int) -> list[Segment]:
    return [segment async for segment in client.transcribe(spoken.stretch(value))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "e.sock"


async def test_the_client_learns_the_models_name(path: Path) -> None:
    async with serving(ScriptedRecogniser(), path), clients(path, 1) as (client,):
        assert await client.done() == 0
        assert client.name == "scripted"


async def test_a_stretchs_terms_reach_the_model(path: Path) -> None:
    recogniser = ScriptedRecogniser()
    async with serving(recogniser, path), clients(path, 1) as (client,):
        stretch = spoken.stretch(1, terms=("결제 기능", "Kubernetes"))
        assert [segment.text async for segment in client.transcribe(stretch)] == [spoken.LINES[1][1]]
        await ask(client, 2)
    assert recogniser.told == [("결제 기능", "Kubernetes"), ()]


@pytest.mark.parametrize("terms", ["결제", [1], {"a": 1}])
async def test_who_sends_terms_that_are_none_is_hung_up_on(path: Path, terms: object) -> None:
    recogniser = ScriptedRecogniser()
    async with serving(recogniser, path):
        reader, writer = await asyncio.open_unix_connection(str(path))
        writer.write(encode("transcribe", id="1", terms=terms, body=spoken.pcm(1, 100)))
        await asyncio.wait_for(reader.read(), 5)
        writer.close()
    assert recogniser.heard == []


async def test_a_request_beyond_the_bound_is_busy_at_once(path: Path) -> None:
    recogniser = ScriptedRecogniser(held=True)
    async with (
        serving(recogniser, path, workers=1, queue_limit=2) as server,
        clients(path, 1) as (client,),
        asyncio.TaskGroup() as group,
    ):
        running = group.create_task(ask(client, 1))
        await until(lambda: recogniser.heard == [1])
        waiting = [group.create_task(ask(client, value)) for value in (2, 3)]
        await until(lambda: server.stats().queued == 2)
        with pytest.raises(EngineBusy, match="2 requests"):
            await ask(client, 4)
        stats = server.stats()
        assert (stats.running, stats.queued, stats.refused) == (1, 2, 1)
        recogniser.gate.set()
        assert [(await task)[0].text for task in (running, *waiting)] == [
            spoken.LINES[n][1] for n in (1, 2, 3)
        ]
        assert await client.done() == 3


async def test_a_meeting_with_much_to_say_delays_another_by_one_request(path: Path) -> None:
    recogniser = ScriptedRecogniser(held=True)
    async with (
        serving(recogniser, path, workers=1) as server,
        clients(path, 2) as (greedy, other),
        asyncio.TaskGroup() as group,
    ):
        group.create_task(ask(greedy, 1))
        await until(lambda: recogniser.heard == [1])
        for _ in range(5):
            group.create_task(ask(greedy, 2))
        await until(lambda: server.stats().queued == 5)
        last = group.create_task(ask(other, 3))
        await until(lambda: server.stats().queued == 6)
        recogniser.gate.set()
        await last
    assert recogniser.heard[:3] == [1, 2, 3]


async def test_two_workers_work_side_by_side(path: Path) -> None:
    recogniser = ScriptedRecogniser(held=True)
    async with (
        serving(recogniser, path, workers=2),
        clients(path, 1) as (client,),
        asyncio.TaskGroup() as group,
    ):
        for value in (1, 2):
            group.create_task(ask(client, value))
        await until(lambda: sorted(recogniser.heard) == [1, 2])
        recogniser.gate.set()


async def test_what_a_client_takes_back_or_leaves_behind_is_not_worked_on(path: Path) -> None:
    recogniser = ScriptedRecogniser(held=True)
    async with serving(recogniser, path, workers=1) as server, clients(path, 2) as (stays, leaves):
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(ask(stays, 1))]
        await until(lambda: recogniser.heard == [1])
        tasks += [loop.create_task(ask(stays, 2)), loop.create_task(ask(leaves, 3))]
        await until(lambda: server.stats().queued == 2)
        tasks[1].cancel()
        await leaves.aclose()
        await until(lambda: server.stats().queued == 0)
        recogniser.gate.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert recogniser.heard == [1]
    assert isinstance(results[1], asyncio.CancelledError)
    assert isinstance(results[2], EngineFailed)


async def test_a_restarted_engine_is_found_again_and_what_waited_may_be_retried(path: Path) -> None:
    recogniser = ScriptedRecogniser(held=True)
    loop = asyncio.get_running_loop()
    async with clients(path, 1) as (client,):
        async with serving(recogniser, path, workers=1) as first:
            running = loop.create_task(ask(client, 1))
            await until(lambda: len(recogniser.heard) == 1)
            waiting = loop.create_task(ask(client, 2))
            await until(lambda: first.stats().queued == 1)
        assert (await running)[0].text == spoken.LINES[1][1]  # under way when it stopped: finished
        with pytest.raises(EngineBusy):
            await waiting
        async with serving(ScriptedRecogniser(), path):
            assert (await ask(client, 2))[0].text == spoken.LINES[2][1]


async def test_an_engine_that_comes_late_is_waited_for(path: Path) -> None:
    async with clients(path, 1) as (client,), asyncio.TaskGroup() as group:
        early = group.create_task(ask(client, 1))
        await asyncio.sleep(0.05)
        async with serving(ScriptedRecogniser(), path):
            assert (await early)[0].text == spoken.LINES[1][1]


async def test_no_engine_is_busy_after_the_clients_patience(path: Path) -> None:
    async with clients(path, 1, patience_s=0.05) as (client,):
        with pytest.raises(EngineBusy, match=r"no speech engine at .*e\.sock"):
            await ask(client, 1)


async def test_an_engine_that_hangs_fails_at_the_deadline(path: Path) -> None:
    recogniser = ScriptedRecogniser(held=True)
    async with serving(recogniser, path), clients(path, 1, deadline_s=0.05) as (client,):
        with pytest.raises(EngineFailed, match="no answer"):
            await ask(client, 1)


async def test_a_recogniser_that_never_returns_ends_the_server(path: Path) -> None:
    recogniser = ScriptedRecogniser(held=True)
    server = EngineServer(recogniser, path, stuck_after_s=0.05)
    serving_ = asyncio.get_running_loop().create_task(server.serve())
    await server.ready.wait()
    async with clients(path, 1) as (client,):
        with pytest.raises(EngineBusy):
            await ask(client, 1)
    with pytest.raises(ExceptionGroup) as caught:
        await serving_
    assert caught.group_contains(EngineStuck)
    assert not path.exists()
    recogniser.gate.set()


async def test_a_client_that_speaks_nonsense_is_hung_up_on_and_nobody_else_notices(path: Path) -> None:
    async with serving(ScriptedRecogniser(), path), clients(path, 1) as (client,):
        for nonsense in (b"GET / HTTP/1.1\r\n\r\n", encode("dance", id="1")):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(nonsense)
            async with asyncio.timeout(5):
                await reader.read()  # the hello, then the end
                assert reader.at_eof()
            writer.close()
        assert (await ask(client, 1))[0].text == spoken.LINES[1][1]


async def test_an_engine_of_another_version_is_not_believed(path: Path) -> None:
    async def other(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(encode("hello", version=99, model="x"))
        await writer.drain()

    async with await asyncio.start_unix_server(other, path), clients(path, 1, patience_s=0.3) as (client,):
        with pytest.raises(EngineFailed, match="protocol 99"):
            await ask(client, 1)


async def read(client: EngineClient, value: int = 1) -> Reading:
    return await client._read(spoken.pcm(value), "auto", expected=lambda: FIRST_SHARES)


async def test_a_reading_is_the_words_so_far(path: Path) -> None:
    async with serving(ScriptedRecogniser(), path), clients(path, 1) as (client,):
        reading = await read(client, 2)
        assert " ".join(word.text for word in reading.words) == spoken.LINES[2][1]
        assert reading.language == "en"
        assert await client.done() == 0, "what is no final does not tell that finals advance"


@pytest.mark.parametrize(("workers", "finals"), [(1, 1), (2, 2), (1, 3), (2, 4)])
async def test_readings_give_way_to_finals_that_run_or_wait(path: Path, workers: int, finals: int) -> None:
    recogniser = ScriptedRecogniser(held=True)
    async with (
        serving(recogniser, path, workers=workers) as server,
        clients(path, 2) as (client, other),
        asyncio.TaskGroup() as group,
    ):
        asked = [group.create_task(ask(client, 1)) for _ in range(finals)]
        await until(lambda: sum((server.stats().running, server.stats().queued)) == finals)
        with pytest.raises(EngineBusy, match="give way"):
            await read(other)
        recogniser.gate.set()
        await asyncio.wait(asked)
        assert (await read(other)).words
    assert recogniser.read_of == [1]


@pytest.mark.parametrize("workers", [1, 2, 4])
async def test_readings_take_half_of_the_workers_at_most(path: Path, workers: int) -> None:
    recogniser = ScriptedRecogniser()
    recogniser.reading_gate.clear()
    most = max(1, workers // 2)
    async with (
        serving(recogniser, path, workers=workers) as server,
        clients(path, 1) as (client,),
        asyncio.TaskGroup() as group,
    ):
        readings = [group.create_task(read(client, 2)) for _ in range(most)]
        await until(lambda: server.stats().running == most)
        with pytest.raises(EngineBusy, match="give way"):
            await read(client)
        if workers > 1:
            assert (await ask(client, 1))[0].text == spoken.LINES[1][1], "no final waits for a reading"
        recogniser.reading_gate.set()
        assert all(reading.words for reading in await asyncio.gather(*readings))


async def test_a_final_without_a_free_worker_ends_the_reading_at_its_next_step(path: Path) -> None:
    recogniser = ScriptedRecogniser()
    recogniser.reading_gate.clear()
    async with (
        serving(recogniser, path, workers=1) as server,
        clients(path, 2) as (one, other),
        asyncio.TaskGroup() as group,
    ):
        loop = asyncio.get_running_loop()
        reading = loop.create_task(read(one, 2))
        await until(lambda: recogniser.read_of == [2])
        final = group.create_task(ask(other, 1))
        await until(lambda: server.stats().queued == 1)
        recogniser.reading_gate.set()
        with pytest.raises(EngineBusy):
            await reading
        assert (await final)[0].text == spoken.LINES[1][1]


@pytest.mark.parametrize("leaves", [False, True])
async def test_a_reading_that_nobody_wants_any_more_ends_at_its_next_step(path: Path, leaves: bool) -> None:
    recogniser = ScriptedRecogniser()
    recogniser.reading_gate.clear()
    async with serving(recogniser, path) as server, clients(path, 2) as (client, other):
        reading = asyncio.get_running_loop().create_task(read(client, 2))
        await until(lambda: recogniser.read_of == [2])
        if leaves:
            await client.aclose()
        else:
            reading.cancel()
        await asyncio.wait({reading})
        under_way = server._under_way[0]
        await until(under_way.withdrawn.is_set)
        recogniser.reading_gate.set()
        await until(lambda: server.stats().running == 0)
        assert (await read(other)).words


async def test_an_engine_of_another_protocol_is_told_at_its_greeting(path: Path) -> None:
    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(encode("hello", version=VERSION - 1, model="other"))
        asked.append(await reader.read())
        writer.close()

    asked: list[bytes] = []
    async with await asyncio.start_unix_server(other, path), clients(path, 1) as (client,):
        with pytest.raises(EngineFailed, match=f"protocol {VERSION - 1}, not {VERSION}"):
            await read(client)
        await client.aclose()
        await until(lambda: len(asked) == 1)
    assert asked == [b""]


async def test_the_recogniser_is_told_which_languages_are_expected_and_says_how_the_sound_was(
    path: Path,
) -> None:
    recogniser, expected = ScriptedRecogniser(), {"ko": 0.9, "en": 0.1}
    recogniser.sounded = {"ko": 0.3, "en": 0.7}
    stretch = replace(spoken.stretch(1), expected=lambda: expected)
    async with serving(recogniser, path), clients(path, 1) as (client,):
        (segment,) = [each async for each in client.transcribe(stretch)]
        await client._read(spoken.pcm(2), "auto", expected=lambda: expected)
    assert segment.sounded == {"ko": 0.3, "en": 0.7}
    assert recogniser.expected == [expected, expected]


async def test_expected_languages_that_are_no_shares_are_nonsense(path: Path) -> None:
    recogniser = ScriptedRecogniser()
    async with serving(recogniser, path):
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(encode("transcribe", id="1", language="auto", expected="ko", body=spoken.pcm(1)))
        await reader.read()  # its greeting, and then the end
        writer.close()
    assert recogniser.heard == []
