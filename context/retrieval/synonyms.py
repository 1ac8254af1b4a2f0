"""Words that mean the same in any meeting: "which venue" of "where are we doing it", 우천 시 of 비 오면.

Everyday words only, in small groups; what means the same in one trade alone is not here. A synonym counts for
less than the word itself, so whoever repeats the question's own word is quoted first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from context.retrieval.terms import stem

WORTH: Final = 0.8
"""What a synonym counts beside the word itself."""

_ENGLISH: Final = """
venue place location where
price cost charge fee
begin began begun start started commence
end finish complete done
buy bought purchase order
kid child children pupil student
attendee guest participant people
choose chose chosen choosing pick select
write wrote written draft
worry worried concern concerned afraid fear
remove delete drop
cancel scrap
delay postpone slip slipped push hold
film footage shoot video
extra additional another second
fix repair mend
replace swap
phone call ring telephone
email mail message
outage incident downtime failure
problem bug issue error fault defect
customer client user buyer
salary pay wage
money fund budget
holiday vacation
test check verify
document doc file paper
picture photo image
increase raise rise
decrease reduce lower
ship deliver delivery send sent
vendor supplier contractor agency
threshold level limit
announce tell told inform notify
advertise advert promote promotion
rent rental hire
shop store
car vehicle
job task
sick ill illness
parent family families
certify certified certification
fault mistake blame
lunch dinner meal food
arrange organise organize book
go goes went gone
pay paid
meet met
bring brought
keep kept
lose lost
build built
sell sold
mow mown
drive drove driven
take took taken
give gave given
speak spoke spoken
break broke broken
steal stole stolen
fly flew flown
know knew known
grow grew grown
throw threw thrown
draw drew drawn
eat ate eaten
sing sang sung
ring rang rung
fall fell fallen
hold held
stand stood
teach taught
catch caught
spend spent
lend lent
sleep slept
hear heard
wear wore worn
freeze froze frozen
hide hid hidden
ride rode ridden
shake shook shaken
forget forgot forgotten
win won
feed fed
"""
_KOREAN: Final = """
장소 곳 어디
비용 가격 금액 요금 대금
대관료 대여료 임대료 사용료
빌리 빌려 빌릴 대여 대관 임대 렌탈
아들 아드님
딸 따님
할머니 할머님 어르신
아이 애들 어린이 학생
학부모 부모 보호자
천막 텐트 그늘막 차양
우천 비
안내장 안내문 가정통신문 통신문
연락 전화 통화
물어 묻 여쭤 여쭙 여쭈 문의
시작 개시
종료 마감 완료 끝나 끝내
연기 미루 미뤄 미룹 미룬 밀리 밀렸 늦추 늦춰
당기 당겨 앞당
변경 바꾸 바꿔 바뀌 바꾼
구매 구입 주문
취소 철회
수리 고치 고쳐 수정
오류 에러 버그
출시 런칭 릴리스 오픈
고객 손님 소비자
직원 사원
업체 회사
광고 홍보
교육 연수
사진 이미지
촬영 찍 찍어 찍을 찍기
상품 경품 선물
간식 다과
다치 다쳤 부상
휴가 연차
급여 월급 연봉
인상 올리 올려 올렸 올린 오르 올랐
인하 내리 내려 내렸 낮추 낮춰
늘리 늘려 증가
줄이 줄여 감소
채용 뽑
확인 점검
문제 이슈
일정 스케줄
작성 쓰 쓸 써
목록 리스트 명단
업로드 올리 올려 게시
전달 전하 얘기 이야기 말씀 말하
체온 열
고르 고른 고를 골라 골랐 선택
부르 부른 부를 불러 불렀
자르 자른 잘라 잘랐
누르 누른 눌러 눌렀
서두르 서둘러 서둘렀
"""
_PARTICLES: Final = ("", "이", "가", "은", "는", "을", "를", "도", "만", "로", "에")


def _groups(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n") if line]


def _english() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in _groups(_ENGLISH):
        stems = frozenset(stem(word) for word in group)
        for each in stems:
            found[each] = found.get(each, frozenset()) | stems - {each}
    return found


_ENGLISH_GROUPS: Final = tuple(tuple(group) for group in _groups(_ENGLISH))
_OF_A_STEM: Final[Mapping[str, frozenset[str]]] = _english()
_KOREAN_GROUPS: Final = tuple(tuple(group) for group in _groups(_KOREAN))


def stems_like(root: str) -> frozenset[str]:
    """The stems of English words that mean what `root`, a stem, means; not itself."""
    return _OF_A_STEM.get(root, frozenset())


@lru_cache(maxsize=4096)
def beginnings_like(word: str) -> tuple[str, ...]:
    """How Korean words begin that mean what `word` of a question means; none of its own kind."""
    return tuple(
        other
        for group in _KOREAN_GROUPS
        if (own := next((each for each in group if begins(word, each)), None)) is not None
        for other in group
        if other != own
    )


def begins(word: str, beginning: str) -> bool:
    """Whether a Korean word is one of these: 미뤘어요 of 미뤄; one syllable alone only with its particle."""
    if len(beginning) == 1:
        return word.startswith(beginning) and word[1:] in _PARTICLES
    return word.startswith(beginning)


def words_like(word: str) -> tuple[str, ...]:
    """Words that mean what `word` means, as they are written; Korean ones without endings."""
    if word[0] >= "가":
        return beginnings_like(word)
    root = stem(word)
    return tuple(
        other
        for group in _ENGLISH_GROUPS
        if root in map(stem, group)
        for other in group
        if stem(other) != root
    )
