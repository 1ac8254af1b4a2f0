"""An index that grows with the meeting: what was said, by its terms, both ways.

Theory of operation. A term's postings are numbers, `document << 4 | count`: adding is an append per
distinct term, a query adds up whole arrays with numpy. Half of all terms are said once and never again, so
the first posting of each stands in one array for all, and only those that come back have one of their own.
Beside them stand, per document, its terms (for the likeness of passages), its size and its speaker.
Nothing is ever rebuilt. Terms that occur in more than a third of a long meeting say nothing and are skipped
by `search`.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance
from context.retrieval.terms import COARSE, plain, terms, weigh

_K1: Final = 1.2
_B: Final = 0.6
_COARSE_WEIGHT: Final = 0.3
_COMMON: Final = 0.35
_ENOUGH_TO_JUDGE: Final = 50
_MAX_QUERY_TERMS: Final = 120
_FIRST_COARSE: Final = chr(COARSE)

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a term stands: documents in ascending order, and how often in each (at most 15)."""

    documents: Places
    counts: Floats


class LexicalIndex:
    """What was said, by its words. Utterances may come in any order of id; the same id twice counts once."""

    def __init__(self, utterances: Iterable[Utterance] = ()) -> None:
        self._ids = array("q")
        self._without_gap = 0
        """Every id from 1 up to this one is known: as good as all of a meeting's."""
        self._apart: set[int] = set()
        """The other known ones."""
        self._lengths = array("H")
        self._total = 0
        self._term_numbers: dict[str, int] = {}
        """Of the exact terms."""
        self._first_postings = array("I")
        """By the number of its term: where that was said first."""
        self._further_postings: dict[int, array[int]] = {}
        """By that number: where else."""
        self._coarse_postings: dict[str, array[int]] = {}
        self._forward = array("I")
        self._forward_ends = array("I")
        self._sizes = array("f")
        self._speakers = array("H")
        self._speaker_numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._first_said = array("I")
        self.shown: dict[str, dict[int, Any]] = {}
        """For whoever shows documents: what each comes to, by tokenizer and document."""
        for utterance in utterances:
            self.add(utterance)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, utterance_id: int) -> bool:
        return 0 < utterance_id <= self._without_gap or utterance_id in self._apart

    def add(self, utterance: Utterance) -> None:
        """Index one utterance; some 40 µs."""
        if utterance.id in self:
            return
        document = len(self._ids) << 4
        text = plain(utterance.text)
        counts = Counter(terms(text))
        forward, numbers = self._forward, self._term_numbers
        first, further, coarse = self._first_postings, self._further_postings, self._coarse_postings
        for term, count in counts.items():
            posting = document | (count if count < 16 else 15)
            if term[0] >= _FIRST_COARSE:
                sounding = coarse.get(term)
                if sounding is None:
                    sounding = coarse[term] = array("I")
                sounding.append(posting)
                continue
            number = numbers.get(term)
            if number is None:
                number = numbers[term] = len(numbers)
                first.append(posting)
            elif (again := further.get(number)) is None:
                further[number] = array("I", (posting,))
            else:
                again.append(posting)
            forward.append(number)
        self._forward_ends.append(len(forward))
        length = min(sum(counts.values()), 65535)
        self._total += length
        self._lengths.append(length)
        self._sizes.append(weigh(text))
        self._speakers.append(self._speaker(utterance))
        self._ids.append(utterance.id)
        if utterance.id == self._without_gap + 1:
            self._without_gap += 1
        else:
            self._apart.add(utterance.id)

    def _speaker(self, utterance: Utterance) -> int:
        name = utterance.speaker_name or utterance.speaker_id
        number = self._speaker_numbers.get(name)
        if number is None:
            number = self._speaker_numbers[name] = min(len(self._names), 65535)
            self._names.append(name)
            self._first_said.append(len(self._ids))
        return number

    # what is there, for whoever ranks passages

    def holds(self, utterances: Sequence[Utterance]) -> bool:
        """Are the first documents just these utterances? (Ends and middle are looked at.)"""
        last = len(utterances) - 1
        if last < 0 or last >= len(self._ids):
            return last < 0
        return all(self._ids[place] == utterances[place].id for place in {0, last // 2, last})

    def posting(self, term: str, upto: int) -> Posting | None:
        """Where `term` stands among the first `upto` documents; None where it doesn't."""
        found = self._found(term)
        if not found:
            return None
        packed = np.array(found, dtype=np.uint32)
        packed = packed[: np.searchsorted(packed, np.uint32(upto << 4))]
        if not len(packed):
            return None
        return Posting((packed >> 4).astype(np.int64), (packed & 15).astype(np.float32))

    def sizes(self, upto: int) -> Floats:
        """How much each document holds, in English words or what weighs as much."""
        return np.array(self._sizes[:upto], dtype=np.float32)

    def lengths(self, upto: int) -> Floats:
        """How many terms each document has."""
        return np.array(self._lengths[:upto], dtype=np.float32)

    def speakers(self, upto: int) -> Places:
        """Who said each document: a place in `names`."""
        return np.array(self._speakers[:upto], dtype=np.int64)

    @property
    def names(self) -> Sequence[str]:
        """The names of all who spoke, in order of appearance."""
        return self._names

    def names_among(self, upto: int) -> list[str]:
        """The names of those who spoke by then."""
        return [name for name, first in zip(self._names, self._first_said, strict=True) if first < upto]

    def terms_of(self, first: int, last: int) -> tuple[Places, Places]:
        """The distinct exact terms of documents `first` to `last` (excluded): numbers, and whose they are."""
        start = self._forward_ends[first - 1] if first else 0
        ends = np.array(self._forward_ends[first:last], dtype=np.int64) - start
        numbers = np.array(self._forward[start : start + int(ends[-1])], dtype=np.int64)
        return numbers, np.repeat(np.arange(first, last), np.diff(ends, prepend=0))

    def numbers_of(self, wanted: Iterable[str], below: int) -> list[int]:
        """The numbers that `terms_of` gives these terms, those under `below`."""
        numbers = (self._term_numbers.get(term, below) for term in wanted)
        return [number for number in numbers if number < below]

    def latin_terms(self) -> Iterator[str]:
        """The terms in Latin letters, stemmed."""
        return (term for term in self._term_numbers if term[0].isascii() and term[0].isalpha())

    def frequency(self, term: str) -> int:
        """In how many utterances a term (as `terms` gives it) occurs."""
        number = self._term_numbers.get(term)
        if number is None:
            return len(self._coarse_postings.get(term, ()))
        return 1 + len(self._further_postings.get(number, ()))

    def _found(self, term: str) -> Sequence[int]:
        """The postings of a term, in the order in which it was said."""
        number = self._term_numbers.get(term)
        if number is None:
            return self._coarse_postings.get(term, ())
        first = self._first_postings[number : number + 1]
        return first + self._further_postings[number] if number in self._further_postings else first

    def search(self, query: str, k: int = 10) -> list[tuple[int, float]]:
        """The `k` best utterances as (id, score), best first; equal scores by newest. May be empty."""
        return [(self._ids[document], score) for document, score in self.best(query, k, len(self._ids))]

    def best(self, query: str, k: int, upto: int) -> list[tuple[int, float]]:
        """As `search`, among the first `upto` documents, as (document, score)."""
        asked = dict.fromkeys(terms(query))
        if not upto or not asked or k <= 0:
            return []
        scores = np.zeros(upto, dtype=np.float32)
        lengths = np.array(self._lengths[:upto], dtype=np.float32)
        norms = _K1 * (1 - _B + _B * lengths / max(1.0, self._total / len(self._ids)))
        found = False
        for term in list(asked)[:_MAX_QUERY_TERMS]:
            said = self.posting(term, upto)
            if said is None or (upto > _ENOUGH_TO_JUDGE and len(said.documents) > upto * _COMMON):
                continue
            found = True
            weight = math.log(1 + (upto - len(said.documents) + 0.5) / (len(said.documents) + 0.5))
            if ord(term[0]) >= COARSE:
                weight *= _COARSE_WEIGHT
            scores[said.documents] += weight * (_K1 + 1) * said.counts / (said.counts + norms[said.documents])
        return self._ranked(scores, k) if found else []

    def _ranked(self, scores: Floats, k: int) -> list[tuple[int, float]]:
        candidates = np.flatnonzero(scores)
        if len(candidates) > 4 * k:
            parted = np.argpartition(-scores[candidates], 2 * k)[: 2 * k]
            candidates = candidates[parted]
        ranked = sorted(((float(scores[i]), int(i)) for i in candidates), reverse=True)[:k]
        return [(document, score) for score, document in ranked]
