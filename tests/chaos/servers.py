"""Real servers for the experiments, and worker processes that are quickly born and truly killed."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import asyncpg

from tests.chaos import holder
from worker.adapters.migrations import migrate
from worker.clock import monotonic_s
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey

_PRELOAD = ["tests.chaos.holder"]


@dataclass
class Servers:
    """Postgres and Valkey, and the directory they live in."""

    directory: Path
    postgres: EmbeddedPostgres
    valkey: EmbeddedValkey
    _workers: list[Worker] = field(default_factory=list)

    def environment(self, name: str, **more: str) -> dict[str, str]:
        """What a text worker of tenant `name` is told; its state directory is `name`'s own."""
        return {
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.valkey.url,
            "MOIM_TENANT": name,
            "MOIM_STATE_DIR": str(self.directory / name),
            "STT_ENGINE": "none",
            "EMBED_ENGINE": "none",
            "MOIM_HTTP_HOST": "127.0.0.1",
            "MOIM_HTTP_PORT": "0",
            **more,
        }

    def worker(self, name: str, *, doom: holder.Doom | None = None, **more: str) -> Worker:
        """Start `moim worker --text` for the tenant `name`."""
        environment = self.environment(name, **more)
        log = self.directory / f"{name}.log"
        worker = Worker(environment, log, doom)
        self._workers.append(worker)
        return worker

    @asynccontextmanager
    async def admin(self) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
        """A connection that sees all tenants."""
        connection = await asyncpg.connect(self.postgres.admin_url)
        try:
            yield connection
        finally:
            await connection.close()

    def kill_workers(self) -> None:
        """Nothing of ours is left running."""
        for worker in self._workers:
            worker.kill()


class Worker:
    """One worker process: `moim worker --text`, forked from a server that has imported it."""

    def __init__(self, environment: Mapping[str, str], log: Path, doom: holder.Doom | None) -> None:
        context = get_context("forkserver")
        context.set_forkserver_preload(_PRELOAD)
        self._process: ForkServerProcess = context.Process(
            target=holder.host, args=(dict(environment), str(log), doom), daemon=True
        )
        self._log, self._log_from = log, log.stat().st_size if log.exists() else 0
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        self.born_s = monotonic_s()

    @property
    def exit_code(self) -> int | None:
        """The exit code as `subprocess` has it: negative for a signal; None while it runs."""
        return self._process.exitcode

    @property
    def told(self) -> bool:
        """Does it know already that it is to stop?"""
        return holder.told(self._log, self._log_from)

    @property
    def listens(self) -> bool:
        """Can it be asked to go? A process that is only being born cannot: it has no handler yet."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return False
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
        return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it is still there."""
        if self._process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL, and wait for its end."""
        if self._process.exitcode is None:
            os.kill(self.pid, signal.SIGKILL)
        self._process.join(30)


@asynccontextmanager
async def servers(*, durable: bool = False) -> AsyncIterator[Servers]:
    """Postgres (migrated) and Valkey, whose data is in memory. `durable`: Postgres' outlives a SIGKILL."""
    with tempfile.TemporaryDirectory(prefix="moim-chaos-", ignore_cleanup_errors=True) as name:
        directory = Path(name)
        directory.chmod(0o755)
        world = Servers(
            directory,
            EmbeddedPostgres(directory / "postgres", durable=durable),
            EmbeddedValkey(directory / "valkey"),
        )
        try:
            await world.postgres.start()
            await world.valkey.start()
            await migrate(world.postgres.admin_url, world.postgres.url)
            yield world
        finally:
            world.kill_workers()
            await world.valkey.stop()
            await world.postgres.stop()
