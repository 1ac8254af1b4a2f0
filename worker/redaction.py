"""Masking private numbers and addresses in texts (`MOIM_REDACT`).

Cards by Luhn's check digit, Korean resident registration numbers by theirs, telephones by Google's tables
(phonenumbers), mail addresses by their form; telephones also where they are spoken in Korean digits. What
only looks alike stays: dates, amounts, order numbers. A resident number of after October 2020 has
no check digit any more; it is masked where it is written with its hyphen and begins with a date.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import phonenumbers
from stdnum import luhn
from stdnum.kr import rrn

from context.language.korean import has_hangul
from context.ports import Adapting, ChatMessage, LanguageModel

_MARKS: Final = {  # in Korean, in English
    "card": ("[카드번호]", "[card number]"),
    "rrn": ("[주민등록번호]", "[resident number]"),
    "phone": ("[전화번호]", "[phone number]"),
    "mail": ("[메일 주소]", "[mail address]"),
}
_MAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
"""At most 64 characters before the @, as RFC 5321 has it: unbounded, a pasted key of 20 KB takes seconds."""
_CARD: Final = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")
_RRN: Final = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{2})([ -]?)[1-8]\d{6}(?!\d)")
_SPOKEN_DIGITS: Final = re.compile(r"(?:[공영일이삼사오육륙칠팔구](?:에|의)?[\s,-]*){9,15}")
_UNFINISHED_SECRET: Final = re.compile(
    r"(?:^|(?<=\s))(?:[\w.+-]{1,64}@\S*|[\d공영일이삼사오육륙칠팔구에의.,+()-]+)(?:\s+[\d공영일이삼사오육륙칠팔구에의.,+()-]+)*\s*$"
)
"""Words at the end that are made of digits and of what stands between them, or one with an @."""
_DIGITS: Final = {
    "공": 0,
    "영": 0,
    "일": 1,
    "이": 2,
    "삼": 3,
    "사": 4,
    "오": 5,
    "육": 6,
    "륙": 6,
    "칠": 7,
    "팔": 8,
    "구": 9,
}
_REGIONS: Final = ("KR", "US")
_LEAST_DIGITS: Final = 8
"""A telephone number has at least so many digits: a shorter one may be anything."""


class _Found(NamedTuple):
    start: int
    end: int
    what: str


def redacted(text: str) -> str:
    """Give the text with its numbers and addresses replaced by marks: Korean ones if it has Hangul."""
    if not any(char.isdigit() or char == "@" for char in text) and _SPOKEN_DIGITS.search(text) is None:
        return text
    place = 0 if has_hangul(text) else 1
    masked, done = [], 0
    for place_found in sorted(_found(text), key=lambda one: (one.start, -one.end)):
        if place_found.start >= done:
            masked += [text[done : place_found.start], _MARKS[place_found.what][place]]
            done = place_found.end
    return "".join([*masked, text[done:]])


def finished(text: str) -> str:
    """Give a text that still grows, without what may be a part of a number or an address at its end."""
    return _UNFINISHED_SECRET.sub("", text)


def _found(text: str) -> Iterator[_Found]:
    for match in _MAIL.finditer(text):
        yield _Found(*match.span(), "mail")
    for match in _RRN.finditer(text):
        if _is_resident_number(match):
            yield _Found(*match.span(), "rrn")
    for match in _CARD.finditer(text):
        if luhn.is_valid(re.sub(r"\D", "", match[0])):
            yield _Found(*match.span(), "card")
    for region in _REGIONS:
        for phone in phonenumbers.PhoneNumberMatcher(text, region):
            if sum(char.isdigit() for char in phone.raw_string) >= _LEAST_DIGITS:
                yield _Found(phone.start, phone.end, "phone")
    for match in _SPOKEN_DIGITS.finditer(text):
        digits = "".join(str(_DIGITS[char]) for char in match[0] if char in _DIGITS)
        if _is_phone(digits):
            number = match[0].rstrip(" ,-에의")
            yield _Found(match.start(), match.start() + len(number), "phone")


def _is_resident_number(match: re.Match[str]) -> bool:
    _, month, day, hyphen = match.groups()
    dated = 1 <= int(month) <= 12 and 1 <= int(day) <= 31
    return dated and (hyphen == "-" or bool(rrn.is_valid(re.sub(r"\D", "", match[0]))))


def _is_phone(digits: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(digits, "KR"))
    except phonenumbers.NumberParseException:
        return False


class RedactingModel:
    """A `LanguageModel` that is sent masked messages only."""

    def __init__(self, model: LanguageModel) -> None:
        """Pass on to `model` what is left after masking."""
        self._model, self.name = model, model.name

    @property
    def given_up(self) -> Mapping[str, str]:
        """See `Adapting.given_up`."""
        return self._model.given_up if isinstance(self._model, Adapting) else {}

    def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """See `LanguageModel.stream`."""
        return self._model.stream(_masked(messages), max_tokens=max_tokens, name=name)

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """See `LanguageModel.structured`."""
        return await self._model.structured(
            _masked(messages), schema=schema, name=name, max_tokens=max_tokens
        )


def _masked(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    return [message.model_copy(update={"content": redacted(message.content)}) for message in messages]
