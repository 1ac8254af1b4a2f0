"""The index terms of texts: what an utterance, a passage and a question are cut into, to be found by.

Terms of Korean are the syllable pairs of each word, which need no dictionary and survive particles and
endings, and a noun of one syllable by itself: 집 of 집에서. Beside each pair stands its coarse twin (initial
and vowel in classes of like sound, no final), so that 출시일 and what a weak speech model made of it (출시릴,
조실) still share something. Terms of English are words without function words, lightly stemmed. Numbers are
terms as they stand, and with the syllable behind them: 12월. What is stored and what is asked is cut by the
same function (`cut`), which also says what is meant by a word: not the pairs that its particles make.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from context.language.closed_lists import closed_lists
from context.language.inflections import base, noun_length, only_hangs

_WORD: Final = re.compile(r"[가-힣]+|[a-zà-öø-ÿ][a-zà-öø-ÿ']*|[0-9]+(?:[.,][0-9]+)*")
_TOKEN: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])|[가-힣]+|(?:[a-zà-öø-ÿ][a-zà-öø-ÿ']*|[0-9]+(?:[.,][0-9]+)*)[가-힣]*"
)
"""A word, and what is Hangul directly behind one that is not: API를, 12월에서. A date is one word."""
_MAX_CHARACTERS: Final = 4000
"""Characters of one utterance that are looked at."""
COARSE_BASE: Final = 0xE000
"""The first code point of coarse syllables, in a private-use area, apart from everything written."""

_INITIAL_CLASS: Final = (0, 0, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 8, 8, 0, 2, 5, 9)
#                        ㄱ ㄲ ㄴ ㄷ ㄸ ㄹ ㅁ ㅂ ㅃ ㅅ ㅆ ㅇ ㅈ ㅉ ㅊ ㅋ ㅌ ㅍ ㅎ
_VOWEL_CLASS: Final = (0, 1, 0, 1, 2, 1, 2, 1, 3, 0, 1, 1, 3, 3, 2, 1, 4, 3, 3, 4, 4)
#                      ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ

STOPWORDS: Final = frozenset(closed_lists("stopwords")["terms"])
_SYLLABLE_SIZE: Final = 0.25


def weigh(text: str) -> float:
    """Give the size of a plain text in English words; a Korean word counts more by its syllables."""
    hangul = sum(1 for char in text if "가" <= char <= "힣") if not text.isascii() else 0
    return (text.count(" ") + 1 if text else 0) + _SYLLABLE_SIZE * hangul


_SOUNDS: Final = [
    chr(COARSE_BASE + initial * 8 + vowel) for initial in _INITIAL_CLASS for vowel in _VOWEL_CLASS
]
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
    return _WORD.findall(_lowered(text))


def _lowered(text: str) -> str:
    """Give as much of `text` as is looked at, in lower case, each letter at its place."""
    seen = text[:_MAX_CHARACTERS].replace("’", "'")
    lower = seen.lower()
    return lower if len(lower) == len(seen) else seen  # a letter that is two in lower case: İ


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


class TermShare(Enum):
    """What a term is to the word that it is cut from."""

    MEANT = "meant"
    """Whoever types the word means it: 회의 and 의실 of 회의실에서."""
    BESIDE = "beside"
    """It helps to find the word, and is found by itself: 실에 of 회의실에서, 월 and 12 of 12월."""
    HALF = "half"
    """It only helps: 단 of 단추."""


class Cut(NamedTuple):
    """A term, and where it stands in its text.

    Of those that are meant and begin at the same place any one is: 정 or 정은, as 정은 may be a name; paid or
    pay.
    """

    start: int
    end: int
    term: str
    share: TermShare


def cut(text: str) -> list[Cut]:
    """The exact terms of `text` in order, with repetitions."""
    return [
        Cut(match.start() + start, match.start() + end, term, share)
        for match in _TOKEN.finditer(_lowered(text))
        for start, end, term, share in _cut(match[0])
    ]


@lru_cache(maxsize=512)
def _cut(token: str) -> tuple[Cut, ...]:
    """The exact terms of a word, of what hangs on it, of a figure and its unit, or of a date."""
    if token[0] >= "가":
        return tuple(_cut_korean(token, 0))
    if _DATE.fullmatch(token):
        parts = [Cut(part.start(), part.end(), part[0], TermShare.BESIDE) for part in _DIGITS.finditer(token)]
        return (*parts, Cut(0, len(token), token, TermShare.MEANT))
    behind = next((place for place, letter in enumerate(token) if letter >= "가"), len(token))
    word, korean = token[:behind], token[behind:]
    hangs = not korean or only_hangs(korean)
    if word[0].isalpha():
        forms = () if word in STOPWORDS else dict.fromkeys((stem(word), stem(base(word))))
        stems = [Cut(0, behind, form, TermShare.MEANT) for form in forms]
        return (*stems, *([] if hangs else _cut_korean(korean, behind)))
    figure = word.replace(",", "")
    counts = bool(korean) and (korean[0] in _COUNTING or not hangs)
    share = TermShare.BESIDE if counts else TermShare.MEANT
    figures = [Cut(0, behind, written, share) for written in dict.fromkeys((word, figure))]
    if not counts:
        return tuple(figures)
    counted = Cut(0, behind + 1, figure + korean[0], TermShare.MEANT)
    return (*figures, counted, *_cut_unit(korean, behind))


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DIGITS: Final = re.compile(r"[0-9]+")
_COUNTING: Final = "만도"
"""Particles that are none behind a number: 3만, 5도."""
_SHORT: Final = 2
"""Syllables of a word of which the first one is a term, too: one that stands alone counts for more."""


def _cut_korean(word: str, at: int) -> list[Cut]:
    noun, short = noun_length(word), len(word) == _SHORT
    cuts = (
        [Cut(at, at + 1, word[0], TermShare.MEANT if noun == 1 else TermShare.HALF)]
        if noun == 1 or short
        else []
    )
    for place in range(len(word) - 1):
        share = TermShare.MEANT if place + 2 <= noun or short else TermShare.BESIDE
        cuts.append(Cut(at + place, at + place + 2, word[place : place + 2], share))
    return cuts


def _cut_unit(word: str, at: int) -> Iterator[Cut]:
    """The terms of what stands behind a figure. Its first syllable is meant with the figure."""
    noun = noun_length(word, counted=True)
    if noun == 1:
        yield Cut(at, at + 1, word[0], TermShare.BESIDE)
    for place in range(len(word) - 1):
        share = TermShare.MEANT if place + 2 <= noun else TermShare.BESIDE
        yield Cut(at + place, at + place + 2, word[place : place + 2], share)


def whole(text: str) -> list[Cut]:
    """The exact terms of `text` but for half a word."""
    return [term for term in cut(text) if term.share is not TermShare.HALF]


def terms(text: str) -> list[str]:
    """The terms of `text`, exact ones and coarse twins, with repetitions."""
    exact = exact_terms(text)
    return [*exact, *(coarse(term) for term in exact if len(term) == 2 and term[0] >= "가")]


def exact_terms(text: str) -> list[str]:
    """The terms of `text` as written, with repetitions, without their coarse twins."""
    return [term for token in _TOKEN.findall(_lowered(text)) for _, _, term, _ in _cut(token)]
