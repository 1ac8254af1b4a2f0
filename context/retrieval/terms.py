"""The terms that a text is found by.

Korean: the syllable pairs of each word, which need no dictionary and survive particles and endings.
Beside each pair stands its coarse twin (initial and vowel in classes of like sound, no final), so
that 출시일 and what a weak speech model made of it (출시릴, 조실) still share something.
English: words without function words, lightly stemmed. Numbers as they stand.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

_WORD: Final = re.compile(r"[가-힣]+|[a-zà-öø-ÿ][a-zà-öø-ÿ']*|[0-9]+(?:[.,][0-9]+)*")
_LONGEST: Final = 4000
"""Characters of one utterance that are looked at."""
COARSE: Final = 0xE000
"""Coarse syllables live in a private-use area from here on, apart from everything written."""

_INITIAL_CLASS: Final = (0, 0, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 8, 8, 0, 2, 5, 9)
#                        ㄱ ㄲ ㄴ ㄷ ㄸ ㄹ ㅁ ㅂ ㅃ ㅅ ㅆ ㅇ ㅈ ㅉ ㅊ ㅋ ㅌ ㅍ ㅎ
_VOWEL_CLASS: Final = (0, 1, 0, 1, 2, 1, 2, 1, 3, 0, 1, 1, 3, 3, 2, 1, 4, 3, 3, 4, 4)
#                      ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ

_FUNCTION_WORDS: Final = """
the a an and or but if so to of in on at for from with by as is are was were be been being am do does did done has
have had having i you he she it we they me him her us them my your his its our their this that these those there
here what which who whom whose when where why how not no yes yeah yep okay ok um uh mm hmm oh ah well just like
very too also then than can could will would shall should may might must about into over up out let let's it's
that's i'm you're we're they're don't didn't doesn't isn't i've you've we've i'd we'd i'll you'll we'll some any
"""  # noqa: E501 - a pattern reads better unbroken
STOPWORDS: Final = frozenset(_FUNCTION_WORDS.split())


_MARK: Final = re.compile(r"\{[A-Za-z_ ]{1,30}\}|<[A-Za-z_ ]{1,30}>")
"""A transcriber's mark: {vocalsound}, <laugh>."""
_RECOGNISABLE: Final = 0.75
_SYLLABLE_SIZE: Final = 0.25


def plain(text: str) -> str:
    """`text` on one line, without a transcriber's marks."""
    if "{" in text or "<" in text:
        text = _MARK.sub(" ", text)
    return " ".join(text.split())


def legible(text: str) -> str:
    """`text` as it is shown: on one line, without a transcriber's marks unless most of it is marks.

    What stands must still be recognisable as what was said: three in four of its word triples stay.
    """
    bare = plain(text)
    if "{" not in text and "<" not in text:
        return bare
    words = text.split()
    if len(words) == len(bare.split()):
        return bare
    said, left = _triples(words), _triples(bare.split())
    return bare if len(said & left) >= _RECOGNISABLE * len(said) else " ".join(words)


def _triples(words: list[str]) -> set[tuple[str, ...]]:
    return set(zip(words, words[1:], words[2:], strict=False)) or {tuple(words)}


def weigh(text: str) -> float:
    """How much a plain text holds, in English words: a Korean word weighs more by its syllables."""
    hangul = sum(1 for char in text if "가" <= char <= "힣") if not text.isascii() else 0
    return (text.count(" ") + 1 if text else 0) + _SYLLABLE_SIZE * hangul


def _twins() -> dict[str, str]:
    sounds = [chr(COARSE + initial * 8 + vowel) for initial in _INITIAL_CLASS for vowel in _VOWEL_CLASS]
    return {chr(code): sounds[(code - 0xAC00) // 28] for code in range(0xAC00, 0xD7A4)}


_TWIN_OF: Final = _twins()
"""Of each syllable. Not by number, for `str.translate`: a look-up writes a count into such a table."""


def coarse(text: str) -> str:
    """Each Hangul syllable by the class of its sound; everything else unchanged."""
    twin_of = _TWIN_OF.get
    return "".join([twin_of(char, char) for char in text])


def words(text: str) -> list[str]:
    """The words of `text` in lower case: runs of Hangul, of Latin letters, of digits."""
    return _WORD.findall(text[:_LONGEST].lower())


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """An English word without its commonest endings; crude, and the same for all forms it meets."""
    word = word.removesuffix("'s").replace("'", "")
    for ending, least in (
        ("ations", 4),
        ("ation", 4),
        ("ings", 3),
        ("ing", 3),
        ("ied", 2),
        ("ies", 2),
        ("ed", 3),
    ):
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
    """The terms of `text`, with repetitions, exact ones and coarse ones."""
    found: list[str] = []
    for word in words(text):
        if word[0] >= "가":
            if len(word) == 1:
                found.append(word)
                continue
            sounds = coarse(word)
            if len(word) == 2:
                found.append(word[0])
            found.extend(map("".join, pairwise(word)))
            found.extend(map("".join, pairwise(sounds)))
        elif word not in STOPWORDS:
            found.append(stem(word) if word[0].isalpha() else word)
    return found


def exact_terms(text: str) -> list[str]:
    """The terms of `text` as written, with repetitions, without their coarse twins."""
    return [term for term in terms(text) if ord(term[0]) < COARSE]
