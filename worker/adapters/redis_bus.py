"""The streams around a meeting: segments and questions come in, live events go out.

    moim:in:{meeting}    in    segments, and the word that it is over
    moim:ask:{meeting}   in    questions to the agent
    moim:out:{meeting}   out   live events, capped

Input is read without consumer groups: how far is part of the meeting's own record, so that what
was read and what is recorded never part. Redis is no truth: while it is away a meeting goes on,
`away` says so, publishing fails at once instead of waiting, and reading goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import structlog
from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, AuthorizationError, NoPermissionError, RedisError

from context.ports import PortError, Refused, Unavailable
from worker.adapters.redis_messages import AskMessage, Message, SegmentMessage, read_ask, read_input
from worker.clock import monotonic_s, now_utc

log = structlog.get_logger(__name__)

OUT_CAP: Final = 10_000
"""About so many entries of an output stream are kept."""
_OUT_KEPT_S: Final = 7 * 24 * 3600
"""An output stream is forgotten a week after its last event; the record is in Postgres."""
_TIMEOUT_S: Final = 2.0
_BLOCK_MS: Final = 5_000
_PROBE_MS: Final = 50
_AT_ONCE: Final = 50
_RETRY_FIRST_S: Final = 0.1
_RETRY_MAX_S: Final = 2.0
_COMMANDS_AT_ONCE: Final = 8
"""The rest waits for a free connection."""
_READERS: Final = 10_000
"""Every meeting of the process has a connection that waits for its input."""
_PAUSE_S: Final = 0.5
"""After a failure, publishing is not even tried for so long."""

_PUBLISH: Final = """
local seq = redis.call('INCR', KEYS[2])
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*',
                      'json', '{"seq":' .. string.format('%.0f', seq) .. ',' .. ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return {seq, id}
"""
"""Number and entry in one step, so that the numbers in the stream rise without a gap, whoever writes."""


@dataclass(frozen=True, slots=True)
class InputEntry:
    """One entry of an input stream, with the place to go on from."""

    stream: str
    position: str
    message: Message


class RedisBus:
    """Redis (≥ 7) or Valkey. Nothing is connected before the first call."""

    def __init__(self, url: str, *, on_away: Callable[[bool], None] = lambda _away: None) -> None:
        """`on_away` is called when Redis goes (True) and when it is back (False)."""
        try:
            self._quick = _client(url, BlockingConnectionPool, _COMMANDS_AT_ONCE, _TIMEOUT_S)
            self._patient = _client(url, ConnectionPool, _READERS, _BLOCK_MS / 1000 + _TIMEOUT_S)
        except ValueError as error:
            raise Refused(f"REDIS_URL: {error}") from error
        self._publish = self._quick.register_script(_PUBLISH)
        self._on_away = on_away
        self._away = False
        self._quiet_until_s = 0.0

    @property
    def away(self) -> bool:
        """Was Redis out of reach at the last try?"""
        return self._away

    async def publish(self, meeting_id: str, kind: str, fields: Mapping[str, Any]) -> int:
        """Append a live event; its number in the stream. Raises `Unavailable`, without waiting twice."""
        if monotonic_s() < self._quiet_until_s:
            raise Unavailable("Redis is away")
        entry = {"kind": kind, "at": now_utc().isoformat(timespec="milliseconds"), **fields}
        text = json.dumps(entry, ensure_ascii=False, default=str).encode("utf-8", "replace")
        seq, _ = await self._do(
            self._publish(
                keys=[_key("out", meeting_id), _key("seq", meeting_id)],
                args=[text[1:], OUT_CAP, _OUT_KEPT_S],
            )
        )
        return int(seq)

    async def read_inputs(self, meeting_id: str, positions: Mapping[str, str]) -> AsyncIterator[InputEntry]:
        """All entries behind `positions` (stream → last position read), and every later one. Never ends.

        An outage is waited out; malformed entries come with their reason.
        """
        readers = {_name("in", meeting_id): read_input, _name("ask", meeting_id): read_ask}
        start = {stream: positions.get(stream, "0") for stream in readers}
        async for stream, position, payload in self._follow(start):
            yield InputEntry(stream, position, readers[stream](payload))

    async def follow(self, meeting_id: str, after: str = "0") -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Position and content of every live event behind `after` (`$`: from now on). Never ends."""
        async for _, position, payload in self._follow({_name("out", meeting_id): after}):
            with suppress(ValueError, TypeError):
                yield position, json.loads(payload or b"")

    async def send_segment(self, meeting_id: str, segment: SegmentMessage) -> str:
        """Say something in a meeting; the entry's position."""
        return await self._send("in", meeting_id, segment.model_dump(exclude_none=True))

    async def end(self, meeting_id: str) -> str:
        """Say that a text meeting is over."""
        return await self._send("in", meeting_id, {"end": True})

    async def ask(self, meeting_id: str, question: AskMessage) -> str:
        """Ask the agent; see `wait_reply`."""
        return await self._send("ask", meeting_id, question.model_dump())

    async def wait_reply(
        self, meeting_id: str, invocation_id: str, timeout_s: float
    ) -> dict[str, Any] | None:
        """The reply to an invocation, also one that is there already; None when none came in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                async for _, event in self.follow(meeting_id):
                    if event.get("kind") == "reply" and event.get("invocation_id") == invocation_id:
                        return event
        return None

    async def ping(self) -> None:
        """Raises `Unavailable` or `Refused`."""
        await self._do(self._quick.ping())

    async def aclose(self) -> None:
        """Let go of the connections."""
        for client in (self._quick, self._patient):
            with suppress(RedisError, OSError):
                await client.aclose()

    async def _send(self, direction: str, meeting_id: str, fields: dict[str, Any]) -> str:
        text = json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")
        position: bytes = await self._do(self._quick.xadd(_key(direction, meeting_id), {"json": text}))
        return position.decode()

    async def _follow(self, start: Mapping[str, str]) -> AsyncIterator[tuple[str, str, bytes | None]]:
        """Entries of some streams as they come: stream, position, the field `json`."""
        names = {_encoded(stream): stream for stream in start}
        places: dict[Any, Any] = {_encoded(stream): position for stream, position in start.items()}
        wait_s = _RETRY_FIRST_S
        while True:
            block_ms = _PROBE_MS if self._away else _BLOCK_MS  # an answer soon says that it is back
            try:
                found = await self._do(self._patient.xread(places, count=_AT_ONCE, block=block_ms))
            except PortError as error:
                log.warning("redis_read_failed", error=str(error), retry_s=wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _RETRY_MAX_S)
                continue
            wait_s = _RETRY_FIRST_S
            for key, entries in found or ():
                for position, fields in entries:
                    places[key] = position
                    yield names[key], position.decode(), (fields or {}).get(b"json")

    async def _do(self, call: Any) -> Any:
        """Await a command, its errors in our words, and note whether Redis is there."""
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
        if away != self._away:
            self._away = away
            log.warning("redis_away") if away else log.info("redis_back")
            self._on_away(away)


async def _cancellable(call: Any) -> Any:
    """Await a command, and be cancelled whenever we are.

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


def _name(direction: str, meeting_id: str) -> str:
    return f"moim:{direction}:{meeting_id}"


def _key(direction: str, meeting_id: str) -> bytes:
    return _encoded(_name(direction, meeting_id))


def _encoded(name: str) -> bytes:
    """Any id makes a key, also one that is no proper Unicode."""
    return name.encode("utf-8", "surrogatepass")
