"""A passage: what is embedded, found and cited as one, of whichever corpus.

What is looked for, by whom, and where.

The seam between the answering graph and the corpora.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Final, Literal, Protocol

from pydantic import AwareDatetime

from context.models import Frozen

Corpus = Literal["meeting", "earlier", "document"]
"""Kept are `meeting` and `document`; what is found in another meeting than the asker's is `earlier`."""

_NAMES_SHOWN: Final = 4


class Passage(Frozen):
    """Some consecutive turns of a meeting, or a stretch of a document."""

    corpus: Corpus = "meeting"
    source_id: str
    """The meeting's or the document's id."""
    position: int
    """Its place within the source, from 0 without gaps."""
    text: str
    """What was said or stands there: what is shown and quoted."""
    prefix: str = ""
    """Where it stands (title, topic, speakers, time): embedded and searched with the text, not quoted."""
    title: str = ""
    """Of the source, for citations."""
    page: int | None = None
    """Of a document that has pages, from 1."""
    first: int | None = None
    """Of a meeting: the passage's first utterance id."""
    last: int | None = None
    """Of a meeting: its last utterance id."""
    said_at: AwareDatetime | None = None
    """When it was said, or when the document was last changed."""
    topic: str = ""
    """The topic's name; of a document, the headings above it."""
    speakers: tuple[str, ...] = ()
    """Names, in order of first appearance."""
    access: tuple[str, ...] = ()
    """The identities that may read it; none named: everybody of the tenant."""

    @property
    def id(self) -> str:
        """Unique among all: the source and the place in it."""
        return f"{self.source_id}:{self.position}"

    @property
    def utterances(self) -> tuple[int, ...]:
        """The ids of the utterances that it consists of; none of a document."""
        if self.first is None or self.last is None:
            return ()
        return tuple(range(self.first, self.last + 1))

    @property
    def citation(self) -> str:
        """How an answer names it: `Price list p. 3`, `Kick-off 2026-11-03 14:05`."""
        title = self.title or self.source_id
        if self.corpus == "document":
            return f"{title} p. {self.page}" if self.page is not None else title
        return f"{title} {self.said_at:%Y-%m-%d %H:%M}" if self.said_at is not None else title

    @property
    def searched(self) -> str:
        """What is embedded and indexed: the prefix and the text."""
        return f"{self.prefix}\n{self.text}" if self.prefix else self.text

    @property
    def digest(self) -> str:
        """Changes with what is embedded: a vector counts only beside the digest that it was made for."""
        return sha256(self.searched.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def prefix_of(
    title: str,
    topic: str = "",
    speakers: tuple[str, ...] = (),
    at: datetime | None = None,
    page: int | None = None,
) -> str:
    """Where a passage stands, in one line: so that "the buttons" is found in talk of the remote control's."""
    when = f"{at:%Y-%m-%d %H:%M}" if at is not None else ""
    parts = (title, topic, ", ".join(speakers[:_NAMES_SHOWN]), when, f"p. {page}" if page is not None else "")
    return " · ".join(part for part in parts if part)


ALL_CORPORA: tuple[Corpus, ...] = ("meeting", "earlier", "document")


class Query(Frozen):
    """A question on its way to the corpora."""

    text: str
    """The question as it was asked."""
    meeting_id: str = ""
    """The meeting in which it is asked; its passages are the corpus `meeting`, never `earlier`."""
    tenant: str = "default"
    asker: str = ""
    """The asker's participant id: decides which private meetings may be looked into."""
    asker_name: str = ""
    topic: str = ""
    """What is being talked about as it is asked."""
    rewritings: tuple[str, ...] = ()
    """Other ways to put it (see `rewriting.rewritten`); each is ranked beside the question, then fused."""
    corpora: tuple[Corpus, ...] = ALL_CORPORA
    mode: Literal["hybrid", "bm25", "faiss"] = "hybrid"
    """Seed 002's names: by words and vectors, by words alone, by vectors alone."""


class Retrieved(Frozen):
    """What came of one retrieval."""

    passages: tuple[Passage, ...] = ()
    """Best first, none twice, together at most the budget."""
    scores: tuple[float, ...] = ()
    """Beside each passage its fused score (RRF): comparable within one retrieval only."""
    tokens: int = 0
    """What the passages' texts and prefixes come to, by true count."""
    degraded: tuple[str, ...] = ()
    """The parts that were away, by name: `embeddings`, `earlier`, `document`."""


class Retriever(Protocol):
    """Looks a query up in every corpus that it names."""

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        """At most `k` passages and `budget_tokens`. Never raises for a part that is away."""
        ...
