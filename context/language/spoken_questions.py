"""The question in what was said to the agent by name, as a speech model writes it.

A base model garbles question words too: "언제로 결정됐지" comes as "안제로 결정받지". Whoever has called
the agent's name wants something of it, so here less is asked of a question than in a conversation:
a question word may be off by one sound or in two pieces ("한 제로"), and an ending in 지 needs no second
sign.
"""

from __future__ import annotations

from typing import Final

from context.language.closed_lists import closed_lists
from context.language.korean import jamo
from context.language.questions import is_question

_LISTS: Final = closed_lists("spoken_questions")
_WORDS: Final = _LISTS["question_words"]
_BEHIND: Final = _LISTS["behind"]
"""What may stand behind the second piece of a question word: 한 제로."""
_ENDS: Final = _LISTS["ends"]
_AGREES: Final = frozenset(_LISTS["agrees"])
_VOWELS: Final = frozenset("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")


def asked(text: str) -> str | None:
    """`text` as a question, with its question word mended; None where nothing is asked."""
    if is_question(text):
        return text
    words = text.split()
    last = words[-1].rstrip(" .!~…") if words else ""
    if len(last) < 2 or not last.endswith(_ENDS) or text.strip(" ,.!~…") in _AGREES:
        return None
    mended = " ".join(_in_one_piece([_mended(word) for word in words]))
    if mended != " ".join(words) and is_question(mended):
        return mended
    return text if last.endswith("지") and len(last) > 2 else None


def _in_one_piece(words: list[str]) -> list[str]:
    """한 제로 as 언제로: two pieces of a question word stand in one."""
    found: list[str] = []
    for word in words:
        begun = found[-1] if found else ""
        if len(begun) == 1 and word[1:] in _BEHIND and (mended := _mended(begun + word)) != begun + word:
            found[-1] = mended
        else:
            found.append(word)
    return found


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
