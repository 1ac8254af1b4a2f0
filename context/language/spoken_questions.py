"""The question in what was said to the agent by name, as a speech model writes it.

A base model garbles question words too: "언제로 결정됐지" comes as "안제로 결정받지". Whoever has called
the agent's name wants something of it, so here less is asked of a question than in a conversation:
a question word may be off by one sound or in two pieces ("한 제로"), and an ending in 지 needs no second
sign.
"""

from __future__ import annotations

import re
from typing import Final

from context.language.korean import jamo
from context.language.questions import is_question

_WORDS: Final = ("언제", "어디", "누구", "누가", "얼마", "무엇", "무슨", "어떻게", "어떤", "어느")
_HANGUL: Final = re.compile(r"[가-힣]+")
_TWO_PIECES: Final = re.compile(r"\b([가-힣]) ([가-힣](?:으?로|부터|까지|쯤|에|야|예요)?)\b")
_ASKING_END: Final = re.compile(r"[가-힣](?:[지죠나냐니까야]|[지나까가어아]?요)[\s.!~…]*$")
_CONFIRMS: Final = re.compile(r"[가-힣]{2,}지[\s.!~…]*$")
_AGREES: Final = re.compile(r"^\W*(?:그렇|그러|맞|물론이|당연하|좋|알)(?:지|지요|죠)\W*$")
_VOWELS: Final = frozenset("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")


def asked(text: str) -> str | None:
    """`text` as a question, with its question word mended; None where nothing is asked."""
    if is_question(text):
        return text
    if _ASKING_END.search(text) is None or _AGREES.match(text):
        return None
    mended = _HANGUL.sub(lambda word: _mended(word.group()), _TWO_PIECES.sub(_in_one_piece, text))
    if mended != text and is_question(mended):
        return mended
    return text if _CONFIRMS.search(text) else None


def _in_one_piece(pieces: re.Match[str]) -> str:
    word = pieces[1] + pieces[2]
    mended = _mended(word)
    return pieces.group() if mended == word else mended


def _mended(word: str) -> str:
    for meant in _WORDS:
        if len(word) >= len(meant) and _off_by_a_vowel(jamo(word[: len(meant)]), jamo(meant)):
            return meant + word[len(meant) :]
    return word


def _off_by_a_vowel(heard: str, meant: str) -> bool:
    """Vowels are what a speech model gets wrong; a wrong consonant (not a breath) makes another word."""
    if meant[0] in _VOWELS:
        heard = heard.removeprefix("ㅎ")
    if len(heard) != len(meant):
        return False
    wrong = [(a, b) for a, b in zip(heard, meant, strict=True) if a != b]
    return len(wrong) == 1 and set(wrong[0]) <= _VOWELS
