"""Nouns are found however they are inflected, and inflected words by their nouns, in texts and searches alike."""

from __future__ import annotations

import pytest

from context.corpora.passage import Passage
from context.corpora.search_hits import NO_MEANING, excerpt, hits
from context.language.inflections import noun_length, only_hangs
from context.language.korean import final
from tests.fakes.passages import frequencies

NOUNS = """
집 방 책 층 돈 법 약 물 값 팀 앱 차 표 칼 빵 옷 벽 문 글 눈 12월 3층 7백만 15일 4차 2회 30분 100명 3개월 9시 2주 회의 휴가 제도
결과 도로 온도 합의 불만 예산 서버 고객 일정 면접 단추 창고 견적 부산 임대 김민지 정은 서현 출시일 회의실 보고서 계약서 마케팅
담당자 데이터베이스 API GPU
""".split()  # noqa: SIM905  # reads better
ENDINGS = (
    ("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("으로", "로"), ("이라고", "라고"), ("이에요", "예요"),
    ("에서", "에서"), ("까지", "까지"), ("의", "의"), ("에서는", "에서는"), ("입니다", "입니다"), ("부터", "부터"),
    ("인데", "인데"), ("에는", "에는"), ("도", "도"),
)  # fmt: skip
"""Particles and endings behind a consonant, and behind a vowel."""
OTHER_NOUNS = ("문의",)
"""Nouns of their own: an inquiry, and what is said of a door."""
IN_ENGLISH = (
    "budget budgets budget's", "process processes process's", "company companies company's", "box boxes",
    "decide decides decided deciding", "plan plans planned planning", "pay pays paid paying",
    "buy buys bought buying", "use uses used using", "try tries tried trying", "speed speeds", "focus focuses focused",
    "hundred hundreds", "child children children's", "status statuses", "choose chose chosen choosing",
    "agree agrees agreed agreeing", "run runs ran running", "meeting meetings meet", "bus buses",
    "address addresses addressed", "team team’s teams'", "write writes wrote written", "cost costs costing",
)  # fmt: skip
OTHERS = [
    Passage(source_id="m", position=1 + place, text=text)
    for place, text in enumerate(
        (
            "다음 안건으로 넘어가겠습니다.",
            "그 이야기는 나중에 다시 합시다.",
            "모두 고생 많으셨어요.",
            "Let's move on.",
            "Thank you all for coming today.",
        )
    )
]


def inflected(noun: str, endings: tuple[str, str]) -> str:
    behind_consonant, behind_vowel = endings
    sound = final(noun[-1])
    return noun + (
        behind_vowel if not sound or (sound == "ㄹ" and behind_vowel == "로") else behind_consonant
    )


def is_found(query: str, said: str) -> bool:
    """Whether a search has that one passage of a few for a hit, and marks something in it."""
    passage = Passage(source_id="m", position=0, text=f"하나: 그러면 {said} 한번 보시죠.")
    all_ = [passage, *OTHERS]
    found = hits(query, all_, frequencies(all_), len(all_), likeness={}, floor=NO_MEANING)
    return found.keys() == {passage.id} and excerpt(passage, query).marks != ()


@pytest.mark.parametrize("noun", NOUNS)
def test_a_noun_and_its_inflected_forms_find_each_other(noun: str) -> None:
    forms = [noun, *(inflected(noun, endings) for endings in ENDINGS)]
    forms = [form for form in forms if form not in OTHER_NOUNS]
    in_a_place = inflected(noun, ("에서", "에서"))
    assert [form for form in forms if not is_found(noun, form)] == [], "said so, it is not found by its noun"
    assert [form for form in forms if not is_found(form, noun)] == [], "looked for so, its noun is not found"
    assert [form for form in forms if not is_found(form, in_a_place)] == [], (
        "looked for so, 에서 is not found"
    )


@pytest.mark.parametrize("forms", IN_ENGLISH)
def test_forms_of_an_english_word_find_each_other(forms: str) -> None:
    own = forms.split()
    assert [(query, said) for query in own for said in own if not is_found(query, said)] == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("집", "집중"), ("단", "단추"), ("회", "회의"), ("회의", "3회"), ("휴가", "휴"), ("12월", "12명이 3월에"),
        ("3층", "3명"), ("2026-11-05", "2026년 11월에 05번"), ("3백만", "3백"), ("회의실에서", "집에서"), ("12월", "2월"),
        ("team", "steam"), ("30분", "30명"), ("앱", "랩"), ("부산", "산"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_is_not_found(query: str, said: str) -> None:
    assert not is_found(query, said)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("2400만 원", "2,400만 원이라고"),
        ("층", "3층까지"),
        ("2026-11-05", "2026-11-05에"),
        ("2,400", "2400"),
        ("12", "12월"),
        ("380", "380만"),
    ],
)
def test_a_figure_is_found_however_it_is_written(query: str, said: str) -> None:
    assert is_found(query, said)


def test_a_particle_has_to_fit_the_sound_before_it() -> None:
    assert [noun_length(word) for word in ("집은", "차는", "차은", "집는", "물로", "문로")] == [
        1,
        1,
        2,
        2,
        1,
        2,
    ]
    assert [noun_length(word) for word in ("보고서에서는", "사람들에게도", "회의", "회의의")] == [3, 2, 2, 2]
    assert only_hangs("에서는")
    assert not only_hangs("팀")
