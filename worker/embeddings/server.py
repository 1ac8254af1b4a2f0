"""The shared engine's side of its socket: one model, one thread, questions before passages.

Frames are those of the speech engine (`stt.engine.protocol`): a JSON header and a body.

    client -> engine   embed {id, query, body: a JSON list of texts}   cancel {id}   stats {id}
    engine -> client   hello {version, model}   result {id, rows, dim, body: float32, little-endian}
                       busy {id, reason}   failed {id, reason}   stats {id, stats}

Requests are small (`MAX_TEXTS`), so that a question waits for one of them at most. Beyond the queue's
bound a request is `busy` at once; each client has its turn.
"""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from context.vectors import Vectors
from stt.engine.protocol import VERSION, Connection, Frame, ProtocolError
from stt.engine.server import FairQueue, Request
from stt.engine.serving import EngineStuck
from worker.embeddings.e5_models import TextModel

log = logging.getLogger(__name__)

MAX_TEXTS: Final = 2
"""Of one request: a question waits for no more. Nor would more be faster: a passage's tokens fill a core."""
MAX_CHARACTERS: Final = 200_000
_QUERY, _PASSAGE = "query", "passage"


class EmbeddingServer:
    """Serves one model on a Unix socket until `stop` is called."""

    def __init__(
        self, model: TextModel, socket_path: Path, *, queue_limit: int = 64, stuck_after_s: float = 120.0
    ) -> None:
        self._model, self._socket_path, self._stuck_after_s = model, socket_path, stuck_after_s
        self._queues: dict[str, FairQueue[Connection]] = {
            _QUERY: FairQueue(queue_limit),
            _PASSAGE: FairQueue(queue_limit),
        }
        self._wanted = asyncio.Semaphore(0)
        self._stopping = asyncio.Event()
        self._connections: set[Connection] = set()
        self._counts = {"done": 0, "texts": 0, "refused": 0}
        self.ready = asyncio.Event()
        """Set once the socket listens."""

    def stop(self) -> None:
        """Stop taking requests, finish what is under way, answer `busy` to the rest."""
        self._stopping.set()
        self._wanted.release()

    async def serve(self) -> None:
        """Until `stop`. Raises `EngineStuck` where the model does not come back."""
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(self), self._socket_path)
        self._socket_path.chmod(0o600)
        pool = ThreadPoolExecutor(1, thread_name_prefix="embed")
        try:
            self.ready.set()
            while await self._wanted.acquire() and not self._stopping.is_set():
                if (request := self._next()) is not None:
                    await self._carry_out(request, pool)
        finally:
            server.close()
            self._socket_path.unlink(missing_ok=True)
            while (request := self._next()) is not None:
                request.owner.send("busy", id=request.id, reason="the engine stops")
            for connection in list(self._connections):
                connection.close()
            pool.shutdown(wait=False, cancel_futures=True)

    async def _carry_out(self, request: Request[Connection], pool: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._stuck_after_s):
                rows = await loop.run_in_executor(pool, self._encode, request)
        except TimeoutError as error:
            raise EngineStuck(f"no vectors from the model in {self._stuck_after_s:.0f} s") from error
        except Exception as error:  # a defect costs one request, not everybody's engine
            log.exception("embedding_failed")
            request.owner.send("failed", id=request.id, reason=f"{type(error).__name__}: {error}")
        else:
            self._counts["done"] += 1
            self._counts["texts"] += len(rows)
            body = rows.astype("<f4").tobytes()
            request.owner.send("result", id=request.id, rows=rows.shape[0], dim=rows.shape[1], body=body)

    def _encode(self, request: Request[Connection]) -> Vectors:
        return self._model.encode(json.loads(request.pcm), query=request.language == _QUERY)

    def _next(self) -> Request[Connection] | None:
        return self._queues[_QUERY].take() or self._queues[_PASSAGE].take()

    def joined(self, connection: Connection) -> None:
        """A client came."""
        self._connections.add(connection)
        connection.send("hello", version=VERSION, model=self._model.name)

    def left(self, connection: Connection) -> None:
        """A client went, and nobody waits for its answers."""
        self._connections.discard(connection)
        for queue in self._queues.values():
            queue.forget(connection)

    def receive(self, connection: Connection, frame: Frame) -> None:
        """One message of a client. Raises `ProtocolError` on nonsense."""
        match frame.kind:
            case "embed":
                _demand_texts(frame.body)
                kind = _QUERY if frame.header.get("query") else _PASSAGE
                self._enqueue(Request(connection, frame.id, kind, frame.body))
            case "cancel":
                for queue in self._queues.values():
                    queue.cancel(connection, frame.id)
            case "stats":
                queued = {kind: len(queue) for kind, queue in self._queues.items()}
                stats = {"model": self._model.name, "queued": queued, **self._counts}
                connection.send("stats", id=frame.id, stats=stats)
            case kind:
                raise ProtocolError(f"unknown kind {kind[:40]!r}")

    def _enqueue(self, request: Request[Connection]) -> None:
        if self._stopping.is_set():
            request.owner.send("busy", id=request.id, reason="the engine stops")
            return
        queue = self._queues[request.language]
        loser = queue.put(request)
        if loser is not request:
            self._wanted.release()
        if loser is not None:
            self._counts["refused"] += 1
            loser.owner.send("busy", id=loser.id, reason=f"{len(queue)} requests wait already")


def _demand_texts(body: bytes) -> None:
    try:
        texts = json.loads(body)
    except ValueError as error:
        raise ProtocolError("a body that is not JSON") from error
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ProtocolError("a body that is no list of texts")
    if not 0 < len(texts) <= MAX_TEXTS or sum(map(len, texts)) > MAX_CHARACTERS:
        raise ProtocolError(f"more than {MAX_TEXTS} texts or {MAX_CHARACTERS} characters, or none")
