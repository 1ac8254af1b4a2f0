# ruff: noqa: E501  # patterns read better unbroken
"""A plan that falls in talk: somebody says what stands against it, and it is settled anew.

"We'll pour on Monday" … "they've no slot on Monday, it's Tuesday or nothing" … "Tuesday it is, then." The
new decision names neither the subject nor the old one. What ties them is the trouble between them: it takes up
a word, a day or a figure of what was decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from context.extractive.korean_decisions import MOST_WORDS
from context.extractive.moments import due_in
from context.extractive.sentences import Said
from context.extractive.subjects import (
    CHANGE,
    SETTLING,
    Facts,
    clash,
    facts,
    matter,
    moment_words,
    subject_of,
)
from context.language.korean import final, has_hangul
from context.models import Statement

_HEARD: Final = 6
"""Utterances before the new decision in which the trouble has been told."""
_LED_BY: Final = 2
_ADJACENT: Final = 6
"""So soon after it, what is settled in its words takes a decision's place also without another figure."""
_BY_VOTE: Final = re.compile(r"가결|의결|부결|표결|\b(?:voted|vote|amendment|motion)\b", re.IGNORECASE)
_EMPTY_WORDS: Final = """
both rather then that this with from only just need take put what more some everyone everybody nobody thing things
그럼 그러 그래 그렇 그냥 그거 그건 그것 이거 이건 이것 저희 우리 제가 일단 지금 이번 다음 정도 합시 하죠 하시 가요 가시 갑시 있어 없어 해요 했어 같아
전부 모두 다시 바로 아까 오늘 내일
"""
_EMPTY: Final = frozenset(_EMPTY_WORDS.split())
_TROUBLE: Final = re.compile(
    r"\b(?:hang on|hold on|wait|sorry|actually|no use|can't|cannot|won't|no slot|not enough|isn't enough|too (?:late|early|expensive|much|little|short|tight)|lose|problem|trouble|discontinued|sold out|fully booked|booked up|falls? through|clash(?:es)?|(?:don't|doesn't|didn't) (?:work|lock|fit|have|open|run|allow)|has a point|have a point|nowhere|not possible|impossible|flood(?:ed)?|broken|cancelled|but not|you're joking|oh (?:dear|for)|ugh|damn|(?:is|was|'s) (?:gone|shut|closed|taken|unavailable)|double[- ]booked|wedding|marathon|strike|pinged me|just (?:texted|called|wrote|replied|told)|oh no)\b"
    r"|잠깐|죄송|근데|그런데|안\s?(?:되|돼|됩|된)|못\s?[가-힣]|어렵|어려|힘들|힘듭|부족|불가|다\s?찼|문제|늦|빠듯|휴가|겹[치쳐]|승인(?:받|\s?받)|초과|넘[으어]|한도|취소|고장|점검|막혔|막혀|마라톤|예약됐|매진|품절|아이고|큰일",
    re.IGNORECASE,
)


def reverses(said: Sequence[Said], place: int, new: Statement, old: Statement) -> bool:
    """Whether the decision told at `place` puts another in the place of `old`, for the trouble told before it."""
    if not said or not (_in_passing(new.text) and _in_passing(old.text)):
        return False
    lead = _lead(said, place, old)
    trouble = " ".join(each.text for each in lead if _TROUBLE.search(each.text))
    if not trouble:
        return False
    told = facts(" ".join(each.text for each in lead))
    stands, comes = facts(old.text), facts(new.text)
    if any(one & heard and other and not one & other for one, heard, other in _by_kind(stands, told, comes)):
        return True
    named = _words(old.text)
    about, same_day = named | _led_by(said, place, old), _days(stands) & _days(facts(trouble))
    if (subject := _words(subject_of(new.text))) and not subject & about and not same_day:
        return False  # the trouble fells something else
    if CHANGE.search(new.text) and named & _words(trouble):
        what = _what_moves(new.text)
        return not what or bool(what & about or same_day)  # it may move something else
    if said[place].utterance.id - old.evidence[-1] > _ADJACENT:
        return False
    if _takes_the_figure(stands, facts(trouble), comes):
        return True
    if stands.weekdays & (told.weekdays | comes.weekdays):
        return True
    if comes and not stands and not named & _words(new.text):
        return False  # a day is not put in the place of a hall
    moments = moment_words(old.text)
    return bool(named & (_words(new.text) | _words(trouble)) or moments & moment_words(trouble))


