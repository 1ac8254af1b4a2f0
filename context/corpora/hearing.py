"""How much of a question a meeting has heard of: word by word, together, and whom it asks for.

Every measure is free of the meeting's kind and counts the same in Korean and English. What a word
weighs comes from a table of how common words are (`boundary.table`), not from this meeting: a meeting
about nothing else but remote controls makes "remote" no less telling of a question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import take_apart
from context.retrieval.subject import asking_stems
from context.retrieval.terms import coarse, stem, words
from context.topics.boundary.table import word_table
from context.topics.boundary.words import bare

_UNKNOWN_EN: Final = 11
_UNKNOWN_KO: Final = 8
_HEAVIEST: Final = 15
RATES: Final = (0.0, 0.15, 0.5, 1.5, 5.0)
"""Of a word: utterances per thousand words of talk; the edges of its rate's classes (none is one more)."""
WEIGHTS: Final = (0.45, 0.6, 0.75)
"""Edges of a word's classes by how telling it is, 0 to 1."""
CELLS: Final = (len(WEIGHTS) + 1) * (len(RATES) + 1)
_HALF_WIDTHS: Final = (50.0, 250.0)
_MOST_WORDS: Final = 24
_MISHEARD: Final = 3
"""A Korean word of so many syllables may have been heard by its sounds alone …"""
_MISHEARD_WITHIN: Final = 300
"""… in a meeting of at most so many utterances: in a long one everything sounds like something."""
_SPARE_WORDS: Final = 1500
"""Rates are of so many words more than were said: once in a short meeting is not often."""

_GROUP_TEXT: Final = """
the a an they he she it we you i group team everyone everybody people participants participant members member
mates groupmates groupmate meeting speaker speakers committee discussion debate all others team's group's
there this that these those project product government anyone anybody
"""
_GROUP: Final = frozenset(_GROUP_TEXT.split())
"""Who is asked about without being anybody."""
_ANY_MEETING_TEXT: Final = """
action actions item items task tasks todo todos owner owners due deadline deadlines step steps next minutes
notes list show give agenda points takeaways highlights open pending follow
액션 아이템 할일 할 일 해야 업무 담당 담당자 기한 마감 과제 후속 조치 미결 안건 회의록 핵심 포인트 전체 전반
"""
_ANY_MEETING: Final = frozenset(_ANY_MEETING_TEXT.split())
"""Words that ask for what every meeting has."""
_SUBJECT: Final = re.compile(
    r"\b(?:did|does|do|had|has|would|could)n?'?t? (?:the )?((?:[\w.'-]+ ){1,4}?)(?:also )?"
    r"(?:think|say|feel|agree|disagree|want|suggest|recommend|propose|mention|believe|ask|answer|respond|comment|elaborate"
    r"|debate|explain|introduce|describe|present|state|talk|contribute|approach|put|learn|ensure|question|see|mean|object"
    r"|discuss|react|view|consider|decide|need|like|prefer|plan|promise|offer|argue|claim)\b"
)
_POSSESSIVE: Final = re.compile(
    r"((?:\b[A-Z][\w.-]*\s)*\b[A-Z][\w.-]*)(?:'s|’s|s'|s’) "
    r"(?:opinion|view|comment|thought|perspective|presentation|question|idea|response|plan|proposal|attitude)"
)
_PROPER: Final = re.compile(r"(?<=[a-z,;] )[A-Z][\w-]*(?: (?:[A-Z][\w-]*))*")
_TITLED_KO: Final = re.compile(
    r"(?<![가-힣])([가-힣]{2,4}?)\s?(?:씨|님|의원|위원장|위원|팀장|부장|과장|대리|대표|장관|차관|교수|박사|이사|실장|국장)(?![가-힣]{3})"
)


@dataclass(frozen=True, slots=True)
class Heard:
    """A question held against a meeting."""

    cells: NDArray[np.float64]
    """How many of its words fall into each class of weight and rate."""
    whole: NDArray[np.float64]
    """Measures of the question as a whole; see `heard`."""
    words: int
    """How many words say what it is about: none, and nothing can be missing."""


def heard(question: str, index: LexicalIndex, upto: int | None = None) -> Heard:
    """Hold `question` against the first `upto` documents of `index` (all of them)."""
    upto = len(index) if upto is None else upto
    names = _Names(index.names_among(upto))
    asked = names.asked_in(question)
    about = [word for word in _about(question) if not names.has(word)]
    total = max(1.0, float(index.sizes(upto).sum()))
    said = [_documents(word, index, upto) for word in about]
    telling = np.array([_telling(word) for word in about])
    rates = np.array([1000 * len(found) / (total + _SPARE_WORDS) for found in said])
    cells = np.zeros(CELLS)
    for weight, rate in zip(telling, rates, strict=True):
        cells[_cell(float(weight), float(rate))] += 1
    whole = float(telling.sum()) or 1.0
    there = rates > 0
    proper = _proper(question, names, index, upto)
    measures = [
        float(telling[there].sum()) / whole if about else 1.0,
        float((telling * np.log1p(rates)).sum()) / whole,
        float(telling[~there].max(initial=0.0)),
        float((telling[~there]).sum()),
        *_together(said, telling / whole, index, upto),
        _pairs(about, said),
        float(asked == "there"),
        float(asked == "missing"),
        float(proper),
        math.log1p(len(about)),
        whole,
    ]
    return Heard(cells, np.array(measures), len(about))


