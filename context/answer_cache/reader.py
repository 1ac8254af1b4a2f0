"""From a question's text to its `Reading`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from typing import Final

from context.answer_cache import english, korean
from context.answer_cache.moments import cut_moments
from context.answer_cache.reading import Asking, Reading, Tense, Word, normalised
from context.language.korean import has_hangul

_LONGEST: Final = 600
"""Characters; a longer question is a task of its own and is not compared."""
_SAID_BY: Final = (("VOICE", "SUMMARY"), ("TASK", "CHARGE"), ("DEADLINE", "FINISH"))
_LETTER: Final = re.compile(r"(?<=[a-z] )([A-HJ-Z])(?=[\s?,.']|$)")
"""Somebody, or something, called by a letter: what did A say? An article is small."""
_RESOLVED: Final = frozenset({"what", "where", "when", "how_much", "how_many"})
"""Where "what are we to do" and "what did we decide" ask for the same; not who decides and who does it."""
_EMPTY_WORDS: Final = frozenset(
    {"VOICE", "DECIDE", "SUMMARY", "TASK", "MEETING", "PROBLEM", "RESULT", "PLAN"}
)


def read(question: str, today: date, names: Iterable[str] = ()) -> Reading:
    """Take `question` apart, asked on the day `today` among participants called `names`."""
    return _read(question[:_LONGEST], today, tuple(names))


@lru_cache(maxsize=4096)
def _read(question: str, today: date, names: tuple[str, ...]) -> Reading:
    if has_hangul(question):
        return _read_korean(question, today, names)
    return _read_english(question, today, names)


def _read_english(question: str, today: date, names: tuple[str, ...]) -> Reading:
    text = english.spelled_out(" ".join(_LETTER.sub(r"speaker\1", question).lower().split()))
    whole = text
    text, moments = cut_moments(text, today)
    joined = english.joined_phrases(english.with_deadline(text) if moments else text)
    asking, rest = english.asking_of(joined)
    parts = {part for name in names for part in name.lower().split() if len(part) > 1}
    words, numbers, scope = english.words_of(rest, parts.__contains__)
    words = _softened(words, asking)
    words += [
        Word(f"role {name} {place}") for name, place in sorted(english.roles_by_ask(joined, tuple(parts)))
    ]
    subjects = sum(1 for word in words if not word.soft and not word.concept)
    return Reading(
        normal=normalised(question),
        language="en",
        asking=asking,
        words=tuple(words),
        names=frozenset(word.key for word in words if word.key in parts),
        numbers=tuple(numbers),
        moments=moments,
        scope=frozenset(scope | ({"recent"} if english.looks_back(whole) else set())),
        tense=english.tense_of(english.joined_phrases(whole)),
        leaning=english.leans(english.spelled_out(question.lower()), subjects)
        or not (words or numbers or moments),
        moving=english.moves(whole),
        own=english.owned(whole),
    )


def _read_korean(question: str, today: date, names: tuple[str, ...]) -> Reading:
    text = " ".join(question.lower().split())
    text, moments = cut_moments(text, today)
    joined = korean.joined_phrases(" ".join(text.split()))
    asking = korean.asking_of(joined)
    tense: Tense = korean.tense_of(joined)
    rest, scope = korean.scope_of(korean.marked_denials(joined))
    rest, numbers = korean.cut_numbers(rest)
    words, said = korean.words_of(rest, asking, _person(names))
    if "기로" in joined and asking in _RESOLVED:
        words.append(Word("DECIDE", soft=True, concept=True))
    scope |= said
    words = _softened(words, asking)
    people = set(names)
    return Reading(
        normal=normalised(question),
        language="ko",
        asking=asking,
        words=tuple(words),
        names=frozenset(word.key for word in words if word.key in people),
        numbers=tuple(numbers),
        moments=moments,
        scope=frozenset(scope | ({"recent"} if korean.looks_back(question) else set())),
        tense=tense,
        leaning=korean.leans(question) or not (words or numbers or moments),
        moving=korean.moves(question),
        own=korean.owned(question),
    )


def _person(names: tuple[str, ...]) -> Callable[[str], str]:
    """The participant whom a word names: by the whole name or the given one, a particle behind it."""
    called = [(part, name) for name in names for part in _called(name)]
    called.sort(key=lambda pair: -len(pair[0]))

    def person(token: str) -> str:
        return next((name for part, name in called if token.startswith(part)), "")

    return person


def _called(name: str) -> tuple[str, ...]:
    whole = re.sub(r"\s", "", name).lower()
    return (whole, whole[1:]) if len(whole) == 3 and has_hangul(whole) else (whole,)


def _softened(words: list[Word], asking: Asking) -> list[Word]:
    """What another word says already may be missing in the other question.

    The day in "when", the summary of a discussion, whose task it is, done by a deadline.
    """
    keys = {word.key for word in words}
    soft: set[str] = {"MOMENT_OF"} if asking in {"when", "hour"} else set()
    if asking == "why":
        soft.add("HAPPEN")
    if asking == "how_long":
        soft |= {"tak", "LASTING"}
    soft |= {without for sign, without in _SAID_BY if sign in keys}
    return [
        Word(word.key, word.role, True, word.concept, word.denied) if word.key in soft else word
        for word in words
    ]


def about_everything(reading: Reading) -> bool:
    """Whether a question names no subject of its own: "what was decided?", "summarise the meeting"."""
    return (
        not reading.subjects
        and not reading.numbers
        and all(word.soft or word.key in _EMPTY_WORDS for word in reading.words)
    )
