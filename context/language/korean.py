"""Hangul: syllables taken apart into letters, so that words that sound alike look alike."""

from __future__ import annotations

import re
from typing import Final

_FIRST_SYLLABLE: Final = 0xAC00
_LAST_SYLLABLE: Final = 0xD7A3
_INITIALS: Final[tuple[str, ...]] = (*"ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆ", "", *"ㅈㅉㅊㅋㅌㅍㅎ")
_VOWELS: Final = tuple("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")
_FINALS: Final = (
    "", "ㄱ", "ㄲ", "ㄱㅅ", "ㄴ", "ㄴㅈ", "ㄴㅎ", "ㄷ", "ㄹ", "ㄹㄱ", "ㄹㅁ", "ㄹㅂ", "ㄹㅅ",
    "ㄹㅌ", "ㄹㅍ", "ㄹㅎ", "ㅁ", "ㅂ", "ㅂㅅ", "ㅅ", "ㅆ", "ㅇ", "ㅈ", "ㅊ", "ㅋ", "ㅌ", "ㅍ", "ㅎ",
)  # fmt: skip
_HANGUL: Final = re.compile(r"[가-힣ㄱ-ㅣ]")
_LETTERS_OF_WORD: Final = re.compile(r"[^\W\d_]+")
_SAME_IN_BOTH: Final = frozenset(("ok", "okay", "k"))
"""Words that are written so in both languages."""
_SAME_SOUND: Final = str.maketrans("ㄲㅋㄸㅌㅃㅍㅆㅉㅊㅔㅖㅒㅞㅚ", "ㄱㄱㄷㄷㅂㅂㅅㅈㅈㅐㅐㅐㅙㅙ")


class _Letters(dict[int, str]):
    """What `str.translate` puts in the place of each syllable, worked out at its first use."""

    def __missing__(self, code: int) -> str:
        place = code - _FIRST_SYLLABLE
        if not 0 <= place <= _LAST_SYLLABLE - _FIRST_SYLLABLE:
            return chr(code)
        letters = _INITIALS[place // 588] + _VOWELS[place % 588 // 28] + _FINALS[place % 28]
        self[code] = letters
        return letters


_LETTERS: Final = _Letters()


def jamo(text: str) -> str:
    """`text` with each Hangul syllable as its letters (jamo); everything else unchanged, in lower case.

    A silent initial ㅇ is left out, so that what sounds the same looks the same: 모임아 and 모이마.
    """
    return text.lower().translate(_LETTERS)


def sound(text: str) -> str:
    """A key by which texts that a weak speech model may confuse are the same.

    It is `jamo` without spaces and punctuation, tense and aspirated consonants as plain ones, ㅔ as ㅐ.
    """
    return "".join(char for char in jamo(text) if char.isalnum()).translate(_SAME_SOUND)


def has_hangul(text: str) -> bool:
    """Whether any Korean letter stands in `text`."""
    return _HANGUL.search(text) is not None


def final(syllable: str) -> str:
    """The final consonant of one Hangul syllable, "" where there is none (or no syllable)."""
    code = ord(syllable) - _FIRST_SYLLABLE
    return _FINALS[code % 28] if 0 <= code <= _LAST_SYLLABLE - _FIRST_SYLLABLE else ""


def language_shown(text: str) -> str | None:
    """The language that `text` shows, `ko` or `en`; None for signs, figures and “ok”, which show none."""
    if has_hangul(text):
        return "ko"
    return "en" if any(word not in _SAME_IN_BOTH for word in _LETTERS_OF_WORD.findall(text.lower())) else None


def language_of(text: str, language: str = "auto") -> str:
    """`language` if it is `ko` or `en`; else `ko` for a text with any Hangul, and `en` for any other."""
    if language in {"ko", "en"}:
        return language
    return "ko" if has_hangul(text) else "en"
