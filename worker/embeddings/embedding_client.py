"""Embedders over the local model (in the machine's shared engine, or in this process), and the retry layer.

`CalledEmbedder` is the one retry layer around any embedder, with its breaker and its deadlines. A question's
vector is worth only a short wait, since without it words alone decide. Several steps of an answer ask for the
same one, so it is asked for once, and the wait is counted from then on: what comes later is there for whoever
asks later.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import structlog

from context.ports import Embedder, PortError, Refused, Unavailable
from context.primitives.vectors import Vectors
from stt.engine.engine_client import EngineClient
from stt.segment import EngineBusy, EngineFailed
from worker.agent.calls.calling import LONGEST_PAUSE_S, RETRY_PAUSE_S, Breaker
from worker.agent.calls.deadlines import TEXTS_S, VECTOR_GIVEN_UP_S, VECTORS_S
from worker.configuration.setting_engines import LOCAL_ENCODER
from worker.embeddings.e5_file import WeightsMissing
from worker.embeddings.embedding_server import MAX_CHARACTERS, MAX_TEXTS

if TYPE_CHECKING:
    from worker.embeddings.e5_models import TextModel


log = structlog.get_logger(__name__)

_REMEMBERED_COUNT: Final = 32
"""Questions whose vectors are kept."""
_UNIT_WITHIN: Final = 1e-2
"""How far from 1 the length of a vector may lie."""
_MAX_CHARACTERS: Final = MAX_CHARACTERS // MAX_TEXTS
"""Characters of a text that are sent, more than the model reads."""


class _Wire(EngineClient):
    """The speech engine's client, sending texts instead of sound."""

    async def connect(self) -> None:
        """Connect unless it is connected. Raises `Unavailable`."""
        try:
            await self._connected()
        except (EngineBusy, EngineFailed) as error:
            raise Unavailable(str(error).replace("speech engine", "embedding engine")) from error

    async def embed(self, texts: Sequence[str], *, query: bool = False, wanted: bool = False) -> Vectors:
        """Encode up to `MAX_TEXTS` texts. Raises `Unavailable` without a right answer in time."""
        if not self._socket_path.exists():
            raise Unavailable(f"no embedding engine at {self._socket_path}")
        body = json.dumps([text[:_MAX_CHARACTERS] for text in texts]).encode()
        try:
            answer = await self._ask("embed", query=query, wanted=wanted, body=body)
        except (EngineBusy, EngineFailed) as error:
            raise Unavailable(str(error).replace("speech engine", "embedding engine")) from error
        rows, dim = int(answer.header.get("rows", -1)), int(answer.header.get("dim", -1))
        if rows != len(texts) or len(answer.body) != 4 * rows * dim:
            raise Unavailable("the embedding engine sent other vectors than were asked for")
        return np.frombuffer(answer.body, "<f4").reshape(rows, dim).astype(np.float32)


class SharedEmbedder:
    """An `Embedder` that asks the machine's shared engine; it holds a connection and no model."""

    name = LOCAL_ENCODER

    def __init__(self, socket_path: Path, *, patience_s: float = 0.3) -> None:
        """`socket_path`: the engine's Unix socket. `patience_s`: how long it may take to appear."""
        self._wire = _Wire(socket_path, patience_s=patience_s, deadline_s=30.0)

    async def connect(self) -> None:
        """Connect, so that the first text need not wait for it. Raises `Unavailable` without an engine."""
        await self._wire.connect()

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        """Encode texts, a few per request, so that others get their turn between. Raises `Unavailable`."""
        parts = [
            await self._wire.embed(texts[start : start + MAX_TEXTS], wanted=for_question)
            for start in range(0, len(texts), MAX_TEXTS)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)

    async def embed_query(self, text: str) -> Vectors:
        """Encode a question, before whatever else waits in the engine. Raises `Unavailable`."""
        row: Vectors = (await self._wire.embed([text], query=True))[0]
        return row

    async def aclose(self) -> None:
        """Close the connection."""
        await self._wire.aclose()


class OwnEmbedder:
    """An `Embedder` with the model in this process, loaded at the first text: for commands on their own."""

    name = LOCAL_ENCODER

    def __init__(self, cache_dir: Path, *, fast: bool = False) -> None:
        """`fast`: for many texts; takes a second to load, some more to convert into `cache_dir` at first."""
        self._cache_dir, self._fast = cache_dir, fast
        self._model: TextModel | None = None
        self._one_at_a_time = asyncio.Lock()

    async def embed(
        self,
        texts: Sequence[str],
        *,
        for_question: bool = False,  # noqa: ARG002 - there is one question here
    ) -> Vectors:
        """Encode texts, a row each. Raises `Refused` where the model is not installed."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._encode, texts, query=False)

    async def embed_query(self, text: str) -> Vectors:
        """Encode a question. Raises as `embed`."""
        async with self._one_at_a_time:
            row: Vectors = (await asyncio.to_thread(self._encode, [text], query=True))[0]
            return row

    async def aclose(self) -> None:
        """Free the model."""
        self._model = None

    def _encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        if self._model is None:
            from worker.embeddings.e5_models import load

            try:
                self._model = load(self._cache_dir, fast=self._fast)
            except WeightsMissing as error:
                raise Refused(str(error)) from error
        return self._model.encode(texts, query=query)


class _Asking(NamedTuple):
    """A question whose vector is being made."""

    making: asyncio.Future[Vectors]
    until_s: float
    """Nobody waits for it beyond this, on the loop's clock."""


