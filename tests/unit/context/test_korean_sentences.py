"""Korean sentences: what is work for later, and what is done as soon as it has been said."""

from __future__ import annotations

import pytest

from context.extractive import korean_answers as answers
from context.extractive import korean_decisions, korean_promises
from context.extractive.cues import kind_of
from context.extractive.owners import owner_in
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
        "제가 몇 가지를 여쭤보겠습니다",
        "제가 이 자료를 한번 보여 드리겠습니다",
        "그러면 의사진행발언 순서를 드리도록 하겠습니다",
        "시간이 남아서 제가 한마디 좀 덧붙이겠습니다",
        "잠시 정회했다가 2시 30분에 속개하도록 하겠습니다",
        "저도 맡은 일에 최선을 다하겠습니다",
        "저희가 법을 어긴 게 있다면 관련 법에 따라서 처벌받겠습니다",
        "그 부분에 대해서는 제가",
        "그 보고서 좀 띄워 주십시오",
        "서로 공격은 자제해 주시기 바랍니다",
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
        "조사 결과가 나오면 제가 답변드리도록 하겠습니다",
        "제가 오늘 재무팀에 얘기할게요",
        "발표 PPT는 민수 님이 금요일까지 준비해 주세요",
    ],
)
def test_what_is_asked_for_or_promised_is_one(text: str) -> None:
    assert korean_promises.gives_task(text)


def test_a_vote_that_is_told_of_decides_nothing() -> None:
    assert not korean_decisions.decides("저는 2023년 4월 말 본회의에서 위원으로 의결되었습니다")
    assert korean_decisions.decides("예산안 채택의 건은 가결되었습니다")


@pytest.mark.parametrize(
    "text",
    [
        "그러면서 위원장은 ‘원안대로 가결되었습니다.",
        "법인 카드로 200만 원을 결제했습니다.",
        "그 판결은 대법원에서 확정됐습니다.",
        "그 말씀까지 다 종합해서 결정하도록 하겠습니다.",
    ],
)
def test_what_is_quoted_paid_told_of_or_still_to_be_decided_is_no_decision(text: str) -> None:
    assert kind_of(text) == "plain"


@pytest.mark.parametrize(
    "text", ["우리나라만큼 심각하지요", "보통 신입은 두 명을 뽑지요", "원만하게 회의 진행합시다"]
)
def test_how_things_are_and_the_order_of_the_meeting_urge_nobody(text: str) -> None:
    assert not answers.proposes(text)


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("이사 선임 계획표를 제출해 주시기 바랍니다", None),
        ("박서준 과장이 그런 표현을 쓴 것에 대해서는 사과를 받아 주십시오", None),
        ("위원님 여러분께서는 자료를 제출해 주시기 바랍니다", None),
        ("제가 보기에는 급한 일이니 대책을 마련해서 보고해 주시기 부탁드리겠습니다", None),
        ("박서준 과장님, 대책을 마련해서 보고해 주시기 바랍니다", "박서준"),
        ("박서준 과장이 대책을 마련해서 보고해 주시기 바랍니다", "박서준"),
    ],
)
def test_who_is_asked_owns_it_and_not_who_is_talked_of_or_asks(text: str, owner: str | None) -> None:
    assert owner_in(text, "김민서", ("김민서", "박서준")) == owner


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
