# ruff: noqa: E501  # a table of words reads better unbroken
"""Words that mean the same in a question to a meeting, each group under one name.

A group holds only what may stand for each other in any question: cost and price don't (a thing's cost is
not what it is sold for), launch and deployment don't. Korean entries are stems, as `korean.stem_of`
leaves them; English ones are lemmas. Opposites stand in groups of their own and so never match.
"""

from __future__ import annotations

from typing import Final

_GROUPS: Final = """
DECIDE: decide decision determine settle conclude conclusion choose select pick opt | 결정 확정 정하 정해 정해지 결론 합의 선정 선택 고르
VOICE: say mention comment remark speak talk think opinion thought discuss discussion express opine | 말하 말 말씀 언급 의견 생각 견해 입장 논의 토론 토의 이야기 얘기 뭐라 발언
PROPOSE: propose proposal suggest suggestion recommend recommendation | 제안 건의 추천
ASK: ask request | 요청 부탁 요구
CHARGE: responsible owner own handle charge assign | 담당 맡 책임 배정 할당
TASK: task todo assignment chore | 일 작업 업무 할일 과제
SUMMARY: summarize summarise summary recap overview outline | 요약 정리
DELAY: delay postpone defer late | 연기 미루 늦추 지연 늦어지 늦
ADVANCE: advance hasten | 앞당기 당기
CHANGE: change replace switch replacement | 변경 바꾸 바뀌 교체
REMOVE: remove drop exclude delete omit | 빼 제외 삭제 없애 빠지
ADD: add include addition | 추가 넣 포함
RAISE: increase raise rise grow growth | 늘리 늘어나 늘 올리 인상 증가 오르 증액 상승
LOWER: decrease reduce lower cut reduction | 줄이 줄어들 줄 내리 인하 감소 떨어지 절감 삭감 감액 하락
FINISH: finish complete completion end | 완료 끝나 끝내 끝 마치 완성 종료 마무리
START: start begin commence beginning | 시작 착수 개시
SUPPORT: support favour favor endorse | 찬성 동의 지지
OPPOSE: oppose object objection | 반대
APPROVE: approve approval | 승인 결재
REJECT: reject decline refuse rejection refusal | 거절 기각 반려 거부
WRITE: write draft | 작성 쓰
USE: use usage | 사용 이용
HIRE: hire recruit recruitment hiring | 채용 뽑 고용
PROBLEM: problem issue trouble | 문제 이슈
FAULT: bug error defect | 오류 버그 에러 결함
RESULT: result outcome | 결과
DIFFER: difference differ different | 차이 다르 달라
PLAN: plan | 계획
TIMETABLE: schedule timeline timetable | 일정 스케줄
STATUS: status progress | 상태 현황 상황
MEETING: meeting | 회의 미팅
BIG: big large | 크 커다라
BIGGER: bigger larger |
FAST: fast quick quickly | 빠르
FASTER: faster quicker |
SOLVE: solve resolve resolution | 해결
FIX: fix repair mend | 고치 수리
SHOW: show present presentation | 발표
CHECK: check verify | 확인 점검
NEED: need require requirement | 필요
GOAL: goal aim objective | 목표 목적
RISK: risk | 위험 리스크
COMPLAIN: complain complaint | 불만 불평
MAIN: main mainly primary | 주요 주된
MOVE: move relocate relocation | 이전 옮기
COMPARE: compare comparison | 비교
LASTING: persist continue | 지속 이어지 계속
GIVE_UP: abandon | 포기
EXPLAIN: explain explanation describe description | 설명
HAPPEN: happen occur | 발생 생기 일어나
MEET: meet | 만나
BUY: buy purchase | 구매 구입
SELL: sell | 판매 팔
SEND: send | 보내 전송
METHOD: method way approach | 방법 방식 방안
WORRY: worry worried concern concerned | 걱정 우려 염려
ADVANTAGE: advantage benefit upside | 장점 이점
DRAWBACK: disadvantage drawback downside | 단점
STAFF: staff employee personnel | 직원 사원
MAKE: build create develop | 만들 개발 제작
FIND: find discover | 찾 발견
EXPENSE: expense | 비용 경비
LAUNCH: launch | 출시 런칭 론칭 발매
ATTEND: attend participate | 참석 참가 참여
REPLY: reply answer respond response | 답변 대답 회신 응답
REVIEW: review | 검토 리뷰
CANCEL: cancel cancellation | 취소 철회
REMAIN: remain remaining | 남
USER: user | 사용자 유저
SITE: website site | 홈페이지 웹사이트 사이트
PAPERS: document paperwork | 문서 서류
EXPECT: expect anticipate | 예상 전망
STOP: stop halt discontinue | 중단 중지
DEADLINE: deadline | 마감
MOMENT_OF: date moment | 날짜 일자 시점
"""


def _read() -> tuple[dict[str, str], dict[str, str]]:
    korean: dict[str, str] = {}
    english: dict[str, str] = {}
    for line in _GROUPS.strip().splitlines():
        name, words = line.split(":", 1)
        left, _, right = words.partition("|")
        english.update(dict.fromkeys(left.split(), name))
        korean.update(dict.fromkeys(right.split(), name))
    return korean, english


KOREAN, ENGLISH = _read()
"""Stem or lemma to the name of its group."""

OPPOSITES: Final = frozenset(
    frozenset(pair.split())
    for pair in (
        "RAISE LOWER", "ADD REMOVE", "START FINISH", "SUPPORT OPPOSE", "APPROVE REJECT", "DELAY ADVANCE", "BUY SELL", "ADVANTAGE DRAWBACK", "START STOP",
        "before after", "more less", "increas decreas", "advantag disadvantag", "maximum minimum", "max min", "best worst",
        "fast slow", "high low", "large small", "BIG small", "internal external", "inside outside", "strength weak",
        "accept reject", "accept REJECT", "join leave", "pro con", "positive negativ", "over under", "above below", "up down",
        "전 후", "이전 이후", "장점 단점", "찬성 반대", "최대 최소", "내부 외부", "수입 지출", "성공 실패", "먼저 나중", "상승 하락",
        "높 낮", "많 적", "빠르 느리", "합법 불법", "BIG 작", "크 작", "상반기 하반기", "여당 야당", "이상 이하", "공개 비공개",
    )
)  # fmt: skip
"""For telling why a question was refused; what isn't listed is refused as another topic."""
