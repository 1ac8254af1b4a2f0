"""What two say one after the other, what a show of hands came to, and the same decision or task told twice."""

from __future__ import annotations

import pytest

from tests.unit.context.summaries import Lines, summary


@pytest.mark.parametrize(
    ("lines", "evidence"),
    [
        (
            [
                ("Ann", "One has everything along the school side, the other is a ring."),
                ("Ben", "They play football on that lawn."),
                ("Ann", "No. So school side."),
                ("Cem", "School side, yeah."),
            ],
            (3, 4),
        ),
        ([("Ann", "What colour?"), ("Ben", "A buff colour."), ("Cem", "Buff, yeah.")], (2, 3)),
        (
            [("Ann", "Shall we vote? The lock?"), ("Ben", "Lock."), ("Ann", "That's two for the lock.")],
            (3,),
        ),
        (
            [
                ("가영", "밤하고 목욕탕인데, 손 들어 볼까요?"),
                ("나리", "저요."),
                ("가영", "그럼 밤이네요. 두 표."),
            ],
            (3,),
        ),
        ([("가영", "가방에 안 들어간대요."), ("나리", "국판 찬성?"), ("가영", "네.")], (2, 3)),
        ([("가영", "회색은 안 읽혀요."), ("나리", "그럼 흰색."), ("가영", "흰색으로 해요.")], (2, 3)),
        ([("가영", "어디로 갈까?"), ("나리", "나도 홍천."), ("가영", "홍천 가자 그럼.")], (1, 2, 3)),
        ([("가영", "화보만 두꺼운 종이로 하면 안 돼요?"), ("나리", "돼요. 제본만 신경 쓰면요.")], (1, 2)),
        ([("가영", "이사는 봄호로 넘겨요."), ("나리", "네, 이사는 봄호요.")], (1, 2)),
        (
            [
                ("Ann", "Who does the other two? I'd thought of the students."),
                ("Ben", "They'd manage."),
                ("Cem", "Fair enough. Students on Thursday and Friday then."),
            ],
            (3,),
        ),
        (
            [
                ("Ann", "I'm away on the twelfth."),
                ("Ben", "Oh. The nineteenth?"),
                ("Ann", "It's free in the afternoon. That would do."),
                ("Ben", "Okay, the nineteenth, from one o'clock."),
                ("Ann", "Good."),
            ],
            (4, 5),
        ),
        ([("가영", "둘째 주는 당직이야."), ("나리", "그럼 셋째 주 토요일 출발."), ("가영", "오케이.")], (2,)),
    ],
)
def test_what_two_say_is_settled(lines: Lines, evidence: tuple[int, ...]) -> None:
    assert [each.evidence for each in summary(lines).decisions] == [evidence]


@pytest.mark.parametrize(
    "lines",
    [
        [("Ann", "I have to go."), ("Ben", "Good luck."), ("Cem", "Yeah, good luck.")],
        [("Ann", "It was the school side."), ("Ben", "The school side?"), ("Cem", "School side, yeah.")],
        [("Ann", "They came by bus."), ("Ben", "That's two for lunch."), ("Cem", "Okay.")],
        [("가영", "그 사람들은 22일에 시작하면 못 오잖아요."), ("나리", "그럼 22일에 시작하면 못 오잖아요.")],
        [("가영", "이름이 뭐예요?"), ("나리", "그럼 밤이네요. 두 분."), ("가영", "네.")],
    ],
)
def test_what_only_sounds_alike_settles_nothing(lines: Lines) -> None:
    assert not summary(lines).decisions


@pytest.mark.parametrize(
    ("lines", "decisions"),
    [
        (
            [
                ("Ann", "Metal or plastic?"),
                ("Ben", "It faces north, it won't get hot."),
                ("Ann", "Oh. Then metal."),
                ("Cem", "Metal, okay."),
                ("Dev", "Fine."),
            ],
            1,
        ),
        ([("가영", "화로대는 빌리자. 십만 원이야."), ("나리", "그래, 빌리자."), ("다온", "응.")], 1),
    ],
)
def test_a_decision_is_listed_once(lines: Lines, decisions: int) -> None:
    assert len(summary(lines).decisions) == decisions


def test_an_offer_that_two_want_is_one_task() -> None:
    found = summary(
        [
            ("Wes", "I could go and look at it on Saturday."),
            ("Nadine", "Yeah, do that."),
            ("Jo", "Do. And if it's rubbish we'll just have to buy new."),
            ("Wes", "Cool."),
        ]
    ).pending
    assert [(each.text, each.owner, each.due) for each in found] == [
        ("I could go and look at it on Saturday.", "Wes", "Saturday")
    ]


@pytest.mark.parametrize(
    ("lines", "owners"),
    [
        (
            [("가영", "버스 기사님은 누가 가요?"), ("나리", "저는 안 돼요."), ("다온", "제가 갈게요.")],
            ["다온"],
        ),
        ([("가영", "텐트 누가 있지?"), ("나리", "나 4인용 있어. 가져갈게.")], ["나리"]),
        ([("가영", "버너는?"), ("나리", "버너랑 코펠은 내가.")], ["나리"]),
        ([("가영", "술은?"), ("나리", "그럼 내가 살게, 나 운전 안 하니까.")], ["나리"]),
        ([("가영", "사촌이 거기 있어요. 제가 물어볼게요."), ("나리", "좋아요.")], ["가영"]),
        ([("가영", "원고 마감은 11월 20일로 잡을게요."), ("나리", "네.")], []),
        ([("Ann", "When would that be?"), ("Ben", "The twenty-second was what she offered.")], []),
    ],
)
def test_who_takes_it_on_in_few_words(lines: Lines, owners: list[str]) -> None:
    assert [each.owner for each in summary(lines).pending] == owners


def test_the_same_few_words_of_two_people_or_far_apart_are_two_tasks() -> None:
    between = [("다온", f"{n}번째 손님이 왔어요.") for n in range(2, 12)]
    lines = [
        ("가영", "강사는 제가 물어볼게요."),
        ("나리", "제가 물어볼게요."),
        *between,
        ("나리", "제가 물어볼게요."),
    ]
    assert [each.owner for each in summary(lines).pending] == ["가영", "나리", "나리"]
    said = [("Ann", "I'll check with the bank."), ("Ben", "I'll check with the bank.")]
    assert [each.owner for each in summary(said).pending] == ["Ann", "Ben"]
