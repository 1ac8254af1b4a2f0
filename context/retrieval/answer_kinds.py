"""What kind of answer a question wants (a day, an amount, a person, a reason, a place), and what holds one.

Question words, units and number words are closed lists of each language; nothing here reads meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from context.retrieval.names import called
from context.retrieval.terms import words

AnswerKind = Literal["when", "how_much", "who", "why", "where"]

QUESTION_WORDS: Final[dict[str, AnswerKind]] = {
    **dict.fromkeys(("언제", "며칠", "안제", "안져", "안절", "when", "when's"), "when"),
    **dict.fromkeys(
        ("얼마", "how much", "how many", "how long", "how big", "how far", "how often"), "how_much"
    ),
    **dict.fromkeys(("누가", "누구", "누굴", "who", "who's", "whose", "whom", "who'll"), "who"),
    **dict.fromkeys(("어디", "어느 곳", "어느 데", "어느 방", "어느 회의실", "where", "where's"), "where"),
    **dict.fromkeys(("왜", "어째서", "why"), "why"),
}
"""Korean ones by how they begin. 안제, 안져, 안절 are 언제 as a small speech model writes it."""
_AMOUNT_NOUNS: Final = """
예산 비용 금액 가격 월세 보증금 시급 요금 대금 인원 회비 단가 참가비 budget cost price rent fee deposit rate
salary
"""
_OF_NOUNS: Final[dict[AnswerKind, tuple[str, ...]]] = {
    "when": ("날짜", "기한", "마감", "일정", "deadline", "date", "day"),
    "how_much": tuple(_AMOUNT_NOUNS.split()),
    "who": ("담당자", "charge"),
    "where": ("장소", "venue", "place", "location", "room"),
    "why": ("이유", "원인", "까닭", "reason", "reasons", "cause", "caused"),
}
"""Nouns that say themselves what is wanted, where no question word does: 그럼 비용은? — and the deadline?"""
_WITH_THE_NEXT: Final = ("몇", "어느", "how", "what", "which")
_DAY_COMPOUNDS: Final = ("일", "날", "날짜", "기한", "일정")
_LEAST_COMPOUND: Final = 3
"""출시일은? asks for a day."""
_MARKS: Final = ("은요", "는요", "은", "는", "이", "가", "을", "를", "도")
_COUNTED_DAYS: Final = ("시", "일", "월", "날")
_SPANS: Final = ("시간", "일간")
_SINO: Final = "일이삼사오육칠팔구십백천만억시유비"
_TENS: Final = frozenset("십백천만억")
_NATIVE_WORDS: Final = """
한 두 세 네 석 넉 다섯 여섯 일곱 여덟 아홉 열 열한 열두 스무 서른 마흔 쉰
"""
_NATIVE: Final = tuple(_NATIVE_WORDS.split())
_COUNTERS_WORDS: Final = """
명 분 사람 건 개 달 주 시간 번 원 곳 군데 대 마리 박스 상자 장 통 퍼센트 프로 권 회 차례 배
"""
_COUNTERS: Final = tuple(_COUNTERS_WORDS.split())
_DAYS_KO_WORDS: Final = """
내일 모레 오늘 주말 자정 정오 내년 올해 연말 연초 월말 월요 화요 수요 목요 금요 토요 일요
"""
_DAYS_KO: Final = tuple(_DAYS_KO_WORDS.split())
_AMOUNTS_KO: Final = ("하루", "이틀", "사흘", "나흘", "열흘", "보름", "반나절", "일주일", "절반")
_DAYS_EN_WORDS: Final = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december tomorrow today tonight noon midnight o'clock morning afternoon evening
lunch week weeks month quarter sprint pm am
"""
_DAYS_EN: Final = frozenset(_DAYS_EN_WORDS.split())
_ORDINALS_EN_WORDS: Final = """
fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth twentieth thirtieth st nd rd th
"""
_ORDINALS_EN: Final = frozenset(_ORDINALS_EN_WORDS.split())
_SMALL_ORDINALS_EN: Final = ("first", "second", "third")
"""A day only behind tens: the second server is none."""
_NUMBERS_EN_WORDS: Final = """
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million percent
half dozen couple
"""
_NUMBERS_EN: Final = frozenset(_NUMBERS_EN_WORDS.split())
_FIRST_PERSON: Final = frozenset(
    ["제가", "저는", "저희가", "내가", "저하고", "저랑", "우리가", "i", "i'll", "i'm", "i've", "me", "we'll"]
)
_ADDRESSED: Final = ("님", "님이", "님은", "님께서", "씨", "씨가", "씨는", "팀", "팀이", "팀은", "팀에서")
_REASONS_KO_WORDS: Final = """
니까 니까요 거든 거든요 어서 아서 해서 라서 려서 돼서 여서 워서 빠서 겨서 져서 쳐서 느라 때문에 덕분에
바람에 때문이에요 때문입니다
"""
_REASONS_KO: Final = tuple(_REASONS_KO_WORDS.split())
_REASONS_EN: Final = frozenset(["because", "since", "due", "so", "can't", "cannot", "too", "reason", "cause"])
_PLACES_KO: Final = ("에서", "에", "으로", "로")
_PLACES_EN: Final = frozenset(["in", "at", "on", "to"])


