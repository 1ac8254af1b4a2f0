"""The server of an engine: takes requests from a socket, hands them to a few threads, and answers.

A model is a plain blocking function. `workers` requests are worked on at once, each on one
core: two threads on one utterance gain almost nothing, two utterances side by side double what
gets through. A request beyond the queue's bound is answered `busy` at once; the requests of a
client that goes away leave the queue with it. Work under way can't be interrupted: its answer is
thrown away, and where it takes beyond `stuck_after_s`, and ten times as long as its sound, the server gives
up (`EngineStuck`), so that the process ends and is started anew.

Kinds of requests are more or less urgent. A worker takes the most urgent kind that waits, and the urgent
kinds have one more worker to themselves: none of them ever waits until a long request of another kind is
done.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from stt.engine.fair_queue import EngineRequest, FairQueue
from stt.engine.protocol import VERSION, EngineFrame, EngineStats, FrameDecoder, ProtocolError, encode
from stt.segment import EngineBusy, SpeechError

log = logging.getLogger(__name__)

_SLOW_BYTES_PER_S = 3_200
"""A machine whose cores others have taken may need ten seconds for one of sound, and is not stuck."""


class EngineStuck(Exception):
    """A model did not return in time; its thread can't be ended, so the process has to be."""


class Connection(asyncio.Protocol):
    """One client's connection to the engine: frames are read and written whole."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._decoder = FrameDecoder()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.BaseProtocol.connection_made`."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.joined(self)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol.data_received`."""
        try:
            for frame in self._decoder.feed(data):
                self._server.receive(self, frame)
        except ProtocolError as error:
            log.warning("client_speaks_nonsense", extra={"reason": str(error)})
            self.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol.connection_lost`."""
        self._transport = None
        self._server.left(self)

    def send(self, kind: str, **fields: Any) -> None:
        """Send a frame (`encode`), unless the client is gone."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(encode(kind, **fields))

    def close(self) -> None:
        """Close the connection once everything is sent."""
        if self._transport is not None:
            self._transport.close()


@dataclass(frozen=True, slots=True)
class _Team:
    """Workers that take the same kinds of requests, in this order."""

    kinds: tuple[str, ...]
    workers: int
    wanted: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    """Released for each request of these kinds; who then finds none goes on waiting."""


class ModelServer:
    """Serves one model on a Unix socket until `stop`; a subclass says what a request is."""

    def __init__(
        self,
        name: str,
        socket_path: Path,
        *,
        workers: int = 2,
        queue_limit: int = 32,
        stuck_after_s: float = 120.0,
        kinds: tuple[str, ...] = ("",),
        urgent: int = 0,
    ) -> None:
        """`kinds` of requests have a queue of `queue_limit` each; the first kind is the most urgent.

        `workers` requests are worked on at once; one that takes `stuck_after_s` ends the server. `urgent`:
        the first so many kinds have one more worker, which works on nothing else.
        """
        self.name = name
        self.ready = asyncio.Event()
        """Set once the socket listens."""
        self._socket_path = socket_path
        self._stuck_after_s = stuck_after_s
        self._queues: dict[str, FairQueue[Connection]] = {kind: FairQueue(queue_limit) for kind in kinds}
        self._teams = [_Team(kinds, workers), *([_Team(kinds[:urgent], 1)] if urgent else [])]
        self._stopping = asyncio.Event()
        self._connections: set[Connection] = set()
        self._under_way: list[EngineRequest[Connection]] = []
        self._done = self._refused = 0

    def carry_out(self, request: EngineRequest[Connection]) -> dict[str, Any]:
        """Work on a request, in a thread; returns the fields of `result`. What it raises is `failed`."""
        raise NotImplementedError

    def enqueue(self, connection: Connection, frame: EngineFrame) -> None:
        """Queue a client's frame as an `EngineRequest`, by `_put`. Raises `ProtocolError` on nonsense."""
        raise NotImplementedError

    def stop(self) -> None:
        """Take no more requests, finish those that are being worked on, and answer `busy` to the rest."""
        self._stopping.set()
        for team in self._teams:
            for _ in range(team.workers):
                team.wanted.release()

    async def serve(self) -> None:
        """Serve until `stop`, on a socket file that is made and removed. Raises `EngineStuck` in a group."""
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(self), self._socket_path)
        self._socket_path.chmod(0o600)
        workers = sum(team.workers for team in self._teams)
        pool = ThreadPoolExecutor(workers, thread_name_prefix="engine")
        try:
            self.ready.set()
            async with asyncio.TaskGroup() as group:
                for team in self._teams:
                    for _ in range(team.workers):
                        group.create_task(self._work(team, pool))
        finally:
            server.close()
            self._socket_path.unlink(missing_ok=True)
            while (request := self._next(tuple(self._queues))) is not None:
                request.owner.send("busy", id=request.id, reason="the engine stops")
            for connection in list(self._connections):
                connection.close()
            pool.shutdown(wait=False, cancel_futures=True)

    async def _work(self, team: _Team, pool: ThreadPoolExecutor) -> None:
        while await team.wanted.acquire() and not self._stopping.is_set():
            request = self._next(team.kinds)
            if request is None:  # it was cancelled, lost its place, or another worker has taken it
                continue
            self._under_way.append(request)
            stuck_after_s = self._stuck_after_s + len(request.body) / _SLOW_BYTES_PER_S
            try:
                async with asyncio.timeout(stuck_after_s):
                    answer = await asyncio.get_running_loop().run_in_executor(pool, self.carry_out, request)
            except TimeoutError as error:
                raise EngineStuck(f"no answer from the model in {stuck_after_s:.0f} s") from error
            except EngineBusy as error:
                request.owner.send("busy", id=request.id, reason=str(error))
            except SpeechError as error:
                request.owner.send("failed", id=request.id, reason=str(error))
            except Exception as error:  # a defect costs one request, not everybody's engine
                log.exception("engine_request_failed")
                request.owner.send("failed", id=request.id, reason=f"{type(error).__name__}: {error}")
            else:
                self._done += not request.gives_way
                request.owner.send("result", id=request.id, **answer)
            finally:
                self._under_way.remove(request)

    def _next(self, kinds: tuple[str, ...]) -> EngineRequest[Connection] | None:
        return next((request for kind in kinds if (request := self._queues[kind].take()) is not None), None)

    def joined(self, connection: Connection) -> None:
        """Greet a client that has connected."""
        self._connections.add(connection)
        connection.send("hello", version=VERSION, model=self.name)

    def left(self, connection: Connection) -> None:
        """Drop the requests of a client that is gone."""
        self._connections.discard(connection)
        for queue in self._queues.values():
            queue.forget(connection)
        for request in self._under_way:
            if request.owner is connection:
                request.withdrawn.set()

    def receive(self, connection: Connection, frame: EngineFrame) -> None:
        """Obey one message of a client. Raises `ProtocolError` on nonsense."""
        match frame.kind:
            case "cancel":
                for queue in self._queues.values():
                    queue.cancel(connection, frame.id)
                for request in self._under_way:
                    if request.owner is connection and request.id == frame.id:
                        request.withdrawn.set()
            case "stats":
                connection.send("stats", id=frame.id, stats=asdict(self.stats()))
            case _:
                self.enqueue(connection, frame)

    def _put(self, request: EngineRequest[Connection], kind: str = "") -> None:
        if self._stopping.is_set():
            request.owner.send("busy", id=request.id, reason="the engine stops")
            return
        queue = self._queues[kind]
        loser = queue.put(request)
        if loser is not request:
            for team in self._teams:
                if kind in team.kinds:
                    team.wanted.release()
        if loser is not None:
            self._refused += 1
            loser.owner.send("busy", id=loser.id, reason=f"{len(queue)} requests wait already")

    def stats(self) -> EngineStats:
        """Count what the engine has to do and has done."""
        queued = sum(map(len, self._queues.values()))
        return EngineStats(
            queued=queued, running=len(self._under_way), done=self._done, refused=self._refused
        )