class CalledEmbedder:
    """An `Embedder` around another one, with one quick retry, deadlines and a breaker.

    It raises `Unavailable`, also when a deadline passes, and `Refused`, also for vectors that do not fit.
    """

    def __init__(
        self,
        embedder: Embedder,
        breaker: Breaker | None = None,
        *,
        query_deadline_s: float = VECTORS_S,
    ) -> None:
        """Wrap `embedder`; whoever calls the same endpoint shares its `breaker`.

        `query_deadline_s`: how long anybody waits for a question's vector, from when it was first asked for.
        """
        self.name = embedder.name
        self.breaker = breaker or Breaker()
        self._embedder, self._query_deadline_s = embedder, query_deadline_s
        self._dim: int | None = None
        self._asked: OrderedDict[str, Vectors] = OrderedDict()
        self._asking: dict[str, _Asking] = {}

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        """Encode texts, a row each; no texts give no rows, without a call."""
        if not texts:
            return np.zeros((0, self._dim or 0), dtype=np.float32)
        rows = await self._call(lambda: self._embedder.embed(texts, for_question=for_question), TEXTS_S)
        return self._demand(rows, len(texts))

    async def embed_query(self, text: str) -> Vectors:
        """Encode a question; the last few are remembered, as several steps of an answer ask for the same.

        Where an earlier question's vector is overdue nobody waits for the next one either: an answer that
        asks for the vectors of several wordings waits no longer than one that asks for a single one.
        """
        if (known := self._asked.get(text)) is not None:
            return known
        now_s = asyncio.get_running_loop().time()
        until_s = min((running.until_s for running in self._asking.values()), default=inf)
        if (asking := self._asking.get(text)) is None:
            making = asyncio.ensure_future(self._make(text))
            asking = self._asking[text] = _Asking(making, now_s + self._query_deadline_s)
            making.add_done_callback(lambda done: self._made(text, done))
        try:
            async with asyncio.timeout_at(asking.until_s if now_s < until_s else now_s):
                return await asyncio.shield(asking.making)
        except TimeoutError as error:
            raise Unavailable(f"{self.name} gave no vectors in {self._query_deadline_s:g} s") from error

    async def aclose(self) -> None:
        """Give up the questions whose vectors are being made."""
        making = [asking.making for asking in self._asking.values()]
        for task in making:
            task.cancel()
        await asyncio.gather(*making, return_exceptions=True)

    async def _make(self, text: str) -> Vectors:
        given_up_s = max(VECTOR_GIVEN_UP_S, self._query_deadline_s)
        row = await self._call(lambda: self._embedder.embed_query(text), given_up_s)
        whole: Vectors = self._demand(row[np.newaxis], 1)[0]
        self._asked[text] = whole
        if len(self._asked) > _REMEMBERED_COUNT:
            self._asked.popitem(last=False)
        return whole

    def _made(self, text: str, done: asyncio.Future[Vectors]) -> None:
        del self._asking[text]
        if not done.cancelled() and (error := done.exception()) is not None:
            # Looked at here: whoever asked may be gone.
            log.info("question_not_embedded", model=self.name, error=str(error))

    async def _call(self, attempt: Callable[[], Awaitable[Vectors]], deadline_s: float) -> Vectors:
        """The result of `attempt` at the first or second try, within `deadline_s`. Raises `PortError`."""
        try:
            async with asyncio.timeout(deadline_s):
                try:
                    return await self._tried(attempt)
                except Unavailable as error:
                    pause_s = max(RETRY_PAUSE_S, error.retry_after_s or 0.0)
                    if pause_s > LONGEST_PAUSE_S or self.breaker.is_open:
                        raise
                    log.info("embed_retry", model=self.name, error=str(error), pause_s=pause_s)
                    await asyncio.sleep(pause_s)
                return await self._tried(attempt)
        except TimeoutError as error:
            self.breaker.failed()
            raise Unavailable(f"{self.name} gave no vectors in {deadline_s:g} s") from error

    async def _tried(self, attempt: Callable[[], Awaitable[Vectors]]) -> Vectors:
        if not self.breaker.admit():
            raise Unavailable(f"{self.name} failed repeatedly and is left alone for a while")
        try:
            vectors = await attempt()
        except PortError:
            self.breaker.failed()
            raise
        self.breaker.succeeded()
        return vectors

    def _demand(self, rows: Vectors, count: int) -> Vectors:
        """Return `rows` if they can be compared with earlier vectors, else raise `Refused`."""
        if rows.ndim != 2 or len(rows) != count:
            raise Refused(f"{self.name} gave {len(rows)} vectors for {count} texts")
        if self._dim is not None and rows.shape[1] != self._dim:
            raise Refused(f"{self.name} gave {rows.shape[1]} numbers per vector, before that {self._dim}")
        # Written so that NaN fails, too. The squares spare a square root and slower code of numpy's.
        if not (abs((rows * rows).sum(axis=1) - 1.0) <= 2 * _UNIT_WITHIN).all():
            raise Refused(f"{self.name} gave vectors that are not of length 1")
        self._dim = rows.shape[1]
        return rows
