"""The search over meetings: whether it finds what was said, and nothing where nobody spoke of it.

Each trial of `tests/data/trials` is a meeting of its own, and each question that a line answers is searched
for, whole and in some of its words: where its meeting is stored, the passage with the line should be among the
hits; where it is not, whatever comes is no answer. What nobody spoke of at all should have no hit. Every second meeting is asked about. The floor
was chosen with these meetings in view: the figures are not held out. The baseline is the same without the floor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Query, Retrieved
from context.fold.meeting import Meeting
from context.language.questions import is_question
from context.retrieval.question_subject import nouns
from tests.bench.ablation import folded
from tests.bench.evidence_vectors import vector_maker
from tests.bench.figures import Figure
from tests.bench.meeting_passages import KeptEmbedder, MeetingPassages
from tests.bench.needed import joined, trials
from worker.bootstrap.embedders import search_floor
from worker.configuration.settings import Settings
from worker.passages.retrieving import CorporaRetriever

_HITS: Final = 20
_TOKENS: Final = 20_000
_WORDS: Final = 3
NOWHERE: Final = {
    "ko": (
        "ㅁㄴㅇㄹ", "뷁쉙", "오늘 저녁 김치찌개 끓이는 법", "양자역학의 불확정성 원리", "2002년 월드컵 결승전 결과",
        "고양이 예방접종 시기", "피아노 소나타 연주법", "임진왜란이 일어난 해", "비트코인 시세 전망",
        "자동차 엔진오일 교환 주기", "블랙홀은 어떻게 생기나", "조선 시대 과거 제도", "화성 탐사선 착륙",
        "강아지 사료 알레르기", "해리 포터 작가", "축구 오프사이드 규칙",
    ),
    "en": (
        "zzzzqqq", "xk7 qpw", "how to bake sourdough bread", "quantum entanglement explained",
        "world cup final 2002 result", "best time to vaccinate a cat", "piano sonata fingering",
        "capital of Mongolia", "bitcoin price forecast", "how do black holes form",
        "engine oil change interval", "who wrote Harry Potter", "offside rule in football",
        "Mars rover landing", "photosynthesis in plants", "chess opening Sicilian defence",
    ),
}  # fmt: skip
"""What no meeting of the trials speaks of, by language."""
COMMON: Final = {
    "ko": (
        "정원 가구 수리", "파리 날씨", "자전거 타이어 교체", "도쿄 항공권 싸게 사기", "피자 반죽 만드는 법", "로마 제국의 역사", "강아지 훈련 방법",
        "기타 처음 배우기", "주택담보대출 금리", "러닝화 추천", "스페인어 공부 방법", "브라질 인구", "중고차 시세", "다이어트 식단", "토마토 심는 시기",
        "유럽에서 가장 높은 산", "노래 가사 찾기", "이번 주 영화 순위", "공항 근처 호텔", "어제 야구 결과", "넥타이 매는 법", "한국전쟁의 원인",
        "프린터 드라이버 설치", "휴대폰 액정 교체 비용", "주식 시장 폭락", "사과파이 굽는 시간", "아기 이름 짓기", "호주 비자 신청", "집 지붕 태양광",
        "전기차 충전 요금", "이민 준비 서류", "소설 쓰는 법", "화장품 바르는 순서", "대학생 노트북 추천", "경복궁 관람 시간", "부산행 기차 시간표",
        "인터넷 뱅킹 비밀번호 재설정", "이혼 소송 비용", "호수 근처 캠핑장", "부엌 타일 색깔",
    ),
    "en": (
        "garden furniture repair", "weather in Paris", "how to change a bicycle tyre",
        "cheap flights to Tokyo", "best pizza dough", "history of the Roman Empire",
        "dog training for beginners", "guitar lessons online", "mortgage interest rate",
        "running shoes for women", "learn Spanish in three months", "population of Brazil",
        "used car prices", "how to lose weight fast", "when to plant tomatoes",
        "highest mountain in Europe", "words of an old love song", "movies to watch this week",
        "hotel near the airport", "football results last night", "how to tie a tie",
        "causes of the First World War", "printer driver download", "phone screen replacement cost",
        "stock market crash", "apple pie with cinnamon", "baby name ideas",
        "visa application for Australia", "camping by a lake", "charging an electric car at home",
        "moving to another country", "how to write a novel", "make-up for a birthday",
        "good laptop for a student", "opening hours of the Louvre", "train timetable to Leeds",
        "reset online banking password", "divorce settlement tax", "value of old coins",
        "yoga for back pain",
    ),
}  # fmt: skip
"""The same in words that some meeting does hold: garden, repair, weather, 수리, 요금."""


def search(_data: Path | None = None) -> list[Figure]:
    """Answering passages found, hits without an answer, and searches with no hit, by language."""
    maker = vector_maker(Settings.load().process.cache_dir)
    embedder = KeptEmbedder(maker) if maker is not None else None
    return [each for language in ("ko", "en") for each in asyncio.run(_measured(language, embedder))]


async def _measured(language: str, embedder: KeptEmbedder | None) -> list[Figure]:
    all_trials = trials()
    meetings = [
        folded(joined([trial | {"id": f"{trial['id']}-{place}"}]))  # some trials have the same id
        for place, trial in enumerate(all_trials)
    ]
    whole = await _retriever(meetings, embedder)
    found: dict[bool, list[bool]] = {True: [], False: []}
    in_words: dict[bool, list[bool]] = {True: [], False: []}
    elsewhere: dict[bool, list[int]] = {True: [], False: []}
    for place, trial in enumerate(all_trials):
        if place % 2 == 0 or trial["language"] != language:
            continue
        for question in joined([trial]).questions:
            needed = max(question.evidence) + 1
            words = " ".join(nouns(question.text)[:_WORDS])
            for floor in (True, False):
                here = await _searched(whole, question.text, floor=floor)
                found[floor].append(_holds(here, meetings[place], needed))
                if words and not is_question(words):
                    here = await _searched(whole, words, floor=floor)
                    in_words[floor].append(_holds(here, meetings[place], needed))
                there = await _searched(whole, question.text, floor=floor, without=meetings[place].meeting_id)
                elsewhere[floor].append(len(there.passages))
    nothing = {
        floor: [
            not (await _searched(whole, text, floor=floor)).passages
            for text in (*NOWHERE[language], *COMMON[language])
        ]
        for floor in (True, False)
    }
    return [
        _figure(f"{language}: answering passage among the hits", found),
        _figure(f"{language}: the same, in no more than {_WORDS} words of the question", in_words),
        _figure(f"{language}: hits a question whose meeting is not stored", elsewhere),
        _figure(f"{language}: nothing found of what nobody spoke of", nothing),
    ]


async def _retriever(meetings: Sequence[Meeting], embedder: KeptEmbedder | None) -> CorporaRetriever:
    passages = MeetingPassages(meetings, embedder)
    await passages.index()
    floor = search_floor(embedder.name if embedder is not None else "")
    return CorporaRetriever(passages, EstimateTokenizer(), embedder=embedder, floor=floor)


def _holds(found: Retrieved, meeting: Meeting, needed: int) -> bool:
    return any(each.source_id == meeting.meeting_id and needed in each.utterances for each in found.passages)


async def _searched(retriever: CorporaRetriever, text: str, *, floor: bool, without: str = "") -> Retrieved:
    query = Query(text=text, corpora=("earlier", "document"), is_search=floor, meeting_id=without)
    return await retriever.retrieve(query, k=_HITS, budget_tokens=_TOKENS)


def _figure(what: str, values: dict[bool, Any]) -> Figure:
    return Figure(
        what,
        fmean(values[True]),
        "",
        baseline="without the floor",
        baseline_value=fmean(values[False]),
        note=f"{len(values[True])} searches",
    )
