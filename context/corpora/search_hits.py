"""What somebody who searches is shown: which passages are hits at all, and each from the line that was hit.

A search is no question in a meeting: no passage of that meeting says how close is close, so a floor does. A
passage is a hit that holds enough of the words that are looked for, by their weights among all passages; or
some of them, and it means something alike (`Floor.near`); or none, and it is closer than unrelated passages
come (`Floor.alone`). By their vectors alone passages of 140 words cannot be told apart: of the packaged
encoder the best cosine to what nobody ever spoke of is .79 to .87, that to the answer of a question .78 to
.90. So words carry a search, and meaning decides where they are few.

Who types words means each of them ("garden furniture repair"), and one that nearly every meeting says of
something is no hit; a question's words are mostly not those of its answer, so fewer of them are enough.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from context.corpora.passage import Passage
from context.corpora.sources import asked_terms
from context.language.questions import is_question
from context.models import Frozen
from context.retrieval.bm25 import term_weight
from context.retrieval.index_terms import Cut, TermShare, cut, whole

_MAX_CHARACTERS: Final = 600
"""Characters of an excerpt."""
_NAME_CHARACTERS: Final = 64
"""Characters of a line within which a colon is that behind a speaker's name (`PassageCutter`)."""


class Floor(NamedTuple):
    """The cosines from which on passages count as alike; they are an encoder's own."""

    near: float
    """Where some of the words are there."""
    alone: float
    """Where none is."""


class _Held(NamedTuple):
    """Shares of the words that are looked for, by their weights."""

    enough: float
    """What makes a passage a hit by itself."""
    some: float
    """What does where the passage is near by its vector, too."""


_OF_WORDS: Final = _Held(enough=0.5, some=0.35)
_OF_A_QUESTION: Final = _Held(enough=0.3, some=0.2)
"""The shares for a question. With them .85 of 444 questions to the trials find their answer, with `_OF_WORDS`
.66. Of 56 searches in words that have nothing to do with any of 66 meetings, `_OF_WORDS` has hits for 6
(English) and 2 (Korean); of forty of them, these shares have hits for 27 and 21."""

NO_MEANING: Final = Floor(near=2.0, alone=2.0)
"""The floor of an encoder whose scale nobody has measured: its vectors rank hits, and make none."""


def hits(
    query: str,
    passages: Sequence[Passage],
    frequencies: Mapping[str, int],
    total: int,
    *,
    likeness: Mapping[str, float],
    floor: Floor,
) -> dict[str, bool]:
    """The ids of those `passages` that are hits of a search, each with whether it holds all that was typed.

    `frequencies`: in how many of `total` passages each term stands; one that stands nowhere weighs most.
    `likeness`: cosines to the query by id, of those that have one.
    """
    # Of a question few words are enough, or half of one; whoever types words means each of them, whole.
    asks = is_question(query)
    if asks:
        least, asked = _OF_A_QUESTION, _terms_of(query)
    else:
        least, asked = _OF_WORDS, {word.terms for word in _meant(query)}
    typed = {word.typed for word in _meant(query)}
    weights = {
        either: min(term_weight(frequencies.get(term, 0), total) for term in either) for either in asked
    }
    all_ = sum(weights.values()) or 1.0

    def is_hit(here: AbstractSet[str], passage: Passage) -> bool:
        held = sum(value for either, value in weights.items() if not either.isdisjoint(here)) / all_
        alike = likeness.get(passage.id, -1.0)
        return held >= least.enough or (held >= least.some and alike >= floor.near) or alike >= floor.alone

    terms = cut if asks else whole
    held_by = ((passage, {place.term for place in terms(passage.searched)}) for passage in passages)
    return {
        passage.id: bool(typed) and not any(term.isdisjoint(here) for term in typed)
        for passage, here in held_by
        if is_hit(here, passage)
    }


class Excerpt(Frozen):
    """A passage from the line on that was hit."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """Where the words that were looked for stand in `text`: from and behind which character, in order."""
    utterance: int | None = None
    """The id of the utterance that the first line is of; None for a document."""


def excerpt(passage: Passage, query: str) -> Excerpt:
    """The passage from the line on that holds most words of `query`; from its first where none holds any."""
    asked = frozenset().union(*(word.terms for word in _meant(query)))
    lines = passage.text.split("\n")
    held = [len({place.term for place in _term_places(line, asked)}) for line in lines]
    at = held.index(max(held))
    rest = "\n".join((_named(lines, at) if passage.corpus != "document" else lines[at], *lines[at + 1 :]))
    text = rest if len(rest) <= _MAX_CHARACTERS else rest[: _MAX_CHARACTERS - 1].rstrip() + "…"
    marks = _merged([(place.start, place.end) for place in _term_places(text, asked)])
    return Excerpt(text=text, marks=marks, utterance=_utterance(passage, at, len(lines)))


def _utterance(passage: Passage, line: int, lines: int) -> int | None:
    """The utterance of a line. Where one was cut into several lines, or erased, it is the passage's first."""
    if passage.first is None or passage.last is None:
        return None
    return passage.first + line if passage.last - passage.first + 1 == lines else passage.first


def _named(lines: Sequence[str], at: int) -> str:
    """A line behind the name of its speaker, which stands only where the speaker changes."""
    for place in range(at, -1, -1):
        name, colon, _ = lines[place][:_NAME_CHARACTERS].partition(": ")
        if colon:
            return lines[at] if place == at else f"{name}: {lines[at]}"
    return lines[at]


def _terms_of(query: str) -> set[frozenset[str]]:
    """All terms of a query; those of the same letters are forms of one word."""
    telling = set(asked_terms(query))
    forms: dict[tuple[int, int], set[str]] = {}
    for place in cut(query):
        if place.term in telling:
            forms.setdefault((place.start, place.end), set()).add(place.term)
    return {frozenset(either) for either in forms.values()}


class _Meant(NamedTuple):
    """A word of a query, or two syllables of one."""

    terms: frozenset[str]
    """Any of these is it."""
    typed: frozenset[str]
    """Those of them that are all of it: 정은, not 정."""


def _meant(query: str) -> list[_Meant]:
    """What is meant by the words of a query, in order."""
    telling = set(asked_terms(query))
    meant: dict[int, list[Cut]] = {}
    for place in cut(query):
        if place.share is TermShare.MEANT and place.term in telling:
            meant.setdefault(place.start, []).append(place)
    return [
        _Meant(
            frozenset(place.term for place in either),
            frozenset(place.term for place in either if place.end == max(other.end for other in either)),
        )
        for either in meant.values()
    ]


def _term_places(text: str, asked: Collection[str]) -> list[Cut]:
    """Where terms stand in a text. Pairs may overlap."""
    return [place for place in whole(text) if place.term in asked]


def _merged(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