def kind_asked(question: str) -> AnswerKind | None:
    """What is asked for; of two ("who does it, and by when?") the one that is asked first.

    A reason only where nothing else is asked: "왜 언제로 옮겼어" wants the day.
    """
    asked = question_words(question)
    kinds = [kind for _, kind in asked]
    return next((kind for kind in kinds if kind != "why"), kinds[0] if kinds else _of_a_noun(question))


def question_words(question: str) -> list[tuple[str, AnswerKind]]:
    """The words that ask, as they stand, each with what it asks for."""
    found: list[tuple[str, AnswerKind]] = []
    for word, behind in pairwise([*words(question), ""]):
        kind = _asked_ko(word, behind) if word[0] >= "가" else _asked_en(word, behind)
        if kind is not None:
            found.append((f"{word} {behind}" if word in _WITH_THE_NEXT else word, kind))
    return found


def _asked_ko(word: str, behind: str) -> AnswerKind | None:
    if word.startswith("몇"):
        counted = word[1:] or behind
        return "when" if counted.startswith(_COUNTED_DAYS) and not counted.startswith(_SPANS) else "how_much"
    if word.startswith(("며칠간", "며칠이나")) or (
        word == "며칠" and behind.startswith(("동안", "걸", "필요"))
    ):
        return "how_much"
    spoken = f"{word} {behind}" if word == "어느" else word
    return next((kind for begins, kind in QUESTION_WORDS.items() if spoken.startswith(begins)), None)


def _asked_en(word: str, behind: str) -> AnswerKind | None:
    if word in QUESTION_WORDS:
        return QUESTION_WORDS[word]
    if word == "how":
        return QUESTION_WORDS.get(f"how {behind}")
    if word in ("what", "which"):
        if behind in ("time", "date", "day"):
            return "when"
        return "where" if behind in _OF_NOUNS["where"] else None
    return None


def _of_a_noun(question: str) -> AnswerKind | None:
    for word in words(question):
        if (kind := names_a_kind(word)) is not None:
            return kind
        bare = next((word.removesuffix(each) for each in _MARKS if word.endswith(each)), word)
        if len(bare) >= _LEAST_COMPOUND and bare.endswith(_DAY_COMPOUNDS):
            return "when"
    return None


def names_a_kind(word: str) -> AnswerKind | None:
    """What a noun wants that says so itself: 비용은, deadline."""
    for kind, nouns in _OF_NOUNS.items():
        korean = tuple(noun for noun in nouns if noun[0] >= "가")
        if word in nouns or (korean and word.startswith(korean)):
            return kind
    return None


def gives(kind: AnswerKind | None, text: str, names: Sequence[str] = ()) -> bool:
    """Whether `text` holds the kind of answer that is asked for; False where no kind is."""
    if kind is None:
        return False
    if kind == "who" and any(called(name, text) for name in names):
        return True
    return kind in kinds_given(text)


@lru_cache(maxsize=4096)  # a question looks at the same few hundred lines as the one before it
def kinds_given(text: str) -> frozenset[AnswerKind]:
    """Everything that the words of `text` may be an answer to."""
    found: set[AnswerKind] = set()
    for word, behind in pairwise([*words(text), ""]):
        if word[0] >= "가":
            found.update(_given_ko(word, behind))
        elif word.isascii() and word[0].isdigit():
            found.add(
                "when" if behind.startswith(_COUNTED_DAYS) and not behind.startswith(_SPANS) else "how_much"
            )
        else:
            found.update(_given_en(word, behind))
    return frozenset(found)


def _given_ko(word: str, behind: str) -> set[AnswerKind]:
    found: set[AnswerKind] = set()
    number = len(word) - len(word.lstrip(_SINO))
    unit = word[number:]
    native = next((len(each) for each in reversed(_NATIVE) if word.startswith(each)), 0)
    counted = word[native:] or behind if native else ""
    if (
        word.startswith(_DAYS_KO)
        or (number and unit.startswith("월"))
        or (number > 1 and word[number - 1] == "일")
    ):
        found.add("when")
    if word in ("다음", "이번") and behind.startswith(("주", "달")):
        found.add("when")
    if counted.startswith("시") and not counted.startswith("시간"):
        found.add("when")
    if counted.startswith(_COUNTERS) or word.startswith(_AMOUNTS_KO):
        found.add("how_much")
    if number and (unit.startswith(_COUNTERS) or (number > 1 and not _TENS.isdisjoint(word[:number]))):
        found.add("how_much")
    if word in _FIRST_PERSON or word.endswith(_ADDRESSED):
        found.add("who")
    if word.endswith(_REASONS_KO):
        found.add("why")
    if word.endswith(_PLACES_KO) and len(word) > 1:
        found.add("where")
    return found


def _given_en(word: str, behind: str) -> set[AnswerKind]:
    found: set[AnswerKind] = set()
    if word in _DAYS_EN or word in _ORDINALS_EN or (word == "at" and behind in _NUMBERS_EN):
        found.add("when")
    if word in ("twenty", "thirty") and behind in _SMALL_ORDINALS_EN:
        found.add("when")
    elif word in _NUMBERS_EN:
        found.add("how_much")
    if word in _FIRST_PERSON:
        found.add("who")
    if word in _REASONS_EN:
        found.add("why")
    if word in _PLACES_EN:
        found.add("where")
    return found


def is_figure(word: str) -> bool:
    """Whether a word of a question only counts: 삼십명, twelve, 2."""
    return bool({"when", "how_much"} & kinds_given(word)) or word[0].isdigit()
