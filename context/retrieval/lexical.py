"""A lexical index of a meeting's utterances that grows with it, by their `index_terms`.

Theory of operation. An utterance is a document, numbered from 0. A term's postings are numbers,
`document << 4 | count`: adding is an append per distinct term, a query adds up whole arrays with numpy. Half
of all terms are said once and never again, so the first posting of each stands in one array for all, and only
terms that come back have an array of their own. Beside them stand, per document, its terms (for the likeness
of passages), its size and its speaker. Nothing is ever rebuilt. Terms that occur in more than a third of a
long meeting say nothing and are skipped by `search`.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.language.transcriber_marks import plain
from context.models import Utterance
from context.retrieval.bm25 import K1, B, term_weight
from context.retrieval.index_terms import COARSE_BASE, terms, weigh

_COARSE_WEIGHT: Final = 0.3
_COMMON_SHARE: Final = 0.35
_ENOUGH_TO_JUDGE: Final = 50
_MAX_QUERY_TERMS: Final = 120
_FIRST_COARSE: Final = chr(COARSE_BASE)

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Posting:
    """The documents that a term stands in, ascending, and how often in each (at most 15)."""

    documents: Places
    counts: Floats


class LexicalIndex:
    """The index of one meeting's utterances, which are added in order of id and become documents 0, 1, …"""

    def __init__(self, utterances: Iterable[Utterance] = ()) -> None:
        self._ids = array("q")
        self._lengths = array("H")
        self._sizes = array("f")
        self._speakers = array("H")
        self._names: dict[str, tuple[int, int]] = {}
        """The number and the first document of each speaker, in order of appearance."""
        self._term_numbers: dict[str, int] = {}
        """The number of each exact term."""
        self._first_postings = array("I")
        """The first posting of each exact term, by its number."""
        self._further_postings: dict[int, array[int]] = {}
        """The other postings, by the number of the term."""
        self._coarse_postings: dict[str, array[int]] = {}
        self._forward = array("I")
        self._forward_ends = array("I")
        self.shown: dict[str, dict[int, Any]] = {}
        """A cache for those who show documents: what each shows, by tokenizer and document."""
        for utterance in utterances:
            self.add(utterance)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, utterance: Utterance) -> None:
        """Index one utterance; some 70 µs. One whose id is not above the last one is ignored."""
        if self._ids and utterance.id <= self._ids[-1]:
            return
        document = len(self._ids)
        text = plain(utterance.text)
        counts = Counter(terms(text))
        for term, count in counts.items():
            posting = document << 4 | min(count, 15)
            if term[0] >= _FIRST_COARSE:
                if (sounding := self._coarse_postings.get(term)) is None:
                    sounding = self._coarse_postings[term] = array("I")
                sounding.append(posting)
                continue
            number = self._term_numbers.setdefault(term, len(self._term_numbers))
            if number == len(self._first_postings):
                self._first_postings.append(posting)
            elif (again := self._further_postings.get(number)) is None:
                self._further_postings[number] = array("I", (posting,))
            else:
                again.append(posting)
            self._forward.append(number)
        self._forward_ends.append(len(self._forward))
        self._lengths.append(min(sum(counts.values()), 65535))
        self._sizes.append(weigh(text))
        name = utterance.speaker_name or utterance.speaker_id
        speaker, _ = self._names.setdefault(name, (min(len(self._names), 65535), document))
        self._speakers.append(speaker)
        self._ids.append(utterance.id)

    def holds(self, utterances: Sequence[Utterance]) -> bool:
        """Tell whether the first documents are just these utterances; only ends and middle are compared."""
        last = len(utterances) - 1
        if last < 0 or last >= len(self._ids):
            return last < 0
        return all(self._ids[place] == utterances[place].id for place in {0, last // 2, last})

    def posting(self, term: str, upto: int) -> Posting | None:
        """The posting of `term` in the first `upto` documents; None where it is in none of them."""
        number = self._term_numbers.get(term)
        if number is None:
            postings = self._coarse_postings.get(term, array("I"))
        else:
            postings = self._first_postings[number : number + 1]
            postings = postings + self._further_postings.get(number, array("I"))
        packed = np.array(postings, dtype=np.uint32)
        packed = packed[: np.searchsorted(packed, np.uint32(upto << 4))]
        if not len(packed):
            return None
        return Posting((packed >> 4).astype(np.int64), (packed & 15).astype(np.float32))

    def sizes(self, upto: int) -> Floats:
        """The size of each of the first `upto` documents, in English words (`weigh`)."""
        return np.array(self._sizes[:upto], dtype=np.float32)

    def lengths(self, upto: int) -> Floats:
        """The number of terms in each of the first `upto` documents."""
        return np.array(self._lengths[:upto], dtype=np.float32)

    def speakers(self, upto: int) -> Places:
        """The speaker of each of the first `upto` documents, as a place in `names`."""
        return np.array(self._speakers[:upto], dtype=np.int64)

    @property
    def names(self) -> Sequence[str]:
        """The names of all who spoke, in order of appearance."""
        return list(self._names)

    def names_among(self, upto: int) -> list[str]:
        """The names of those who spoke in the first `upto` documents."""
        return [name for name, (_, first) in self._names.items() if first < upto]

    def terms_of(self, first: int, last: int) -> tuple[Places, Places]:
        """The distinct exact terms of documents `first` to `last` (excluded): their numbers and documents."""
        start = self._forward_ends[first - 1] if first else 0
        ends = np.array(self._forward_ends[first:last], dtype=np.int64) - start
        numbers = np.array(self._forward[start : start + int(ends[-1])], dtype=np.int64)
        return numbers, np.repeat(np.arange(first, last), np.diff(ends, prepend=0))

    def numbers_of(self, wanted: Iterable[str], below: int) -> list[int]:
        """The numbers under `below` that `terms_of` gives these terms; unknown terms have none."""
        numbers = (self._term_numbers.get(term, below) for term in wanted)
        return [number for number in numbers if number < below]

    def search(self, query: str, k: int = 10) -> list[tuple[int, float]]:
        """The `k` best utterances by BM25 as (id, score), best first, of equal ones the newest; or none."""
        asked, count = dict.fromkeys(terms(query)), len(self._ids)
        if not count or not asked or k <= 0:
            return []
        scores = np.zeros(count, dtype=np.float32)
        lengths = np.array(self._lengths, dtype=np.float32)
        norms = K1 * (1 - B + B * lengths / max(1.0, float(lengths.sum(dtype=np.float64)) / count))
        for term in list(asked)[:_MAX_QUERY_TERMS]:
            posting = self.posting(term, count)
            if posting is None:
                continue
            documents = posting.documents
            if count > _ENOUGH_TO_JUDGE and len(documents) > count * _COMMON_SHARE:
                continue
            weight = term_weight(len(documents), count)
            if ord(term[0]) >= COARSE_BASE:
                weight *= _COARSE_WEIGHT
            scores[documents] += weight * (K1 + 1) * posting.counts / (posting.counts + norms[documents])
        candidates = np.flatnonzero(scores)
        if len(candidates) > 4 * k:
            candidates = candidates[np.argpartition(-scores[candidates], 2 * k)[: 2 * k]]
        ranked = sorted(((float(scores[place]), int(place)) for place in candidates), reverse=True)[:k]
        return [(self._ids[place], score) for score, place in ranked]
