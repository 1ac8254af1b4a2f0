"""What a team settles by naming it, by a yes or by setting about it; what comes close and settles nothing."""

from __future__ import annotations

import pytest

from context.models import Statement
from tests.unit.context.summaries import Lines, summary


def stands(lines: Lines) -> dict[tuple[int, ...], str | None]:
    return {each.evidence: each.superseded_by for each in summary(lines).decisions}


@pytest.mark.parametrize(
    ("lines", "evidence"),
    [
        (
            [
                ("Helen", "At what level should it page?"),
                ("Ravi", "I'd say seventy-five."),
                ("Helen", "All right, seventy-five."),
            ],
            (2, 3),
        ),
        (
            [
                ("Dana", "Right. Lisbon or Leeds."),
                ("Bea", "Leeds is nice."),
                ("Dana", "Leeds, then, and we spend the rest on dinner."),
            ],
            (2, 3),
        ),
        (
            [
                ("Yusuf", "Do we want a hundred percent?"),
                ("Bea", "Twenty?"),
                ("Dana", "Twenty sounds right to me."),
                ("Bea", "Yep."),
            ],
            (2, 3),
        ),
        (
            [
                ("Moira", "So it's ten for adults and five for the kids."),
                ("Moira", "Everyone happy with that?"),
                ("Leo", "Happy."),
            ],
            (1, 2, 3),
        ),
        (
            [
                ("Raj", "There's a callback line for ninety a month."),
                ("Osei", "I'd sign up for that one. Any objections?"),
                ("Mehta", "None."),
            ],
            (2, 3),
        ),
        ([("Dana", "Let's write down one percent."), ("Bea", "I'll put it in the runbook.")], (1, 2)),
        ([("Osei", "Leave shingles out."), ("Tina", "Okay.")], (1, 2)),
        ([("지훈", "그치. 13일로 하자 그럼."), ("하은", "오케이.")], (1,)),
        ([("지훈", "기계는 빌리지 말자."), ("서연", "그래, 과자는 내가 당일에 사 갈게.")], (1, 2)),
        ([("태윤", "그건 다음 스프린트에 넣읍시다."), ("가람", "네 좋아요.")], (1, 2)),
        ([("배준호", "수술은 목요일로 미루는 게 낫겠어요."), ("오민석", "저도 찬성입니다.")], (1, 2)),
        ([("민재", "애니가 나아."), ("지훈", "그럼 애니로 가고, 연락은 네가 해 볼래?")], (2,)),
        ([("이사", "성수는 비싸네요."), ("이사", "그럼 10월 18일로 하겠습니다.")], (2,)),
    ],
)
def test_settled_by_naming_it_or_by_a_yes(lines: Lines, evidence: tuple[int, ...]) -> None:
    assert list(stands(lines)) == [evidence]


@pytest.mark.parametrize(
    "lines",
    [
        # refused
        [("Ann", "Leave shingles out."), ("Ben", "No, people ask for it.")],
        [("Ann", "Twenty sounds right to me."), ("Ben", "No, it's too little.")],
        [("Ann", "So it's ten and five for the kids. Everyone happy with that?"), ("Ben", "No, not really.")],
        [("Ann", "Let's write down one percent."), ("Ben", "But that's far too low.")],
        [("민지", "그럼 20일로 바꾸는 게 낫지 않을까요?"), ("서준", "아니요, 그날은 안 돼요.")],
        [("민지", "기계는 빌리지 말자."), ("서준", "글쎄, 난 있는 게 좋은데.")],
        # only asked
        [("Ann", "At what level should it page?"), ("Ben", "Seventy-five?"), ("Ann", "Who knows.")],
        [("Ann", "Should we say twenty?"), ("Ben", "How many are we now?")],
        [("민지", "27일로 당기면 어떨까요?"), ("서준", "그날 누가 나오죠?")],
        [("민지", "얼마로 하죠?"), ("서준", "글쎄요.")],
        # a fact, no choice
        [
            ("Ann", "How many came?"),
            ("Ben", "Three hundred and eighty-six."),
            ("Ann", "Okay, three hundred and eighty-six."),
        ],
        [("민지", "현재 몇 명이에요?"), ("서준", "서른네 명이요."), ("민지", "네, 서른네 명이요.")],
        # only supposed
        [("Ann", "If we moved it to Monday, we'd lose a week."), ("Ben", "Yeah.")],
        [("민지", "만약 월요일로 옮기면 일주일을 잃어요."), ("서준", "네.")],
        # told of, decided long ago
        [("민지", "지난 회의에서 예산을 줄이기로 했습니다."), ("서준", "네.")],
        [("민지", "아까 13일에 하기로 했어요."), ("서준", "그렇군요.")],
        # the meeting's own order
        [("Ann", "Let's stop here for a minute."), ("Ben", "Okay.")],
        [("위원장", "그럼 표결하시죠."), ("위원", "네.")],
        [("위원장", "오늘은 좀 빨리 합시다."), ("위원", "네.")],
        # another choice than the one that was taken
        [
            ("Ann", "What about only at weekends?"),
            ("Ben", "Nobody's going to police that."),
            ("Ann", "Fair enough."),
        ],
        # looking into it is no yes
        [("Ann", "Let's write down one percent."), ("Ben", "I'll check with finance first.")],
    ],
)
def test_what_settles_nothing(lines: Lines) -> None:
    assert summary(lines).decisions == ()


