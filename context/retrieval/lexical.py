"""A lexical index of a meeting's utterances that grows with it, and the terms that texts are found by.

Theory of operation. An utterance is a document, numbered from 0. A term's postings are numbers,
`document << 4 | count`: adding is an append per distinct term, a query adds up whole arrays with numpy. Half
of all terms are said once and never again, so the first posting of each stands in one array for all, and only
terms that come back have an array of their own. Beside them stand, per document, its terms (for the likeness
of passages), its size and its speaker. Nothing is ever rebuilt. Terms that occur in more than a third of a
long meeting say nothing and are skipped by `search`.

Terms of Korean are the syllable pairs of each word, which need no dictionary and survive particles and
endings. Beside each pair stands its coarse twin (initial and vowel in classes of like sound, no final), so
that 출시일 and what a weak speech model made of it (출시릴, 조실) still share something. Terms of English are
words without function words, lightly stemmed. Numbers are terms as they stand.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.language.closed_lists import closed_lists
from context.models import Utterance

_WORD: Final = re.compile(r"[가-힣]+|[a-zà-öø-ÿ][a-zà-öø-ÿ']*|[0-9]+(?:[.,][0-9]+)*")
_LONGEST: Final = 4000
"""Characters of one utterance that are looked at."""
COARSE: Final = 0xE000
"""The first code point of coarse syllables, in a private-use area, apart from everything written."""

_INITIAL_CLASS: Final = (0, 0, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 8, 8, 0, 2, 5, 9)
#                        ㄱ ㄲ ㄴ ㄷ ㄸ ㄹ ㅁ ㅂ ㅃ ㅅ ㅆ ㅇ ㅈ ㅉ ㅊ ㅋ ㅌ ㅍ ㅎ
_VOWEL_CLASS: Final = (0, 1, 0, 1, 2, 1, 2, 1, 3, 0, 1, 1, 3, 3, 2, 1, 4, 3, 3, 4, 4)
#                      ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ

STOPWORDS: Final = frozenset(closed_lists("stopwords")["terms"])


_MARK: Final = re.compile(r"\{[A-Za-z_ ]{1,30}\}|<[A-Za-z_ ]{1,30}>")
"""The mark of a transcriber: {vocalsound}, <laugh>."""
_RECOGNISABLE: Final = 0.75
_SYLLABLE_SIZE: Final = 0.25


def plain(text: str) -> str:
    """`text` on one line, without a transcriber's marks."""
    if "{" in text or "<" in text:
        text = _MARK.sub(" ", text)
    return " ".join(text.split())


def legible(text: str) -> str:
    """`text` as it is shown: on one line, and without a transcriber's marks where three in four of its word
    triples stay without them, so that it can still be recognised as what was said.
    """
    bare, words = plain(text), text.split()
    if len(words) == len(bare.split()):
        return bare
    said, left = _triples(words), _triples(bare.split())
    return bare if len(said & left) >= _RECOGNISABLE * len(said) else " ".join(words)


def _triples(words: list[str]) -> set[tuple[str, ...]]:
    return set(zip(words, words[1:], words[2:], strict=False)) or {tuple(words)}


def weigh(text: str) -> float:
    """The size of a plain text in English words; a Korean word counts more by its syllables."""
    hangul = sum(1 for char in text if "가" <= char <= "힣") if not text.isascii() else 0
    return (text.count(" ") + 1 if text else 0) + _SYLLABLE_SIZE * hangul


