"""Connections to Redis (≥ 7) or Valkey, its errors as those of the ports, and whether it is there.

Nothing is connected before the first call. Commands have a deadline of two seconds; reads that block until
something comes have connections of their own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeVar

import structlog
from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, AuthorizationError, NoPermissionError, RedisError

from context.ports import PortError, Refused, Unavailable
from worker.clock import happens, monotonic_s

log = structlog.get_logger(__name__)

T = TypeVar("T")

BLOCK_MS: Final = 5_000
"""A blocking read waits so long at most before it asks again."""
_TIMEOUT_S: Final = 2.0
_COMMANDS_AT_ONCE: Final = 8
"""Further commands wait for a free connection."""
_MAX_READERS: Final = 10_000
"""Every meeting of the process has a connection that waits for its input."""
_RETRY_FIRST_S: Final = 0.1
_RETRY_MAX_S: Final = 2.0
_PAUSE_S: Final = 0.5
"""For so long after a failure `demand_calm` raises, so that nothing is tried."""
_PAUSE_MIN_S: Final = 0.1
"""`pause` lasts this long at least: a command that alone fails must not be tried without a pause."""


class RedisConnection:
    """Two clients of one Redis: `quick` for commands, `patient` for reads that block; call both by `do`."""

    def __init__(self, url: str, *, on_away: Callable[[bool], None] = lambda _away: None) -> None:
        """`on_away` is called when Redis goes (True) and when it is back (False).

        Raises `Refused` where `url` is no address of a Redis.
        """
        try:
            self.quick = _client(url, BlockingConnectionPool, _COMMANDS_AT_ONCE, _TIMEOUT_S)
            self.patient = _client(url, ConnectionPool, _MAX_READERS, BLOCK_MS / 1000 + _TIMEOUT_S)
        except ValueError as error:
            raise Refused(f"REDIS_URL: {error}") from error
        self._on_away = on_away
        self.away = False
        """True where the last command did not reach Redis, or failed there."""
        self._quiet_until_s = 0.0
        self._back = asyncio.Event()

    async def pause(self, wait_s: float) -> None:
        """Wait `wait_s` after a failure, or less where another command finds that Redis is back."""
        await asyncio.sleep(min(wait_s, _PAUSE_MIN_S))
        await happens(self._back, max(0.0, wait_s - _PAUSE_MIN_S))

    async def until_there(self, read: Callable[[], Awaitable[T]], stream: str) -> T:
        """Return what `read` gives; it is tried again while Redis is away. `stream` names it in the log."""
        wait_s = _RETRY_FIRST_S
        while True:
            try:
                return await read()
            except PortError as error:
                log.warning("redis_read_failed", stream=stream, error=str(error), retry_s=wait_s)
                await self.pause(wait_s)
                wait_s = min(wait_s * 2, _RETRY_MAX_S)

    def demand_calm(self) -> None:
        """Raise `Unavailable` where Redis failed less than half a second ago."""
        if monotonic_s() < self._quiet_until_s:
            raise Unavailable("Redis is away")

    async def append(self, key: bytes | str, fields: Mapping[str, Any], *, cap: int | None = None) -> str:
        """Add an entry with `fields` as its field `json`; return its position. `cap`: entries kept, about."""
        text = json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")
        position: bytes = await self.do(self.quick.xadd(key, {"json": text}, maxlen=cap, approximate=True))
        return position.decode()

    async def append_passing(self, key: bytes, entry: bytes, *, kept_s: int, cap: int | None = None) -> None:
        """Add an entry to a stream that expires `kept_s` after it. Raises at once after a failure."""
        self.demand_calm()
        pipe = self.quick.pipeline(transaction=False)
        pipe.xadd(key, {"json": entry}, maxlen=cap, approximate=True)
        pipe.expire(key, kept_s)
        await self.do(pipe.execute())

    async def do(self, call: Any) -> Any:
        """Return a command's answer, and note whether Redis is there. Raises `Unavailable` or `Refused`."""
        try:
            answer = await _cancellable(call)
        except (AuthenticationError, AuthorizationError, NoPermissionError) as error:
            self._note(away=True)
            raise Refused(f"Redis: {error}: check the user and password in REDIS_URL") from error
        except (RedisError, OSError, TimeoutError) as error:
            self._note(away=True)
            raise Unavailable(f"Redis: {error or type(error).__name__}") from error
        self._note(away=False)
        return answer

    def _note(self, *, away: bool) -> None:
        self._quiet_until_s = monotonic_s() + _PAUSE_S if away else 0.0
        if away:
            self._back.clear()
        else:
            self._back.set()
        if away != self.away:
            self.away = away
            if away:
                log.warning("redis_away")
            else:
                log.info("redis_back")
            self._on_away(away)

    async def aclose(self) -> None:
        """Close the connections."""
        for client in (self.quick, self.patient):
            with suppress(RedisError, OSError):
                await client.aclose()


async def _cancellable(call: Any) -> Any:
    """Await a command so that a cancellation always reaches it.

    redis-py sends through `asyncio.wait_for`, which up to Python 3.11 loses a cancellation that comes
    just when the sending is done: a reader would go on for ever, and its meeting's job with it.
    """
    command = asyncio.ensure_future(call)
    try:
        await asyncio.wait({command})
    except asyncio.CancelledError:
        while not command.done():
            command.cancel()
            await asyncio.wait({command}, timeout=0.05)
        if not command.cancelled():
            command.exception()  # nobody is left to hear it
        raise
    return command.result()


def _client(url: str, pool: type[ConnectionPool], connections: int, timeout_s: float) -> Redis:
    return Redis.from_pool(
        pool.from_url(
            url,
            max_connections=connections,
            protocol=2,
            socket_connect_timeout=_TIMEOUT_S,
            socket_timeout=timeout_s,
            retry=Retry(NoBackoff(), 1),  # once, for a connection that died in the pool; more is the caller's
            health_check_interval=15,
            client_name="moim",
            driver_info=None,  # it looks up its own version among all that is installed, for each client
        )
    )
