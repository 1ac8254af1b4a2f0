"""Where passages and their vectors are kept. Errors are those of `context.ports`.

`Sweeper` makes vectors for passages that were left without one, since the model was away when their meeting
ended, or was another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np
import structlog

from context.corpora.passage import Passage
from context.models import Frozen
from context.ports import PortError, Refused
from context.vectors import Vectors

Kind = Literal["meeting", "document"]
"""Of what a passage is kept: which meeting is the asking one is the reader's business, not the table's."""


class Scope(Frozen):
    """Which passages of the tenant a search may see."""

    kinds: tuple[Kind, ...] = ("meeting", "document")
    reader: str | None = None
    """Who asks: sees what is open to everybody, and what names this identity. None: the former only."""
    sources: tuple[str, ...] | None = None
    """These sources only; None: all."""
    without: tuple[str, ...] = ()
    """Not these: the meeting that asks has its own index."""


@dataclass(frozen=True, slots=True)
class Search:
    """Terms (as `context.corpora.sources` gives them) to be found, and where."""

    terms: tuple[str, ...]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Matches:
    """Passages in which terms stand, and how common these are among all of the tenant's passages."""

    passages: list[Passage]
    frequencies: dict[str, int]
    total: int


class PassageSearch(Protocol):
    """What a retriever asks of the passages."""

    async def nearest(self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50) -> list[Passage]:
        """The `k` passages closest to `query`, best first, of those with a vector of this encoder.

        A meeting's come as the corpus `earlier`.
        """
        ...

    async def matches(self, searches: Sequence[Search], *, k: int = 200) -> list[Matches]:
        """Up to `k` passages for each search, with the more telling of its terms; all searches at once."""
        ...


class PassageStore(PassageSearch, Protocol):
    """Passages of all corpora of one tenant. They are derived: losing them costs an embedding, no words."""

    async def put(
        self, passages: Sequence[Passage], vectors: Vectors | None = None, encoder: str = ""
    ) -> None:
        """Keep passages, each in place of the one at its position; row i of `vectors` belongs to passage i.

        A passage that comes without a vector keeps the one it has, as long as its digest is the same.
        """
        ...

    async def of_source(self, kind: Kind, source_id: str) -> list[Passage]:
        """All of one source, by position. Whoever calls has the right to read it."""
        ...

    async def vectors(self, kind: Kind, source_id: str, encoder: str) -> dict[str, Vectors]:
        """The vectors of one source by the digest that they were made for, of this encoder only."""
        ...

    async def readable(self, scope: Scope, *, limit: int = 20_000) -> list[Passage]:
        """Every passage in the scope, newest sources first, then by position: for an index of words."""
        ...

    async def without_vector(self, encoder: str, *, limit: int = 200) -> list[Passage]:
        """Passages of the tenant that still lack a vector of this encoder."""
        ...

    async def cut(self, kind: Kind, source_id: str, length: int = 0) -> None:
        """Forget what stands at `length` and beyond: what a shorter version no longer has, or (0) all."""
        ...


class TextEmbedder(Protocol):
    """What is needed of an embedder here; `CalledEmbedder` is one."""

    name: str

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode texts: one row of the result for each."""
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question."""
        ...


class EmbedderRefused(Refused):
    """The embedder will not work however often it is asked. (A store that refuses one row takes others.)"""


async def embedded(embedder: TextEmbedder, texts: Sequence[str]) -> Vectors:
    """One row for each text. Raises `EmbedderRefused`, or as the embedder."""
    try:
        return await embedder.embed(texts)
    except Refused as error:
        raise EmbedderRefused(str(error)) from error


log = structlog.get_logger(__name__)

_BATCH: Final = 8
"""Passages at a time: some 0.3 s of the engine, so that live meetings get their turn between them."""


async def work_through(
    step: Callable[[], Awaitable[bool | int]],
    part: str,
    *,
    every_s: float,
    patience_s: float,
    pause_s: float = 0.0,
) -> None:
    """Call `step` until cancelled: after `pause_s` where it says that there is more, else after `every_s`.

    What fails is tried again after `patience_s` and reaches nobody, what a store refuses included: words that
    were erased must not stay searchable for one odd row. `EmbedderRefused` alone ends it.
    """
    while True:
        wait_s = patience_s
        try:
            wait_s = pause_s if await step() else every_s
        except EmbedderRefused as error:
            log.warning("embedding_given_up", part=part, error=str(error))
            return
        except PortError as error:
            log.info("embedding_waits", part=part, error=str(error), retry_s=wait_s)
        except Exception:
            log.exception("embedding_failed", part=part)
        await asyncio.sleep(wait_s)


class Sweeper:
    """One per worker process; several at once do the same work twice and no harm."""

    def __init__(
        self, store: PassageStore, embedder: TextEmbedder, *, every_s: float = 60.0, pause_s: float = 1.0
    ) -> None:
        self._store, self._embedder = store, embedder
        self._every_s, self._pause_s = every_s, pause_s

    async def run(self) -> None:
        """Until cancelled, or until the embedder refuses for good."""
        await work_through(
            self.step,
            "passages without a vector",
            every_s=self._every_s,
            patience_s=self._every_s,
            pause_s=self._pause_s,
        )

    async def step(self) -> int:
        """Embed some; how many it were. Raises `PortError` where a part is away."""
        bare = await self._store.without_vector(self._embedder.name, limit=_BATCH)
        if bare:
            rows = np.asarray(await embedded(self._embedder, [passage.searched for passage in bare]))
            await self._store.put(bare, rows, self._embedder.name)
        return len(bare)
