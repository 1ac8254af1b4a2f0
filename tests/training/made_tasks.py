"""Tasks made by filling in, each with whose it is: what people say outright is rare in labelled talk."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

_SLOTS: Final = {
    "ko": {
        "d": "금요일까지|내일까지|다음 주 월요일까지|오늘 중으로|이번 주 안에|12월 3일까지|회의 전까지|퇴근 전에",
        "t": "보고서|견적서|회의록|테스트 결과|고객 명단|시안|계약서|설문 결과|공지 메일|예산안",
        "n": "민지|준호|서연|하늘|재현|수아",
    },
    "en": {
        "d": "by Friday|by tomorrow|by next Monday|today|this week|by December 3|before the meeting|before I leave",
        "t": "the report|the quote|the minutes|the test results|the customer list|the draft|the contract|the survey|the announcement|the invoice",
        "n": "Ben|Priya|Tom|Maria|Owen|Jin",
    },
}  # fmt: skip
_FORMS: Final = {
    "ko": "제가 {d} {t} 정리해서 올리겠습니다.|{n} 씨가 {d} {t} 보내 주세요.|{t}는 제가 {d} 작성할게요.|{n} 님, {t} {d} 확인 부탁드려요.|{t} 준비는 {n} 씨가 맡아 주세요.|제가 {n} 씨한테 {t} 받아서 공유하겠습니다.|{n} 씨는 {d} {t} 검토해 주시기 바랍니다.|제가 {t} 챙길게요.|{t}는 {n} 씨가 {d} 하기로 했어요.",
    "en": "I'll send {t} {d}.|{n}, can you write {t} {d}?|{n} will finish {t} {d}.|I'll take care of {t}.|Please update {t} {d}, {n}.|{n}, could you check {t}?|I will get {t} from {n} {d}.|{t} is on me, {d}.|{n} takes {t}.|Let me draft {t} {d}.",
}  # fmt: skip


def made_tasks(count: int, seed: int = 20261124) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """So many tasks: the sentence, who says it, who is there, whose task it is."""
    dice = Random(seed)
    for number in range(count):
        language = ("ko", "en")[number % 2]
        form = dice.choice([form for form in _FORMS[language].split("|") if "{n}" in form or _own(form)])
        speaker, other, *rest = dice.sample(_SLOTS[language]["n"].split("|"), 4)
        slots = {slot: dice.choice(words.split("|")) for slot, words in _SLOTS[language].items()}
        yield (
            form.format(**{**slots, "n": other}),
            speaker,
            tuple(sorted((speaker, other, *rest))),
            speaker if _own(form) else other,
        )


def _own(form: str) -> bool:
    """Whether whoever says it takes it on."""
    return any(
        word in ("제가", "{t}는 제가", "I'll", "I", "me", "Let") for word in form.replace(",", "").split()
    )
