"""Passages: what is embedded, found and cited as one, of any corpus; how they are cut, and asked for.

A meeting is cut as it goes, into passages of consecutive turns of about 140 words, which end with their topic
unless they are very short. A passage, once closed, stays as it is, so that what was indexed or embedded of it
stays valid. The open rest is a passage of its own whenever somebody asks. A document is cut from the blocks
that its reader found. `Query`, `Retrieved` and `Retriever` are what the answering graph and the corpora
share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Final, Literal, Protocol

from pydantic import AwareDatetime

from context.language.edits import edit_mark
from context.language.questions import BREAK
from context.language.transcriber_marks import legible
from context.models import Frozen, Utterance
from context.primitives.undated import dated
from context.retrieval.index_terms import weigh

Corpus = Literal["meeting", "earlier", "document"]
"""The kind of a source; `earlier` is a stored `meeting` other than the asker's."""

FIRST_NOTE: Final = 1_000_000
"""The position from which on a meeting's passages are the notes of its topics (`budgets.topic_notes`)."""
_NAMES_SHOWN: Final = 4
"""Most speakers that a prefix names."""


class Passage(Frozen):
    """Some consecutive turns of a meeting, or a stretch of a document."""

    corpus: Corpus = "meeting"
    source_id: str
    """The meeting's or the document's id."""
    position: int
    """Its place within the source, from 0 without gaps; of notes see `FIRST_NOTE`."""
    text: str
    """What was said or written: what is shown and quoted."""
    prefix: str = ""
    """Where it stands (title, topic, speakers, time): embedded and searched with the text, not quoted."""
    title: str = ""
    """The title of the source, for citations."""
    page: int | None = None
    """The page of a document, from 1; None where it has no pages."""
    first: int | None = None
    """The id of a meeting passage's first utterance; None for a document."""
    last: int | None = None
    """The id of a meeting passage's last utterance; None for a document."""
    said_at: AwareDatetime | None = None
    """When it was said, or when the document was last changed."""
    topic: str = ""
    """The topic's name; of a document, the headings above it."""
    speakers: tuple[str, ...] = ()
    """Names, in order of first appearance."""
    access: tuple[str, ...] = ()
    """The identities that may read it; empty stands for everybody of the tenant."""

    @property
    def id(self) -> str:
        """Its id, unique among all passages: the source and the place in it."""
        return f"{self.source_id}:{self.position}"

    @property
    def utterances(self) -> tuple[int, ...]:
        """The ids of the utterances that it consists of; empty for a document."""
        if self.first is None or self.last is None:
            return ()
        return tuple(range(self.first, self.last + 1))

    @property
    def is_note(self) -> bool:
        """Whether it is what a meeting's minutes say of a topic, and not anybody's words."""
        return self.position >= FIRST_NOTE

    @property
    def citation(self) -> str:
        """How an answer names it: `Price list p. 3`, `Kick-off 2026-11-03 14:05`."""
        title = self.title or self.source_id
        if self.corpus == "document":
            return f"{title} p. {self.page}" if self.page is not None else title
        return f"{title} {self.said_at:%Y-%m-%d %H:%M}" if self.said_at is not None else title

    @property
    def searched(self) -> str:
        """The text that is embedded and indexed: the prefix and the text."""
        return f"{self.prefix}\n{self.text}" if self.prefix else self.text

    @property
    def digest(self) -> str:
        """A digest of what is embedded: a vector is valid only for the digest that it was made for."""
        return sha256(self.searched.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def prefix_of(
    title: str,
    topic: str = "",
    speakers: tuple[str, ...] = (),
    at: datetime | None = None,
    page: int | None = None,
) -> str:
    """Where a passage stands, in one line, so that "the buttons" is found in talk of the remote control."""
    when = f"{at:%Y-%m-%d %H:%M}" if at is not None else ""
    parts = (title, topic, ", ".join(speakers[:_NAMES_SHOWN]), when, f"p. {page}" if page is not None else "")
    return " · ".join(part for part in parts if part)


class Query(Frozen):
    """A question on its way to the corpora."""

    text: str
    """The question as it was asked."""
    meeting_id: str = ""
    """The meeting in which it is asked; its passages are the corpus `meeting`, never `earlier`."""
    tenant: str = "default"
    asker: str = ""
    """The asker's participant id: decides which private meetings may be searched."""
    asker_name: str = ""
    topic: str = ""
    """The topic that is being talked about when the question is asked."""
    rewritings: tuple[str, ...] = ()
    """Other ways to put it (see `sources.rewritten`); each is ranked beside the question, then fused."""
    corpora: tuple[Corpus, ...] = ("meeting", "earlier", "document")
    """The corpora that are searched."""
    mode: Literal["hybrid", "bm25", "faiss"] = "hybrid"
    """Ranking by words and vectors, by words alone, or by vectors alone (seed 002's names)."""
    is_question: bool = True
    """Whether `text` asks, so that what holds little of it has nothing to do with it."""
    notes_at: AwareDatetime | None = None
    """The moment as of which the notes of earlier meetings' topics are found, too; None: words alone are."""
    is_search: bool = False
    """Whether somebody looks for `text` themselves: what is no hit (`search_hits`) is not given."""


class Retrieved(Frozen):
    """The result of one retrieval; empty where nothing was found."""

    passages: tuple[Passage, ...] = ()
    """The passages, best first, none twice, together within the budget."""
    scores: tuple[float, ...] = ()
    """The fused score (RRF) of each passage; comparable within one retrieval only."""
    tokens: int = 0
    """The tokens of the passages' texts and prefixes, by true count."""
    degraded: tuple[str, ...] = ()
    """The parts that were away: `embeddings`, `meeting`, or other corpora (`earlier and document`)."""


class Retriever(Protocol):
    """Searches the corpora that a query names."""

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        """Find at most `k` passages and `budget_tokens`, best first. Never raises for a part that is away."""
        ...


PASSAGE_WORDS: Final = 140.0
"""The size (`weigh`, some 200 tokens) from which on a passage is closed."""
_MAX_WEIGHT: Final = 220.0
"""Most words of a passage; a turn that would make it longer begins a new one."""
_MIN_WEIGHT: Final = 25.0
"""Least words of a passage; a shorter one goes on even at a change of topic."""
_WORDS_PER_PIECE: Final = 60
_MAX_WORD_CHARS: Final = 1_000
"""Characters of a word; a longer one, which nobody reads as one, is cut."""
_WORD_CHARS: Final = 20
"""Characters that count as a word at least: so many words never have a passage longer than some thousands."""
_NAME_CHARACTERS: Final = 64
"""Characters of a line within which a colon ends a speaker's name (`plain.outside_quotes`)."""


class PassageCutter:
    """Cuts one meeting into passages, utterance by utterance, in order of id."""

    def __init__(
        self,
        source_id: str,
        title: str = "",
        corpus: Corpus = "meeting",
        topics: Mapping[str, str] | None = None,
        start: int = 0,
    ) -> None:
        """Begin to cut a meeting; `start` is the position of the first passage.

        `topics`: the names of topics by id; a live mapping, looked up when a passage closes.
        """
        self._source_id, self._title, self._corpus = source_id, title, corpus
        self._topics = topics if topics is not None else {}
        self._open: list[tuple[Utterance, str]] = []
        self._weight = 0.0
        self._place = start

    def add(self, utterance: Utterance) -> list[Passage]:
        """Take in one utterance; return the passages that it closed, usually none."""
        closed: list[Passage] = []
        if self._open and utterance.topic_id != self._open[-1][0].topic_id and self._weight >= _MIN_WEIGHT:
            closed.append(self._close())
        for piece in pieces(legible(utterance.text)):
            weight = weigh(piece)
            if self._open and self._weight + weight > _MAX_WEIGHT and self._weight >= _MIN_WEIGHT:
                closed.append(self._close())
            self._open.append((utterance, piece))
            self._weight += weight
            if self._weight >= PASSAGE_WORDS:
                closed.append(self._close())
        return closed

    def rest(self) -> Passage | None:
        """The open rest as a passage, which stays open; None where there is none."""
        return self._passage() if self._open else None

    def _close(self) -> Passage:
        passage = self._passage()
        self._open, self._weight, self._place = [], 0.0, self._place + 1
        return passage

    def _passage(self) -> Passage:
        first, last = self._open[0][0], self._open[-1][0]
        lines: list[str] = []
        speakers: list[str] = []
        before = ""
        for said, piece in self._open:
            name = " ".join((said.speaker_name or said.speaker_id).replace(":", " ").split())
            text = " ".join(piece.split())
            who = name + edit_mark(said.corrected_by, "en")
            # A text with a colon could be read as another speaker's line: it gets its own speaker's name.
            goes_on = before == who and ": " not in text[:_NAME_CHARACTERS]
            lines.append(text if goes_on else f"{who}: {text}")
            speakers.append(name)
            before = who
        known = tuple(dict.fromkeys(speakers))
        topic = self._topics.get(last.topic_id or "", last.topic or "")
        when = dated(first.absolute_timestamp)
        return Passage(
            corpus=self._corpus,
            source_id=self._source_id,
            position=self._place,
            text="\n".join(lines),
            prefix=prefix_of(self._title, topic, known, when),
            title=self._title,
            first=first.id,
            last=last.id,
            said_at=when,
            topic=topic,
            speakers=known,
        )


def pieces(text: str) -> Iterator[str]:
    """A text whole, or, if it is longer than a passage, in groups of sentences, or every 60 words."""
    if _size(text) <= _MAX_WEIGHT:
        if text:
            yield text
        return
    held: list[str] = []
    size = 0.0
    for sentence in BREAK.split(text):
        for part in _groups_of_words(sentence):
            held.append(part)
            size += _size(part)
            if size >= PASSAGE_WORDS:
                yield " ".join(held)
                held, size = [], 0.0
    if held:
        yield " ".join(held)


def _size(text: str) -> float:
    """The size of a text in words (`weigh`), however long these are."""
    return max(weigh(text), len(text) / _WORD_CHARS)


def _groups_of_words(sentence: str) -> Iterator[str]:
    held: list[str] = []
    chars = 0
    for word in sentence.split():
        for start in range(0, len(word), _MAX_WORD_CHARS):
            part = word[start : start + _MAX_WORD_CHARS]
            if held and (len(held) == _WORDS_PER_PIECE or chars + len(part) > _WORDS_PER_PIECE * _WORD_CHARS):
                yield " ".join(held)
                held, chars = [], 0
            held.append(part)
            chars += len(part) + 1
    if held:
        yield " ".join(held)


_MIN_DOCUMENT_WORDS: Final = 30.0
"""Least words of a document's passage; a shorter one goes on, within its page, under the next heading."""


class Block(Frozen):
    """A part of a document that belongs together: a paragraph, a row, an item."""

    text: str
    heading: str = ""
    """The headings above it, outermost first: `Prices > Servers`."""
    page: int | None = None


def cut_blocks(blocks: Iterable[Block]) -> list[Block]:
    """Cut a document into blocks of about 140 words, each of one page and, unless very short, one heading.

    A heading that begins within a block is also part of its text, so that it can be quoted.
    """
    groups: list[tuple[str, int | None, list[str]]] = []  # of each block its heading, page and lines
    held: list[str] = []
    size = 0.0
    for block in blocks:
        heading, page = groups[-1][:2] if held else ("", None)
        moved = held and block.heading != heading
        if held and (block.page != page or (moved and size >= _MIN_DOCUMENT_WORDS)):
            held, size = [], 0.0
        elif moved and block.heading:
            title = block.heading.rsplit(" > ", 1)[-1]
            held.append(title)
            size += len(title) / _WORD_CHARS
        for piece in pieces(block.text):
            if size + _size(piece) > 1.5 * PASSAGE_WORDS:
                held, size = [], 0.0
            if not held:
                groups.append((block.heading, block.page, held))
            held.append(piece)
            size += _size(piece)
            if size >= PASSAGE_WORDS:
                held, size = [], 0.0
    return [Block(text="\n".join(lines), heading=heading, page=page) for heading, page, lines in groups]


def document_passages(
    blocks: Iterable[Block],
    source_id: str,
    title: str,
    added_at: AwareDatetime | None = None,
    access: tuple[str, ...] = (),
) -> list[Passage]:
    """Make the passages of a document, one of each block as `cut_blocks` gives them.

    `added_at`: when the document was last changed; `access`: who alone may read it.
    """
    return [
        Passage(
            corpus="document",
            source_id=source_id,
            position=position,
            text=block.text,
            prefix=prefix_of(title, block.heading, page=block.page),
            title=title,
            page=block.page,
            said_at=added_at,
            topic=block.heading,
            access=access,
        )
        for position, block in enumerate(blocks)
    ]
