"""A passage: what is embedded, found and cited as one, of whichever corpus."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

from pydantic import AwareDatetime

from context.models import Frozen

Corpus = Literal["meeting", "earlier", "document"]
"""`meeting`: the one in which the question is asked; `earlier`: all others."""


class Passage(Frozen):
    """Some consecutive turns of a meeting, or a stretch of a document."""

    id: str
    """Source and place: the same for the same passage at any time."""
    corpus: Corpus = "meeting"
    source_id: str
    """The meeting's or the document's id."""
    title: str = ""
    """Of the source."""
    place: int = 0
    """Within the source, from 0 without gaps."""
    text: str
    """What was said or stands there: what is shown and quoted."""
    topic: str = ""
    """The topic's name, or the heading that it stands under."""
    speakers: tuple[str, ...] = ()
    """The names of those who speak in it, in order."""
    at: AwareDatetime | None = None
    """When it begins in a meeting; when a document was last changed."""
    start_ms: int | None = None
    end_ms: int | None = None
    utterances: tuple[int, ...] = ()
    """The ids of a meeting's utterances, ascending."""
    page: int | None = None
    """Of a document that has pages, from 1."""
    access: tuple[str, ...] = ()
    """The identities that may read it; none named: everybody of the tenant."""

    @property
    def prefix(self) -> str:
        """Where it stands, for whoever searches or reads it alone: title, topic, page, speakers, time."""
        page = f"p. {self.page}" if self.page is not None else ""
        moment = f"{self.at:%Y-%m-%d %H:%M}" if self.at is not None and self.corpus != "document" else ""
        parts = (self.title, self.topic, page, ", ".join(self.speakers), moment)
        return " · ".join(part for part in parts if part)

    @property
    def searched(self) -> str:
        """What is embedded and indexed: the prefix and the text."""
        return f"{self.prefix}\n{self.text}" if self.prefix else self.text

    @property
    def digest(self) -> str:
        """Changes with what is embedded: a vector counts only beside the digest that it was made for."""
        return sha256(self.searched.encode("utf-8", "surrogatepass")).hexdigest()[:32]
