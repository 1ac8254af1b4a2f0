"""Postgres, Valkey, LiveKit, dispatcher and worker on loopback, as child processes that are kept alive.

They are started in the order in which they need each other, and stopped the other way round: the worker
first, so that it can still save a running meeting's last words, snapshot and lease; Postgres last. All of
them die with this process, however it ends.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import aiohttp

from context.config import ConfigError
from context.ports import Unavailable
from worker.bootstrap.database import migrate
from worker.configuration.settings import Settings, child_environment
from worker.dev.home import Home
from worker.dev.supervisor import ChildProcess, Supervisor, follow, log_size
from worker.embedded.child import Child, EmbeddedError, EmbeddedServer, free_port
from worker.embedded.livekit import LiveKitServer
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey
from worker.errors import WRONG_INPUT

_WORKER_STOP_S: Final = 18.0
_DISPATCHER_STOP_S: Final = 3.0
_LOOK_EVERY_S: Final = 0.1


class Stack:
    """All parts of Moim on this machine: an async context manager, inside of which `start` is called once."""

    def __init__(
        self,
        home: Home,
        livekit_binary: Path,
        settings: Settings,
        say: Callable[[str], None],
        *,
        more: Mapping[str, str] | None = None,
    ) -> None:
        """`say` gets a line for each thing that people should know: a death, a warning in a child's log.

        `more`: environment variables for dispatcher and worker, laid over those of this process.
        """
        self._more = dict(more or {})
        self._home, self._settings, self._say = home, settings, say
        self.postgres = EmbeddedPostgres(home.part("postgres"))
        self.valkey = EmbeddedValkey(home.part("valkey"))
        self._livekit_binary = livekit_binary
        self.livekit: LiveKitServer | None = None
        self.worker: Program | None = None
        self.dispatcher: Program | None = None
        self._http_port = 0
        self._api_port = 0
        self._cleanup = AsyncExitStack()
        self._token = settings.api.token.get_secret_value()
        self._pages_token = settings.pages.token.get_secret_value()
        self._tasks = asyncio.TaskGroup()
        self._supervisor = Supervisor(self._tasks, say)
        self._followers: list[asyncio.Task[None]] = []
        self.starting: list[str] = []
        """The parts that are being started, in the order in which they were begun."""

    async def __aenter__(self) -> Self:
        """Lock the data directory. Raises `InputError` if another `moim dev` uses it."""
        self._cleanup.enter_context(self._home.alone())
        self._pages_token = self._pages_token or self._home.pages_token()
        await self._cleanup.enter_async_context(self._tasks)
        self._cleanup.push_async_callback(self._stop)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Stop everything that was started."""
        return await self._cleanup.__aexit__(kind, error, trace)

    async def start(self) -> None:
        """Start all parts; return when the worker has registered. Raises `Unavailable` or `ConfigError`."""
        home, self._http_port, self._api_port = self._home, free_port(), self._home.pages_port()
        self.livekit = LiveKitServer(
            self._livekit_binary,
            home.part("livekit"),
            keys=home.livekit_keys(),
            webhook=f"{self._api_url}/livekit/webhook",
        )
        try:
            async with asyncio.TaskGroup() as starting:
                starting.create_task(self._start_postgres())
                starting.create_task(self._start("valkey", self.valkey))
                starting.create_task(self._start("livekit", self.livekit))
        except* EmbeddedError as group:
            raise Unavailable(str(group.exceptions[0])) from group
        home.show_log("postgres", self.postgres.data_dir / "postgres.log")
        home.show_log("valkey", home.part("valkey") / "valkey.log")
        home.show_log("livekit", home.part("livekit") / "livekit.log")
        self.worker = await self._start_program("worker", _WORKER_STOP_S, {})
        for_pages = {
            "MOIM_HTTP_PORT": str(self._api_port),
            "MOIM_PAGES_TOKEN": self._pages_token,
            "MOIM_JOIN_URL": self._settings.livekit.join_url or self.livekit.url,
        }
        self.dispatcher = await self._start_program("dispatcher", _DISPATCHER_STOP_S, for_pages)
        with self._begun("worker", "dispatcher"):
            await self._registered(self.worker, self.dispatcher)
        if self._token:
            self._say(f"HTTP API at {self._api_url}/v1, LiveKit's webhook at /livekit/webhook")
        self._supervisor.watch("worker")
        self._supervisor.watch("dispatcher")

    @property
    def pages(self) -> str:
        """The address of the pages, which signs in whoever opens it.

        The token stands behind the `#`, which a browser never sends to a server.
        """
        return f"{self._api_url}/#token={self._pages_token}"

    @property
    def _api_url(self) -> str:
        return f"http://127.0.0.1:{self._api_port}"

    def environment(self) -> dict[str, str]:
        """The addresses and secrets of all parts, as Moim's environment variables (the env file's text)."""
        assert self.livekit is not None, "start first"
        process = self._settings.process
        return {
            "LIVEKIT_URL": self.livekit.url,
            "LIVEKIT_API_KEY": self.livekit.api_key,
            "LIVEKIT_API_SECRET": self.livekit.api_secret,
            "DATABASE_URL": self.postgres.url,
            "DATABASE_ADMIN_URL": self.postgres.admin_url,
            "REDIS_URL": self.valkey.url,
            "MOIM_AGENT_NAME": self._settings.agent.name,
            "MOIM_TENANT": process.tenant,
            # Programs that read this file have to sign commands as the processes here do.
            **({"MOIM_API_TOKEN": self._token, "MOIM_API_URL": self._api_url} if self._token else {}),
            "MOIM_HTTP_HOST": "127.0.0.1",
            "MOIM_HTTP_PORT": str(self._http_port),
            "MOIM_PAGES_URL": self._settings.pages.url or self._api_url,
            "MOIM_STATE_DIR": str(self._home.state),
            "MOIM_CACHE_DIR": str(process.cache_dir.absolute()),
        }

    @contextmanager
    def _begun(self, *parts: str) -> Iterator[None]:
        self.starting.extend(parts)
        try:
            yield
        finally:
            for part in parts:
                self.starting.remove(part)

    async def _start(self, name: str, part: ChildProcess) -> None:
        self._supervisor.add(name, part)
        with self._begun(name):
            await part.start()
        self._supervisor.watch(name)

    async def _start_postgres(self) -> None:
        await self._start("postgres", self.postgres)
        with self._begun("schema"):
            await migrate(self.postgres.admin_url, self.postgres.url)

    async def _start_program(self, name: str, stop_within_s: float, more: dict[str, str]) -> Program:
        log_file = self._home.logs / f"{name}.log"
        environment = {
            **self._more,
            **self.environment(),
            # Stopping must not wait for meetings to end by themselves: they go on next time.
            "MOIM_DRAIN_SECONDS": "0",
            "PYTHONUTF8": "1",
            **more,
        }
        program = Program(name, log_file, environment, stop_within_s=stop_within_s)
        self._supervisor.add(name, program)
        start = log_size(log_file)
        await program.start()
        self._followers.append(
            self._tasks.create_task(follow(log_file, lambda line: self._say(f"{name}: {line}"), start=start))
        )
        return program

    async def _registered(self, *programs: Program) -> None:
        """Wait until the worker's `/readyz` answers 200. Raises if one of `programs` ends before that."""
        address = f"http://127.0.0.1:{self._http_port}/readyz"
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2)) as client:
            while True:
                for program in programs:
                    if program.exit_code is not None:
                        words = program.last_words() or f"exit code {program.exit_code}"
                        text = f"the {program.name} does not start: {words} (its log: {program.log_file})"
                        if program.exit_code == WRONG_INPUT:
                            raise ConfigError(text)
                        raise Unavailable(text)
                try:
                    async with client.get(address) as answer:
                        if answer.status == 200:
                            return
                except (aiohttp.ClientError, TimeoutError):
                    pass
                await asyncio.sleep(_LOOK_EVERY_S)

    async def _stop(self) -> None:
        await self._supervisor.stop("worker")
        await self._supervisor.stop("dispatcher")
        for follower in self._followers:
            follower.cancel()
        await asyncio.gather(self._supervisor.stop("livekit"), self._supervisor.stop("valkey"))
        await self._supervisor.stop("postgres")