_SOUNDS: Final = [chr(COARSE + initial * 8 + vowel) for initial in _INITIAL_CLASS for vowel in _VOWEL_CLASS]
_TWIN_OF: Final = {chr(code): _SOUNDS[(code - 0xAC00) // 28] for code in range(0xAC00, 0xD7A4)}
"""The coarse twin of each syllable. `str.translate` would write a reference count at each look-up."""
_ENDINGS: Final = (
    ("ations", 4), ("ation", 4), ("ings", 3), ("ing", 3), ("ied", 2), ("ies", 2), ("ed", 3),
)  # fmt: skip
"""English endings, each with the least number of letters before it."""


def coarse(text: str) -> str:
    """`text` with each Hangul syllable replaced by its coarse twin; everything else unchanged."""
    twin_of = _TWIN_OF.get
    return "".join([twin_of(char, char) for char in text])


def words(text: str) -> list[str]:
    """The words of `text` in lower case: runs of Hangul, of Latin letters, of digits."""
    return _WORD.findall(text[:_LONGEST].lower())


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """An English word without its commonest endings: crude, but the same for all forms of a word."""
    word = word.removesuffix("'s").replace("'", "")
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word[: -len(ending)]
            break
    else:
        if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
            word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


def terms(text: str) -> list[str]:
    """The terms of `text`, exact ones and coarse twins, with repetitions."""
    return _terms(text, twins=True)


def exact_terms(text: str) -> list[str]:
    """The terms of `text` as written, with repetitions, without their coarse twins."""
    return _terms(text, twins=False)


def _terms(text: str, *, twins: bool) -> list[str]:
    found: list[str] = []
    for word in words(text):
        if word[0] >= "가":
            if len(word) <= 2:
                found.append(word[0])
            found.extend(map("".join, pairwise(word)))
            if twins:
                found.extend(map("".join, pairwise(coarse(word))))
        elif word not in STOPWORDS:
            found.append(stem(word) if word[0].isalpha() else word)
    return found


_FULL_NAME: Final = 3
"""Syllables of a Korean name with its family name, most often."""


def called(name: str, text: str) -> bool:
    """Whether `text` names a participant: in full, by a Korean given name, by an English first name."""
    return bool(name) and _calling(name).search(text) is not None


@lru_cache(maxsize=512)
def _calling(name: str) -> re.Pattern[str]:
    """A pattern for a name; cached, as a question tries every name on every decision of the meeting."""
    if name[0] >= "가":
        given = name[1:] if len(name) == _FULL_NAME else name
        alone = rf"|(?<![가-힣]){re.escape(given)}" if len(given) > 1 else ""
        return re.compile(f"{re.escape(name)}{alone}")
    return re.compile(rf"\b{re.escape(name.split(maxsplit=1)[0])}\b", re.IGNORECASE)


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
        """Index one utterance; some 40 µs. One whose id is not above the last one is ignored."""
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
        """Whether the first documents are just these utterances; only ends and middle are compared."""
        last = len(utterances) - 1
        if last < 0 or last >= len(self._ids):
            return last < 0
        return all(self._ids[place] == utterances[place].id for place in {0, last // 2, last})

    def posting(self, term: str, upto: int) -> Posting | None:
        """The posting of `term` in the first `upto` documents; None where it is in none of them."""
        number = self._term_numbers.get(term)
        if number is None:
            found = self._coarse_postings.get(term, array("I"))
        else:
            found = self._first_postings[number : number + 1]
            found = found + self._further_postings.get(number, array("I"))
        packed = np.array(found, dtype=np.uint32)
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
        norms = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths.sum(dtype=np.float64)) / count))
        for term in list(asked)[:_MAX_QUERY_TERMS]:
            said = self.posting(term, count)
            if said is None or (count > _ENOUGH_TO_JUDGE and len(said.documents) > count * _COMMON):
                continue
            weight = math.log(1 + (count - len(said.documents) + 0.5) / (len(said.documents) + 0.5))
            if ord(term[0]) >= COARSE:
                weight *= _COARSE_WEIGHT
            scores[said.documents] += weight * (_K1 + 1) * said.counts / (said.counts + norms[said.documents])
        candidates = np.flatnonzero(scores)
        if len(candidates) > 4 * k:
            candidates = candidates[np.argpartition(-scores[candidates], 2 * k)[: 2 * k]]
        ranked = sorted(((float(scores[place]), int(place)) for place in candidates), reverse=True)[:k]
        return [(self._ids[place], score) for score, place in ranked]
