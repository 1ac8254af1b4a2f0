"""Decisions and tasks where talk comes in whole sentences: what answers them, what stands behind them, whose they are."""

from __future__ import annotations

import pytest

from tests.unit.context.summaries import Lines, summary

OPENING = ("Ben", "It was hot in here yesterday.")
OPENING_KO = ("민수", "오늘 날씨 진짜 덥네요.")


@pytest.mark.parametrize(
    "lines",
    [
        [
            ("Anna", "So blue or green for the banner?"),
            ("Ben", "Green reads better outdoors."),
            ("Anna", "Green, then."),
        ],
        [("Anna", "I suggest we cap the guest list at eighty."), ("Ben", "Eighty works.")],
        [("Anna", "Let's not do the photo booth this year."), ("Ben", "Fine with me.")],
        [("Anna", "I think the fee should stay at ten pounds."), ("Ben", "I agree, ten is fair.")],
        [("Anna", "Can everyone live with Thursday?"), ("Ben", "I can.")],
        [("Anna", "If nobody objects, the deadline moves to Friday."), ("Ben", "No objection.")],
        [("Anna", "Right, so from now on every pull request needs two reviewers."), ("Ben", "Okay.")],
        [
            ("Anna", "How about we give them until June and then switch it off?"),
            ("Ben", "June's generous, but okay."),
        ],
        [("Anna", "Do we want name tags?"), ("Ben", "Nah."), ("Anna", "No name tags.")],
        [("Anna", "Do we open on the bank holiday?"), ("Ben", "I'm away."), ("Anna", "Then we stay closed.")],
        [("Anna", "We'll ship the new build on Friday unless the test fails."), ("Ben", "Good.")],
        [
            ("서영", "인원은 몇 명으로 할까?"),
            ("민수", "여섯 명이 딱 좋아."),
            ("서영", "그래 여섯 명."),
        ],
        [
            ("서영", "남색이랑 검정 중에 골라야 돼요."),
            ("민수", "남색이요."),
            ("서영", "그럼 남색으로 주문합니다."),
        ],
        [("서영", "다음 모임은 24일 토요일 괜찮으세요?"), ("민수", "네 괜찮아요.")],
        [("서영", "외주 주지 말고 우리가 직접 만들자."), ("민수", "그래, 그게 싸지.")],
        [("서영", "앞으로 배포는 목요일에만 합니다."), ("민수", "알겠습니다.")],
        [("서영", "회비는 그대로 2만 원 유지."), ("민수", "넵.")],
        [("서영", "디자인 업데이트는 이번 스프린트에서 뺄까요?"), ("민수", "네, 빼요.")],
        [("서영", "이름은 새벽이 좋던데."), ("민수", "그럼 새벽으로 확정!")],
    ],
)
def test_a_decision(lines: Lines) -> None:
    opening = OPENING_KO if lines[0][0] == "서영" else OPENING
    assert len(summary([opening, *lines]).decisions) == 1


@pytest.mark.parametrize(
    ("lines", "owner", "due"),
    [
        (
            [("Anna", "Could you send me the slides by Wednesday, Ben?"), ("Ben", "You'll have them.")],
            "Ben",
            "by Wednesday",
        ),
        ([("Ben", "Do you want me to ask the council about parking?"), ("Anna", "Yes please.")], "Ben", None),
        ([("Ben", "Shall I book the train?"), ("Anna", "Please do.")], "Ben", None),
        ([("Anna", "Action for Ben: update the risk register."), ("Ben", "Yep.")], "Ben", None),
        ([("Ben", "I'll get quotes for flights before the weekend.")], "Ben", "before the weekend"),
        (
            [
                ("Ben", "I can pair with him tomorrow afternoon if that helps."),
                ("Anna", "That'd be great, yes please."),
            ],
            "Ben",
            "tomorrow afternoon",
        ),
        (
            [
                ("Ben", "Probably, I'd need to check with platform."),
                ("Anna", "Do that and tell us on Thursday."),
            ],
            "Ben",
            "Thursday",
        ),
        (
            [("Anna", "Let me look at the numbers and come back to you on Monday."), ("Ben", "Fine.")],
            "Anna",
            "Monday",
        ),
        ([("민수", "초안은 제가 써 볼까요?"), ("서영", "네 부탁드려요.")], "민수", None),
        ([("서영", "다시 한번 검토해 주시길 바랍니다."), ("민수", "검토하겠습니다.")], "민수", None),
        ([("서영", "준호야 스피커 챙겨 와."), ("준호", "ㅇㅋ")], "준호", None),
        (
            [("서영", "그럼 민수님이 다음 주 월요일에 공유해 줄래요?"), ("민수", "네네, 해 볼게요.")],
            "민수",
            "다음 주 월요일",
        ),
        ([("민수", "안내문은 제가 만들게요."), ("서영", "25일까지는 부탁드려요.")], "민수", "25일까지"),
    ],
)
def test_a_task_with_owner_and_moment(lines: Lines, owner: str, due: str | None) -> None:
    (task,) = summary([("Cleo", "Hello."), *lines]).pending
    assert (task.kind, task.owner, task.due) == ("action", owner, due)


@pytest.mark.parametrize(
    "lines",
    [
        [("Anna", "Last year we decided to paint the fence and nobody came."), ("Ben", "I remember.")],
        [("Anna", "Should I do it again?"), ("Ben", "Yes.")],
        [("Anna", "I'll be away on Tuesday."), ("Ben", "Lucky you.")],
        [("Anna", "Do you want me to share my screen?"), ("Ben", "Yes please.")],
        [("Anna", "So no Saturday night?"), ("Ben", "No Saturday night.")],
        [("서영", "그 업체는 따로 만나기로 했대요."), ("민수", "아 그래요?")],
        [("서영", "바로 할게요."), ("민수", "네.")],
        [("서영", "비교표가 있어야 판단하죠."), ("민수", "네.")],
        [("서영", "오늘 몇 명 왔어요?"), ("민수", "열두 명이요."), ("서영", "네.")],
        [("서영", "그건 어떻게 생각해야 할까요?"), ("민수", "글쎄요.")],
    ],
)
def test_told_asked_or_known_but_not_settled(lines: Lines) -> None:
    found = summary([("Cleo", "Hello."), *lines])
    assert found.decisions == ()
    assert [item for item in found.pending if item.kind == "action"] == []