@pytest.mark.parametrize(
    ("lines", "owner", "due"),
    [
        (
            [("Dana", "Can that be done before Thursday?"), ("Bea", "Wednesday evening, I think.")],
            "Bea",
            "Wednesday evening",
        ),
        ([("Osei", "Could you get those, Raj?"), ("Raj", "Yeah, give me a fortnight.")], "Raj", None),
        ([("Priya", "I can pick the forty."), ("Nora", "Lovely, thanks Priya.")], "Priya", None),
        ([("Joss", "You'll have the draft on Thursday."), ("Helen", "Good.")], "Joss", "Thursday"),
        ([("Dana", "I'll tell Maria."), ("Bea", "Good.")], "Dana", None),
        ([("하은", "내가 오늘 대관 신청 넣을게."), ("지훈", "응.")], "하은", "오늘"),
        ([("준오", "설정 제가 바꿀게요."), ("태윤", "네.")], "준오", None),
        ([("수빈", "회의 끝나고 바로 볼게요."), ("태윤", "네.")], "수빈", None),
        ([("이나영", "시간표는 제가 짜 볼까요?"), ("원장", "네, 부탁드려요.")], "이나영", None),
        ([("이사", "법무 검토도 같이 돌려 주시고요."), ("한유라", "네.")], "한유라", None),
        ([("지훈", "연락은 민재 네가 해 볼래?"), ("민재", "ㅇㅋ 내일 전화해 볼게.")], "민재", "내일"),
        ([("정다은", "제가 열한 시 반에 재겠습니다."), ("윤경자", "네.")], "정다은", "열한 시 반"),
        ([("이사", "언제까지 돼요?"), ("강민정", "내일 오전까지요.")], "강민정", "내일 오전까지"),
    ],
)
def test_a_task_by_what_is_said_to_it(lines: Lines, owner: str, due: str | None) -> None:
    (task,) = summary(lines).pending
    assert (task.kind, task.owner, task.due) == ("action", owner, due)


@pytest.mark.parametrize(
    "lines",
    [
        [("Ann", "I can pick the forty."), ("Ben", "No, leave that to me, please.")],
        [("위원장", "조인철 의원님 나오셔서 제안설명해 주시기 바랍니다."), ("조인철", "네.")],
        [("위원장", "두 분께 2분씩 드리도록 하겠습니다."), ("위원", "네.")],
        [("강민정", "제가 화면 띄울게요."), ("이사", "네.")],
        [("원장", "이제 시작할까요?"), ("이나영", "네.")],
        [("Ann", "When will it be done?"), ("Ben", "No idea, not before Friday.")],
    ],
)
def test_what_gives_nobody_work(lines: Lines) -> None:
    assert [each for each in summary(lines).pending if each.kind == "action"] == []


@pytest.mark.parametrize(
    ("lines", "fallen"),
    [
        (
            [
                ("Bea", "It works on staging."),
                ("Dana", "Then we ship on Thursday, behind the flag."),
                ("Yusuf", "Marketing have the big campaign that day."),
                ("Dana", "Let's move it to Monday. I'll tell Maria."),
            ],
            {(2,): "4"},
        ),
        (
            [
                ("태윤", "금요일 배포는 하지 맙시다. 월요일 오전으로 넘기죠."),
                ("수빈", "네."),
                ("가람", "월요일 오전에 클라우드 점검이래요."),
                ("태윤", "그럼 배포는 오후 두 시로 옮길게요."),
            ],
            {(1, 2): "4"},
        ),
        (
            [
                ("지훈", "그럼 13일로 하자."),
                ("하은", "응."),
                ("서연", "그날 과 행사라서."),
                ("지훈", "그래, 13일 말고 20일로 하자."),
            ],
            {(1,): "4"},
        ),
    ],
)
def test_a_day_that_is_moved_takes_the_old_ones_place(
    lines: Lines, fallen: dict[tuple[int, ...], str]
) -> None:
    assert {evidence: by for evidence, by in stands(lines).items() if by is not None} == fallen


