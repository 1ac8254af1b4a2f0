"""A question in the meeting's own words: where nobody says "venue" and somebody "place", it asks for that.

Everything that counts which words were said (what is searched for, whether the meeting can answer at all)
would take a synonym for something that was never talked about.
"""

from __future__ import annotations

import re
from typing import Final

from context.retrieval.lexical import LexicalIndex
from context.retrieval.loanwords import STEMS, same_word
from context.retrieval.questions import take_apart
from context.retrieval.synonyms import words_like
from context.retrieval.terms import COARSE, stem, terms

_ORDINAL: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_ORDINAL_WORDS: Final = """
zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third
twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first
"""
_ORDINALS: Final = tuple(_ORDINAL_WORDS.split())


def reworded(question: str, index: LexicalIndex) -> str:
    """`question`, each word of its subject that nobody said replaced by a synonym that somebody did."""
    for word in take_apart(question).topic:
        if _is_said(word, index):
            continue
        said = next((other for other in words_like(word) if _is_said(other, index)), None)
        if said is None:
            said = _in_the_other_script(word, index)
        if said is not None:
            question = re.sub(rf"(?<!\w){re.escape(word)}", said, question, flags=re.IGNORECASE)
    return question


def as_said(question: str, index: LexicalIndex) -> str:
    """`question`, a day in figures as a word where only the word was said: the 20th, the twentieth."""
    for written in _ORDINAL.finditer(question):
        word = _ORDINALS[int(written[1])] if int(written[1]) < len(_ORDINALS) else ""
        if (
            word
            and not index.frequency(written[1])
            and all(_is_said(part, index) for part in word.split("-"))
        ):
            question = question.replace(written[0], word)
    return question


def _in_the_other_script(word: str, index: LexicalIndex) -> str | None:
    """The term that is said for `word` in the other script: release for 릴리스, 서버 for server."""
    if word[0] >= "가":
        return next((term for term in index.latin_terms() if same_word(word, term)), None)
    root = stem(word)
    return next((other for other, stems in STEMS.items() if root in stems and _is_said(other, index)), None)


def _is_said(word: str, index: LexicalIndex) -> bool:
    least = min(2, len(word))  # of two syllables the first is a term by itself, too
    exact = [term for term in terms(word) if ord(term[0]) < COARSE and len(term) >= least]
    return bool(exact) and all(index.frequency(term) for term in exact)
