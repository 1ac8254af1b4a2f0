"""Statement pairs made by filling in: the same matter or another, the same kind of fact or another.

Whether the later one takes the earlier one's place follows from how a pair is made. `seed` and the half of the
words (`part`) keep what is trained on apart from what is tested with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

Part = Literal["train", "test"]

_MATTERS: Final = {
    "ko": (
        "신규 앱|물류 창고|회식|워크숍|포스터|홈페이지|사무실 이전|신입 교육|여름 캠프|김장 행사|고객 설문|데이터 이관|안내 책자|체육 대회|서버 교체|주차장 공사|송년회|제품 촬영|정기 점검|동아리 공연|도서관 개관|시식회|면접|발표 자료",
        "결제 모듈|지하 주차장|바자회|간판 교체|동네 축제|브로슈어|재고 조사|신메뉴|합창 대회|보안 점검|로비 공사|벼룩시장",
    ),
    "en": (
        "the app|the warehouse|the party|the workshop|the poster|the website|the office move|the induction|the summer camp|the bake sale|the survey|the data migration|the brochure|the sports day|the server upgrade|the car park|the newsletter|the photo shoot|the inspection|the concert|the library|the tasting|the interviews|the slides",
        "the checkout|the basement|the raffle|the signage|the street fair|the leaflet|the stocktake|the menu|the choir trip|the audit|the lobby|the flea market",
    ),
}  # fmt: skip
_FACTS: Final = {
    "ko": {
        "date": (
            "{m} 날짜는 {v}로 하겠습니다|{m}은 {v}에 하기로 했습니다|{m} 일정은 {v}로 확정하죠|{m}은 {v}로 가시죠|{m}, {v}로 정하겠습니다",
            "11월 20일|다음 주 목요일|3월 둘째 주|내일모레|12월 4일|수요일|9월 초|토요일 오전|이번 주 금요일|5월 마지막 주",
        ),
        "cost": (
            "{m} 비용은 {v}으로 하겠습니다|{m} 예산은 {v}으로 확정하죠|{m}에는 {v}까지 쓰기로 했습니다|{m} 견적은 {v}으로 합의했습니다|{m}에 드는 돈은 {v}으로 정하겠습니다",
            "5백만 원|이천만 원|80만 원|삼백오십만 원|1억 2천만 원|6만 원|구십만 원|천이백만 원",
        ),
        "person": (
            "{m} 담당은 {v}로 하겠습니다|{m}은 {v}가 맡기로 했습니다|{m} 책임자는 {v}로 정하죠|{m}은 {v}한테 맡기겠습니다",
            "민지 씨|준호 씨|서연 팀장|박 대리|하늘 님|재현 씨|영업팀|디자인팀",
        ),
        "place": (
            "{m} 장소는 {v}으로 하겠습니다|{m}은 {v}에서 하기로 했습니다|{m} 자리는 {v}으로 정하죠|{m}은 {v}에서 하시죠",
            "3층 회의실|대강당|부산 사무실|옆 건물 카페|운동장|시민회관|본사 로비",
        ),
    },
    "en": {
        "date": (
            "{m} is on {v}, agreed.|We'll do {m} on {v}.|Let's say {v} for {m}.|{m} happens {v}, that's settled.|So the date for {m} is {v}.",
            "November 20th|Thursday next week|the second of March|Friday|December 4th|Monday morning|the ninth|Wednesday the fifth",
        ),
        "cost": (
            "The budget for {m} is {v}.|We'll spend {v} on {m}.|Agreed, {v} for {m}, no more.|{m} will cost us {v}.|We settled on a price of {v} for {m}.",
            "five thousand dollars|twelve hundred pounds|80 euros|three hundred and fifty dollars|$9,500|two grand|six million won",
        ),
        "person": (
            "{v} will run {m}.|{m} goes to {v}.|{v} takes {m}, then.|We agreed that {v} is in charge of {m}.",
            "Ben|Priya|the design team|Maria|Tomasz|the Leeds office|Ms. Vu|Owen",
        ),
        "place": (
            "{m} is in {v}, decided.|We'll have {m} at {v}.|Let's hold {m} in {v}.|The place for {m} is {v}.",
            "the main hall|the Berlin office|room 204|the café next door|the gym|the town library|the church hall",
        ),
    },
}  # fmt: skip
_MOVED: Final = {
    "ko": {
        "date": "{m} 날짜를 {v}로 변경하겠습니다|{m}은 {v}로 미루겠습니다|{m}을 {v}로 옮기죠|{m}은 {v}로 당기기로 했습니다|그럼 {m}은 {v}로 바꿉시다|{m}은 {w}이 아니라 {v}로 변경하기로 했습니다|{m} 날짜는 {w} 말고 {v}로 하죠|{m}은 {w}에서 {v}로 옮깁니다",
        "cost": "{m} 예산을 {v}으로 올리겠습니다|{m} 비용은 {v}으로 변경하겠습니다|{m} 예산을 {v}으로 줄이기로 했습니다|그럼 {m} 예산은 {v}으로 조정하죠|{m} 예산은 {w}이 아니라 {v}으로 합니다",
        "person": "{m} 담당을 {v}로 바꾸겠습니다|{m}은 {v}한테 넘기기로 했습니다|{m}은 {v}가 대신 맡기로 하죠",
        "place": "{m} 장소를 {v}으로 옮기겠습니다|{m} 장소는 {v}으로 변경합니다|{m}은 {v}에서 하는 걸로 바꾸죠",
    },
    "en": {
        "date": "Let's move {m} to {v}.|We're pushing {m} to {v}.|{m} is postponed to {v}.|{m} moves to {v} instead.|We're changing {m} to {v}.|{m} is {v}, not {w}.|We decided that {m} is on {v} instead of {w}.|Not {w}, {v} for {m}.|We decided that {m} is on {v}, not {w}.|{m} is on {v} now, not on {w}.|{m} moves from {w} to {v}.",
        "cost": "Let's raise the budget for {m} to {v}.|We're cutting {m} to {v}.|We changed the budget for {m} to {v}.|Make it {v} for {m} instead.|The budget for {m} is {v}, not {w}.|We decided that {m} costs {v}, not {w}.|{m} goes up from {w} to {v}.",
        "person": "{v} takes over {m}.|We're giving {m} to {v} instead.|{v} does {m} now.",
        "place": "Let's move {m} to {v}.|We changed the place for {m} to {v}.|{m} will be at {v} instead.",
    },
}  # fmt: skip
_CHANGED: Final = {
    "ko": ["아니, ", "다시 생각해 보니 ", "아까 거 취소하고 ", "죄송한데 바꿉시다, ", "그럼 변경해서 ", "미안한데 "],
    "en": ["Actually, ", "On second thoughts, ", "Sorry, change of plan: ", "Scrap what we said, ", "Let's move it: ", "No, wait. "],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """One pair, and why it is what it is."""

    earlier: str
    later: str
    replaces: bool
    why: str
    kind: str
    """Of fact, of the earlier one."""


def made(count: int, part: Part, seed: int = 20261124) -> Iterator[Made]:
    """So many pairs, about a third of them replacing."""
    dice = Random(f"{part} {seed}")
    for number in range(count):
        language = ("ko", "en")[number % 2]
        matters = _MATTERS[language][part == "test"].split("|")
        matter, other = dice.sample(matters, 2)
        kind, another = dice.sample(sorted(_FACTS[language]), 2)
        why = dice.choice(
            ("same", "same", "other matter", "other kind", "other matter and kind", "said again")
        )
        moved = dice.random() < (0.5 if why == "same" else 0.2)
        changed = dice.choice(_CHANGED[language]) if dice.random() < (0.5 if why == "same" else 0.25) else ""
        values = dice.sample(_values(language, kind), 2)
        earlier = _told(dice, language, kind, matter, values[0])
        if why == "said again":
            later = _told(dice, language, kind, matter, values[0])
        elif why == "other kind":
            later = _told(dice, language, another, matter, dice.choice(_values(language, another)))
        elif why == "other matter and kind":
            later = _told(dice, language, another, other, dice.choice(_values(language, another)))
        else:
            about = other if why == "other matter" else matter
            later = _told(dice, language, kind, about, values[1], values[0] if moved else "")
        yield Made(earlier, changed + later, why == "same", why, kind)


def _values(language: str, kind: str) -> list[str]:
    return _FACTS[language][kind][1].split("|")


def _told(  # noqa: PLR0917 -- the slots of a frame
    dice: Random, language: str, kind: str, matter: str, value: str, instead: str = ""
) -> str:
    frames = _MOVED[language][kind] if instead else _FACTS[language][kind][0]
    told = dice.choice(frames.split("|")).format(m=matter, v=value, w=instead)
    return told[0].upper() + told[1:] if language == "en" else told
