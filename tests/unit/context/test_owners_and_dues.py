"""Whose a task is and when it is due, as people say it: by title, every week, in an answer of two words."""

from __future__ import annotations

import pytest

from tests.unit.context.summaries import Lines, summary


def tasks(lines: Lines) -> list[tuple[str | None, str | None]]:
    return [(each.owner, each.due) for each in summary(lines).pending if each.kind == "action"]


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("수진 선생님이 안내문을 목요일까지 보내 주세요.", "오수진"),
        ("그럼 수진 선생님께서 예약해 주시겠어요?", "오수진"),
        ("수진 씨가 견적서를 내일까지 보내 주세요.", "오수진"),
        ("오수진 차장님이 계약서를 확인해 주세요.", "오수진"),
    ],
)
def test_a_title_belongs_to_the_name_before_it(text: str, owner: str) -> None:
    lines = [("오수진", "네, 회의 시작할까요?"), ("강민호", text), ("오수진", "네, 알겠습니다.")]
    assert [each for each, _ in tasks(lines)] == [owner]


@pytest.mark.parametrize(
    ("lines", "owner", "due"),
    [
        ([("Ann", "I'll check the freezer log every Monday.")], "Ann", "every Monday"),
        ([("Ann", "I'll have the leaflets at the school by March 3rd.")], "Ann", "by March 3rd"),
        ([("Ann", "I'll have it ready by the end of March.")], "Ann", "by the end of March"),
        (
            [
                ("Bob", "Who does the leaflets?"),
                ("Ann", "I'll do the leaflets. When do you need them by?"),
                ("Bob", "By the end of March."),
            ],
            "Ann",
            "By the end of March",
        ),
        ([("오수진", "제가 매주 화요일에 점검하겠습니다.")], "오수진", "매주 화요일"),
        ([("오수진", "제가 매주 화요일 저녁에 점검하겠습니다.")], "오수진", "매주 화요일 저녁"),
        (
            [
                ("강민호", "전단은 누가 만들까요?"),
                ("오수진", "제가 만들게요. 언제까지 필요하세요?"),
                ("강민호", "3월 말까지요."),
            ],
            "오수진",
            "3월 말까지",
        ),
    ],
)
def test_until_when(lines: Lines, owner: str, due: str) -> None:
    assert tasks(lines) == [(owner, due)]


@pytest.mark.parametrize(
    "text",
    [
        "I'll have a coffee before noon.",
        "I'll have been here ten years by March.",
        "I'll be there by Monday.",
    ],
)
def test_what_one_has_or_is_by_then_is_no_work(text: str) -> None:
    assert tasks([("Ann", text)]) == []


@pytest.mark.parametrize(
    ("lines", "owner"),
    [
        ([("Bob", "Who tells the landlord?"), ("Ann", "I will. I'm seeing him tomorrow anyway.")], "Ann"),
        ([("Bob", "Who's going to book the van?"), ("Ann", "I can.")], "Ann"),
        ([("강민호", "건물주에게는 누가 말해 줄래요?"), ("오수진", "제가 할게요.")], "오수진"),
    ],
)
def test_who_asked_aloud_is_answered_by_who_will(lines: Lines, owner: str) -> None:
    assert [each for each, _ in tasks(lines)] == [owner]


def test_by_when_is_one_persons_who_takes_on_the_one_before() -> None:
    lines = [
        ("오수진", "만료되기 전에 알림이 오게 제가 설정해 둘게요."),
        ("강민호", "그건 이번 주 안으로 부탁드려요."),
    ]
    assert tasks(lines) == [("오수진", "이번 주 안")]


@pytest.mark.parametrize(
    "lines",
    [
        [("Bob", "When would that be?"), ("Ann", "I was thinking the week of the 14th.")],
        [("Bob", "Who told the landlord?"), ("Ann", "I did.")],
        [("강민호", "네 그럼 고객 문의 쪽으로 넘어갈게요.")],
        [("강민호", "그러면 언제쯤 될까요?"), ("오수진", "14일쯤 생각하고 있었어요.")],
        [("강민호", "그 점은 제가 짧게 답변드리겠습니다.")],
        [("강민호", "제가 시간이 없어서 여기까지만 하겠습니다.")],
        [("강민호", "저희는 이것을 검증 보도라고 하겠습니다.")],
        [("강민호", "제가 이 자리에서 한 가지 부탁드릴게요.")],
    ],
)
def test_what_nobody_took_on_is_no_task(lines: Lines) -> None:
    assert tasks(lines) == []


@pytest.mark.parametrize(
    "text", ["그 점은 제가 서면으로 답변드리겠습니다.", "제가 확인해서 내일까지 답변드리겠습니다."]
)
def test_what_is_answered_later_is_a_task(text: str) -> None:
    assert [each for each, _ in tasks([("오수진", "네, 시작할까요?"), ("강민호", text)])] == ["강민호"]


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("교감 선생님이 예산을 확인해 주세요.", "교감"),
        ("그럼 팀장님이 견적을 확인해 주세요.", "팀장"),
        ("그래서 위원장님께서는 재발 방지 대책을 마련해 주십시오.", "위원장"),
        ("국정조사에 대해서도 위원장님이 신속히 추진해 주시기를 바랍니다.", "위원장"),
        ("지금 국장님이 자료를 내일까지 보내 주세요.", "국장"),
        ("방통위원장이 절차를 다시 확인해 주시기 바랍니다.", "방통위원장"),
        ("이번에는 류희림 위원장님이 자료를 확인해 주세요.", "류희림"),
    ],
)
def test_an_office_without_a_name_is_named_as_it_was(text: str, owner: str) -> None:
    assert [each for each, _ in tasks([("오수진", "네, 시작할까요?"), ("강민호", text)])] == [owner]


