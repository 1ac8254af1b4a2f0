"""Ports for storing passages and their vectors and for embedding texts; work that goes through them.

Errors are those of `context.ports`. What is not done when a meeting ends is done later: a dispatcher
completes the passages of meetings that are unfinished (`worker.meeting.correcting`), and a worker's `Sweeper`
makes vectors for passages that have none, because there was no time, or the model was away or another one.
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
from context.primitives.vectors import Vectors

Kind = Literal["meeting", "document"]
"""The kind of source of a stored passage; only a reader tells the present meeting from an `earlier` one."""


class Scope(Frozen):
    """The part of a tenant's passages that a search may see."""

    kinds: tuple[Kind, ...] = ("meeting", "document")
    reader: str | None = None
    """The identity of the asker, who sees what is open to everybody and what names them; None: the former."""
    sources: tuple[str, ...] | None = None
    """The ids of the only sources; None: all."""
    without: tuple[str, ...] = ()
    """The ids of sources that are left out, as the meeting that asks, which has its own index."""
    room: str | None = None
    """The room whose meetings are the only sources; None: all."""
    notes: Literal["hidden", "shown", "alone"] = "hidden"
    """Whether the notes of meetings' topics are seen: not, beside what was said and written, or alone."""


@dataclass(frozen=True, slots=True)
class Search:
    """Terms to be found (those of `context.corpora.sources.asked_terms`), and where."""

    terms: tuple[str, ...]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Matches:
    """The passages in which terms stand, and how common the terms are."""

    passages: list[Passage]
    frequencies: dict[str, int]
    """The number of the tenant's passages in which each term stands."""
    total: int
    """How many passages the tenant has."""


class PassageSearch(Protocol):
    """Search in one tenant's passages, by vector and by words. Raises `PortError`."""

    async def nearest(
        self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50
    ) -> list[tuple[Passage, float]]:
        """The `k` passages closest to the unit vector `query`, best first, among those with one by `encoder`.

        Each comes with its cosine to the query. Passages of meetings have the corpus `earlier`.
        """
        ...

    async def matches(self, searches: Sequence[Search], *, k: int = 200) -> list[Matches]:
        """Find up to `k` passages for each search, those with its rarer terms; all searches at once."""
        ...


class PassageStore(PassageSearch, Protocol):
    """Stores the passages of one tenant. They are derived: losing them costs embeddings, no words."""

    async def put(
        self, passages: Sequence[Passage], vectors: Vectors | None = None, encoder: str = ""
    ) -> None:
        """Store passages, each in place of the one at its position; row i of `vectors` belongs to passage i.

        `encoder`: the name of what made the vectors. A passage without a vector keeps the one that it has in
        the store, as long as its digest is the same.
        """
        ...

    async def put_vectors(self, passages: Sequence[Passage], vectors: Vectors, encoder: str) -> None:
        """Store vectors of stored passages; one that was cut or changed meanwhile gets none."""
        ...

    async def of_source(self, kind: Kind, source_id: str) -> list[Passage]:
        """All passages of one source, by position. The caller must have the right to read it."""
        ...

    async def vectors(self, kind: Kind, source_id: str, encoder: str) -> dict[str, Vectors]:
        """The vectors of one source by `encoder`, by the digest of the passage that each was made for."""
        ...

    async def readable(self, scope: Scope, *, limit: int = 20_000) -> list[Passage]:
        """Every passage in the scope, newest sources first, then by position."""
        ...

    async def without_vector(self, encoder: str, *, limit: int = 200) -> list[Passage]:
        """Passages of the tenant that lack a vector by `encoder`."""
        ...

    async def cut(self, kind: Kind, source_id: str, length: int = 0) -> None:
        """Remove a source's passages from position `length` on, or, without it, all.

        A meeting of which some were removed is unfinished.
        """
        ...

    async def note_whole(self, meeting_id: str) -> None:
        """Note that all words of a meeting that is over are in its passages, with or without vectors."""
        ...

    async def claim_unfinished(self, limit: int) -> list[str]:
        """The ids of at most `limit` meetings that are over, unfinished and held by nobody.

        Each is given once a minute, to one caller, until `note_whole`.
        """
        ...


class TextEmbedder(Protocol):
    """Makes unit vectors of texts; `CalledEmbedder` is one. Raises `PortError`."""

    name: str
    """The encoder's name; vectors of another cannot be compared."""

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        """Encode texts: one row of the result for each; those `for_question` go before all others."""
        ...

    async def embed_query(self, text: str) -> Vectors:
        """Encode a question."""
        ...


class EmbedderRefused(Refused):
    """The embedder will not work however often it is asked. (A store that refuses one row takes others.)"""


async def embedded(embedder: TextEmbedder, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
    """Encode texts, a row each. Raises as the embedder, but `EmbedderRefused` for its `Refused`."""
    try:
        return await embedder.embed(texts, for_question=for_question)
    except Refused as error:
        raise EmbedderRefused(str(error)) from error


log = structlog.get_logger(__name__)

_BATCH_PASSAGES: Final = 8
"""Passages that are embedded at a time (some 0.3 s), so that live meetings get their turn between them."""


async def work_through(
    step: Callable[[], Awaitable[bool | int]],
    part: str,
    *,
    every_s: float,
    patience_s: float,
    pause_s: float = 0.0,
) -> None:
    """Call `step` until cancelled: after `pause_s` where it says that there is more, else after `every_s`.

    What fails is logged and tried again after `patience_s`, also what a store refuses: erased words must not
    stay searchable because of one odd row. Only `EmbedderRefused` ends it. `part`: its name in the log.
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
    """Makes the vectors that stored passages lack. One per worker process; several at once do no harm."""

    def __init__(
        self,
        store: PassageStore,
        embedder: TextEmbedder,
        *,
        every_s: float = 60.0,
        pause_s: float = 1.0,
        gives_way: Callable[[], bool] = lambda: False,
    ) -> None:
        """`gives_way`: whether the machine has better things to do now."""
        self._gives_way = gives_way
        self._store, self._embedder = store, embedder
        self._every_s, self._pause_s = every_s, pause_s

    async def run(self) -> None:
        """Make missing vectors until cancelled, or until the embedder refuses."""
        await work_through(
            self.step,
            "passages without a vector",
            every_s=self._every_s,
            patience_s=self._every_s,
            pause_s=self._pause_s,
        )

    async def step(self) -> int:
        """Embed some passages; return how many. Raises `PortError` where a part is away."""
        if self._gives_way():
            return 0
        bare = await self._store.without_vector(self._embedder.name, limit=_BATCH_PASSAGES)
        if bare:
            rows = np.asarray(await embedded(self._embedder, [passage.searched for passage in bare]))
            # Not `put`: their words may have been erased while the embedder read them.
            await self._store.put_vectors(bare, rows, self._embedder.name)
        return len(bare)
