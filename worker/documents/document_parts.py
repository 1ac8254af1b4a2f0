"""What a reader finds in a file, as it finds it: counted, so that a file of millions of parts ends early."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from context.primitives.text import many_lines, one_line
from worker.sandbox.sandbox_faults import Declined

MOST_CHARACTERS: Final = 5_000_000
"""Most characters of text that a document may hold."""
MOST_PARAGRAPHS: Final = 50_000
"""Most paragraphs, rows and items, empty ones included."""
MOST_PAGES: Final = 5_000
MOST_PASSAGES: Final = 20_000
"""Most passages that a document is cut into; one of `MOST_CHARACTERS` has some 10,000."""
MAX_HEADING_CHARS: Final = 300
"""Most characters of the headings above a part, which stand beside each of its passages."""
_MAX_CHARACTERS: Final = 20_000
"""Most characters of one part; a longer one is several, so that no later step has a line of millions."""


class UnreadableDocument(Declined):
    """A document cannot be read: the text says why, as the end of a sentence that begins with its path."""


class DocumentPart(NamedTuple):
    """A paragraph, a row or an item."""

    text: str
    heading: str = ""
    """The headings above it, outermost first: `Prices > Servers`."""
    page: int | None = None


@dataclass(slots=True)
class DocumentParts:
    """The parts of one document in their order, its title (may be empty), and how many pages it has."""

    title: str = ""
    pages: int | None = None
    """None where it has no pages."""
    kept: list[DocumentPart] = field(default_factory=list)
    """Those with text."""
    _met: int = 0
    _characters: int = 0

    def add(self, part: DocumentPart) -> None:
        """Keep the next part in its canonical form, if it has text.

        Raises `UnreadableDocument` where there are too many, or too much.
        """
        self._met += 1
        self.demand_paragraphs(self._met)
        heading = one_line(part.heading, MAX_HEADING_CHARS)
        text = many_lines(part.text, MOST_CHARACTERS + 1).strip()
        if not one_line(text[:_MAX_CHARACTERS]):
            return
        self._characters += len(text)
        if self._characters > MOST_CHARACTERS:
            raise UnreadableDocument(
                f"this document has more than {MOST_CHARACTERS:,} characters of text: split it"
            )
        while text:
            # At a blank where there is one: no word is cut.
            end = (
                len(text)
                if len(text) <= _MAX_CHARACTERS
                else text.rfind(" ", 1, _MAX_CHARACTERS) + 1 or _MAX_CHARACTERS
            )
            self.kept.append(part._replace(text=text[:end], heading=heading))
            text = text[end:]

    def demand_paragraphs(self, number: int) -> None:
        """Raise `UnreadableDocument` where a document may not have so many paragraphs."""
        if number > MOST_PARAGRAPHS:
            raise UnreadableDocument(f"this document has more than {MOST_PARAGRAPHS:,} paragraphs: split it")

    def count_pages(self, pages: int) -> None:
        """Note how many pages it has. Raises `UnreadableDocument` where there are too many."""
        if pages > MOST_PAGES:
            raise UnreadableDocument(f"this document has more than {MOST_PAGES:,} pages: split it")
        self.pages = pages
