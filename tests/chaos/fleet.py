"""A real stack with two workers and a speech engine that takes no time: `moim dev`, and one worker more.

The engine answers every stretch with the next number in words, so that each turn is told from every other
one, and what it heard costs nothing: two cores are enough for a room, its people and two workers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from tests.acceptance.stack import Stack, registered, until
from tests.fakes.openai_stt import OpenAISpeechServer
from worker.configuration.settings import child_environment
from worker.embedded.child import Child


class Numbering(OpenAISpeechServer):
    """The first stretch is line 1, whatever it holds."""

    _count = 0

    async def _transcribe(self, request: web.Request) -> web.Response:
        await request.post()
        self._count += 1
        text = f"This is remark {self._count} about the search cluster."
        return web.json_response({"text": text, "language": "english", "duration": 1.0})


class Fleet:
    """`stack` runs worker A; `second` is worker B, which is started again after its death."""

    def __init__(self, stack: Stack, directory: Path, *, livekit_url: str | None) -> None:
        self.stack = stack
        self._directory, self._livekit_url = directory, livekit_url
        self._number = 0
        self.second: Child | None = None

    async def keep_second(self) -> None:
        """Start worker B where it is not running, and wait until it has registered."""
        if self.second is not None and self.second.returncode is None:
            return
        self._number += 1
        more = {"LIVEKIT_URL": self._livekit_url} if self._livekit_url else {}
        self.second = Child(
            [sys.executable, "-m", "worker", "worker"],
            log_file=self._directory / f"second-{self._number}.log",
            parent_death_signal=signal.SIGKILL,
            environment=child_environment(
                {
                    **self.stack.env,
                    **more,
                    "MOIM_HTTP_PORT": "0",
                    "MOIM_STATE_DIR": str(self._directory / f"second-{self._number}"),
                }
            ),
            directory=Path.cwd(),
        )
        await until(self.second_ready, "worker B")

    async def first_ready(self) -> bool:
        """Has worker A registered?"""
        try:
            return (await self.stack.get("/readyz"))[0] == 200
        except (aiohttp.ClientError, OSError):
            return False

    async def second_ready(self) -> bool:
        """Has worker B registered?"""
        assert self.second is not None
        return await registered(self.second)


def keeps_logs(parser: argparse.ArgumentParser) -> None:
    """Declare `--keep-logs`."""
    parser.add_argument("--keep-logs", type=Path, metavar="DIR", help="copy a fleet's logs to DIR at the end")


def _keep(directory: Path, keep_logs: Path) -> None:
    """What `moim dev`, its servers and all workers said, dead ones, too."""
    keep_logs.mkdir(parents=True, exist_ok=True)
    for log in directory.rglob("*.log"):
        shutil.copy(log, keep_logs / "-".join(log.relative_to(directory).parts))


@asynccontextmanager
async def fleet(
    environment: dict[str, str], *, keep_logs: Path | None = None
) -> AsyncIterator[tuple[Stack, Path]]:
    """`moim dev` with these variables, and a directory, whose logs are in `keep_logs` afterwards."""
    before: dict[str, Any] = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        with tempfile.TemporaryDirectory(prefix="moim-chaos-", ignore_cleanup_errors=True) as name:
            directory = Path(name)
            directory.chmod(0o755)
            stack = Stack(directory)
            await stack.start()
            try:
                yield stack, directory
            finally:
                await asyncio.shield(stack.stop())
                if keep_logs is not None:
                    _keep(directory, keep_logs)
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
