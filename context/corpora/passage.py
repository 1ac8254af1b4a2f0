"""A passage: what is embedded, found and cited as one, of whichever corpus."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

from pydantic import AwareDatetime

from context.models import Frozen

Corpus = Literal["meeting", "document"]


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
    access: tuple[str, ...] = ()
    """The identities that may read it; none named: everybody of the tenant."""

    @property
    def searched(self) -> str:
        """What is embedded and indexed: the prefix and the text."""
        return f"{self.prefix}\n{self.text}" if self.prefix else self.text

    @property
    def digest(self) -> str:
        """Changes with what is embedded: a vector counts only beside the digest that it was made for."""
        return sha256(self.searched.encode("utf-8", "surrogatepass")).hexdigest()[:32]