def _days(told: Facts) -> set[int]:
    return {day for _, day in told.dates} | told.days


_MOVES: Final = re.compile(
    r"\b(?:mov(?:e|ing)|push(?:ing)?|postpon\w+|delay\w*|reschedul\w+|bring(?:ing)? (?:it|that|this|the \w+) forward|put(?:ting)? (?:it|that|this|the \w+) (?:back|off)|instead|(?:forget|scrap|drop|skip) the)\b"
    r"|옮[기길겨깁]|미[루룰뤄룹]|당[기길겨깁]|늦[추출춰춥]|바[꾸꿔꿉꿀]|넘[기길겨깁]",
    re.IGNORECASE,
)
_NOT_BUT: Final = re.compile(
    r"말고|(?<=[가-힣]\s)대신|\binstead of\b|\brather than\b|\bnot\b.*\bbut\b", re.IGNORECASE
)
_OF_MOVING_WORDS: Final = """
옮 미루 미룰 미룹 당기 당길 늦추 바꾸 바꿀 넘기 하루 일주 이주 그냥 주로 일로 월로 시로 달로 첫째 둘째 셋째 넷째 오전 오후
"""
_OF_MOVING: Final = tuple(_OF_MOVING_WORDS.split())
_MOVED_AMONG: Final = 30
"""Of so many of the newest decisions one is moved: what was settled longer ago is called by its name."""


def moved(new: Statement, standing: Sequence[Statement]) -> Statement | None:
    """The newest decision that `new` puts at another day or hour: of the same thing, or where it says only "it"."""
    if not _in_passing(new.text):
        return None
    if _NOT_BUT.search(new.text) and (fallen := _named_and_left(new, standing)) is not None:
        return fallen
    if not _MOVES.search(new.text) or due_in(new.text) is None:
        return None
    named = _what_moves(new.text)
    near = standing[-_MOVED_AMONG:]
    for old in reversed(near):
        if old.status == "superseded" or not _in_passing(old.text) or due_in(old.text) is None:
            continue
        if normal_moment(old.text) == normal_moment(new.text) or _ON_CONDITION.search(old.text):
            continue
        if named & _of_one_turn(old, near) or (not named and clash(facts(new.text), facts(old.text))):
            return old
    return None


def _what_moves(text: str) -> frozenset[str]:
    """What a change of plan says of its subject."""
    return frozenset(word for word in _words(text) if not word.startswith(_OF_MOVING) and word not in _MOVING)


def _of_one_turn(old: Statement, near: Sequence[Statement]) -> frozenset[str]:
    """What a decision is about, and those that were settled in the same turn: no release on Friday. Monday, then."""
    same = (each for each in near if set(each.evidence) & set(old.evidence))
    return frozenset().union(*(_words(each.text) for each in same))


_ON_CONDITION: Final = re.compile(r"[가-힣]면\s|경우|\b(?:if|unless|in case)\b", re.IGNORECASE)


def _named_and_left(new: Statement, standing: Sequence[Statement]) -> Statement | None:
    """13일 말고 20일로 하자, 사지 말고 빌립시다: the decision whose day, figure or doing is named next to another."""
    comes, doing = facts(new.text), _not_done(new.text)
    for old in reversed(standing[-_MOVED_AMONG:]):
        stands = facts(old.text)
        kinds = (
            (comes.weekdays, stands.weekdays),
            (comes.days, stands.days),
            (comes.numbers, stands.numbers),
        )
        if old.status == "superseded":
            continue
        if any(one & other and one - other for one, other in kinds):
            return old
        if doing is not None and doing.search(old.text) and _may_be_of_the_same(new, old):
            return old
    return None


_STILL_MEANT: Final = 20
"""Utterances after which a doing alone does not say of what."""