@pytest.mark.parametrize(
    "lines",
    [
        [  # another thing moves
            ("Dana", "Okay, then we ship the search on Thursday."),
            ("Bea", "The dinner clashes with the match."),
            ("Dana", "Let's move the dinner to Monday."),
            ("Bea", "Okay."),
        ],
        [
            ("이사", "그럼 출시는 27일로 하겠습니다."),
            ("유라", "회식이 그날이네요."),
            ("이사", "그럼 회식은 28일로 옮기죠."),
        ],
        [  # nobody moved it: only asked
            ("Bea", "It works."),
            ("Dana", "Okay, then we ship the search on Thursday."),
            ("Bea", "Should we move it to Monday?"),
            ("Dana", "No, Thursday's fine."),
        ],
    ],
)
def test_what_moves_something_else_leaves_a_decision_alone(lines: Lines) -> None:
    first: Statement = summary(lines).decisions[0]
    assert first.superseded_by is None


@pytest.mark.parametrize(
    ("lines", "decisions"),
    [
        (
            [
                ("Rosa", "The rent went up by twelve percent last year, mostly heating."),
                ("Lee", "I'd say 48."),
                ("Ida", "Could we do 50? It's rounder."),
                ("Rosa", "50 from January. Everyone happy with that?"),
                ("Lee", "Yes."),
                ("Ida", "Yes."),
            ],
            [{4, 5}],
        ),
        (
            [
                ("Rosa", "The rent went up by twelve percent last year, mostly heating."),
                ("Ida", "We need new chairs."),
                ("Rosa", "Ten chairs, then. Is everyone okay with that?"),
                ("Lee", "Yes."),
            ],
            [{3}],
        ),
        (
            [
                ("유나", "임대료가 작년보다 십이 퍼센트 올랐습니다."),
                ("재호", "회비는 오만 원이 어떨까요?"),
                ("유나", "1월부터 오만 원이요. 다들 괜찮으세요?"),
                ("재호", "네."),
            ],
            [{3, 4}],
        ),
    ],
)
def test_consent_is_asked_to_what_the_same_turn_says(lines: Lines, decisions: list[set[int]]) -> None:
    """Not to the report before it: nobody decided that the rent went up."""
    found = summary(lines).decisions
    assert len(found) == len(decisions), found
    assert all(wanted <= set(each.evidence) for each, wanted in zip(found, decisions, strict=True))
    assert all("rent" not in each.text and "임대료" not in each.text for each in found)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (
            [
                ("미라", "눈 오면 어떻게 하죠?"),
                ("선호", "눈 오면 강당에서 하는 걸로 하죠. 재작년에도 그렇게 했거든요."),
                ("지원", "네 그렇게 합시다."),
            ],
            "눈 오면 강당에서 하는 걸로 하죠.",
        ),
        (
            [
                ("Mira", "What if it snows?"),
                ("Sam", "We could use the big hall if it snows. We did that two years ago."),
                ("Joan", "Yes, let's do that."),
            ],
            "We could use the big hall if it snows. let's do that.",
        ),
    ],
)
def test_an_echo_decides_the_proposal_and_not_the_remark_behind_it(lines: Lines, text: str) -> None:
    assert [each.text for each in summary(lines).decisions] == [text]


@pytest.mark.parametrize(
    "lines",
    [
        [
            ("미라", "그러면 5월 9일로 옮기는 게 어떨까요?"),
            ("선호", "저는 좋습니다. 그날은 행사도 없어요."),
            ("미라", "좋아요. 바자회는 5월 9일로 확정하겠습니다."),
        ],
        [
            ("Mira", "What about moving the bazaar to May 9th?"),
            ("Sam", "Fine by me. There's nothing else that day."),
            ("Mira", "Good. Then we've decided: the bazaar is on May 9th."),
        ],
    ],
)
def test_who_proposed_it_and_then_decides_it_decides_once(lines: Lines) -> None:
    (decision,) = summary(lines).decisions
    assert 3 in decision.evidence
    assert "?" not in decision.text


