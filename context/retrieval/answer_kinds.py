"""Kinds of answer (a day, an amount, a person, a reason, a place): which a question wants and a text gives.

Question words, units and number words are closed lists of each language; nothing here reads meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from context.language.closed_lists import closed_lists
from context.language.hours import hours_in, without_hours
from context.language.numbers import MONTHS, spelled, stated
from context.primitives.person_names import called
from context.retrieval.index_terms import words

AnswerKind = Literal["when", "how_much", "who", "why", "where"]

_LISTS: Final = closed_lists("answer_kinds")
_KINDS: Final[tuple[AnswerKind, ...]] = ("when", "how_much", "who", "where", "why")
FIGURES: Final = ("when", "how_much")
"""Kinds that a text plainly gives or does not."""
_QUESTION_WORDS: Final = {word: kind for kind in _KINDS for word in _LISTS[f"asks_{kind}"]}
"""The kind that a question word asks for; a Korean one stands for all words that begin so.

안제, 안져, 안절 are 언제 as a small speech model writes it.
"""
_OF_NOUNS: Final = {kind: _LISTS[f"nouns_{kind}"] for kind in _KINDS}
"""Nouns that ask by themselves where no question word does: 그럼 비용은? — and the deadline?"""
_WITH_THE_NEXT: Final = _LISTS["with_the_next"]
_DAY_COMPOUNDS: Final = _LISTS["day_compounds"]
_LEAST_COMPOUND: Final = 3
"""Least syllables of a compound that asks for a day: 출시일은?"""
_MARKS: Final = _LISTS["marks"]
_COUNTED_DAYS: Final = ("일", "월", "날")
_SPANS: Final = ("시간", "일간")
_LONG_COUNTERS: Final = (*_SPANS, "개월", "주일")
"""Counters that begin as others do: 개월 counts something else than 개."""
_SINO: Final = "일이삼사오육칠팔구십백천만억시유비"
_TENS: Final = frozenset("십백천만억")
_BEFORE_NATIVE: Final = "백천만"
"""Numerals behind which a number may go on natively: 백다섯 장."""
_NATIVE_NUMBERS: Final = _LISTS["native"]
_CERTAIN_NATIVE: Final = _LISTS["certain_native"]
_COUNTERS: Final = _LISTS["counters"]
_DAYS_KO: Final = _LISTS["days_ko"]
_AMOUNTS_KO: Final = _LISTS["amounts_ko"]
_DAYS_EN: Final = frozenset(_LISTS["days_en"])
_SPANS_EN: Final = frozenset(_LISTS["spans_en"])
_BEFORE_SPANS_EN: Final = frozenset(_LISTS["before_spans_en"])
_ORDINALS_EN: Final = frozenset(_LISTS["ordinals_en"])
_SMALL_ORDINALS_EN: Final = ("first", "second", "third")
"""Ordinals that name a day only behind tens: the twenty-second, but not the second server."""
_NUMBERS_EN: Final = frozenset(_LISTS["numbers_en"])
_MOMENTS_EN: Final = _DAYS_EN | _ORDINALS_EN
_BEHIND_A_DATE: Final = _ORDINALS_EN | (MONTHS.keys() - {"may"})
"""Behind the number of a day: 20 November, the 20th, twenty fourth."""
_FIRST_PERSON: Final = frozenset(_LISTS["first_person"])
_ADDRESSED: Final = _LISTS["addressed"]
_REASONS_KO: Final = _LISTS["reasons_ko"]
_REASONS_EN: Final = frozenset(_LISTS["reasons_en"])
_PLACES_KO: Final = ("에서", "에", "으로", "로")
_PLACES_EN: Final = frozenset(["in", "at", "on", "to"])


@lru_cache(maxsize=512)  # asked again of each line that a question is held against
def kind_asked(question: str) -> AnswerKind | None:
    """The kind of answer that a question asks for, or None; of two ("who, and by when?") the first.

    A reason counts only where nothing else is asked: "왜 언제로 옮겼어" wants the day. Without a question
    word a noun may ask (`names_a_kind`).
    """
    kinds = [kind for _, kind in question_words(question)]
    if kinds:
        return next((kind for kind in kinds if kind != "why"), "why")
    for word in words(question):
        if (kind := names_a_kind(word)) is not None:
            return kind
        bare = next((word.removesuffix(each) for each in _MARKS if word.endswith(each)), word)
        if len(bare) >= _LEAST_COMPOUND and bare.endswith(_DAY_COMPOUNDS):
            return "when"
    return None


def question_words(question: str) -> list[tuple[str, AnswerKind]]:
    """The question words of a text as they stand, in order, each with the kind of answer it asks for."""
    found: list[tuple[str, AnswerKind]] = []
    for word, behind in pairwise([*words(question), ""]):
        kind = _asked_ko(word, behind) if word[0] >= "가" else _asked_en(word, behind)
        if kind is not None:
            found.append((f"{word} {behind}" if word in _WITH_THE_NEXT else word, kind))
    return found


def _asked_ko(word: str, behind: str) -> AnswerKind | None:
    if word.startswith("몇"):
        unit = word[1:] or behind
        hour = unit.startswith("시") and not unit.startswith(_SPANS)
        return "when" if hour or _counts_days(unit) else "how_much"
    if word.startswith(("며칠간", "며칠이나")) or (
        word == "며칠" and behind.startswith(("동안", "걸", "필요"))
    ):
        return "how_much"
    spoken = f"{word} {behind}" if word == "어느" else word
    return next((kind for begins, kind in _QUESTION_WORDS.items() if spoken.startswith(begins)), None)


def _asked_en(word: str, behind: str) -> AnswerKind | None:
    if word in ("what", "which"):
        if behind in ("time", "hour", "date", "day", "weekday"):
            return "when"
        if behind in _OF_NOUNS["where"]:
            return "where"
    return _QUESTION_WORDS.get(f"{word} {behind}") or _QUESTION_WORDS.get(word)


def names_a_kind(word: str) -> AnswerKind | None:
    """The kind of answer that a noun asks for by itself (비용은, deadline), or None."""
    for kind, nouns in _OF_NOUNS.items():
        if word in nouns or word.startswith(tuple(noun for noun in nouns if noun[0] >= "가")):
            return kind
    return None


def gives(kind: AnswerKind | None, text: str, names: Sequence[str] = ()) -> bool:
    """Whether `text` holds an answer of this kind; False where `kind` is None.

    `names`: of the participants, each of whom answers "who".
    """
    if kind == "who" and any(called(name, text) for name in names):
        return True
    return kind is not None and kind in kinds_given(text)


def unit_asked(question: str) -> str | None:
    """The counter of the number that a Korean question asks for, 명 of "몇 명이 와?"; None: it asks for none.

    English counts without one: "How many people?" – "Nine said yes."
    """
    said = (*words(question), "")
    return next((word[1:] or behind for word, behind in pairwise(said) if word.startswith("몇")), "") or None


def counts(unit: str, text: str) -> bool:
    """Whether `text` counts in `unit`: 여덟 명, 8명이고."""
    long = unit.startswith(_LONG_COUNTERS)
    return any(
        counted[:1] == unit[0] and counted.startswith(_LONG_COUNTERS) == long for counted in counters_in(text)
    )


def counters_in(text: str) -> Iterator[str]:
    """What stands behind each number of a text and what may be one: 명이 of 여덟 명이; "" for nothing."""
    for word, behind in pairwise([*words(text), ""]):
        yield from _units(word, behind)


def _units(word: str, behind: str) -> Iterator[str]:
    """What stands behind the number that a word may be, in the word itself or the next."""
    if word[:1].isdigit():
        yield word.lstrip("0123456789.,") or behind
    elif word[:1] >= "가":
        number = len(word) - len(word.lstrip(_SINO))
        if number:
            counted = _counted_natively(word[number:], behind) if word[number - 1] in _BEFORE_NATIVE else ""
            yield counted or word[number:] or behind
        if (counted := _counted_natively(word, behind)) or word in _NATIVE_NUMBERS:
            yield counted


def gives_figure(kind: AnswerKind | None, text: str) -> bool:
    """Whether `text` names any day or figure, where one is asked for; True where `kind` is another."""
    return kind not in FIGURES or gives(kind, text) or bool(stated(text) or spelled(text))


@lru_cache(maxsize=4096)  # a question looks at the same few hundred lines as the one before it
def kinds_given(text: str) -> frozenset[AnswerKind]:
    """The kinds of answer that the words of `text` may give."""
    found: set[AnswerKind] = {"when"} if hours_in(text) else set()
    said = ["", *words(without_hours(text)), ""]
    for before, word, behind in zip(said, said[1:], said[2:], strict=False):
        found.update(_given_ko(word, behind) if word[0] >= "가" else _given_en(before, word, behind))
    return frozenset(found)


def _counts_days(unit: str) -> bool:
    return unit.startswith(_COUNTED_DAYS) and not unit.startswith(_SPANS)


def _given_ko(word: str, behind: str) -> Iterator[AnswerKind]:
    """The kinds that a Korean word gives, with the word behind it."""
    yield from _figures_ko(word, behind)
    if word in _FIRST_PERSON or word.endswith(_ADDRESSED):
        yield "who"
    if word.endswith(_REASONS_KO):
        yield "why"
    if word.endswith(_PLACES_KO) and len(word) > 1:
        yield "where"


def _figures_ko(word: str, behind: str) -> Iterator[AnswerKind]:
    """The days and amounts that a Korean word gives, also by number: 내일, 이십이일, 삼백만원."""
    number = len(word) - len(word.lstrip(_SINO))
    unit = word[number:]
    counted = _counted_natively(word, behind)
    dated = number > 0 and (unit.startswith("월") or word[1:number].endswith("일"))
    many = unit.startswith(_COUNTERS) or (number > 1 and not _TENS.isdisjoint(word[:number]))
    next_week = word in ("다음", "이번") and behind.startswith(("주", "달"))
    if dated or next_week or word.startswith(_DAYS_KO):
        yield "when"
    amounts = (number and many and not dated) or counted.startswith(_COUNTERS)
    amounts = amounts or word.startswith(_CERTAIN_NATIVE)
    if amounts or word.startswith(_AMOUNTS_KO):
        yield "how_much"


def _counted_natively(word: str, behind: str) -> str:
    """What stands behind a Korean number, in the same word or the next: 시 of 세시 and of 세 시; else ""."""
    rest = word
    while number := next((each for each in reversed(_NATIVE_NUMBERS) if rest.startswith(each)), ""):
        rest = rest[len(number) :]  # 마흔다섯 is two
    return "" if rest == word else rest or behind


def _given_en(before: str, word: str, behind: str) -> Iterator[AnswerKind]:
    """The kinds that an English word or a number in digits gives, with the words around it."""
    is_number = word[0].isdigit() or word in _NUMBERS_EN
    dated = is_number and _is_dated(before, word, behind)
    if is_number and not dated:
        yield "how_much"
    if dated or (word in _MOMENTS_EN and (word not in _SPANS_EN or _is_told_time(before, behind))):
        yield "when"
    if word in _FIRST_PERSON:
        yield "who"
    if word in _REASONS_EN:
        yield "why"
    if word in _PLACES_EN:
        yield "where"


def _is_told_time(before: str, behind: str) -> bool:
    """Whether the words around a week or a month tell a time: next week, two weeks; no vaccination week."""
    around = (before, behind)
    return before in _BEFORE_SPANS_EN or any(each[:1].isdigit() or each in _NUMBERS_EN for each in around)


def _is_dated(before: str, number: str, behind: str) -> bool:
    """Whether a number is part of a day, and no amount: 20일, November 20, twenty-second."""
    if number in ("twenty", "thirty") and behind in _SMALL_ORDINALS_EN:
        return True
    return _counts_days(behind) or before in MONTHS or behind in _BEHIND_A_DATE


def is_figure(word: str) -> bool:
    """Whether a word is a number, an amount or a date: 삼십명, twelve, 2."""
    return bool({"when", "how_much"} & kinds_given(word)) or word[0].isdigit()