def _may_be_of_the_same(new: Statement, old: Statement) -> bool:
    soon = new.evidence[-1] - old.evidence[-1] <= _STILL_MEANT
    subject, former = _words(subject_of(new.text)), _words(subject_of(old.text))
    return soon and (not subject or bool(subject & (former or _words(old.text))))


_NOT_DOING: Final = re.compile(
    r"(?:^|\s)(?P<stem>[가-힣]{1,3})지\s말고\s|\b(?:instead of|rather than) (?P<verb>[a-z]{3,}?)ing\b",
    re.IGNORECASE,
)


def _not_done(text: str) -> re.Pattern[str] | None:
    """What finds, in another decision, the doing that this one gives up; None where it gives up none."""
    found = _NOT_DOING.search(text)
    if found is None:
        return None
    if (verb := found["verb"]) is not None:
        return re.compile(rf"(?<!not )(?<!n't )\b{verb}(?:e|s|ing)?\b", re.IGNORECASE)
    stem = found["stem"]
    asked = stem if final(stem[-1]) else f"{stem[:-1]}{chr(ord(stem[-1]) + _WITH_B)}"
    return re.compile(rf"(?:^|\s)(?:{stem}(?:고|기로|죠|시죠|자|자고|는)(?=[\s,.!?]|$)|{asked}(?:읍)?시다)")


_WITH_B: Final = 17
"""From a syllable without a final to the same with ㅂ: 사, 삽."""


_MOVING: Final = frozenset(
    {"postpone", "delay", "push", "reschedul", "bring", "forward", "instead", "back", "move"}
)


def normal_moment(text: str) -> str:
    """The moments of a text, to be compared."""
    return (due_in(text) or "").lower()


def _in_passing(text: str) -> bool:
    """What was voted on is not changed in passing, nor is what takes a speech to say."""
    return len(text.split()) <= MOST_WORDS and _BY_VOTE.search(text) is None


def _lead(said: Sequence[Said], place: int, old: Statement) -> list[Said]:
    """What was said since the old decision, right before the new one; the new one's own opening included."""
    here = said[place].utterance.id
    first = max(here - _HEARD, old.evidence[-1] + 1)
    return [each for each in said[max(0, place - 40) : place] if each.utterance.id >= first]


def _led_by(said: Sequence[Said], place: int, old: Statement) -> frozenset[str]:
    """What the talk right before the old decision was about, as far as it is at hand."""
    first = old.evidence[0] - _LED_BY
    talk = (each.text for each in said[:place] if first <= each.utterance.id < old.evidence[0])
    return _words(" ".join(talk))


_Kind = tuple[
    frozenset[int] | frozenset[float], frozenset[int] | frozenset[float], frozenset[int] | frozenset[float]
]


def _by_kind(stands: Facts, told: Facts, comes: Facts) -> Iterator[_Kind]:
    """Days, weekdays and figures: those decided, those told of since, those decided now."""
    days = [frozenset(day for _, day in each.dates) | each.days for each in (stands, told, comes)]
    yield days[0], days[1], days[2]
    yield stands.weekdays, told.weekdays, comes.weekdays
    if not (days[0] or days[2]):
        yield _figures(stands), told.numbers, _figures(comes)


def _takes_the_figure(stands: Facts, trouble: Facts, comes: Facts) -> bool:
    """1.5 it is – above 1.4 they have to approve it – then 1.4."""
    old, new = _figures(stands), _figures(comes) & _figures(trouble)
    return any(
        one != two and 0.5 <= one / two <= 2 and (one % 1 > 0) == (two % 1 > 0) for one in old for two in new
    )


def _figures(found: Facts) -> frozenset[float]:
    """Those large or odd enough to mean the same thing when they come again."""
    return frozenset(number for number in found.numbers if number >= 10 or number % 1)


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    """What a text is about: English stems, Korean words by their first two syllables."""
    words = matter(text) - SETTLING - _EMPTY
    return frozenset(
        word[:2] if has_hangul(word) else word
        for word in words
        if len(word) > (1 if has_hangul(word) else 3) and word[:2] not in _EMPTY
    )
