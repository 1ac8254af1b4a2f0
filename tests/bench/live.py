"""The real thing to measure: servers, workers and rooms on loopback, for the length of one measure.

Postgres is as durable here as in production: a figure with the commit in it must have a real one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import aiohttp
from livekit import api

from context.ports import Unavailable
from tests.bench.bare_job import AGENT_NAME as BARE
from tests.bench.bare_job import PID_ATTRIBUTE
from tests.bench.bare_worker import REGISTERED
from tests.bench.figures import Figure
from tests.bench.instant_engine import READY
from tests.bench.instant_stt import InstantStt
from tests.bench.listener import LISTENS
from tests.fakes.players import Player, Stage
from worker.adapters.migrations import migrate
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.bootstrap.embedders import embedding_socket
from worker.bootstrap.speech_engines import engine_socket
from worker.clock import monotonic_s
from worker.configuration.settings import Settings, child_environment
from worker.dev.stack import Program
from worker.embedded import livekit_server
from worker.embedded.child import Child, free_port
from worker.embedded.livekit import LiveKitServer
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey
from worker.record.restoring import load_document

T = TypeVar("T")
_START_S: Final = 60.0
_HEARING_S: Final = 30.0
_STOP_S: Final = 6.0
_LOOK_EVERY_S: Final = 0.05
_PAGE_BYTES: Final = 8192
_SEGMENT_BYTES: Final = 16 * 1024 * 1024
"""The size of a segment of Postgres's log: written whole before its first use."""
AGENT: Final = "bench-moim"
IN_THE_ROOM: Final = "everybody is in the room"
"""What a crowd says then."""


def measured(work: Callable[[Ground], Awaitable[list[Figure]]], limit_s: float) -> list[Figure]:
    """Run one measure on a ground of its own. Raises `Unavailable` where it takes longer than `limit_s`."""

    async def run() -> list[Figure]:
        async with asyncio.timeout(limit_s):
            async with Ground() as ground:
                return await work(ground)

    try:
        return asyncio.run(run())
    except TimeoutError as late:
        raise Unavailable(f"the measure did not end within {limit_s:.0f} s: {late or 'no figures'}") from late


def say(line: str) -> None:
    """Progress."""
    print(f"  {line}", file=sys.stderr, flush=True)


async def until(look: Callable[[], Awaitable[T | None]], timeout_s: float, what: str) -> T:
    """The first true value of `look()`. Raises `TimeoutError` naming `what`."""
    end_s = monotonic_s() + timeout_s
    while not (found := await look()):
        if monotonic_s() > end_s:
            raise TimeoutError(f"{what} did not come within {timeout_s:g} s")
        await asyncio.sleep(_LOOK_EVERY_S)
    return found