def _cell(weight: float, rate: float) -> int:
    return int(np.searchsorted(WEIGHTS, weight, side="right")) * (len(RATES) + 1) + int(
        np.searchsorted(RATES, rate)
    )


def _about(question: str) -> list[str]:
    """The words that say what a question is about."""
    topic = take_apart(question).topic
    kept = [
        word
        for word in topic
        if word not in _ANY_MEETING and (word[0] >= "가" or stem(word) not in asking_stems())
    ]
    return list(dict.fromkeys(kept))[:_MOST_WORDS]


@cache
def _known() -> tuple[dict[str, int], list[int]]:
    table = word_table()
    return table.rows, table.weights


def _telling(word: str) -> float:
    """How telling a word is, 0 to 1."""
    rows, weights = _known()
    korean = word[0] >= "가"
    row = rows.get(bare(word)[:4] if korean else word)
    if row is None and not korean:
        row = rows.get(stem(word))
    return (weights[row] if row is not None else _UNKNOWN_KO if korean else _UNKNOWN_EN) / _HEAVIEST


def _documents(word: str, index: LexicalIndex, upto: int) -> NDArray[np.int64]:
    """Where a word was said; a Korean one by all its syllable pairs, or else by all their sounds."""
    if word[0] < "가":
        posting = index.posting(stem(word) if word[0].isalpha() else word, upto)
        return posting.documents if posting is not None else np.zeros(0, dtype=np.int64)
    if len(word) == 1:
        posting = index.posting(word, upto)
        return posting.documents if posting is not None else np.zeros(0, dtype=np.int64)
    found = _all_of(list(map("".join, pairwise(word))), index, upto)
    if len(found) or len(word) < _MISHEARD or upto > _MISHEARD_WITHIN:
        return found
    return _all_of(list(map("".join, pairwise(coarse(word)))), index, upto)


def _all_of(terms: Sequence[str], index: LexicalIndex, upto: int) -> NDArray[np.int64]:
    found: NDArray[np.int64] | None = None
    for term in terms:
        posting = index.posting(term, upto)
        if posting is None:
            return np.zeros(0, dtype=np.int64)
        found = posting.documents if found is None else np.intersect1d(found, posting.documents)
    return found if found is not None else np.zeros(0, dtype=np.int64)


def _together(
    said: Sequence[NDArray[np.int64]], shares: NDArray[np.float64], index: LexicalIndex, upto: int
) -> list[float]:
    """Which share of the question meets in one stretch of talk, at two widths."""
    if not said or not upto:
        return [float(not said) for _ in _HALF_WIDTHS]
    sizes = index.sizes(upto).astype(np.float64)
    ends = np.cumsum(sizes)
    starts, middle = ends - sizes, ends - sizes / 2
    best = []
    for half in _HALF_WIDTHS:
        first = np.searchsorted(ends, middle - half, side="right")
        last = np.searchsorted(starts, middle + half, side="left")
        total = np.zeros(upto)
        for documents, share in zip(said, shares, strict=True):
            running = np.zeros(upto + 1)
            running[documents + 1] = 1
            np.cumsum(running, out=running)
            total += share * (running[last] > running[first])
        best.append(float(total.max()))
    return best


def _pairs(about: Sequence[str], said: Sequence[NDArray[np.int64]]) -> float:
    """Which share of neighbouring words of the question was said within one utterance."""
    if len(about) < 2:
        return 0.5
    met = sum(bool(len(np.intersect1d(one, other))) for one, other in pairwise(said))
    return met / (len(about) - 1)


class _Names:
    """Who spoke."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = [name.lower() for name in names]
        self._words = {word for name in self._names for word in words(name)}
        self._stems = {stem(word) for word in self._words if word[0] < "가"}
        self._letters = {name[-1] for name in self._names if len(name) > 2 and name[-2] == " "}

    def has(self, word: str) -> bool:
        """Is a word part of somebody's name?"""
        if word[0] < "가":
            return len(word) > 1 and (word in self._words or stem(word) in self._stems)
        return any(len(word) > 1 and word in name for name in self._names)

    def asked_in(self, question: str) -> str:
        """`there`: words of one who spoke are asked for; `missing`: of one who did not; else empty."""
        found = [match.group(1) for match in _SUBJECT.finditer(question)]
        found += [match.group(1) for match in _POSSESSIVE.finditer(question)]
        verdict = ""
        for subject in found:
            parts = [part.lower() for part in re.findall(r"[\w-]+", subject)]
            parts = [part for part in parts if part not in _GROUP and part not in {"and", "of", "or"}]
            if not parts:
                continue
            spoke = any(self.has(part) or (len(part) == 1 and part in self._letters) for part in parts)
            if spoke and verdict != "missing":
                verdict = "there"
            elif not spoke:
                verdict = "missing"
        for match in _TITLED_KO.finditer(question):
            verdict = "there" if self.has(match.group(1)) else verdict or "missing"
        return verdict


def _proper(question: str, names: _Names, index: LexicalIndex, upto: int) -> int:
    """How many proper names of the question nobody bears and nobody mentions."""
    missing = 0
    for match in _PROPER.finditer(question):
        parts = [part for part in re.findall(r"[\w-]+", match.group(0).lower()) if len(part) > 1]
        known = [
            names.has(part) or bool(len(_documents(part, index, upto))) for part in parts if part[0].isalpha()
        ]
        missing += bool(known) and not any(known)
    return missing
