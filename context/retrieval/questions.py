# ruff: noqa: E501  # patterns and texts read better unbroken
"""What a question asks about, apart from the way of asking; and how well a sentence covers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz import fuzz

from context.korean import sound
from context.models import Frozen
from context.retrieval.terms import STOPWORDS, coarse, stem, words

AnswerKind = Literal["when", "how_much", "who"]

_MISHEARD_WHEN: Final = r"[언안](?:제|재|져|저)(?:로|쯤|부터|까지|나|는)?"
"""언제 as a small speech model writes it."""
_ASKING_KO: Final = re.compile(
    rf"^(?:{_MISHEARD_WHEN}|"
    r"어떻게|어떤|어때|왜|누가|누구\S*|언제\S*|어디\S*|무엇\S*|무슨|뭐\S*|뭘|뭔\S*|어느|몇|얼마\S*|우리\S*|저희\S*|지금\S*|오늘\S*|회의\S*"
    r"|했\S{0,4}|됐\S{0,3}|되\S{0,4}|하기로|있\S{0,4}|없\S{0,4}|나요|인가요|거\S{0,3}|것\S{0,2}|수|좀|대해\S*|대한|관련\S*|관해\S*|말\S{0,4}|알려\S*|주세요|줘"
    r"|결론\S*|내용\S*|요약\S*|정리\S*|부분\S*|주제\S*|안건\S*|결정\S*|결재\S*|정해\S*|정하\S*|정했\S*|확정\S*|합의\S*|맞\S{0,3}|아\S{0,3}지)$"
)
_DECIDING_KO: Final = re.compile(r"결정|확정|정해|정했|정하|합의|결론|하기로")
_DECIDING_EN: Final = re.compile(
    r"\b(?:decid\w*|decision\w*|agree\w*|settle\w*|conclu\w*|approve\w*)\b", re.IGNORECASE
)
_ASKING_EN_WORDS: Final = """
decide decided decision decisions agree agreed tell me say said mention please about conclusion conclude settle settled
meeting anybody anyone happen happened going get approve approved much many long know find
summarize summarise summary recap part topic discussion overview
"""
_ASKING_EN: Final = STOPWORDS | frozenset(_ASKING_EN_WORDS.split())
_PARTICLE: Final = re.compile(
    r"(?<=[가-힣]{2})(?:에서는|으로는|에게는|까지는|에서|에는|에게|으로|까지|부터|보다|이랑|은|는|이|가|을|를|의|도|로|와|과|만|에|요|입니까|인가)$"
)
_DOING: Final = re.compile(r"(?<=[가-힣]{2})(?:하|했|할|한|합|해|됐|되|돼)[가-힣]{0,3}$")
_SHORT_VERB: Final = re.compile(r"^[가-힣]{1,2}(?:나요|까요|니까|어요|아요|지요|죠)$")
_WHEN: Final = re.compile(
    rf"\b{_MISHEARD_WHEN}\b|"
    r"언제|며칠|몇\s?(?:시|일|월|날)|날짜|기한|\bwhen\b|\bwhat (?:date|day|time)\b|\bdeadline\b",
    re.IGNORECASE,
)
_MUCH: Final = re.compile(r"얼마|몇\s?(?:명|건|원|개|퍼센트|대)|\bhow (?:much|many|long)\b", re.IGNORECASE)
_WHO: Final = re.compile(r"누가|누구|\bwho\b", re.IGNORECASE)
_DATE: Final = re.compile(
    r"[0-9]+\s?[월일시]|[일이삼사오육칠팔구십시유비]{1,4}[월일](?:로|에|까지|은|이|\s)|요일|다음\s?(?:주|달)|이번\s?(?:주|달)|내일|모레|오늘"
    r"|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|tomorrow|today|week|month|sprint|quarter)\b",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"[0-9]|[일이삼사오육칠팔구십백천만억]+\s?(?:원|명|건|퍼센트|분|시간)|(?:한|두|세|네|다섯)\s?(?:명|건|개|달|주|시간)"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred|thousand"
    r"|million|percent|half)\b",
    re.IGNORECASE,
)
_NEAR: Final = 62
"""Two words that sound at least this alike (of 100) may be the same word, misheard."""


class Asked(Frozen):
    """A question taken apart."""

    topic: tuple[str, ...]
    """The words that say what it is about, without particles; may be empty."""
    deciding: bool
    """It asks for what was decided."""
    kind: AnswerKind | None = None

    @property
    def query(self) -> str:
        """The topic words as a search query."""
        return " ".join(self.topic)


def take_apart(question: str) -> Asked:
    """What `question` is about, and what kind of answer it wants."""
    topic: list[str] = []
    for word in words(question):
        if word[0] >= "가":
            if not _ASKING_KO.match(word) and not _SHORT_VERB.match(word):
                topic.append(_PARTICLE.sub("", _DOING.sub("", word)))
        elif word not in _ASKING_EN:
            topic.append(word)
    kind: AnswerKind | None = None
    if _WHEN.search(question):
        kind = "when"
    elif _MUCH.search(question):
        kind = "how_much"
    elif _WHO.search(question):
        kind = "who"
    deciding = _DECIDING_KO.search(question) is not None or _DECIDING_EN.search(question) is not None
    return Asked(topic=tuple(dict.fromkeys(topic)), deciding=deciding, kind=kind)


def coverage(asked: Asked, text: str, weights: Sequence[float] | None = None) -> float:
    """Which part of the topic words stands in `text`, 0 to 1; a word that only sounds alike counts less."""
    if not asked.topic:
        return 0.0
    shares = weights or [1.0] * len(asked.topic)
    heard = tuple(words(text))
    got = sum(share * _found(word, heard) for word, share in zip(asked.topic, shares, strict=True))
    return got / (sum(shares) or 1.0)


def gives(asked: Asked, text: str) -> bool:
    """Whether `text` holds the kind of answer that is asked for: a date, an amount."""
    match asked.kind:
        case "when":
            return _DATE.search(text) is not None
        case "how_much":
            return _AMOUNT.search(text) is not None
        case _:
            return False


@lru_cache(maxsize=16384)
def _sound(word: str) -> str:
    letters = sound(word)
    return "".join(char for place, char in enumerate(letters) if place == 0 or char != letters[place - 1])


def _found(word: str, heard: Sequence[str]) -> float:
    if word[0] < "가":
        root = stem(word) if word[0].isalpha() else word
        return 1.0 if any((stem(other) if other[0].isalpha() else other) == root for other in heard) else 0.0
    best = 0.0
    for other in heard:
        if other[0] < "가":
            continue
        if other.startswith(word) or (len(word) > 1 and word in other):
            return 1.0
        if len(other) < 2 or len(word) < 2:
            continue
        best = max(best, _alike(word, other))
    return best


@lru_cache(maxsize=16384)
def _alike(word: str, other: str) -> float:
    """How much two Korean words sound alike, 0 (not at all) to 0.9."""
    bare = _PARTICLE.sub("", other)
    ratio = max(
        fuzz.ratio(_sound(word), _sound(bare)), fuzz.ratio(_sound(word), _sound(other[: len(word) + 1]))
    )
    if coarse(word)[:2] == coarse(other)[:2]:
        ratio += 8
    return min(0.9, ratio / 110) if ratio >= _NEAR else 0.0
