"""Alignment of two statements: the content words of each, their grammatical roles, and which both have.

What tells two matters apart is what stands where the subject does: 광고 비용은 and 임대 비용은 share a
noun and speak of two things, while 비용은 9백만 원 and 비용은 8백만 원 differ in a value. Korean says the
role of a word by its particle; in English, what stands before the first verb of a clause is the subject.
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

Role = Literal["topic", "subject", "object", "verb", "other"]

SAME_STEM_SIMILARITY: Final = 0.6
"""From this similarity on two words are taken for forms of one stem."""
SAME_WORD_SIMILARITY: Final = 0.9
"""From this similarity on two words are taken for the same."""
_LISTS: Final = closed_lists("clauses")
_VERBS: Final = frozenset(_LISTS["verbs"])
_CONJUNCTIONS: Final = frozenset(_LISTS["joins"])
_FUNCTION_WORDS: Final = frozenset(_LISTS["empty"])
_MONTHS: Final = frozenset(_LISTS["months"])
_KOREAN_TOKEN: Final = re.compile(r"[가-힣A-Za-z0-9.:%]+|[,?!]")
_ENGLISH_TOKEN: Final = re.compile(r"[A-Za-z0-9$£€%.:'-]+|[,;?!]")
_PARTICLES: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    ("topic", re.compile(r"(?<=.)(?:에서는|에는|으로는|로는|은|는|도)$")),
    ("other", re.compile(r"(?<=.)(?:부터|까지|에서|에게|한테|께)$")),
    ("subject", re.compile(r"(?<=.)(?:께서|이|가)$")),
    ("object", re.compile(r"(?<=.)(?:을|를)$")),
    ("other", re.compile(r"(?<=.)(?:으로|로|에|의|이랑|와|과|랑|하고|만|씩|당)$")),
)
_CONNECTIVE_ENDING: Final = re.compile(r"(?:서|니까|는데|은데|지만|므로|대요|라고|다고|하고|면서|며|고)$")
"""Endings of a Korean verb behind which another clause follows."""
_FIGURE: Final = re.compile(
    r"^(?:\d|[일이삼사오육칠팔구십백천만억]+(?:원|월|일|시|분|명|개|대|장|회|주|년|층|번|퍼센트|프로)"
    r"|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른)$)"
)
_CACHE_SIZE: Final = 512


@dataclass(frozen=True, slots=True)
class ContentWord:
    """One content word of a statement; function words have none."""

    stem: str
    """The word without its particle, or its English ending; in lower case."""
    role: Role
    is_value: bool
    """Whether it is (part of) a day, an hour or a figure."""
    clause: int
    """The number of its clause."""


@lru_cache(maxsize=_CACHE_SIZE)
def content_words(text: str) -> tuple[ContentWord, ...]:
    """The content words of a statement, in order."""
    plain = text.lower().replace("’", "'")
    return (
        _korean_words(_KOREAN_TOKEN.findall(plain))
        if has_hangul(text)
        else _english_words(_ENGLISH_TOKEN.findall(plain))
    )


def _korean_words(tokens: Sequence[str]) -> tuple[ContentWord, ...]:
    words: list[ContentWord] = []
    clause = 0
    for place, raw in enumerate(tokens):
        word = raw.strip(".:")
        if raw in ",?!" or not word:
            clause += 1
            continue
        base, role = _split_particle(word)
        following = tokens[place + 1] if place + 1 < len(tokens) else ""
        ends_clause = raw.endswith(".")
        if (ends_clause or not following or following in ",?!") and role != "object":
            base, role = (word, "verb") if role == "other" and base == word else (base, "verb")
        words.append(ContentWord(base, role, _is_value(word) or _is_value(base), clause))
        clause += bool(ends_clause or _CONNECTIVE_ENDING.search(word))
    return tuple(words)


def without_particle(word: str) -> str:
    """A Korean word without the particle that says its role."""
    return _split_particle(word)[0]


def _split_particle(word: str) -> tuple[str, Role]:
    for role, particle in _PARTICLES:
        if match := particle.search(word):
            return word[: match.start()], role
    return word, "other"


def _english_words(tokens: Sequence[str]) -> tuple[ContentWord, ...]:
    words: list[ContentWord] = []
    clause, is_behind_verb = 0, False
    for raw in tokens:
        word = raw.strip(".:-'")
        if raw in ",;?!" or word in _CONJUNCTIONS:
            clause, is_behind_verb = clause + 1, False
            continue
        is_verb = word in _VERBS or word.endswith(("n't", "'s", "'re", "'ll"))
        if is_verb:
            word = "" if word in _VERBS else word.split("'")[0]
        if word and word not in _FUNCTION_WORDS and word not in _VERBS:
            role: Role = "other" if is_behind_verb else "subject"
            words.append(ContentWord(stem(word), role, _is_value(word), clause))
        is_behind_verb = is_behind_verb or is_verb
        if raw.endswith("."):
            clause, is_behind_verb = clause + 1, False
    return tuple(words)


@lru_cache(maxsize=4 * _CACHE_SIZE)
def _is_value(word: str) -> bool:
    if has_hangul(word):
        return bool(_FIGURE.match(word) or stated(word) or spelled(word) or weekdays(word))
    first = word[:1]
    return bool(
        first.isdigit() or first in tuple("$£€") or word in _MONTHS or spelled(word) or weekdays(word)
    )


def subject_words(words: Sequence[ContentWord]) -> Sequence[ContentWord]:
    """The words up to the first topic, or else subject, or else object; at least the first word."""
    if words and all(word.role in ("subject", "other") for word in words):  # English, as a rule
        ends = next((place for place, word in enumerate(words) if word.role != "subject"), len(words))
        return words[: max(1, ends)]
    for role in ("topic", "subject", "object"):
        for place, word in enumerate(words):
            if word.role == role:
                return words[: place + 1]
    return words[:1]


def closest_clause(words: Sequence[ContentWord], other: Sequence[ContentWord]) -> Sequence[ContentWord]:
    """The clause of `words` that has most of the words of `other`; of equal ones the first."""
    return max(
        _clauses(words),
        key=lambda clause: sum(each >= SAME_STEM_SIMILARITY for each in best_similarities(other, clause)),
    )


def last_clause(words: Sequence[ContentWord]) -> Sequence[ContentWord]:
    """The clause that a statement ends with."""
    return _clauses(words)[-1]


def _clauses(words: Sequence[ContentWord]) -> list[list[ContentWord]]:
    numbers = sorted({word.clause for word in words})
    return [[word for word in words if word.clause == number] for number in numbers] or [[]]


def best_similarities(words: Sequence[ContentWord], candidates: Sequence[ContentWord]) -> list[float]:
    """The similarity, 0 to 1, of each of `words` to the one of `candidates` that is most like it [words]."""
    return [
        max((bigram_similarity(word.stem, other.stem) for other in candidates), default=0.0) for word in words
    ]


@lru_cache(maxsize=64 * _CACHE_SIZE)
def bigram_similarity(one: str, other: str) -> float:
    """The similarity of two words, 0 to 1, by the pairs of letters that both have."""
    if one == other:
        return 1.0
    pairs, others = bigrams(one), bigrams(other)
    return 0.95 * len(pairs & others) / max(1, min(len(pairs), len(others)))


@lru_cache(maxsize=4 * _CACHE_SIZE)
def bigrams(word: str) -> frozenset[str]:
    """The pairs of letters of a word: Korean words share stems, not forms."""
    return frozenset(word[i : i + 2] for i in range(max(1, len(word) - 1)))
