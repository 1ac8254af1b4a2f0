"""Where passages and their vectors are kept. Errors are those of `context.ports`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from context.corpora.passage import Passage
from context.models import Frozen
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
class FoundPassage:
    """A passage, and how close it is to what was asked."""

    passage: Passage
    """Of a meeting: as the corpus `earlier`."""
    score: float
    """Cosine similarity: to be ranked by, comparable within one encoder only."""


@dataclass(frozen=True, slots=True)
class Search:
    """Terms (as `context.corpora.words` gives them) to be found, and where."""

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

    async def nearest(self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50) -> list[FoundPassage]:
        """The `k` passages closest to `query`, best first, of those with a vector of this encoder."""
        ...

    async def matches(self, searches: Sequence[Search], *, k: int = 200) -> list[Matches]:
        """Up to `k` passages for each search (see `matching`): one way there and back for all of them."""
        ...


class PassageStore(PassageSearch, Protocol):
    """Passages of all corpora of one tenant. They are derived: losing them costs an embedding, no words."""

    async def keeps_vectors(self) -> bool:
        """False where the database has no pgvector: passages are kept, vectors are not."""
        ...

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

    async def matching(self, terms: Sequence[str], scope: Scope, *, k: int = 200) -> Matches:
        """Up to `k` passages with the more telling of `terms` (as `context.corpora.words` gives them)."""
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
        """One row per text."""
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question."""
        ...
