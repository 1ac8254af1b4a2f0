"""Korean sentences: what is work for later, and what is done as soon as it has been said."""

from __future__ import annotations

import pytest

from context.extractive import korean_answers as answers
from context.extractive import korean_decisions, korean_promises
from context.topics.cues import find


@pytest.mark.parametrize(
    "text",
    [
        "모르신다면 제가 설명드릴게요",
        "그래서 제가 팩트체크만 해 드리겠습니다",
        "저는 그 지적을 그냥 수용하겠습니다",
        "저는 기억하지 못하겠습니다",
        "저는 잠시 신상발언부터 하겠습니다",
        "내가 우선 그 판결문 읽어 볼게요",
        "네, 주문은 안 할게요",
    ],
)
def test_what_is_done_by_saying_it_is_no_task(text: str) -> None:
    assert not korean_promises.gives_task(text)


@pytest.mark.parametrize(
    "text",
    [
        "제가 내일까지 설명드리겠습니다",
        "가로등을 하나 달아 달라고 구청에 얘기해 볼게요",
        "소유권 문제도 꼭 챙겨 주시기 바랍니다",
        "그 자료를 정리해서 장관님께 보여 드리기 바랍니다",
        "이 부분은 자료를 제출하셔야 할 것 같습니다",
        "제가 부하 시험 결과를 정리해서 보내겠습니다",
    ],
)
def test_what_is_asked_for_or_promised_is_one(text: str) -> None:
    assert korean_promises.gives_task(text)


def test_a_vote_that_is_told_of_decides_nothing() -> None:
    assert not korean_decisions.decides("저는 2023년 4월 말 본회의에서 위원으로 의결되었습니다")
    assert korean_decisions.decides("예산안 채택의 건은 가결되었습니다")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("다음은 물류 창고 이전인데요 지금 계약이 8월 말에 끝납니다", "물류 창고 이전"),
        ("다음은 서버 증설이고요, 비용이 큽니다", "서버 증설"),
        ("다음은 제 차례인데요", None),
        ("다음은 10월인데요 그때는 바빠요", None),
        ("다음은 수요일인데요", None),
        ("다음은 민수 씨인데요", None),
    ],
)
def test_an_item_that_comes_next_is_announced_and_not_whose_turn_it_is(text: str, name: str | None) -> None:
    found = find(text)
    assert (found.name if found is not None and found.strength == "strong" else None) == name


def test_a_referral_decides_and_a_wish_is_no_proposal() -> None:
    assert korean_decisions.decides("증인 고발의 건은 안건조정위원회로 회부합니다")
    assert not answers.proposes("후보자의 자격을 검증하는 자리가 됐으면 좋겠습니다")
    assert answers.proposes("서버를 두 대 더 늘리면 좋겠습니다")