class Ground:
    """Postgres, Valkey, a LiveKit server and an engine that takes no time. Workers start when asked for."""

    def __init__(self) -> None:
        settings = Settings.load()
        binary = livekit_server.find(settings)
        if binary is None:
            raise Unavailable(
                "no LiveKit server on this machine: run `make livekit`, or set MOIM_LIVEKIT_SERVER"
            )
        self._stack = AsyncExitStack()
        self._directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="moim-bench-")))
        self._directory.chmod(0o755)  # the user that Postgres runs as has to get in
        self._cache = settings.process.cache_dir.absolute()
        self._postgres = EmbeddedPostgres(self._directory / "postgres")
        self._valkey = EmbeddedValkey(self._directory / "valkey")
        self._livekit = LiveKitServer(binary, self._directory / "livekit")
        self._pool: PostgresPool | None = None
        self.stt = InstantStt()

    async def __aenter__(self) -> Self:
        """Start the servers."""
        for start, stop in (
            (self._postgres.start, self._postgres.stop),
            (self._valkey.start, self._valkey.stop),
            (self._livekit.start, self._livekit.stop),
            (self.stt.start, self.stt.stop),
        ):
            self._stack.push_async_callback(stop)
            await start()
        await migrate(self._postgres.admin_url, self._postgres.url)
        self._pool = PostgresPool(self._postgres.url)
        self._stack.push_async_callback(self._pool.aclose)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Stop all that was started, and remove its data."""
        return await self._stack.__aexit__(kind, error, trace)

    @property
    def registry(self) -> PostgresRegistry:
        """The list of meetings."""
        assert self._pool is not None, "enter first"
        return PostgresRegistry(self._pool)

    async def document(self, meeting_id: str) -> dict[str, Any]:
        """A meeting's document, from its record."""
        assert self._pool is not None, "enter first"
        settings = Settings.from_env(self._environment("worker"))
        row = await self.registry.get(meeting_id)
        assert row is not None
        return await load_document(PostgresStore(self._pool), row, settings) or {}

    @property
    def redis_url(self) -> str:
        """`REDIS_URL`."""
        return self._valkey.url

    # ---- workers ------------------------------------------------------------------------------

    def _environment(self, name: str) -> dict[str, str]:
        return {
            "LIVEKIT_URL": self._livekit.url,
            "LIVEKIT_API_KEY": self._livekit.api_key,
            "LIVEKIT_API_SECRET": self._livekit.api_secret,
            "DATABASE_URL": self._postgres.url,
            "REDIS_URL": self._valkey.url,
            "STT_ENGINE": "openai",
            "STT_BASE_URL": self.stt.url,
            "LLM_ENGINE": "extractive",
            "MOIM_AGENT_NAME": AGENT,
            "MOIM_WAKE_WORDS": "모임,Moim",
            "MOIM_HTTP_HOST": "127.0.0.1",
            "MOIM_STATE_DIR": str(self._directory / f"state-{name}"),
            "MOIM_CACHE_DIR": str(self._cache),
            "MOIM_LOG_LEVEL": "info",
            "MOIM_DRAIN_SECONDS": "0",
            "PYTHONUTF8": "1",
            # As `moim worker` sets them itself: both sides start from the same floor.
            "LIVEKIT_AGENTS_PRELOAD_LOCAL_INFERENCE": "0",
            "MALLOC_ARENA_MAX": "2",
            "MALLOC_MMAP_THRESHOLD_": "131072",
            "MALLOC_TRIM_THRESHOLD_": "131072",
        }

    def log(self, name: str) -> Path:
        """Where a program's log is."""
        return self._directory / f"{name}.log"

    def told(self, name: str) -> str:
        """What a program has written to its log."""
        return self.log(name).read_text(encoding="utf-8", errors="replace")

    def sync_s(self) -> float:
        """How long the disk under the record takes to keep one page, written as Postgres writes its log."""
        path = self._directory / "pages"
        if not path.exists():
            path.write_bytes(bytes(_SEGMENT_BYTES))
        with path.open("r+b", buffering=0) as page:
            page.write(os.urandom(_PAGE_BYTES))
            began_s = monotonic_s()
            os.fdatasync(page.fileno())
            return monotonic_s() - began_s

    @property
    def embedding_socket(self) -> Path:
        """Where the worker's shared embedding engine listens."""
        return embedding_socket(Settings.from_env(self._environment("worker")))

    @asynccontextmanager
    async def moim(self, more: Mapping[str, str] | None = None) -> AsyncIterator[int]:
        """`moim worker` and `moim dispatcher`; the worker's pid, once it has registered."""
        port = free_port()
        worker, dispatcher = (
            Program(
                name,
                self.log(name),
                {**self._environment(name), "MOIM_HTTP_PORT": http, **(more or {})},
                stop_within_s=_STOP_S,
            )
            for name, http in (("worker", str(port)), ("dispatcher", "0"))
        )
        try:
            await worker.start()
            await dispatcher.start()
            await until(lambda: _ready(port), _START_S, "the worker's registration")
            assert worker.pid is not None
            yield worker.pid
        finally:
            await dispatcher.stop()
            await worker.stop()

    @asynccontextmanager
    async def moim_by_default(self, more: Mapping[str, str] | None = None) -> AsyncIterator[int]:
        """The same as `moim`, but text comes as it does by default: from the machine's own engine, on its socket."""
        by_default = {**(more or {}), "STT_ENGINE": "whisper"}
        socket = engine_socket(Settings.from_env({**self._environment("worker"), **by_default}))
        async with (
            self._child("engine", "instant_engine", str(socket), ready=READY),
            self.moim(by_default) as pid,
        ):
            yield pid

    def listener(self, stage: Stage) -> AbstractAsyncContextManager[int]:
        """A client in a process of its own; what it reads is in `log("listener")`."""
        access = stage.access("listener")
        return self._child("listener", "listener", stage.url, access, ready=LISTENS)

    def crowd(
        self, stage: Stage, quiet: int, seconds: float, enter_s: float
    ) -> AbstractAsyncContextManager[int]:
        """Many microphones in a process of their own; what is said is in `log(f"crowd-{stage.room}")`."""
        arguments = (stage.room, str(quiet), str(seconds))
        return self._child(f"crowd-{stage.room}", "crowd", *arguments, ready=IN_THE_ROOM, within_s=enter_s)

    def bare(self) -> AbstractAsyncContextManager[int]:
        """A worker with Moim's imports whose jobs only subscribe; its pid, once it has registered."""
        return self._plain("bare")

    def example(self) -> AbstractAsyncContextManager[int]:
        """A worker of LiveKit's own example for several speakers; its pid, once it has registered."""
        return self._plain("example")

    def _plain(self, name: str) -> AbstractAsyncContextManager[int]:
        return self._child(name, f"{name}_worker", ready=REGISTERED)

    @asynccontextmanager
    async def _child(
        self, name: str, module: str, *arguments: str, ready: str, within_s: float = _START_S
    ) -> AsyncIterator[int]:
        """A program of the bench, from the moment when `ready` stands in its log; its pid."""
        child = Child(
            [sys.executable, "-m", f"tests.bench.{module}", *arguments],
            log_file=self.log(name),
            parent_death_signal=signal.SIGKILL,
            environment=child_environment(self._environment(name)),
            directory=Path.cwd(),
        )

        async def is_ready() -> bool:
            if child.returncode is not None:
                raise Unavailable(f"the bench's {name} does not start: {child.last_words()}")
            return ready in self.told(name)

        try:
            await until(is_ready, within_s, f"the bench's {name}")
            yield child.pid
        finally:
            await child.stop(signal.SIGTERM, _STOP_S)

    # ---- rooms --------------------------------------------------------------------------------

    def stage(self, name: str) -> Stage:
        """A room of its own."""
        return Stage(
            self._livekit.url,
            self._livekit.api_key,
            self._livekit.api_secret,
            f"{name}-{uuid.uuid4().hex[:6]}",
        )

    async def call_bare(self, room: str) -> None:
        """Dispatch a bare job."""
        await self.call(BARE, room)

    async def call(self, agent_name: str, room: str) -> None:
        """Dispatch a job of a plain worker."""
        async with api.LiveKitAPI(
            self._livekit.url, self._livekit.api_key, self._livekit.api_secret
        ) as livekit:
            await livekit.agent_dispatch.create_dispatch(
                api.CreateAgentDispatchRequest(agent_name=agent_name, room=room)
            )

    async def job_pid(self, meeting_id: str) -> int:
        """The process that holds a meeting."""

        async def look() -> int | None:
            row = await self.registry.get(meeting_id)
            return row.holder.job_pid if row and row.holder else None

        return await until(look, _HEARING_S, "a holder of the meeting")