_LOG_LIMIT_BYTES: Final = 20_000_000


class Program(EmbeddedServer):
    """A child process `python -m worker NAME`, with a log file. `start` starts it again if it has ended."""

    def __init__(
        self, name: str, log_file: Path, environment: Mapping[str, str], *, stop_within_s: float
    ) -> None:
        """`name`: the command, options included; `environment` is laid over this process's own.

        After `stop_within_s` seconds a stop becomes a kill.
        """
        self.name, self.log_file = name, log_file
        self._environment, self._stop_within_s = environment, stop_within_s

    @property
    def exit_code(self) -> int | None:
        """The exit code of the last run (-N if signal N ended it); None while it runs, or before it ran."""
        return self._child.returncode if self._child else None

    async def start(self) -> None:
        """Start the process if it does not run, without waiting for it to be ready. Raises `OSError`."""
        if self.pid is not None:
            return
        if log_size(self.log_file) > _LOG_LIMIT_BYTES:
            self.log_file.replace(self.log_file.with_suffix(".log.1"))
        self._child = Child(
            [sys.executable, "-m", "worker", *self.name.split()],
            log_file=self.log_file,
            # Should our parent be killed there is nobody left who would insist: the lease and the
            # record are made for a sudden end, a process that lingers is not.
            parent_death_signal=signal.SIGKILL,
            environment=child_environment(self._environment),
            directory=Path.cwd(),  # relative paths in the user's settings mean the same to the child
        )

    async def stop(self) -> None:
        """Stop the process: SIGTERM, then SIGKILL after `stop_within_s` seconds."""
        if self._child is not None:
            await self._child.stop(signal.SIGTERM, self._stop_within_s)

    def last_words(self) -> str:
        """Why the program ended: the last `moim: …` line among the newest 40 of its log, else the last line.

        Empty if it wrote nothing.
        """
        lines = self._child.last_words(40).split(" | ") if self._child else [""]
        ours = [line.removeprefix("moim: ") for line in lines if line.startswith("moim: ")]
        return ours[-1] if ours else lines[-1]
