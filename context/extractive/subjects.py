# ruff: noqa: E501  # patterns and texts read better unbroken
"""What a decision is about, and whether another statement changes it, repeats it or contradicts it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from context.checking import is_negated
from context.extractive.moments import due_in
from context.language.dates import lone_days, month_days, weekdays
from context.language.korean import has_hangul, sound
from context.language.numbers import spelled, stated
from context.models import Statement
from context.retrieval.terms import STOPWORDS, stem, words

_SUBJECT: Final = re.compile(
    r"^(.{1,24}?[가-힣a-z0-9])(?:은|는(?!\s(?:걸로|거로|것|게|거|데|편|쪽|건))|을|를|이|가)\s", re.IGNORECASE
)
"""연장하는 걸로 is a verb's end, no subject."""
_WHEN: Final = re.compile(
    r"^(?:(?:그럼|그러면|그래서|그리고|자|네)[\s,]+)*(?:올해|내년|금년|(?:이번|다음)\s?(?:주|달|분기|학기|해|스프린트)|오늘|내일|당분간)(?:에|부터)?(?:는|은)?[,\s]+(?=\S+\s)"
)
"""올해는 채용을 …: for how long it was settled, not what."""
_NO_SUBJECT: Final = frozenset(
    {
        "그것",
        "이것",
        "저것",
        "그거",
        "이거",
        "저희",
        "우리",
        "저",
        "오늘",
        "이번에",
        "다음",
        "결론",
        "이",
        "그",
        "여기",
        "모두",
    }
)
CHANGE: Final = re.compile(
    r"대신|변경|바꾸|바꿔|바꿉|바꿀|수정|취소|번복|말고|옮[기길겨깁]|미[루룰뤄룹]|앞?당[기길겨깁]|늦[추출춰춥]|\b(?:instead|change[ds]?|rather than|no longer|actually|not \w+ but|revise[ds]?|mov(?:e|ed|ing)|push(?:ed)?|postpone[ds]?|delay(?:ed)?|reschedule[ds]?|rais(?:e|ed)|lower(?:ed)?|after all)\b",
    re.IGNORECASE,
)
_FIGURE_WORDS: Final = """
one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand
million percent half
"""
_SETTLING_WORDS: Final = """
decide decided agree agreed settle settled move moved change changed push pushed make go going do let fix fixed
want need think back instead new now still actually okay right good fine great day week time
"""
SETTLING: Final = frozenset(stem(word) for word in _SETTLING_WORDS.split())
"""Words of settling and of changing: sharing these says nothing about the subject."""
_FIGURE: Final = frozenset(_FIGURE_WORDS.split())
_NO_MOMENT: Final = frozenset(
    ["by", "before", "until", "the", "of", "이번", "오늘", "today", "this", "until"]
)
_NORMAL: Final = re.compile(r"\W+")
_CODE: Final = re.compile(r"(?<![a-z0-9])(?:\d+[a-z]|[a-z]{1,2}-?\d+)(?![a-z0-9])", re.IGNORECASE)
"""2C, A4, R2: a name, not a figure."""
_DAYS: Final = re.compile(r"((?:mon|tues|wednes|thurs|fri|satur|sun)day)s\b", re.IGNORECASE)
_REMEMBERED: Final = 512
"""Each statement is compared with many others: what there is to know of so many texts is worked out once."""
_NEWEST: Final = 100
"""Of a topic with very many decisions only the newest may still be changed from another topic."""


@lru_cache(maxsize=_REMEMBERED)
def normal(text: str) -> str:
    """Two sentences with the same normal form say the same."""
    return _NORMAL.sub("", text).lower()


