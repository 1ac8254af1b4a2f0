"""A document's text as its reader found it, and how that becomes passages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pydantic import AwareDatetime

from context.corpora.cutting import WORDS, pieces
from context.corpora.passage import Passage, prefix_of
from context.models import Frozen
from context.retrieval.terms import weigh

_LEAST: Final = 30.0
"""A shorter piece goes on into the next one of its page, even under another heading."""


class Block(Frozen):
    """A paragraph, a row, an item: what belongs together."""

    text: str
    heading: str = ""
    """The headings above it, outermost first: `Prices > Servers`."""
    page: int | None = None


def document_passages(
    blocks: Iterable[Block], source_id: str, title: str, added_at: AwareDatetime | None = None
) -> list[Passage]:
    """Passages of about 140 words, each of one page, and of one heading unless that is very short.

    A heading is also part of the text: what stands only there can be found and quoted, too.
    """
    found: list[Passage] = []
    held: list[str] = []
    weight = 0.0
    heading, page = "", None

    def close() -> None:
        nonlocal held, weight
        if held:
            found.append(
                Passage(
                    corpus="document",
                    source_id=source_id,
                    position=len(found),
                    text="\n".join(held),
                    prefix=prefix_of(title, heading, page=page),
                    title=title,
                    page=page,
                    said_at=added_at,
                    topic=heading,
                )
            )
        held, weight = [], 0.0

    for block in blocks:
        moved = block.heading != heading
        if held and (block.page != page or (moved and weight >= _LEAST)):
            close()
        if not held:
            heading = block.heading
        elif moved and block.heading:
            held.append(block.heading.rsplit(" > ", 1)[-1])
        page = block.page
        for piece in pieces(block.text):
            if held and weight + weigh(piece) > 1.5 * WORDS:
                close()
                heading = block.heading
            held.append(piece)
            weight += weigh(piece)
            if weight >= WORDS:
                close()
                heading = block.heading
    close()
    return found