@pytest.mark.parametrize(
    ("lines", "decides"),
    [
        (
            [
                ("Sam", "We can switch it off two weeks after billing has moved."),
                ("Mira", "Agreed, let's do that."),
            ],
            {1, 2},
        ),
        ([("미라", "원래 목요일이었는데 그럼 다음 주 월요일로 미루죠."), ("선호", "네 좋습니다.")], {1}),
        (
            [("Sam", "The lease runs out."), ("Mira", "We're not renewing the lease."), ("Sam", "Agreed.")],
            {2},
        ),
        ([("Sam", "Will you sign it?"), ("Mira", "No. We won't sign it."), ("Sam", "Okay.")], {2}),
        ([("Sam", "A raffle?"), ("Mira", "We're not going to run a raffle."), ("Sam", "Fine.")], {2}),
        ([("선호", "사람을 더 뽑을까요?"), ("미라", "당장은 어렵고, 일단 챗봇으로 버텨 봅시다.")], {2}),
    ],
)
def test_settled_in_a_few_words(lines: Lines, decides: set[int]) -> None:
    found = summary(lines)
    assert [decides <= set(each.evidence) for each in found.decisions] == [True]
    assert found.pending == ()


@pytest.mark.parametrize(
    "lines",
    [
        [("Lee", "The office dog?"), ("Mira", "Let's take it up next week."), ("Lee", "Fine.")],
        [("선호", "이름은 정했나요?"), ("지원", "아직이요. 다음 회의 때 정하죠."), ("선호", "네.")],
        [("선호", "예산 논의는 다음 주로 미루죠."), ("지원", "네.")],
    ],
)
def test_what_is_put_off_is_open_and_not_decided(lines: Lines) -> None:
    found = summary(lines)
    assert found.decisions == ()
    assert [each.kind for each in found.pending] == ["open"]


@pytest.mark.parametrize(
    "lines",
    [
        [("Sam", "How is the old tool?"), ("Mira", "We're not using that any more."), ("Sam", "Right.")],
        [("Sam", "Is it late?"), ("Mira", "We're not getting the parts."), ("Sam", "Okay.")],
        [("선호", "예전에는요?"), ("미라", "우리는 그런 방식은 쓰지 않습니다."), ("선호", "네.")],
    ],
)
def test_what_is_not_done_anyway_was_not_decided(lines: Lines) -> None:
    assert summary(lines).decisions == ()


@pytest.mark.parametrize(
    ("lines", "decides"),
    [
        (
            [
                ("소희", "세 군데서 받았는데 제일 싼 데가 천만 원이에요."),
                ("태오", "이의 없으시면 제일 싼 업체로 하겠습니다."),
                ("소희", "동의합니다."),
            ],
            "제일 싼 업체로",
        ),
        (
            [
                ("태오", "관리비 인상안이 올라왔습니다."),
                ("소희", "저는 반대합니다."),
                ("태오", "찬성 두 명, 반대 세 명으로 부결되었습니다."),
            ],
            "관리비 인상안",
        ),
    ],
)
def test_the_chair_rules_where_nobody_objects_or_a_vote_is_counted(lines: Lines, decides: str) -> None:
    (decision,) = summary(lines).decisions
    assert decides in decision.text


@pytest.mark.parametrize(
    "lines",
    [
        [
            ("Ana", "Could we apply to the trust for the rest?"),
            ("Ruth", "They take six months to decide, don't they?"),
            ("Ana", "Four, according to their website."),
            ("Ruth", "OK. Ana, would you put in an application?"),
        ],
        [
            ("Ana", "Do we still need a new pianist?"),
            ("Dev", "Yes. Judith stops at Easter. I put an advert in the newsletter."),
        ],
    ],
)
def test_an_answer_to_another_question_decides_nothing(lines: Lines) -> None:
    assert summary(lines).decisions == ()


def test_a_yes_to_the_next_proposal_is_none_to_the_one_before() -> None:
    lines = [
        ("소희", "배송은 택배사를 바꾸는 게 어떨까요"),
        ("태오", "택배사는 계약이 연말까지라 지금은 못 바꿔요"),
        ("유나", "그럼 지연되면 문자라도 보내는 걸로 하시죠"),
        ("태오", "좋아요"),
    ]
    assert [each.text for each in summary(lines).decisions] == ["그럼 지연되면 문자라도 보내는 걸로 하시죠"]