def shown(player: Player, attribute: str) -> str | None:
    """An attribute that somebody else in the room shows, as this player sees it."""
    return next(
        (
            someone.attributes[attribute]
            for someone in player.room.remote_participants.values()
            if attribute in someone.attributes
        ),
        None,
    )


async def moim_in(player: Player) -> str:
    """Wait until Moim shows its epoch."""
    return await player.wait_for(lambda p: shown(p, "moim.epoch"), _HEARING_S, "Moim in the room")


async def bare_in(player: Player) -> int:
    """Wait until the bare job shows itself; its pid."""
    return int(
        await player.wait_for(lambda p: shown(p, PID_ATTRIBUTE), _HEARING_S, "the bare job in the room")
    )


async def _ready(port: int) -> bool:
    timeout = aiohttp.ClientTimeout(total=2)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as client,
            client.get(f"http://127.0.0.1:{port}/readyz") as answer,
        ):
            return answer.status == 200
    except (aiohttp.ClientError, TimeoutError):
        return False


# ---- what is said -----------------------------------------------------------------------------


def audio_folder(name: str) -> Path:
    """One of the sample meetings of a checkout."""
    return Path(__file__).resolve().parents[1] / "data" / "audio" / name


def spoken_lines(folder: Path) -> list[tuple[str, float, float]]:
    """(speaker, start, end) of the lines of a sample meeting, in seconds."""
    script: dict[str, Any] = json.loads((folder / "meeting.json").read_text(encoding="utf-8"))
    return [(line["speaker"], line["start_s"], line["end_s"]) for line in script["lines"]]
