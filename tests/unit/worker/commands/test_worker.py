"""`moim worker`: what runs beside its meetings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from structlog.testing import capture_logs

from worker.commands.worker import _serve
from worker.configuration.settings import Settings
from worker.errors import DONE


class Server:
    """Takes meetings until it is closed; nobody has any."""

    active_jobs = ()

    def __init__(self) -> None:
        self._closed = asyncio.Event()

    async def run(self) -> None:
        await self._closed.wait()

    async def drain(self, timeout: float | None) -> None:
        assert timeout is None

    async def aclose(self) -> None:
        self._closed.set()


async def served(directory: Path, work: Callable[[], Any]) -> tuple[int, list[Any]]:
    stop = asyncio.Event()
    settings = Settings.from_env({"MOIM_DRAIN_SECONDS": "0"})
    with capture_logs() as logs:
        serving = asyncio.ensure_future(_serve(cast("Any", Server()), settings, directory, [work()], stop))
        for _ in range(5):
            await asyncio.sleep(0)
        stop.set()
        return await serving, logs


async def test_work_beside_the_meetings_that_fails_is_logged_and_ends_no_meeting(tmp_path: Path) -> None:
    async def broken() -> None:
        raise OSError("no space left")

    code, logs = await served(tmp_path, broken)
    assert code == DONE
    assert [str(each["exc_info"]) for each in logs if each["log_level"] == "error"] == ["no space left"]


async def test_work_that_is_stopped_with_the_worker_is_no_failure(tmp_path: Path) -> None:
    code, logs = await served(tmp_path, asyncio.Event().wait)
    assert (code, [each for each in logs if each["log_level"] == "error"]) == (DONE, [])
