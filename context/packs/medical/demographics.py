"""The age and the gender that a clause states.

A word for a man or a woman tells a gender beside an age ("65세 남자"), beside a patient ("여자 환자"), or
as what somebody is ("여성이에요", "I am a woman"); not in 남자친구, a men's clinic, or 남아 있는 약. Where an
age is of "he" or "she", so is the gender.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from context.language.closed_lists import closed_lists, word_sets
from context.language.numbers import CARDINALS, NATIVE_TENS, NATIVE_UNITS
from context.packs.entity import Entity

_LISTS: Final = closed_lists("medical")
_SETS: Final = word_sets("medical")
_YEARS_OLD: Final = (("years", "old"), ("year", "old"), ("years", "of"))
_AGED_WORDS: Final = (" aged", " age", " age of", " age is")
_TOKEN: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?|[a-z]+(?:['’][a-z]+)?|[가-힣]+|[^\s\w-]", re.IGNORECASE)
_SINO: Final = "일이삼사오육칠팔구"
_AGE_KO: Final = re.compile(
    rf"(?<![가-힣0-9.])(?:(?P<digits>[0-9]{{1,3}})|(?P<ten>[{_SINO}]?)십(?P<one>[{_SINO}]?))\s?[세살]"
    rf"|(?<![가-힣])(?P<tens>{'|'.join(NATIVE_TENS)})?(?P<units>{'|'.join(NATIVE_UNITS)})?(?<=[가-힣])\s?살"
)
_MAX_AGE: Final = 120
_NEAR_WORDS: Final = 4
"""Words from an age to a gender beside it, at most: a white forty-seven year old female."""


class _Token(NamedTuple):
    text: str
    """In lower case."""
    start: int


class _Age(NamedTuple):
    value: int
    first: int
    """The first of its tokens."""
    last: int
    gender: str = ""
    """The gender of the pronoun whose age it is, as in "she is 34"."""


def demographics(clause: str) -> list[tuple[int, Entity]]:
    """The age and the gender that a clause states, each with its place; no gender where it names both."""
    tokens = [
        _Token(match.group().lower().replace("’", "'"), match.start()) for match in _TOKEN.finditer(clause)
    ]
    age = _age_ko(clause, tokens) or _age_en(tokens)
    found = []
    if age is not None:
        place = tokens[age.first].start
        found.append((place, Entity(kind="demographics", name="age", value=str(age.value))))
    genders = dict(_genders(tokens, age))
    if len(genders) == 1:
        ((gender, at),) = genders.items()
        found.append((tokens[at].start, Entity(kind="demographics", name="gender", value=gender)))
    return found


def _age_ko(clause: str, tokens: Sequence[_Token]) -> _Age | None:
    for match in _AGE_KO.finditer(clause):
        value = _value_ko(match)
        is_other = clause[match.end() - 1 :].startswith(_LISTS["no_age"])
        is_bound = clause[match.end() :].lstrip().startswith(_LISTS["no_age_behind"])  # 열 살 때, 65세 이상
        if 0 < value <= _MAX_AGE and not is_other and not is_bound:
            inside = [at for at, token in enumerate(tokens) if match.start() <= token.start < match.end()]
            return _Age(value, inside[0], inside[-1])
    return None


def _value_ko(match: re.Match[str]) -> int:
    said = match.groupdict("")
    if said["digits"]:
        return int(said["digits"])
    if match["ten"] is not None:
        ten, one = (_SINO.find(said[part] or " ") + 1 for part in ("ten", "one"))
        return 10 * (ten or 1) + one
    return NATIVE_TENS.get(said["tens"], 0) + NATIVE_UNITS.get(said["units"], 0)


def _age_en(tokens: Sequence[_Token]) -> _Age | None:
    said = [token.text for token in tokens]
    at = 0
    while at < len(said):
        value, until = _number_en(said, at)
        if not value:
            at += 1
            continue
        before, behind = said[:at], said[until : until + 2]
        named = (
            tuple(behind) in _YEARS_OLD
            or behind[:1] == ["yo"]
            or f" {' '.join(before)}".endswith(_AGED_WORDS)
        )
        if f" {' '.join(before)}".endswith(_LISTS["no_age_en"]):
            return None  # when I was six; I have a four year old
        gender = _of_whom(before)
        alone = not behind or not behind[0].isalnum() or behind[0] in _SETS["behind_an_age"]
        if value <= _MAX_AGE and (named or (gender is not None and alone)):
            return _Age(value, at, until - 1 + (2 if tuple(behind) in _YEARS_OLD else 0), gender or "")
        at = until
    return None


def _number_en(said: Sequence[str], at: int) -> tuple[int, int]:
    """The number at a place, and the place behind it; 0 where there is none."""
    if said[at].isdigit():
        return int(said[at]), at + 1
    value, until = int(CARDINALS.get(said[at], 0)), at + 1
    if value >= 20 and until < len(said) and 0 < CARDINALS.get(said[until], 0) < 10:
        return value + int(CARDINALS[said[until]]), until + 1
    return value, until


def _of_whom(before: Sequence[str]) -> str | None:
    """The gender of whom the next number is said ("she is just"; "I turned": ""); None: of nobody."""
    said = [word for word in before if word not in _SETS["before_an_age"]]
    words = " ".join(said[-2:]).replace("'", " '").split()[-2:]
    if len(words) == 2 and words[1] in _SETS["is_of_an_age"]:
        return {"he": "male", "she": "female", "i": "", "you": ""}.get(words[0])
    return None


def _genders(tokens: Sequence[_Token], age: _Age | None) -> Iterator[tuple[str, int]]:
    """The genders that are told, with the tokens that tell them."""
    if age is not None and age.gender:
        yield age.gender, age.first
    said = [token.text for token in tokens]
    for gender in ("male", "female"):
        for at, word in enumerate(said):
            noun = next((each for each in _LISTS[gender] if _is_noun(each, word)), None)
            if noun is not None and _tells(noun, at, said, age):
                yield gender, at


def _is_noun(noun: str, word: str) -> bool:
    """Whether a word is this noun with what Korean puts behind it; 남자친구 is another one."""
    rest = word.removeprefix(noun)
    goes_on = len(noun) > 1 and not noun.isascii() and rest.startswith(_LISTS["behind_a_gender"])
    return word.startswith(noun) and (not rest or goes_on)


def _tells(noun: str, at: int, said: Sequence[str], age: _Age | None) -> bool:
    """Whether a noun tells somebody's gender: by an age or a patient beside it, or as what somebody is."""
    if age is not None and (0 < at - age.last <= _NEAR_WORDS or 0 < age.first - at <= _NEAR_WORDS):
        return True
    if " ".join(said[at + 1 : at + 2]).startswith(_LISTS["patients"]):
        return True
    if not noun.isascii():
        return f"{said[at].removeprefix(noun)} ".startswith(_LISTS["is_a_gender"])
    before = said[max(0, at - _NEAR_WORDS) : at]
    is_one = any(word in _SETS["is_en"] and after in ("a", "an") for word, after in pairwise(before))
    return is_one or tuple(before[-1:]) in (("i'm",), ("am",), ("identify",))
