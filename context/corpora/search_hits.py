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

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from context.corpora.passage import Passage
from context.corpora.sources import asked_terms, passage_terms, weight
from context.language.questions import is_question
from context.models import Frozen
from context.retrieval.lexical import stem, words

_LONGEST: Final = 600
"""Characters of an excerpt."""
_NAMED_WITHIN: Final = 64
"""Characters of a line within which a colon is that behind a speaker's name (`PassageCutter`)."""
_WORD: Final = re.compile(r"[가-힣]+|[a-zà-öø-ÿ][a-zà-öø-ÿ']*|[0-9]+(?:[.,][0-9]+)*")


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
"""Of 444 questions to the trials these two find the answer of .85, the shares of words that of .66; of
forty searches in words that have nothing to do with any of 96 meetings, the shares of words have hits
for 8 (English) and 3 (Korean), those of questions for 27 and 21."""

NO_MEANING: Final = Floor(near=2.0, alone=2.0)
"""For an encoder whose scale nobody has measured: its vectors rank hits, and make none."""


def hits(
    query: str,
    passages: Sequence[Passage],
    found: Mapping[str, int],
    total: int,
    *,
    likeness: Mapping[str, float],
    floor: Floor,
    terms: Callable[[Passage], list[str]] = passage_terms,
) -> frozenset[str]:
    """The ids of those `passages` that are hits of a search.

    `found`: in how many of `total` passages each term stands; one that stands nowhere weighs most.
    `likeness`: cosines to the query by id, of those that have one. `terms`: gives the terms of a passage.
    """
    # Of a question few words are enough, or half of one; whoever types words means each of them, whole.
    least, asked = (_OF_A_QUESTION, asked_terms) if is_question(query) else (_OF_WORDS, _whole_terms)
    weights = {term: weight(found.get(term, 0), total) for term in asked(query)}
    whole = sum(weights.values()) or 1.0

    def is_hit(passage: Passage) -> bool:
        here = set(terms(passage))
        held = sum(value for term, value in weights.items() if term in here) / whole
        alike = likeness.get(passage.id, -1.0)
        return held >= least.enough or (held >= least.some and alike >= floor.near) or alike >= floor.alone

    return frozenset(each.id for each in passages if is_hit(each))


class Excerpt(Frozen):
    """A passage from the line on that was hit."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """Where the words that were looked for stand in `text`: from and behind which character, in order."""
    utterance: int | None = None
    """The id of the utterance that the first line is of; None for a document."""


def excerpt(passage: Passage, query: str) -> Excerpt:
    """The passage from the line on that holds most words of `query`; from its first where none holds any."""
    asked = _whole_terms(query)
    lines = passage.text.split("\n")
    held = [len({term for _, _, term in _found(line, asked)}) for line in lines]
    at = held.index(max(held))
    rest = "\n".join((_named(lines, at) if passage.corpus != "document" else lines[at], *lines[at + 1 :]))
    text = rest if len(rest) <= _LONGEST else rest[: _LONGEST - 1].rstrip() + "…"
    marks = _merged([(start, end) for start, end, _ in _found(text, asked)])
    return Excerpt(text=text, marks=marks, utterance=_utterance(passage, at, len(lines)))


def _utterance(passage: Passage, line: int, lines: int) -> int | None:
    """The utterance of a line. Where one was cut into several lines, or erased, it is the passage's first."""
    if passage.first is None or passage.last is None:
        return None
    return passage.first + line if passage.last - passage.first + 1 == lines else passage.first


def _named(lines: Sequence[str], at: int) -> str:
    """A line behind the name of its speaker, which stands only where the speaker changes."""
    for place in range(at, -1, -1):
        name, colon, _ = lines[place][:_NAMED_WITHIN].partition(": ")
        if colon:
            return lines[at] if place == at else f"{name}: {lines[at]}"
    return lines[at]


def _whole_terms(query: str) -> frozenset[str]:
    """The terms of a query that stand for no less than a word, or two syllables of one.

    A Korean word of two syllables is found by its first one, too: 단추 by 단. Marked, that would be half a
    word; weighed, it would say that half of what is looked for is missing, as 단추는 does not have it.
    """
    whole = set(words(query))
    return frozenset(term for term in asked_terms(query) if len(term) > 1 or term in whole)


def _found(text: str, asked: frozenset[str]) -> list[tuple[int, int, str]]:
    """Where terms stand in a text: from and behind which character, and which one. Pairs may overlap."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter that is two in lower case: İ
        lower = text
    found: list[tuple[int, int, str]] = []
    for match in _WORD.finditer(lower):
        word, start = match[0], match.start()
        if word[0] >= "가":
            pairs = [(start + i, start + i + 2, word[i : i + 2]) for i in range(len(word) - 1)]
            found += [pair for pair in pairs if pair[2] in asked]
            if len(word) == 1 and word in asked:
                found.append((start, match.end(), word))
        elif (term := stem(word) if word[0].isalpha() else word) in asked:
            found.append((start, match.end(), term))
    return found


def _merged(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
