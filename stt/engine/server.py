"""The engine's side of the socket: takes requests, hands them to a few threads, answers.

A recogniser is a plain blocking function over PCM. `workers` of them run at once, each on one
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
from collections import OrderedDict, deque
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from stt.engine.protocol import VERSION, Connection, EngineStats, Frame, ProtocolError, encode_segments
from stt.engine.serving import EngineStuck
from stt.segment import BYTES_PER_MS, Segment, SpeechError

log = logging.getLogger(__name__)

_BYTES_PER_S = BYTES_PER_MS * 1000


class Recogniser(Protocol):
    """Blocking speech recognition, safe to call from several threads."""

    name: str

    def recognise(self, pcm: bytes, language: str) -> list[Segment]:
        """The text of one voiced stretch. Raises `SpeechError` for this stretch, anything for a defect."""
        ...


class EngineServer:
    """Serves one recogniser on a Unix socket until `stop` is called."""

    def __init__(
        self,
        recogniser: Recogniser,
        socket_path: Path,
        *,
        workers: int = 2,
        queue_limit: int = 32,
        stuck_after_s: float = 120.0,
    ) -> None:
        self._recogniser = recogniser
        self._socket_path = socket_path
        self._workers = workers
        self._stuck_after_s = stuck_after_s
        self._queue: FairQueue[Connection] = FairQueue(queue_limit)
        self._wanted = asyncio.Semaphore(0)
        self._stopping = asyncio.Event()
        self._connections: set[Connection] = set()
        self._running: dict[int, Request[Connection]] = {}
        self._done = 0
        self._refused = 0
        self._audio_per_s = 0.0
        self.ready = asyncio.Event()
        """Set once the socket listens."""

    def stop(self) -> None:
        """Stop taking requests, finish what is under way, answer `busy` to the rest."""
        self._stopping.set()
        for _ in range(self._workers):
            self._wanted.release()

    async def serve(self) -> None:
        """Until `stop`. The socket file must not exist yet and is gone afterwards."""
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(self), self._socket_path)
        self._socket_path.chmod(0o600)
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="recognise")
        try:
            self.ready.set()
            async with asyncio.TaskGroup() as group:
                for number in range(self._workers):
                    group.create_task(self._work(pool, number))
        finally:
            server.close()
            self._socket_path.unlink(missing_ok=True)
            while (request := self._queue.take()) is not None:
                request.owner.send("busy", id=request.id, reason="the engine stops")
            for connection in list(self._connections):
                connection.close()
            pool.shutdown(wait=False, cancel_futures=True)

    async def _work(self, pool: ThreadPoolExecutor, number: int) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wanted.acquire()
            if self._stopping.is_set():
                return
            request = self._queue.take()
            if request is None:  # it was cancelled, or lost its place
                continue
            self._running[number] = request
            started_s = loop.time()
            try:
                async with asyncio.timeout(self._stuck_after_s):
                    segments = await loop.run_in_executor(
                        pool, self._recogniser.recognise, request.pcm, request.language
                    )
            except TimeoutError as error:
                raise EngineStuck(f"no answer from the model in {self._stuck_after_s:.0f} s") from error
            except SpeechError as error:
                request.owner.send("failed", id=request.id, reason=str(error))
            except Exception as error:  # a defect costs one stretch, not everybody's engine
                log.exception("recognition_failed")
                request.owner.send("failed", id=request.id, reason=f"{type(error).__name__}: {error}")
            else:
                self._done += 1
                self._learn_speed(len(request.pcm) / _BYTES_PER_S, loop.time() - started_s)
                request.owner.send("result", id=request.id, segments=encode_segments(segments))
            finally:
                self._running.pop(number, None)

    def _learn_speed(self, audio_s: float, took_s: float) -> None:
        now = audio_s / max(took_s, 1e-3)
        self._audio_per_s = now if self._audio_per_s == 0 else 0.8 * self._audio_per_s + 0.2 * now

    def joined(self, connection: Connection) -> None:
        """A client came."""
        self._connections.add(connection)
        connection.send("hello", version=VERSION, model=self._recogniser.name)

    def left(self, connection: Connection) -> None:
        """A client went, and nobody waits for its answers."""
        self._connections.discard(connection)
        self._queue.forget(connection)

    def receive(self, connection: Connection, frame: Frame) -> None:
        """One message of a client."""
        match frame.kind:
            case "transcribe":
                language = str(frame.header.get("language", "auto"))
                self._enqueue(Request(connection, frame.id, language, frame.body))
            case "cancel":
                self._queue.cancel(connection, frame.id)
            case "stats":
                connection.send("stats", id=frame.id, stats=asdict(self.stats()))
            case kind:
                raise ProtocolError(f"unknown kind {kind[:40]!r}")

    def _enqueue(self, request: Request[Connection]) -> None:
        if self._stopping.is_set():
            request.owner.send("busy", id=request.id, reason="the engine stops")
            return
        loser = self._queue.put(request)
        if loser is not request:
            self._wanted.release()
        if loser is not None:
            self._refused += 1
            loser.owner.send("busy", id=loser.id, reason=f"{len(self._queue)} requests wait already")

    def stats(self) -> EngineStats:
        """How the engine is doing now."""
        running = sum(len(request.pcm) for request in self._running.values())
        return EngineStats(
            model=self._recogniser.name,
            workers=self._workers,
            connections=len(self._connections),
            queued=len(self._queue),
            running=len(self._running),
            queued_audio_s=round((self._queue.pcm_bytes + running) / _BYTES_PER_S, 3),
            done=self._done,
            refused=self._refused,
            audio_per_s=round(self._audio_per_s, 3),
            rss_bytes=_rss_bytes(),
        )


def _rss_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Request(Generic[K]):
    """One stretch of sound that somebody wants as text."""

    owner: K
    id: str
    language: str
    pcm: bytes


class FairQueue(Generic[K]):
    """Requests in line. No request is lost: it is taken, cancelled, or handed back by `put`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: OrderedDict[K, deque[Request[K]]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def pcm_bytes(self) -> int:
        """Tell how many bytes of sound wait."""
        return sum(len(request.pcm) for line in self._lines.values() for request in line)

    def put(self, request: Request[K]) -> Request[K] | None:
        """Queue a request; what finds no room is handed back (the same request, or another's)."""
        loser = None
        if self._count >= self._limit:
            longest = max(self._lines, key=lambda owner: len(self._lines[owner]), default=None)
            mine = len(self._lines.get(request.owner, ()))
            if longest is None or len(self._lines[longest]) <= mine + 1:
                return request
            loser = self._lines[longest].pop()
            self._count -= 1
        self._lines.setdefault(request.owner, deque()).append(request)
        self._count += 1
        return loser

    def take(self) -> Request[K] | None:
        """The next request: the oldest of the connection that has waited longest for its turn."""
        if not self._lines:
            return None
        owner, line = self._lines.popitem(last=False)
        request = line.popleft()
        self._count -= 1
        if line:
            self._lines[owner] = line
        return request

    def cancel(self, owner: K, request_id: str) -> None:
        """Take one request out of the line, where it still stands there."""
        kept = deque(request for request in self._lines.get(owner, ()) if request.id != request_id)
        self._replace(owner, kept)

    def forget(self, owner: K) -> None:
        """The connection is gone and so is its line."""
        self._replace(owner, deque())

    def _replace(self, owner: K, line: deque[Request[K]]) -> None:
        self._count += len(line) - len(self._lines.get(owner, ()))
        if line:
            self._lines[owner] = line
        else:
            self._lines.pop(owner, None)
