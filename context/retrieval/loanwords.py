# ruff: noqa: E501  # tables read better unbroken
"""One word in two scripts: 릴리스 and release, 대시보드 and dashboard, 서버 and server.

Korean teams write a term of their trade now in Hangul, now in Latin letters. What a loanword keeps of its
English is the row of its consonants: both are brought to that row, and are one word where the rows are the same and
the first vowels may be. Rows of two are too common by chance (버그, back, book); for those there is a table,
and with it everyday words of offices that are translated rather than borrowed (예산, budget).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from context.language.korean import final, jamo
from context.retrieval.terms import stem

_LEAST_ROW: Final = 3
_PAIRS: Final = """
버그 bug
서버 server
앱 app
웹 web
팀 team
툴 tool
로그 log
로고 logo
코드 code
데모 demo
폼 form
콜 call
회의 meeting
미팅 meeting
이슈 issue
태그 tag
페이지 page
배너 banner
메뉴 menu
파일 file
토큰 token
예산 budget
비용 cost
배포 deploy deployment release
출시 launch release
심사 review
화면 screen
결제 payment
고객 client customer
일정 schedule
마감 deadline
계약 contract
견적 quote
설문 survey
번역 translation
문서 document doc
시험 test
테스트 test
오류 error
장애 outage incident
알림 notification alert
로그인 login
보안 security
휴가 vacation leave
채용 hiring
면접 interview
교육 training
엑셀 excel xlsx
광고 ad ads
"""
_CONSONANTS: Final = {
    **dict.fromkeys("ㄱㄲㅋ", "K"),
    **dict.fromkeys("ㄷㄸㅌ", "T"),
    **dict.fromkeys("ㅂㅃㅍ", "P"),
    **dict.fromkeys("ㅅㅆㅈㅉㅊ", "S"),
    "ㄴ": "N",
    "ㅇ": "N",
    "ㅁ": "M",
    "ㄹ": "R",
    "ㅎ": "H",
}
_LATIN: Final = (
    ("tch", "S"), ("sch", "SK"), ("ck", "K"), ("ch", "S"), ("sh", "S"), ("ph", "P"), ("th", "T"), ("ng", "N"), ("qu", "K"),
    ("dge", "S"), ("tion", "SN"), ("sion", "SN"), ("x", "KS"), ("wh", ""), ("kn", "N"), ("gn", "N"), ("wr", "R"),
    ("ce", "S"), ("ci", "S"), ("cy", "S"), ("ge", "S"), ("b", "P"), ("p", "P"), ("v", "P"), ("f", "P"), ("c", "K"), ("k", "K"),
    ("g", "K"), ("q", "K"), ("d", "T"), ("t", "T"), ("s", "S"), ("z", "S"), ("j", "S"), ("l", "R"), ("r", "R"), ("m", "M"),
    ("n", "N"), ("h", "H"),
)  # fmt: skip
_VOWELS: Final = {
    "ㅏ": "auoi", "ㅑ": "ya", "ㅓ": "ueoai", "ㅕ": "ye", "ㅗ": "oa", "ㅛ": "yo", "ㅜ": "uow", "ㅠ": "uyne", "ㅡ": "", "ㅣ": "iey", "ㅐ": "ae",
    "ㅔ": "ea", "ㅘ": "wo", "ㅝ": "wo", "ㅟ": "wiq", "ㅢ": "ui", "ㅞ": "we", "ㅙ": "w", "ㅚ": "w", "ㅖ": "y", "ㅒ": "y",
}  # fmt: skip
_SILENT_R: Final = re.compile(r"r+(?=[^aeiouy]|$)")
_PARTICLE: Final = re.compile(
    r"(?<=[가-힣]{2})(?:에서는|으로는|에서|에는|에게|으로|까지|부터|이랑|이랑은|은|는|이|가|을|를|의|도|로|와|과|만|에|요|이요|죠|하고)$"
)


@lru_cache(maxsize=8192)
def same_word(korean: str, latin: str) -> bool:
    """Whether a Hangul word (with its particle, or without) and a Latin one (or its stem) may be the same."""
    if latin in STEMS.get(_bare(korean), frozenset()):
        return True
    for word in dict.fromkeys((korean, _bare(korean))):
        row = _row_of_hangul(word)
        if len(row) >= _LEAST_ROW and row in _rows_of_latin(latin) and _vowels_agree(word, latin):
            return True
    return False


def _groups() -> dict[str, frozenset[str]]:
    lines = (line.split() for line in _PAIRS.strip().splitlines())
    return {korean: frozenset(map(stem, latin)) | frozenset(latin) for korean, *latin in lines}


STEMS: Final = _groups()
"""Of a Korean word the stems of its English ones."""


def _bare(word: str) -> str:
    return _PARTICLE.sub("", word)


@lru_cache(maxsize=8192)
def _row_of_hangul(word: str) -> str:
    letters = (jamo(char)[:-1] + "ㄷ" if final(char) == "ㅅ" else jamo(char) for char in word)  # 템플릿
    row = "".join(_CONSONANTS.get(letter, "") for letter in "".join(letters))
    return re.sub(r"RR", "R", row) if "ㄹㄹ" in jamo(word) else row


@lru_cache(maxsize=8192)
def _rows_of_latin(word: str) -> frozenset[str]:
    """With an r that Korean does not write, and as it stands; a double letter is one."""
    text = re.sub(r"([a-z])\1", r"\1", word.lower())
    return frozenset(_row(each) for each in (text, _SILENT_R.sub("", text)))


def _row(text: str) -> str:
    row, place = "", 0
    while place < len(text):
        letters, sign = next(
            ((key, value) for key, value in _LATIN if text.startswith(key, place)), (text[place], "")
        )
        row += sign
        place += len(letters)
    return row


def _vowels_agree(korean: str, latin: str) -> bool:
    first = next((letter for letter in jamo(korean) if _VOWELS.get(letter)), "")
    written = next((letter for letter in latin.lower() if letter in "aeiouyw"), "")
    return not first or not written or written in _VOWELS[first]
