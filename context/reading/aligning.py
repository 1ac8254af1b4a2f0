"""How two statements line up: the words of each, the part that they play, and which of them both have.

What tells two matters apart is what stands where the subject does: 광고 비용은 and 임대 비용은 share a
noun and speak of two things, while 비용은 9백만 원 and 비용은 8백만 원 differ in a value. Korean says the
part of a word by its particle; in English, what stands before the first verb of a clause is the subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from context.language.closed_lists import closed_lists
from context.language.dates import weekdays
from context.language.korean import has_hangul
from context.language.numbers import spelled, stated
from context.retrieval.index_terms import stem

Part = Literal["topic", "subject", "object", "verb", "other"]

FOUND_SCORE: Final = 0.6
"""From this likeness on two words are taken for one, in another form."""
SAME_SCORE: Final = 0.9
"""From this likeness on two words are the same."""
_LISTS: Final = closed_lists("clauses")
_VERBS: Final = frozenset(_LISTS["verbs"])
_JOINS: Final = frozenset(_LISTS["joins"])
_EMPTY_WORDS: Final = frozenset(_LISTS["empty"])
_MOMENTS: Final = frozenset(_LISTS["months"])
_KOREAN: Final = re.compile(r"[가-힣A-Za-z0-9.:%]+|[,?!]")
_ENGLISH: Final = re.compile(r"[A-Za-z0-9$£€%.:'-]+|[,;?!]")
_PARTICLES: Final[tuple[tuple[Part, re.Pattern[str]], ...]] = (
    ("topic", re.compile(r"(?<=.)(?:에서는|에는|으로는|로는|은|는|도)$")),
    ("other", re.compile(r"(?<=.)(?:부터|까지|에서|에게|한테|께)$")),
    ("subject", re.compile(r"(?<=.)(?:께서|이|가)$")),
    ("object", re.compile(r"(?<=.)(?:을|를)$")),
    ("other", re.compile(r"(?<=.)(?:으로|로|에|의|이랑|와|과|랑|하고|만|씩|당)$")),
)
_JOINING: Final = re.compile(r"(?:서|니까|는데|은데|지만|므로|대요|라고|다고|하고|면서|며|고)$")
"""Endings of a Korean verb behind which another clause follows."""
_FIGURE: Final = re.compile(
    r"^(?:\d|[일이삼사오육칠팔구십백천만억]+(?:원|월|일|시|분|명|개|대|장|회|주|년|층|번|퍼센트|프로)"
    r"|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른)$)"
)
_CACHE_SIZE: Final = 512


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a statement that says something."""

    base: str
    """Without its particle, or its English ending; in lower case."""
    part: Part
    is_value: bool
    """Whether it is (part of) a day, an hour or a figure."""
    clause: int
    """The number of its clause."""


@lru_cache(maxsize=_CACHE_SIZE)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a statement that say something, in order."""
    plain = text.lower().replace("’", "'")
    return _of_korean(_KOREAN.findall(plain)) if has_hangul(text) else _of_english(_ENGLISH.findall(plain))


def _of_korean(found: Sequence[str]) -> tuple[Word, ...]:
    words: list[Word] = []
    clause = 0
    for place, each in enumerate(found):
        word = each.strip(".:")
        if each in ",?!" or not word:
            clause += 1
            continue
        base, part = _particle_of(word)
        behind = found[place + 1] if place + 1 < len(found) else ""
        ends = each.endswith(".")
        if (ends or not behind or behind in ",?!") and part != "object":
            base, part = (word, "verb") if part == "other" and base == word else (base, "verb")
        words.append(Word(base, part, _is_value(word) or _is_value(base), clause))
        clause += bool(ends or _JOINING.search(word))
    return tuple(words)


def without_particle(word: str) -> str:
    """A Korean word without the particle that says its part."""
    return _particle_of(word)[0]


def _particle_of(word: str) -> tuple[str, Part]:
    for part, particle in _PARTICLES:
        if found := particle.search(word):
            return word[: found.start()], part
    return word, "other"


def _of_english(found: Sequence[str]) -> tuple[Word, ...]:
    words: list[Word] = []
    clause, is_behind_verb = 0, False
    for each in found:
        word = each.strip(".:-'")
        if each in ",;?!" or word in _JOINS:
            clause, is_behind_verb = clause + 1, False
            continue
        is_verb = word in _VERBS or word.endswith(("n't", "'s", "'re", "'ll"))
        if is_verb:
            word = "" if word in _VERBS else word.split("'")[0]
        if word and word not in _EMPTY_WORDS and word not in _VERBS:
            part: Part = "other" if is_behind_verb else "subject"
            words.append(Word(stem(word), part, _is_value(word), clause))
        is_behind_verb = is_behind_verb or is_verb
        if each.endswith("."):
            clause, is_behind_verb = clause + 1, False
    return tuple(words)


@lru_cache(maxsize=4 * _CACHE_SIZE)
def _is_value(word: str) -> bool:
    if has_hangul(word):
        return bool(_FIGURE.match(word) or stated(word) or spelled(word) or weekdays(word))
    first = word[:1]
    return bool(
        first.isdigit() or first in tuple("$£€") or word in _MOMENTS or spelled(word) or weekdays(word)
    )


def subject(words: Sequence[Word]) -> Sequence[Word]:
    """What the words speak of: up to the first topic, or else subject, or object; at least the first word."""
    if words and all(each.part in ("subject", "other") for each in words):  # English, as a rule
        ends = next((place for place, each in enumerate(words) if each.part != "subject"), len(words))
        return words[: max(1, ends)]
    for part in ("topic", "subject", "object"):
        for place, each in enumerate(words):
            if each.part == part:
                return words[: place + 1]
    return words[:1]


def closest_clause(words: Sequence[Word], other: Sequence[Word]) -> Sequence[Word]:
    """The clause of `words` that has most of the words of `other`; of equal ones the first."""
    return max(_clauses(words), key=lambda clause: sum(each >= FOUND_SCORE for each in found(other, clause)))


def last_clause(words: Sequence[Word]) -> Sequence[Word]:
    """The clause that a statement ends with."""
    return _clauses(words)[-1]


def _clauses(words: Sequence[Word]) -> list[list[Word]]:
    numbers = sorted({each.clause for each in words})
    return [[each for each in words if each.clause == number] for number in numbers] or [[]]


def found(words: Sequence[Word], there: Sequence[Word]) -> list[float]:
    """How much the likeliest of the words `there` is like each of `words`, 0 to 1."""
    return [max((likeness(each.base, other.base) for other in there), default=0.0) for each in words]


@lru_cache(maxsize=64 * _CACHE_SIZE)
def likeness(one: str, other: str) -> float:
    """How much two words are alike, 0 to 1, by the pairs of letters that both have."""
    if one == other:
        return 1.0
    pairs, others = pairs_of(one), pairs_of(other)
    return 0.95 * len(pairs & others) / max(1, min(len(pairs), len(others)))


@lru_cache(maxsize=4 * _CACHE_SIZE)
def pairs_of(word: str) -> frozenset[str]:
    """The pairs of letters of a word: Korean words share stems, not forms."""
    return frozenset(word[i : i + 2] for i in range(max(1, len(word) - 1)))
