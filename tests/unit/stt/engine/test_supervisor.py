"""The supervisor over real processes with a scripted recogniser in them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from stt.engine.engine_client import EngineClient
from stt.engine.engine_supervisor import BackOff, EngineSupervisor
from stt.engine.liveness import Silence
from stt.segment import EngineBusy, EngineFailed
from tests.fakes import spoken
from tests.fakes.waiting import until
from tests.unit.stt.engine.supervisors import ENGINE_COMMAND, supervisor

_SHORT = Silence(ask_every_s=0.25, times=8, loading_s=2.0)


@asynccontextmanager
async def started(
    tmp_path: Path, count: int = 1, *, model: str = "well", silence: Silence | None = None
) -> AsyncIterator[list[EngineSupervisor]]:
    async with AsyncExitStack() as stack:
        made = [supervisor(tmp_path, model, silence) for _ in range(count)]
        for one in made:
            stack.push_async_callback(one.aclose)
        await asyncio.gather(*(one.start(within_s=20) for one in made))
        yield made


async def said(path: Path) -> str:
    """What the engine hears, asked again where it went away: as a meeting's job does."""
    client = EngineClient(path)
    try:
        while True:
            with suppress(EngineBusy):
                return "".join([segment.text async for segment in client.transcribe(spoken.stretch(1))])
    finally:
        await client.aclose()


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_an_engine_that_is_killed_comes_back(tmp_path: Path) -> None:
    async with started(tmp_path) as (one,):
        first = one.pid
        assert first is not None
        assert await said(one.socket_path) == spoken.LINES[1][1]
        os.kill(first, signal.SIGKILL)
        await until(lambda: one.pid not in (None, first))
        assert await said(one.socket_path) == spoken.LINES[1][1]
        last = one.pid
    assert last is not None
    assert not lives(last)
    assert not one.socket_path.exists()


async def test_supervisors_share_one_engine_and_the_second_takes_over(tmp_path: Path) -> None:
    async with started(tmp_path, 2) as pair:
        owner, other = sorted(pair, key=lambda one: one.pid is None)
        assert owner.pid is not None
        assert other.pid is None
        await owner.aclose()
        await until(lambda: other.pid is not None)
        assert await said(other.socket_path) == spoken.LINES[1][1]


async def test_an_engine_that_is_stopped_is_killed_and_replaced_and_what_waits_becomes_text(
    tmp_path: Path,
) -> None:
    async with started(tmp_path, silence=_SHORT) as (one,):
        first = one.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        assert await said(one.socket_path) == spoken.LINES[1][1]
        assert not lives(first)
        assert one.pid not in (None, first)


async def test_a_stopped_engine_that_its_owner_left_behind_is_killed_by_the_next(tmp_path: Path) -> None:
    owner, engine = await owned(tmp_path)
    os.kill(engine, signal.SIGSTOP)
    owner.kill()
    await owner.wait()
    assert lives(engine)
    async with started(tmp_path, 2, silence=_SHORT) as pair:  # at the same time
        await until(lambda: not lives(engine))
        await until(lambda: any(one.pid is not None for one in pair))
        assert await said(pair[0].socket_path) == spoken.LINES[1][1]


async def test_an_engine_that_hangs_while_it_loads_is_killed_and_replaced(tmp_path: Path) -> None:
    async with started(tmp_path, model="halt", silence=_SHORT) as (one,):
        assert not lives(int((tmp_path / "e.sock.halted").read_text()))
        assert await said(one.socket_path) == spoken.LINES[1][1]


async def test_one_that_hangs_while_it_loads_is_ended_by_whoever_finds_the_socket_taken(
    tmp_path: Path,
) -> None:
    left = await asyncio.create_subprocess_exec(
        *ENGINE_COMMAND,
        "--socket",
        str(tmp_path / "e.sock"),
        "--model",
        "halt",
        stdout=asyncio.subprocess.DEVNULL,
    )
    await until((tmp_path / "e.sock.halted").exists)
    async with started(tmp_path, silence=_SHORT) as (one,):
        assert await left.wait() == -signal.SIGKILL
        assert one.pid is not None


async def test_an_engine_that_is_busy_for_long_is_left_alone(tmp_path: Path) -> None:
    async with started(tmp_path, 2, model="slow", silence=_SHORT) as pair:
        (owner,) = (one for one in pair if one.pid is not None)
        before = owner.pid
        assert await said(pair[0].socket_path) == spoken.LINES[1][1]
        assert owner.pid == before


@pytest.mark.parametrize(("model", "reason"), [("wrong", "STT_MODEL=wrong"), ("crash", "died 4 times")])
async def test_an_engine_that_never_comes_up_fails_the_start_with_one_line(
    tmp_path: Path, model: str, reason: str
) -> None:
    one = supervisor(tmp_path, model)
    with pytest.raises(EngineFailed, match=reason) as caught:
        await one.start(within_s=20)
    assert "\n" not in str(caught.value)
    await one.aclose()


async def owned(tmp_path: Path) -> tuple[asyncio.subprocess.Process, int]:
    """Start a process that owns an engine; the process, and the engine's id."""
    owner = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import asyncio, sys; from pathlib import Path\n"
        "from tests.unit.stt.engine.supervisors import supervisor\n"
        "async def main():\n"
        f"    one = supervisor(Path({str(tmp_path)!r})); await one.start()\n"
        "    print(one.pid, flush=True); await asyncio.sleep(60)\n"
        "asyncio.run(main())",
        stdout=asyncio.subprocess.PIPE,
    )
    assert owner.stdout is not None
    return owner, int(await owner.stdout.readline())


async def test_an_engine_does_not_outlive_its_owner(tmp_path: Path) -> None:
    owner, engine = await owned(tmp_path)
    assert lives(engine)
    owner.kill()
    await owner.wait()
    await until(lambda: not lives(engine))
    assert not (tmp_path / "e.sock").exists()


async def test_a_socket_left_by_a_dead_engine_is_no_hindrance(tmp_path: Path) -> None:
    server = await asyncio.start_unix_server(lambda _r, w: w.close(), tmp_path / "e.sock")
    server.close()
    (tmp_path / "e.sock").touch()
    async with started(tmp_path) as (one,):
        assert await said(one.socket_path) == spoken.LINES[1][1]


def test_the_pause_grows_and_is_bounded() -> None:
    back_off = BackOff(first_s=0.2, most_s=10)
    assert [back_off.pause_s(deaths) for deaths in (1, 2, 3)] == [0.2, 0.4, 0.8]
    assert back_off.pause_s(10_000) == 10
