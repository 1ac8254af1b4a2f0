"""The engine's side of the socket: takes requests, hands them to a few threads, answers.

A model is a plain blocking function. `workers` requests are worked on at once, each on one
core: two threads on one utterance gain almost nothing, two utterances side by side double what
gets through. A request beyond the queue's bound is answered `busy` at once; the requests of a
client that goes away leave the queue with it. Work under way can't be interrupted: its answer is
thrown away, and where it takes beyond `stuck_after_s` the server gives up (`EngineStuck`), so that
the process ends and is started anew.

Whose turn it is: a bounded queue that is fair between connections.

Each connection has its own line, and the lines are served in turn, so that a meeting with much
to say delays another by one request at most. Where the queue is full, room is made at the expense
of whoever has most in it: the loser's newest request is answered `busy`, not the newcomer's.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from stt.engine.protocol import VERSION, EngineStats, Frame, FrameDecoder, ProtocolError, encode
from stt.segment import Segment, SpeechError

log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Request(Generic[K]):
    """One thing that somebody asks of a model."""

    owner: K
    id: str
    kind: str
    """Its kind or its language, as the model's server understands it."""
    body: bytes


class FairQueue(Generic[K]):
    """Requests in line. No request is lost: it is taken, cancelled, or handed back by `put`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: dict[K, deque[Request[K]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def put(self, request: Request[K]) -> Request[K] | None:
        """Queue a request; what finds no room is handed back (the same request, or another's)."""
        loser = None
        if len(self) >= self._limit:
            longest = max(self._lines.values(), key=len, default=deque[Request[K]]())
            if len(longest) <= len(self._lines.get(request.owner, ())) + 1:
                return request
            loser = longest.pop()
        self._lines.setdefault(request.owner, deque()).append(request)
        return loser

    def take(self) -> Request[K] | None:
        """The next request: the oldest of the connection that has waited longest for its turn."""
        owner = next(iter(self._lines), None)
        if owner is None:
            return None
        line = self._lines.pop(owner)
        request = line.popleft()
        if line:
            self._lines[owner] = line  # behind the others
        return request

    def cancel(self, owner: K, request_id: str) -> None:
        """Take one request out of the line, where it still stands there."""
        kept = deque(request for request in self._lines.get(owner, ()) if request.id != request_id)
        if kept:
            self._lines[owner] = kept
        else:
            self.forget(owner)

    def forget(self, owner: K) -> None:
        """The connection is gone and so is its line."""
        self._lines.pop(owner, None)


class EngineStuck(Exception):
    """A model did not come back: the process is of no more use."""


class Connection(asyncio.Protocol):
    """One client's connection to the engine: frames are read and written whole."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._decoder = FrameDecoder()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The event loop calls this."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.joined(self)

    def data_received(self, data: bytes) -> None:
        """The event loop calls this."""
        try:
            for frame in self._decoder.feed(data):
                self._server.receive(self, frame)
        except ProtocolError as error:
            log.warning("client_speaks_nonsense", extra={"reason": str(error)})
            self.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        """The event loop calls this."""
        self._transport = None
        self._server.left(self)

    def send(self, kind: str, **fields: Any) -> None:
        """Answer, where there is still somebody to hear it."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(encode(kind, **fields))

    def close(self) -> None:
        """Flush and hang up."""
        if self._transport is not None:
            self._transport.close()


class ModelServer:
    """Serves one model on a Unix socket until `stop` is called. What a request is, a subclass says."""

    def __init__(
        self,
        name: str,
        socket_path: Path,
        *,
        workers: int = 2,
        queue_limit: int = 32,
        stuck_after_s: float = 120.0,
        kinds: tuple[str, ...] = ("",),
    ) -> None:
        """`kinds`: of requests, each with a queue of its own, the most urgent first."""
        self.name = name
        self.ready = asyncio.Event()
        """Set once the socket listens."""
        self._socket_path = socket_path
        self._workers = workers
        self._stuck_after_s = stuck_after_s
        self._queues: dict[str, FairQueue[Connection]] = {kind: FairQueue(queue_limit) for kind in kinds}
        self._wanted = asyncio.Semaphore(0)
        self._stopping = asyncio.Event()
        self._connections: set[Connection] = set()
        self._running = self._done = self._refused = 0

    def carry_out(self, request: Request[Connection]) -> dict[str, Any]:
        """The fields of the answer. Blocks, in a thread. Raises `SpeechError`, or anything for a defect."""
        raise NotImplementedError

    def enqueue(self, connection: Connection, frame: Frame) -> None:
        """Put what a client asks for into its queue (`_put`). Raises `ProtocolError` on nonsense."""
        raise NotImplementedError

    def stop(self) -> None:
        """Stop taking requests, finish what is under way, answer `busy` to the rest."""
        self._stopping.set()
        for _ in range(self._workers):
            self._wanted.release()

    async def serve(self) -> None:
        """Until `stop`. The socket file must not exist yet and is gone afterwards. Raises `EngineStuck`."""
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(self), self._socket_path)
        self._socket_path.chmod(0o600)
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="engine")
        try:
            self.ready.set()
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._work(pool))
        finally:
            server.close()
            self._socket_path.unlink(missing_ok=True)
            while (request := self._next()) is not None:
                request.owner.send("busy", id=request.id, reason="the engine stops")
            for connection in list(self._connections):
                connection.close()
            pool.shutdown(wait=False, cancel_futures=True)

    async def _work(self, pool: ThreadPoolExecutor) -> None:
        while await self._wanted.acquire() and not self._stopping.is_set():
            request = self._next()
            if request is None:  # it was cancelled, or lost its place
                continue
            self._running += 1
            try:
                async with asyncio.timeout(self._stuck_after_s):
                    answer = await asyncio.get_running_loop().run_in_executor(pool, self.carry_out, request)
            except TimeoutError as error:
                raise EngineStuck(f"no answer from the model in {self._stuck_after_s:.0f} s") from error
            except SpeechError as error:
                request.owner.send("failed", id=request.id, reason=str(error))
            except Exception as error:  # a defect costs one request, not everybody's engine
                log.exception("engine_request_failed")
                request.owner.send("failed", id=request.id, reason=f"{type(error).__name__}: {error}")
            else:
                self._done += 1
                request.owner.send("result", id=request.id, **answer)
            finally:
                self._running -= 1

    def _next(self) -> Request[Connection] | None:
        return next((found for queue in self._queues.values() if (found := queue.take()) is not None), None)

    def joined(self, connection: Connection) -> None:
        """A client came."""
        self._connections.add(connection)
        connection.send("hello", version=VERSION, model=self.name)

    def left(self, connection: Connection) -> None:
        """A client went, and nobody waits for its answers."""
        self._connections.discard(connection)
        for queue in self._queues.values():
            queue.forget(connection)

    def receive(self, connection: Connection, frame: Frame) -> None:
        """One message of a client. Raises `ProtocolError` on nonsense."""
        match frame.kind:
            case "cancel":
                for queue in self._queues.values():
                    queue.cancel(connection, frame.id)
            case "stats":
                connection.send("stats", id=frame.id, stats=asdict(self.stats()))
            case _:
                self.enqueue(connection, frame)

    def _put(self, request: Request[Connection], kind: str = "") -> None:
        if self._stopping.is_set():
            request.owner.send("busy", id=request.id, reason="the engine stops")
            return
        queue = self._queues[kind]
        loser = queue.put(request)
        if loser is not request:
            self._wanted.release()
        if loser is not None:
            self._refused += 1
            loser.owner.send("busy", id=loser.id, reason=f"{len(queue)} requests wait already")

    def stats(self) -> EngineStats:
        """How the engine is doing now."""
        queued = sum(map(len, self._queues.values()))
        return EngineStats(queued=queued, running=self._running, done=self._done, refused=self._refused)


class Recogniser(Protocol):
    """Blocking speech recognition, safe to call from several threads."""

    name: str

    def recognise(self, pcm: bytes, language: str) -> list[Segment]:
        """The text of one voiced stretch. Raises `SpeechError` for this stretch, anything for a defect."""


class EngineServer(ModelServer):
    """Serves one recogniser of speech; a request is a stretch of sound that somebody wants as text."""

    def __init__(self, recogniser: Recogniser, socket_path: Path, **options: Any) -> None:
        """`options`: see `ModelServer`."""
        super().__init__(recogniser.name, socket_path, **options)
        self._recogniser = recogniser

    def enqueue(self, connection: Connection, frame: Frame) -> None:
        """`transcribe`: its language, and the sound as its body."""
        if frame.kind != "transcribe":
            raise ProtocolError(f"unknown kind {frame.kind[:40]!r}")
        language = str(frame.header.get("language", "auto"))
        self._put(Request(connection, frame.id, language, frame.body))

    def carry_out(self, request: Request[Connection]) -> dict[str, Any]:
        """Recognise the speech in the sound."""
        return {"segments": list(map(asdict, self._recogniser.recognise(request.body, request.kind)))}
