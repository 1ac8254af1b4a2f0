"""Plans settled in passing, and plans that fall in talk, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from context.extractive import summarise
from context.extractive.subjects import superseded
from context.models import Statement, Summary, Utterance

Lines = list[tuple[str, str]]


def said(lines: Lines, first: int = 1) -> list[Utterance]:
    return [
        Utterance(
            id=number,
            speaker_id=speaker,
            speaker_name=speaker,
            text=text,
            start_ms=number * 1000,
            end_ms=number * 1000 + 900,
            absolute_timestamp=datetime(2026, 3, 2, 1, 0, number, tzinfo=UTC),
        )
        for number, (speaker, text) in enumerate(lines, first)
    ]


def decisions(lines: Lines) -> dict[str, str | None]:
    return {each.text: each.superseded_by for each in summarise(Summary(), said(lines)).decisions}


@pytest.mark.parametrize(
    "last",
    [
        ("a", "Right. We bin the top rack."),
        ("a", "Then we repair it for now and ask again in spring."),
        ("a", "So no new controls, we answer with the analysis."),
        ("a", "Fine, fine. Saturdays stay but nobody on site before nine."),
        ("a", "그러면 무대는 새로 입찰 붙이는 걸로 하고."),
        ("a", "천장은 그대로 둬요."),
        ("a", "1.5로 가요."),
        ("a", "그것도 한 시간 간격으로 줄이는 걸로 하고요, 다음 주 월요일부터."),
    ],
)
def test_what_is_settled_in_passing_is_a_decision(last: tuple[str, str]) -> None:
    assert len(decisions([("b", "저는 어느 쪽이든 괜찮아요, either way is fine with me."), last])) == 1


@pytest.mark.parametrize(
    "last",
    [
        "We use the old scanner, don't we?",
        "So no idea what happened there.",
        "We have the plan on the wall.",
        "바로 갑시다.",
    ],
)
def test_what_only_orders_the_meeting_or_tells_is_none(last: str) -> None:
    assert decisions([("b", "저는 괜찮아요, fine with me."), ("a", last)]) == {}


@pytest.mark.parametrize(
    ("lines", "old", "by"),
    [
        (
            [
                ("b", "I still wouldn't be happy with blankets."),
                ("a", "No, leave it. We'll pour on Monday instead."),
                ("b", "I'll tell the lads."),
                (
                    "b",
                    "Sorry, the plant has just texted. They've no slot on Monday, it's Tuesday or nothing.",
                ),
                ("a", "Tuesday it is, then."),
            ],
            "We'll pour on Monday instead.",
            "5",
        ),
        (
            [
                ("b", "The pouches cost twelve thousand."),
                ("a", "Let's go with phones in lockers, both schools."),
                ("b", "Half the lockers don't lock."),
                ("c", "We could pilot the pouches."),
                ("a", "Then we'll pilot pouches and forget the lockers."),
            ],
            "Let's go with phones in lockers, both schools.",
            "5",
        ),
        (
            [
                ("b", "빌드는 금요일에 나옵니다."),
                ("a", "그럼 11월부터 토요일은 5시까지 엽시다."),
                ("b", "저, 말씀 중에 죄송한데 채용 한도가 다 찼습니다."),
                ("a", "그럼 할 수 없지, 토요일 연장은 내년 1월부터로."),
            ],
            "그럼 11월부터 토요일은 5시까지 엽시다.",
            "4",
        ),
        (
            [
                ("b", "메뉴는 정했죠."),
                ("a", "그럼 막국수는 전 지점 다 깔자고. 5월 2일부터."),
                ("b", "메뉴판 인쇄가 일주일은 걸려서 2일은 어렵습니다."),
                ("a", "그래 그럼 9일로."),
            ],
            "그럼 막국수는 전 지점 다 깔자고. 5월 2일부터.",
            "4",
        ),
    ],
)
def test_a_plan_that_falls_is_superseded_by_what_is_settled_anew(lines: Lines, old: str, by: str) -> None:
    assert decisions(lines)[old] == by


@pytest.mark.parametrize(
    "lines",
    [
        [
            ("b", "둘 다 견적을 받았습니다."),
            ("a", "사용성이 중요하니까 메디온으로 갑시다."),
            ("b", "그런데 메디온이 1월에는 설치가 안 된다고 합니다."),
            ("a", "그러면 설치는 2월 첫째 주로 미루겠습니다."),
        ],
        [
            ("b", "The venue is free."),
            ("a", "Then it's the library on March 12th."),
            ("b", "Sorry, what about the trip?"),
            ("a", "Then we'll take the bus to the museum."),
        ],
    ],
)
def test_a_decision_on_something_else_leaves_it_standing(lines: Lines) -> None:
    assert set(decisions(lines).values()) == {None}


@pytest.mark.parametrize(
    ("old", "lines"),
    [
        (
            "We'll pour on Monday instead.",
            [
                ("b", "They've no slot on Monday, sorry, it's Tuesday or nothing."),
                ("a", "Tuesday it is, then."),
            ],
        ),
        (
            "5월 2일부터 전 지점에 다 깔기로 합니다.",
            [("b", "인쇄가 밀려서 2일은 어렵습니다, 9일은 됩니다."), ("a", "그래 그럼 9일로.")],
        ),
        (
            "Then it's the library on March 12th.",
            [
                ("b", "Actually, the library has a flood, we can't use it on the twelfth."),
                ("a", "Oh no. Then we move the science fair to the gym after all."),
            ],
        ),
        (
            "그럼 3월 12일에 도서관으로 하죠.",
            [
                ("b", "도서관에 물이 차서 12일에는 못 쓴대요."),
                ("a", "그럼 과학 축제는 체육관으로 옮기죠."),
            ],
        ),
    ],
)
def test_a_decision_of_another_topic_falls_too(old: str, lines: Lines) -> None:
    standing = Statement(text=old, evidence=(4,), status="decided")
    notes = summarise(Summary(), said(lines, first=20), standing=[standing])
    assert notes.decisions[0].replaces == (4,)
    marked = superseded([standing], notes.decisions)
    assert marked is not None
    assert marked[0].superseded_by == "21"


MOVING: Lines = [
    ("수진", "먼저 신입 교육. 교육을 몇 주로 잡을까요?"),
    ("도현", "작년에 3주 했는데 길다는 의견이 많았어요."),
    ("수진", "좋아요. 2주로 하죠. 1월 6일 시작으로요."),
    ("지은", "강의실은 제가 예약해 놓겠습니다. 내일까지요."),
    ("수진", "그럼 성수로 갑시다. 이사는 2월 말에."),
    ("지은", "아, 잠깐만요. 성수 건물주가 2월에는 입주가 어렵다고 했어요. 3월 중순부터 된대요."),
    ("수진", "그래요? 그럼 이사는 3월 셋째 주로 미룹시다."),
    ("수진", "주차 문제는 아직 모르겠네요. 다음 회의 때 다시 얘기해요."),
]


def test_only_what_fell_is_struck_out() -> None:
    stands = decisions(MOVING)
    assert stands["그럼 성수로 갑시다."] is None
    assert stands["이사는 2월 말에."] == "7"
    assert "2주로 하죠. 1월 6일 시작으로요." in stands


def test_when_and_about_what_come_along() -> None:
    task, left_open = summarise(Summary(), said(MOVING)).pending
    assert (task.owner, task.due) == ("지은", "내일까지")
    assert left_open.text == "주차 문제는 아직 모르겠네요. 다음 회의 때 다시 얘기해요."


LAUNCH: Lines = [
    ("Priya", "The Arches is three thousand but only holds eighty."),
    ("Nadia", "Then the Arches is out. Let's take the Foundry, on the 14th of May."),
    ("Priya", "I'll sign the contract tomorrow."),
    ("Nadia", "Love that. Can you ask Marta?"),
    ("Owen", "Sure, I'll write to her today."),
    ("Nadia", "Agreed. So one person per weekend day, and they get the Monday off."),
    ("Priya", "Hmm, wait. The Foundry just emailed, the 14th is gone. They can do the 21st."),
    ("Nadia", "Fine, the 21st then."),
    ("Nadia", "We still haven't agreed who pays for the drinks, let's leave that for Thursday."),
]


def test_a_day_that_is_gone_is_superseded_and_what_is_left_open_is_no_decision() -> None:
    assert decisions(LAUNCH) == {
        "Let's take the Foundry, on the 14th of May.": "8",
        "So one person per weekend day, and they get the Monday off.": None,
        "Fine, the 21st then.": None,
    }


@pytest.mark.parametrize(
    ("lines", "hall"),
    [
        (
            [
                ("지우", "그럼 체육관으로 하고, 천막은 안 빌리는 걸로 할게요."),
                ("세훈", "네, 좋아요."),
                ("지우", "날짜는 원래 18일이었는데, 체육관이 그날 안 된대요. 25일 어떠세요?"),
                ("지우", "그럼 25일 오전 10시부터 1시까지로 확정하겠습니다."),
            ],
            "체육관",
        ),
        (
            [
                ("Joy", "Okay, let's hold it in the gym, then."),
                ("Sam", "Sounds good."),
                ("Joy", "But the gym is taken on the 18th. How about the 25th?"),
                ("Joy", "Then let's go with the 25th, ten to one."),
            ],
            "gym",
        ),
    ],
)
def test_a_day_is_not_put_in_the_place_of_a_hall(lines: Lines, hall: str) -> None:
    assert [by for text, by in decisions(lines).items() if hall in text] == [None]


@pytest.mark.parametrize(
    ("lines", "changed"),
    [
        (
            [
                ("a", "제습기가 두 대는 있어야 해요."),
                ("b", "그럼 한 대만 사고 나머지는 내년 예산에 넣죠."),
                ("a", "한 달에 3만 원이면 빌릴 수 있대요."),
                ("b", "그럼 사지 말고 두 대 빌립시다."),
            ],
            True,
        ),
        (
            [
                ("a", "제습기가 두 대는 있어야 해요."),
                ("b", "그럼 제습기는 한 대만 사고 나머지는 내년 예산에 넣죠."),
                ("a", "의자도 스무 개 모자라요."),
                ("b", "그럼 의자는 사지 말고 스무 개 빌립시다."),
            ],
            False,
        ),
        (
            [
                ("a", "We need two dehumidifiers."),
                ("b", "Okay, let's buy one and put the other in next year's budget."),
                ("a", "One can rent them for thirty a month."),
                ("b", "Then let's rent two instead of buying one."),
            ],
            True,
        ),
        (
            [
                ("a", "그럼 수납기 두 대를 들이는 걸로 합시다."),
                ("b", "주차장은 넓힐 수가 없답니다."),
                ("a", "대신 무료 시간을 두 시간에서 세 시간으로 늘립시다."),
            ],
            False,
        ),
        (
            [
                ("a", "Okay, let's go with two kiosks for the front desk."),
                ("b", "And the car park cannot grow."),
                ("a", "Instead, let's go with three free hours, up from two."),
            ],
            False,
        ),
    ],
)
def test_what_is_given_up_for_another_doing_is_changed(lines: Lines, *, changed: bool) -> None:
    first, *_ = found = list(decisions(lines).items())
    assert len(found) == 2
    assert (first[1] is not None) == changed


def test_a_change_of_something_else_leaves_what_the_trouble_names() -> None:
    """Falmouth is why the drill moves; the part from there is fetched all the same."""
    found = decisions(
        [
            ("a", "The yard needs ten days. Falmouth has one on the shelf."),
            ("b", "It is far. Get the Falmouth one."),
            ("a", "If I'm in Falmouth on Tuesday I can't do the drill."),
            ("b", "Then we move the drill to Wednesday."),
        ]
    )
    assert found == {"Get the Falmouth one.": None, "Then we move the drill to Wednesday.": None}
