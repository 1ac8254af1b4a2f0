"""`moim dev` as a user starts it, its commands, and rooms in it that Moim sits in."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import aiohttp
from dotenv import dotenv_values

from tests.fakes.players import Player, Stage
from worker.bootstrap.database import database
from worker.clock import monotonic_s
from worker.configuration.settings import Settings, child_environment
from worker.embedded.child import Child
from worker.ports import MeetingRow
from worker.record.restoring import empty_document, formatted, load_document

STOP_DEADLINE_S: Final = 30.0
"""The contract's."""
PATIENCE_S: Final = 180.0
"""For what comes by itself: a machine that others use is slow, and that is no fault."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ran:
    """One command, done."""

    code: int
    out: str
    err: str


async def until(look: Callable[[], Awaitable[T | None]], what: str) -> T:
    """The first true value of `look()`, for what nobody tells us of."""
    end_s = monotonic_s() + PATIENCE_S
    while not (found := await look()):
        if monotonic_s() > end_s:
            raise TimeoutError(f"{what} did not come within {PATIENCE_S:g} s")
        await asyncio.sleep(0.1)
    return found


async def moim_in(player: Player, *, epoch: int = 1) -> str:
    """Wait until Moim, of this epoch or a later one, is in the room of `player`; its identity."""

    async def look() -> str | None:
        return next(
            (
                identity
                for identity, someone in player.room.remote_participants.items()
                if int(someone.attributes.get("moim.epoch", "0")) >= epoch
            ),
            None,
        )

    return await until(look, f"Moim in the room of {player.identity}")


def said_by(child: Child) -> list[dict[str, Any]]:
    """The lines of its log, as far as they are whole."""
    lines = child.log_file.read_text("utf-8", "replace").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]


def listening_at(child: Child) -> str | None:
    """The address of its HTTP side, as soon as its log says where it listens."""
    assert child.returncode is None, child.last_words(20)
    ports = [said["port"] for said in said_by(child) if said["event"] == "http_listening"]
    return f"http://127.0.0.1:{ports[-1]}" if ports else None


async def registered(worker: Child) -> bool:
    """Does LiveKit know this worker? It is asked where its log says that it listens."""
    address = listening_at(worker)
    if address is None:
        return False
    try:
        async with aiohttp.ClientSession() as client, client.get(f"{address}/readyz") as answer:
            return answer.status == 200
    except (aiohttp.ClientError, OSError):
        return False


class Stack:
    """One `moim dev`, and what one can do with its addresses."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._env_file = directory / "moim.env"
        self._child: Child | None = None
        self.env: dict[str, str] = {}

    @cached_property
    def settings(self) -> Settings:
        """Those of a command that is called with its addresses."""
        return self._settings()

    def _settings(self, **more: str) -> Settings:
        return Settings.from_env(child_environment({**self.env, **more}))

    @property
    def log(self) -> Path:
        """What `moim dev` says."""
        return self._directory / "dev.log"

    @property
    def pid(self) -> int:
        """The process id of `moim dev`."""
        assert self._child is not None
        return self._child.pid

    def child(self, words: str) -> int | None:
        """The process id of that child of `moim dev` whose command line holds `words`."""
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((directory / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent == self.pid and words in (directory / "cmdline").read_text():
                    return int(directory.name)
            except OSError:  # it has just ended
                continue
        return None

    async def start(self) -> None:
        """Return when its env file is there."""
        self._child = Child(
            [
                *(sys.executable, "-m", "worker", "dev"),
                *("--env-file", self._env_file, "--data", self._directory / "data"),
            ],
            log_file=self.log,
            parent_death_signal=signal.SIGTERM,
            environment=child_environment({}),
            directory=Path.cwd(),
        )

        async def written() -> bool:
            assert self._child is not None
            assert self._child.returncode is None, self._child.last_words(20)
            return self._env_file.exists()

        await until(written, "`moim dev`")
        self.env = {name: value or "" for name, value in dotenv_values(self._env_file).items()}

    async def stop(self) -> int | None:
        """SIGTERM; its exit code, None where it did not stop in time."""
        assert self._child is not None
        os.kill(self._child.pid, signal.SIGTERM)
        code = await self._child.wait(STOP_DEADLINE_S)
        if code is None:
            await self._child.stop(signal.SIGKILL, 5)
        return code

    # ---- commands -----------------------------------------------------------------------------

    @asynccontextmanager
    async def running(self, *arguments: str, **more: str) -> AsyncIterator[Child]:
        """`moim ARGUMENTS` beside the stack, with a state directory of its own; it has to stop cleanly."""
        name = "-".join(arguments).replace("--", "")
        state = self._directory / f"state-{uuid.uuid4().hex[:6]}"
        child = Child(
            [sys.executable, "-m", "worker", *arguments],
            log_file=self._directory / f"{name}.log",
            parent_death_signal=signal.SIGKILL,
            environment=child_environment(
                {**self.env, "MOIM_HTTP_PORT": "0", "MOIM_STATE_DIR": str(state), **more}
            ),
            directory=Path.cwd(),
        )
        try:
            yield child
        finally:
            with suppress(ProcessLookupError):  # the test has stopped it
                os.kill(child.pid, signal.SIGTERM)
            code = await child.wait(STOP_DEADLINE_S)
            await child.stop(signal.SIGKILL, 5)
        assert code == 0, f"moim {name} ended with {code}: {child.last_words(20)}"

    async def moim(self, *arguments: str, code: int | None = 0, **more: str) -> Ran:
        """`moim ARGUMENTS` against this stack; `code`: how it has to end; `more`: environment."""
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "worker", *arguments),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=child_environment({**self.env, **more}),
        )
        out, err = await child.communicate()
        assert child.returncode is not None
        ran = Ran(child.returncode, out.decode(), err.decode())
        assert code is None or ran.code == code, f"moim {' '.join(arguments)}: {ran}"
        return ran

    async def document(self, meeting_id: str, **more: str) -> dict[str, Any]:
        """What `moim export --format json` prints.

        Read here, in a thread: a process for it would be born while somebody speaks, and work on this loop would
        hold up their sound.
        """
        shape = await asyncio.to_thread(asyncio.run, self._exported(meeting_id, self._settings(**more)))
        document: dict[str, Any] = json.loads(formatted(shape, "json"))
        return document

    async def _exported(self, meeting_id: str, settings: Settings) -> dict[str, Any]:
        async with database(settings) as tables:
            row = await tables.registry.get(meeting_id)
            assert row is not None
            return await load_document(tables.record, row, settings) or empty_document(row, settings)

    async def get(self, path: str) -> tuple[int, str]:
        """Status and body of the worker's HTTP side."""
        address = f"http://{self.env['MOIM_HTTP_HOST']}:{self.env['MOIM_HTTP_PORT']}{path}"
        async with aiohttp.ClientSession() as client, client.get(address) as answer:
            return answer.status, await answer.text()

    async def metric(self, name: str) -> float:
        """The sum of a metric's samples at the worker."""
        _, text = await self.get("/metrics")
        samples = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        return sum(float(value) for key, value in samples if key.split("{")[0] == name)

    # ---- the record ---------------------------------------------------------------------------

    async def row(self, meeting_id: str, **more: str) -> MeetingRow:
        """The meeting as the registry has it now (quicker than `moim meetings`)."""
        async with database(self._settings(**more) if more else self.settings) as tables:
            row = await tables.registry.get(meeting_id)
        assert row is not None
        return row

    async def row_when(
        self, meeting_id: str, test: Callable[[MeetingRow], object], what: str, **more: str
    ) -> MeetingRow:
        """The row as soon as it passes `test`."""

        async def look() -> MeetingRow | None:
            row = await self.row(meeting_id, **more)
            return row if test(row) else None

        return await until(look, what)

    # ---- rooms --------------------------------------------------------------------------------

    def stage(self, room: str) -> Stage:
        """A room of this stack's LiveKit server, for scripted people."""
        return Stage(
            self.env["LIVEKIT_URL"], self.env["LIVEKIT_API_KEY"], self.env["LIVEKIT_API_SECRET"], room
        )

    @asynccontextmanager
    async def play(self, name: str, *, standby: bool = False) -> AsyncIterator[Play]:
        """A room of its own to which Moim has been called, as `moim dispatch` does; at the end the meeting is ended."""
        room = f"{name}-{uuid.uuid4().hex[:6]}"
        async with database(self.settings) as tables:
            row = await tables.registry.want(room, title=name)
            if standby:
                await tables.standbys.want(row.id)
        async with self.stage(room) as stage:
            yield Play(self, stage, row.id)
        async with database(self.settings) as tables:
            await tables.registry.request_end(row.id)  # it may have ended by itself


class Play:
    """One meeting in one room."""

    def __init__(self, stack: Stack, stage: Stage, meeting_id: str) -> None:
        self.stack, self.stage, self.meeting_id = stack, stage, meeting_id

    async def moim_hears(self, player: Player, *, epoch: int = 1) -> str:
        """Wait until Moim, of this epoch or a later one, is in the room as `player` sees it; its identity."""
        return await moim_in(player, epoch=epoch)