def supersedes(new: str, old: str) -> bool:
    """Whether a new decision speaks of the same subject as an old one, and says something else."""
    if normal(new) == normal(old) or _of_others(new, old) or restates(new, old):
        return False
    subject, former = _subject_sound(new), _subject_sound(old)
    if subject is not None and former is not None:
        return bool(subject and former and fuzz.ratio(subject, former) >= 80)
    if CHANGE.search(new) and clash(facts(new), facts(old)) and matter(new) & matter(old) - SETTLING:
        return True  # the same thing, moved to another day or figure
    return _overlap(new, old) >= (0.5 if CHANGE.search(new) else 0.8)


def settles(decision: str, item: str) -> bool:
    """Whether a decision answers what an open item left open."""
    subject, former = _subject_sound(decision), _subject_sound(item)
    return bool(subject and former and fuzz.ratio(subject, former) >= 85)


@lru_cache(maxsize=_REMEMBERED)
def _subject_sound(text: str) -> str | None:
    """What a Korean sentence's subject sounds like, "" where it has none; None for another language."""
    return sound(subject_of(_WHEN.sub("", text)) or subject_of(text)) if has_hangul(text) else None


def subject_of(text: str) -> str:
    """What a Korean sentence is about: its first phrase before 은, 는, 을, 를, 이, 가; "" where it says little."""
    found = _SUBJECT.match(
        re.sub(
            r"^(?:(?:그럼|그러면|그래서|그리고|그런데|근데|또|다시|우선|일단|좋습니다|자|네|아|음)[\s,.]+)+",
            "",
            text,
        )
    )
    if found is None:
        return ""
    phrase = found.group(1).strip()
    return "" if phrase in _NO_SUBJECT or len(phrase.split()) > 4 else phrase


def _overlap(new: str, old: str) -> float:
    """Shared words, dates and figures apart, over those of the shorter sentence; 0 where there are too few."""
    first, second = matter(new), matter(old)
    if min(len(first), len(second)) < 3:
        return 0.0
    return len(first & second) / min(len(first), len(second))


@lru_cache(maxsize=_REMEMBERED)
def matter(text: str) -> frozenset[str]:
    """The stems of what a statement is about, days and figures apart."""
    for moment in (due_in(text) or "").split(", "):
        text = text.replace(moment, " ") if moment else text
    return frozenset(
        stem(word) for word in words(text) if word not in STOPWORDS | _FIGURE and not word[0].isdigit()
    )


@dataclass(frozen=True, slots=True)
class Facts:
    """What of a statement is either so or otherwise."""

    dates: frozenset[tuple[int, int]]
    days: frozenset[int]
    """Days of a month without one."""
    weekdays: frozenset[int]
    numbers: frozenset[float]
    negated: bool

    def __bool__(self) -> bool:
        return bool(self.dates or self.days or self.weekdays or self.numbers)


@lru_cache(maxsize=_REMEMBERED)
def facts(text: str) -> Facts:
    """The days, figures and negation of a statement."""
    text = _DAYS.sub(r"\1", text)
    dates = month_days(text)
    of_dates = {float(part) for date in dates for part in date}
    return Facts(
        dates=frozenset(dates),
        days=frozenset(lone_days(text)) - {day for _, day in dates},
        weekdays=frozenset(weekdays(text)),
        numbers=frozenset((stated(text) | spelled(text) | _hours(text)) - of_dates),
        negated=is_negated(text),
    )


_HOUR: Final = re.compile(
    r"(?<![가-힣])(열한|열두|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?시(?=[\s에로까쯤반이부요.,?!으]|$)"
)
_HOURS: Final = ["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두"]


def _hours(text: str) -> set[float]:
    """일곱 시: hours by their native names."""
    return {float(_HOURS.index(hour) + 1) for hour in _HOUR.findall(text)}


def names_a_day(text: str) -> bool:
    """Whether a date, a day or a weekday is named; figures alone may be those of another matter, as in votes."""
    told = facts(text)
    return bool(told.dates or told.days or told.weekdays)


