"""A Postgres as durable as in production, a Valkey, and `moim worker --text`, for the length of one measure."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import aiohttp

from tests.acceptance.stack import until
from tests.bench.processes import family
from worker.adapters.migrations import migrate
from worker.dev.stack import Program
from worker.embedded.child import free_port
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey

_START_S: Final = 90.0
_STOP_S: Final = 30.0
_CACHE: Final = Path(os.environ.get("MOIM_CACHE_DIR", ".cache")).absolute()


class Servers:
    """Everything that text meetings take; `async with` starts it, and removes its data."""

    def __init__(
        self,
        *,
        workers: int = 1,
        limit: int = 1000,
        durable: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`limit`: meetings of a worker. `environment`: the workers' settings beyond the defaults."""
        self._stack = AsyncExitStack()
        self.directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="moim-load-")))
        self.directory.chmod(0o755)  # the user that Postgres runs as has to get in
        self.postgres = EmbeddedPostgres(self.directory / "postgres", durable=durable)
        self.valkey = EmbeddedValkey(self.directory / "valkey")
        self._more = dict(environment or {})
        self._count, self._limit = workers, limit
        self.workers: list[Program] = []
        self._ports: list[int] = []

    async def __aenter__(self) -> Self:
        """Start the servers, then the workers."""
        for start, stop in ((self.postgres.start, self.postgres.stop), (self.valkey.start, self.valkey.stop)):
            self._stack.push_async_callback(stop)
            await start()
        await migrate(self.postgres.admin_url, self.postgres.url)
        for number in range(self._count):
            await self._start_worker(number)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all that was started."""
        await self._stack.__aexit__(kind, error, trace)

    async def _start_worker(self, number: int) -> None:
        port = free_port()
        worker = Program(
            "worker --text",
            self.directory / f"worker-{number}.log",
            {
                "DATABASE_URL": self.postgres.url,
                "REDIS_URL": self.valkey.url,
                "MOIM_CACHE_DIR": str(_CACHE),
                "MOIM_STATE_DIR": str(self.directory / f"state-{number}"),
                "MOIM_HTTP_HOST": "127.0.0.1",
                "MOIM_HTTP_PORT": str(port),
                "MOIM_MAX_TEXT_MEETINGS": str(self._limit),
                "PYTHONUTF8": "1",
                **self._more,
            },
            stop_within_s=_STOP_S,
        )
        await worker.start()
        self._stack.push_async_callback(worker.stop)
        self.workers.append(worker)
        self._ports.append(port)

        async def ready() -> bool:
            if worker.pid is None:
                raise RuntimeError(f"the worker does not start: {worker.last_words()}")
            return await _answers(port)

        await until(ready, "the worker's start")

    async def metrics(self) -> list[str]:
        """What each worker tells Prometheus."""
        async with aiohttp.ClientSession() as client:
            texts = []
            for port in self._ports:
                async with client.get(f"http://127.0.0.1:{port}/metrics") as answer:
                    texts.append(await answer.text())
            return texts

    def complaints(self) -> dict[str, int]:
        """What the workers' logs warn of, and how often."""
        found: Counter[str] = Counter()
        for number in range(self._count):
            log = self.directory / f"worker-{number}.log"
            for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
                with suppress(ValueError, AttributeError):
                    entry = json.loads(line)
                    if entry.get("level") in {"warning", "error", "critical"}:
                        found[f"{entry.get('event')}: {str(entry.get('error', ''))[:80]}"] += 1
        return dict(found)

    def pids(self) -> dict[str, list[int]]:
        """Processes by part. The embeddings' engine is the workers' child, and a part of its own."""
        parts: dict[str, list[int]] = {"worker": [], "embeddings": []}
        for worker in self.workers:
            assert worker.pid is not None, worker.last_words()
            parts["worker"].append(worker.pid)
            parts["embeddings"] += [pid for pid in family(worker.pid) if pid != worker.pid]
        parts["postgres"] = family(self.postgres.pid) if self.postgres.pid else []
        parts["valkey"] = family(self.valkey.pid) if self.valkey.pid else []
        return parts


async def _answers(port: int) -> bool:
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2)) as client,
            client.get(f"http://127.0.0.1:{port}/readyz") as answer,
        ):
            return answer.status == 200
    except (aiohttp.ClientError, TimeoutError):
        return False
