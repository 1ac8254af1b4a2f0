"""How much of what a question is about stands in a text: the same words, like ones, or some that sound so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from context.language.korean import sound
from context.retrieval.asked import Asked
from context.retrieval.loanwords import same_word
from context.retrieval.synonyms import WORTH, beginnings_like, begins, stems_like
from context.retrieval.terms import coarse, stem, words

UNTIL_NOW: Final = re.compile(r"\bso far\b", re.IGNORECASE)
"""Says when, as 지금까지 does; nothing is far."""
PARTICLE: Final = re.compile(
    r"(?<=[가-힣]{2})(?:에서는|으로는|에게는|까지는|한테는|한테|께서|에서|에는|에게|으로|까지|부터|보다|이랑|은|는|이|가|을|를|의|도|로|와|과|만|에|요|입니까|인가)$"
)
_HEADS: Final = frozenset("료비금값율률표증서실장법권세자")
"""Last syllables that say what kind of thing a Korean compound names."""
_COSTS: Final = frozenset("비값료")
_DONE: Final = re.compile(r"^(?:하|해|했|할|를|을|은|는|에)")
_SHORT_DOUBLED: Final = 4
_NEAR: Final = 62
"""Two words that sound at least this alike (of 100) may be the same word, misheard."""


def coverage(asked: Asked, text: str, weights: Sequence[float] | None = None) -> float:
    """Which part of the topic words stands in `text`, 0 to 1; a word that only sounds alike counts less."""
    if not asked.topic:
        return 0.0
    shares = weights or [1.0] * len(asked.topic)
    heard = _heard(text)
    got = sum(share * _found(word, heard) for word, share in zip(asked.topic, shares, strict=True))
    return got / (sum(shares) or 1.0)


class _Heard(NamedTuple):
    """The words of a text, as topic words are looked for in it."""

    roots: frozenset[str]
    """Of what is not Hangul."""
    hangul: tuple[str, ...]
    """In order, none twice."""


@lru_cache(maxsize=512)
def _heard(text: str) -> _Heard:
    """Questions look at the same few hundred sentences again and again."""
    found = words(UNTIL_NOW.sub(" ", text))
    roots = {stem(word) if word[0].isalpha() else word for word in found if word[0] < "가"}
    return _Heard(
        frozenset(roots | {root[:-1] for root in roots if _is_doubled(root)}),
        tuple(dict.fromkeys(word for word in found if word[0] >= "가")),
    )


def _is_doubled(root: str) -> bool:
    """Rotted is rot and running run: stems of four letters, which the index keeps apart."""
    return len(root) == _SHORT_DOUBLED and root[-1] == root[-2] and root.isalpha()


def _found(word: str, heard: _Heard) -> float:
    if word[0] < "가":
        root = stem(word) if word[0].isalpha() else word
        if root in heard.roots or (_is_doubled(root) and root[:-1] in heard.roots):
            return 1.0
        if stems_like(root) & heard.roots or any(same_word(other, root) for other in heard.hangul):
            return WORTH
        return 0.0
    best = 0.0
    for other in heard.hangul:
        if other.startswith(word) or (len(word) > 1 and word in other):
            return 1.0
        if (
            len(word) > 2
            and word[-1] in _COSTS
            and _DONE.match(other.removeprefix(word[:-1]))
            and other.startswith(word[:-1])
        ):
            best = WORTH  # 수리비: 수리하면 얼마래요?
        if len(other) < 2 or len(word) < 2 or _headed_otherwise(word, other):
            continue
        best = max(best, _alike(word, other))
    if best < WORTH and any(same_word(word, root) for root in heard.roots):
        return WORTH
    if best < WORTH and any(
        begins(other, beginning) for beginning in beginnings_like(word) for other in heard.hangul
    ):
        return WORTH
    return best


def _headed_otherwise(word: str, other: str) -> bool:
    """강사료 and 강사님: compounds that begin alike and are different things."""
    if len(word) < 3 or word[-1] not in _HEADS or other.startswith(word):
        return False
    return other.startswith(word[:-1]) or other[len(word) - 1 : len(word)] in _HEADS - {word[-1]}


@lru_cache(maxsize=4096)
def _alike(word: str, other: str) -> float:
    """How much two Korean words sound alike, 0 (not at all) to 0.9."""
    bare = PARTICLE.sub("", other)
    ratio = max(
        fuzz.ratio(_sound(word), _sound(bare)), fuzz.ratio(_sound(word), _sound(other[: len(word) + 1]))
    )
    if coarse(word)[:2] == coarse(other)[:2]:
        ratio += 8
    return min(0.9, ratio / 110) if ratio >= _NEAR else 0.0


@lru_cache(maxsize=4096)
def _sound(word: str) -> str:
    letters = sound(word)
    return "".join(char for place, char in enumerate(letters) if place == 0 or char != letters[place - 1])