def restates(new: str, old: str) -> bool:
    """Whether the same is said again in nearly the same words: same days, same figures."""
    first = facts(new)
    if not first or first != facts(old) or _of_others(new, old) or fuzz.token_set_ratio(new, old) < 80:
        return False
    return _moment(new) == _moment(old)


def _of_others(new: str, old: str) -> bool:
    """Whether both name something by a letter and number, and not the same: amendments 2C and 2D."""
    codes = {code.lower() for code in _CODE.findall(new)}
    return (
        bool(codes)
        and codes.isdisjoint(former := {code.lower() for code in _CODE.findall(old)})
        and bool(former)
    )


def moment_words(text: str) -> frozenset[str]:
    """The words of the moments that a text names: next, week, monday; 다음, 월요일."""
    return frozenset((due_in(text) or "").lower().replace(",", " ").split()) - _NO_MOMENT


def _moment(text: str) -> str:
    """When, without "by" and "until": what is due by Friday is due on Friday."""
    return re.sub(r"\b(?:by|before|until|the)\b|까지|에", "", (due_in(text) or "").lower()).strip()


def superseded(decisions: Sequence[Statement], fresh: Sequence[Statement]) -> tuple[Statement, ...] | None:
    """`decisions` with those marked that a later one of `fresh` changes; None where nothing changes."""
    marked = list(decisions)
    first = max(0, len(marked) - _NEWEST)
    for place, old in enumerate(marked[first:], first):
        if old.status == "superseded" or not old.evidence:
            continue
        for new in fresh:
            told = old.evidence[-1] in new.replaces
            if new.evidence[-1] > old.evidence[-1] and (told or supersedes(new.text, old.text)):
                changed_by = {"status": "superseded", "superseded_by": str(new.evidence[-1])}
                marked[place] = old.model_copy(update=changed_by)
                break
    return tuple(marked) if any(new is not old for new, old in zip(marked, decisions, strict=True)) else None


def contradicts(text: str, decision: str) -> bool:
    """Whether a statement on a decision's subject says another day, another figure, or the opposite."""
    said, decided = facts(text), facts(decision)
    if said == decided or not (said or decided or said.negated != decided.negated):
        return False
    subject, former = _subject_sound(text), _subject_sound(decision)
    if subject is not None and former is not None:
        if len(former) < 4 or fuzz.ratio(subject, former) < 85:
            return False
        return clash(said, decided) or (
            said.negated != decided.negated and _bigrams_shared(text, decision) >= 0.5
        )
    if subject is not None or former is not None:
        return False
    shared = _overlap(text, decision)
    if shared >= 0.6 and clash(said, decided):
        return True
    return shared >= 0.75 and said.negated != decided.negated


def agree(one: Facts, other: Facts) -> bool:
    """Whether both name the same figure or day."""
    pairs = (
        (one.numbers, other.numbers),
        (one.weekdays, other.weekdays),
        (one.dates, other.dates),
        (one.days, other.days),
    )
    return any(first & second for first, second in pairs)


def clash(said: Facts, decided: Facts) -> bool:
    """Whether both name a day or a figure of the same sort, and none in common."""
    days = {day for _, day in decided.dates} | decided.days
    said_days = {day for _, day in said.dates} | said.days
    pairs = (
        (said.dates, decided.dates) if said.dates and decided.dates else (said_days, days),
        (said.weekdays, decided.weekdays),
        (said.numbers - said_days, decided.numbers - days) if not (said_days and days) else (set(), set()),
    )
    return any(one and other and not one & other for one, other in pairs)


def _bigrams_shared(text: str, decision: str) -> float:
    """Share of the shorter one's Hangul bigrams that the other has, endings of the sentence apart."""
    first, second = _bigrams(text), _bigrams(decision)
    return len(first & second) / max(1, min(len(first), len(second)))


def _bigrams(text: str) -> set[str]:
    hangul = "".join(char for char in text[:-4] if "가" <= char <= "힣")
    return {hangul[place : place + 2] for place in range(len(hangul) - 1)}