def test_an_office_is_whoever_takes_it_on() -> None:
    lines = [("오수진", "그럼 소장님이 금요일까지 확인해서 공지해 주세요."), ("강민호", "알겠습니다.")]
    assert tasks(lines) == [("강민호", "금요일까지")]


def test_will_do_takes_on_what_was_asked_and_not_what_was_said_before_it() -> None:
    lines = [
        ("Raj", "Me too, but I've got a wedding that weekend."),
        ("Nia", "Ella, please book the flights before Friday."),
        ("Ella", "Will do."),
    ]
    assert tasks(lines) == [("Ella", "before Friday")]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (
            [
                ("Ann", "Ines, could you draw that one up properly?"),
                ("Ines", "Yep, will do. Wednesday okay?"),
                ("Ann", "Wednesday's perfect."),
            ],
            [("Ines", "Wednesday")],
        ),
        (
            [("가영", "견적은 제가 받아 놓을게요. 수요일까지 괜찮아요?"), ("나리", "네.")],
            [("가영", "수요일까지")],
        ),
        (
            [
                ("Ann", "I'll change it on the website tonight."),
                ("Ben", "And put a note on the door?"),
                ("Ann", "Yep."),
            ],
            [("Ann", "tonight"), ("Ann", None)],
        ),
        (
            [("Ann", "Does the insurance cover it?"), ("Ben", "I don't know. I'll tell you on Monday.")],
            [("Ben", "Monday")],
        ),
    ],
)
def test_a_moment_asked_for_by_who_does_it_is_no_decision(
    lines: Lines, found: list[tuple[str | None, str | None]]
) -> None:
    assert tasks(lines) == found
    assert not summary(lines).decisions


@pytest.mark.parametrize(
    ("lines", "decided", "open_"),
    [
        ([("Ann", "What's next?"), ("Ben", "We'll do the hedge, then the water."), ("Ann", "Fine.")], 0, 0),
        (
            [("Ann", "No figure yet."), ("Ben", "Let's leave the budget till next week."), ("Ann", "Fine.")],
            0,
            1,
        ),
        ([("가영", "임대가 끝나요."), ("나리", "계약은 갱신하지 않습니다."), ("가영", "네.")], 1, 0),
        ([("가영", "올해 어떻게 할까요?"), ("나리", "올해는 열지 말죠."), ("가영", "그래요.")], 1, 0),
        ([("가영", "값은요?"), ("나리", "그 업체는 값이 싸지 않습니다."), ("가영", "다음은요?")], 0, 0),
    ],
)
def test_an_order_a_deferral_and_what_is_not_to_be_done(lines: Lines, decided: int, open_: int) -> None:
    found = summary(lines)
    assert len(found.decisions) == decided
    assert len([each for each in found.pending if each.kind == "open"]) == open_


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (
            [("가영", "설정은 누가 할 수 있어요?"), ("나리", "제가 해 볼게요."), ("가영", "언제까지 될까요?"), ("나리", "이번 주 토요일까지요.")],
            [("설정은 누가 할 수 있어요? 이번 주 토요일까지요.", "나리", "이번 주 토요일까지")],
        ),
        (
            [("Ann", "I'll draft the letter to the tenants."), ("Ben", "Can that be done by Friday?"), ("Ann", "Thursday evening.")],
            [("I'll draft the letter to the tenants. Thursday evening.", "Ann", "Thursday evening")],
        ),
        ([("가영", "오늘은 예약하고 염색약 얘기할게요."), ("나리", "네.")], []),
        ([("가영", "돈이 안 나왔어요."), ("나리", "제가 오늘 재무팀에 얘기할게요.")], [("제가 오늘 재무팀에 얘기할게요.", "나리", "오늘")]),
    ],
)  # fmt: skip
def test_a_task_has_what_it_is_and_by_when_in_one(
    lines: Lines, found: list[tuple[str, str | None, str | None]]
) -> None:
    told = summary(lines)
    assert [(each.text, each.owner, each.due) for each in told.pending] == found
    assert not told.decisions


def test_two_promises_of_one_turn_are_two_tasks() -> None:
    lines = [("가영", "언제 된다고 하죠?"), ("나리", "좋아요, 15일로 답할게요. 제가 오늘 메일 쓸게요.")]
    assert tasks(lines)[-1] == ("나리", "오늘")


def test_who_is_asked_by_a_part_of_their_name_says_by_when() -> None:
    lines = [
        ("원장 미경", "수아 씨, 가격표 좀 새로 만들어 줄래요?"),
        ("디자이너 수아", "네, 내일까지 만들게요."),
        ("원장 미경", "회식 날짜는 다음 회의 때 정해요."),
    ]
    told = summary(lines).pending
    assert [(each.kind, each.owner, each.due, each.evidence) for each in told] == [
        ("action", "디자이너 수아", "내일까지", (1, 2)),
        ("open", None, "다음 회의", (3,)),
    ]
