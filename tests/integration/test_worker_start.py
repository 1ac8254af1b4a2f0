"""`moim worker` where a part is missing or wrong at its start: it says so, and waits or leaves."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.integration.readiness import ready, until_ready
from worker.configuration.settings import Settings
from worker.embedded import livekit_server
from worker.embedded.child import free_port
from worker.embedded.livekit import LiveKitServer
from worker.embedded.valkey import EmbeddedValkey

NOWHERE = "127.0.0.1:1"


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "STT_", "REDIS_"))
    }
    return kept | {
        "LIVEKIT_URL": f"ws://{NOWHERE}",
        "LIVEKIT_API_KEY": "devkey",
        "LIVEKIT_API_SECRET": "s" * 40,
        "DATABASE_URL": f"postgresql://a:b@{NOWHERE}/x",
        "STT_ENGINE": "none",
        "MOIM_STATE_DIR": str(tmp_path),
        "MOIM_HTTP_PORT": "0",
        **more,
    }


async def started(
    settings: dict[str, str], *arguments: str, command: str = "worker"
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "worker", command, *arguments),
        env=settings,
        cwd=Path(__file__).parents[2],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def refused(settings: dict[str, str], *arguments: str, command: str = "worker") -> tuple[int, str]:
    """The exit code and the one line of a worker that leaves at once; its log apart."""
    process = await started(settings, *arguments, command=command)
    async with asyncio.timeout(90):
        out, err = await process.communicate()
    told = err.decode()
    assert out == b""
    assert "Traceback" not in told
    said = [line for line in told.splitlines() if not line.startswith("{")]
    assert len(said) == 1, told
    assert said[0].startswith("moim: ")
    assert process.returncode is not None
    return process.returncode, said[0]


@pytest.mark.parametrize(
    ("missing", "arguments"),
    [("DATABASE_URL", ()), ("LIVEKIT_URL", ()), ("LIVEKIT_API_SECRET", ()), ("REDIS_URL", ("--text",))],
)
async def test_a_missing_setting(tmp_path: Path, missing: str, arguments: tuple[str, ...]) -> None:
    settings = environment(tmp_path)
    settings[missing] = ""
    code, said = await refused(settings, *arguments)
    assert code == 2
    assert missing in said


@pytest.mark.parametrize("arguments", [(), ("--text",)])
async def test_a_port_in_use(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with socket.create_server(("0.0.0.0", 0)) as taken:
        port = str(taken.getsockname()[1])
        settings = environment(tmp_path, MOIM_HTTP_PORT=port, REDIS_URL=f"redis://{NOWHERE}")
        code, said = await refused(settings, *arguments)
    assert code == 2
    assert f"MOIM_HTTP_PORT={port}" in said
    assert "in use" in said


@pytest.mark.parametrize("arguments", [(), ("--text",)])
async def test_a_state_folder_that_cannot_be_written(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "state")
    settings = environment(tmp_path, MOIM_STATE_DIR=folder, REDIS_URL=f"redis://{NOWHERE}")
    code, said = await refused(settings, *arguments)
    assert code == 2
    assert f"MOIM_STATE_DIR={folder!r} cannot be written: Not a directory" in said


async def test_a_dispatcher_says_that_redis_is_away_and_when_it_is_back(tmp_path: Path) -> None:
    valkey = EmbeddedValkey(tmp_path / "valkey")
    await valkey.start()
    port = free_port()
    settings = environment(tmp_path, MOIM_HTTP_PORT=str(port), REDIS_URL=valkey.url)
    process = await started(settings, command="dispatcher")
    try:
        await until_told(port, "redis: ", there=False)
        await valkey.stop()
        await until_told(port, "redis: it cannot be reached", there=True)
        await valkey.start()
        await until_told(port, "redis: ", there=False)
    finally:
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        await valkey.stop()


async def until_told(port: int, what: str, *, there: bool) -> None:
    """Wait until `/readyz` answers and does, or does not, say `what`."""
    async with asyncio.timeout(90):
        while True:
            _, told = await ready(port)
            if '"ready"' in told and (what in told) == there:
                return
            await asyncio.sleep(0.1)


async def test_a_speech_model_that_is_nowhere(tmp_path: Path) -> None:
    code, said = await refused(environment(tmp_path, STT_ENGINE="whisper", STT_MODEL="/nowhere"))
    assert code == 2
    assert "STT_MODEL=/nowhere: no such folder" in said


async def test_who_is_asked_to_go_while_it_starts_up_goes_in_order(tmp_path: Path) -> None:
    process = await started(environment(tmp_path))
    assert process.stderr is not None
    async with asyncio.timeout(90):
        while b"livekit_away" not in (line := await process.stderr.readline()):
            assert line
        process.send_signal(signal.SIGTERM)  # its engine and LiveKit's side are being read now
        _, err = await process.communicate()
    assert process.returncode == 0
    assert "Traceback" not in err.decode()


@asynccontextmanager
async def running(settings: dict[str, str], *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await started(settings, *arguments)
    try:
        yield process
        assert process.returncode is None
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(40):
            _, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        assert "Traceback" not in err.decode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_text_meetings_wait_for_their_database(tmp_path: Path) -> None:
    port = free_port()
    settings = environment(tmp_path, MOIM_HTTP_PORT=str(port), REDIS_URL=f"redis://{NOWHERE}")
    async with running(settings, "--text") as process:
        await until_ready(port, yes=True)
        assert process.stderr is not None
        async with asyncio.timeout(20):
            while b"claim_failed" not in (line := await process.stderr.readline()):
                assert line
        assert b"Postgres cannot be reached" in line


@pytest.fixture
async def livekit(tmp_path: Path) -> AsyncIterator[LiveKitServer]:
    binary = livekit_server.find(Settings.load())
    if binary is None:
        pytest.skip("no livekit-server: `make livekit` builds one")
    server = LiveKitServer(binary, tmp_path / "livekit")
    yield server
    await server.stop()


@pytest.mark.room
@pytest.mark.parametrize("command", ["worker", "dispatcher"])
async def test_a_wrong_key_is_told_at_once(command: str, livekit: LiveKitServer, tmp_path: Path) -> None:
    await livekit.start()
    for wrong in ({"LIVEKIT_API_SECRET": "w" * 40}, {"LIVEKIT_API_KEY": "nobody"}):
        own = {"LIVEKIT_API_KEY": livekit.api_key, "LIVEKIT_API_SECRET": livekit.api_secret}
        settings = environment(tmp_path, LIVEKIT_URL=livekit.url, **(own | wrong))
        code, said = await refused(settings, command=command)
        assert code == 2
        assert "check LIVEKIT_API_KEY and LIVEKIT_API_SECRET" in said
        assert "www" not in said


@pytest.mark.room
async def test_a_worker_waits_for_its_livekit_and_says_whether_it_is_there(
    livekit: LiveKitServer, tmp_path: Path
) -> None:
    await livekit.start()
    await livekit.stop()
    port = free_port()
    settings = environment(
        tmp_path,
        MOIM_HTTP_PORT=str(port),
        LIVEKIT_URL=livekit.url,
        LIVEKIT_API_KEY=livekit.api_key,
        LIVEKIT_API_SECRET=livekit.api_secret,
    )
    async with running(settings):
        await until_ready(port, yes=False, why="not registered with LiveKit")
        await livekit.start()
        await until_ready(port, yes=True)
        await livekit.stop()
        await until_ready(port, yes=False, why="not registered with LiveKit")
        await livekit.start()
        await until_ready(port, yes=True)
