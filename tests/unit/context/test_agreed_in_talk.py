"""What ordinary talk settles and gives to do, in the words in which people do: found, or rightly left alone."""

from __future__ import annotations

import pytest

from tests.unit.context.summaries import Lines, summary


@pytest.mark.parametrize(
    "lines",
    [
        [("Ann", "So should we go with the bigger venue?"), ("Ben", "Yeah, let's do that.")],
        [("Ann", "I guess we'll just ship without dark mode then."), ("Ben", "Yeah, fine.")],
        [("Ann", "How about we move the demo to Thursday?"), ("Ben", "Works for me.")],
        [("Ann", "I'd rather pay the extra and go with Brightline."), ("Ben", "Agreed. It's worth it.")],
        [("Ann", "Then I'd drop the second designer."), ("Ben", "Fine.")],
        [("Ann", "We'll just do two rounds of interviews."), ("Ben", "Okay.")],
        [
            ("Ann", "I'd rather keep the old pricing for this year."),
            ("Ben", "Fine, we keep the old pricing."),
        ],
        [("Ann", "So the plan is to freeze on Monday, everyone okay with that?"), ("Ben", "Yep.")],
        [
            ("Ann", "A voice control may not be worth the money."),
            ("Ben", "I'd say scrap that straight off."),
            ("Ann", "Okay."),
        ],
        [
            (
                "Chair",
                "Item 4 is a motion under Standing Order 17.42 to exclude the public. Are Members content? Thank you.",
            ),
            ("Ben", "Thank you."),
        ],
        [("민지", "오픈은 한 주 미루는 걸로 합의 봤습니다."), ("서준", "알겠습니다.")],
        [("민지", "일단 안드로이드부터 내고 다음 달에 나머지를 내는 걸로 정리하시죠."), ("서준", "네네.")],
        [("민지", "그럼 예산은 오백만 원 안에서 쓰는 걸로 할까요?"), ("서준", "네, 그렇게 해요.")],
        [("민지", "로고 색은 파란색으로 가는 거죠?"), ("서준", "네, 파란색이요.")],
    ],
)
def test_a_decision_of_ordinary_talk(lines: Lines) -> None:
    assert len(summary(lines).decisions) == 1


@pytest.mark.parametrize(
    ("lines", "owner"),
    [
        ([("Ann", "I can draft the announcement by Tuesday."), ("Ben", "Perfect.")], "Ann"),
        ([("Ann", "Someone needs to update the wiki."), ("Ben", "I'll take that.")], "Ben"),
        ([("Ann", "Let me follow up with finance on that."), ("Ben", "Okay.")], "Ann"),
        ([("Ann", "Ben, you own the migration script."), ("Ben", "Got it.")], "Ben"),
        ([("Ann", "Would you mind writing that up?"), ("Ben", "No problem.")], "Ben"),
        ([("Ann", "Ben, can you get the job ads to me by Wednesday?"), ("Ben", "Sure, no problem.")], "Ben"),
        ([("Ann", "I'll take the Thursday."), ("Ben", "Great.")], "Ann"),
        ([("Ann", "Okay, I'll sign with Brightline tomorrow."), ("Ben", "Great.")], "Ann"),
        ([("Ann", "I'll take the action to check with the landlord."), ("Ben", "Good.")], "Ann"),
        ([("Chair", "Perhaps you could give us a note on the costs."), ("Ben", "Yes.")], None),
        ([("Ann", "The marketing expert has to go to product evaluation."), ("Ben", "Okay.")], None),
        ([("민지", "이거 좀 알아봐 줄래요?"), ("서준", "네, 제가 알아볼게요.")], "서준"),
        ([("민지", "누가 회의록 정리하실래요?"), ("서준", "제가 할게요.")], "서준"),
        ([("민지", "테스트 케이스는 제가 작성할게요, 수요일까지요."), ("서준", "좋아요.")], "민지"),
        ([("민지", "그럼 제가 법무팀에 물어보고 말씀드릴게요."), ("서준", "네.")], "민지"),
    ],
)
def test_a_task_of_ordinary_talk_and_whose_it_is(lines: Lines, owner: str | None) -> None:
    (task,) = summary(lines).pending
    assert (task.kind, task.owner) == ("action", owner)


@pytest.mark.parametrize(
    "lines",
    [
        [("Ann", "Let's move on to the budget."), ("Ben", "Okay.")],
        [("Ann", "I'll share my screen."), ("Ben", "Great.")],
        [("Ann", "If we go with AWS we'll pay more."), ("Ben", "True.")],
        [("Ann", "We can see the numbers here."), ("Ben", "Yeah.")],
        [("Ann", "I can do that."), ("Ben", "Great.")],
        [("Ann", "I'll take the first question."), ("Ben", "Okay.")],
        [("Ann", "Can you get the slides up?"), ("Ben", "Sure.")],
        [("Ann", "I'd rather go with Brightline."), ("Ben", "No, they're too expensive.")],
        [("Ann", "How about we move the demo to Thursday?"), ("Ben", "No, I'm away.")],
        [("민지", "화면 공유할게요."), ("서준", "네 보입니다.")],
        [("민지", "먼저 신입 교육부터 얘기할게요."), ("서준", "네.")],
        [("민지", "로고 색은 파란색으로 가는 거죠?"), ("서준", "아니요, 그건 좀 어렵습니다.")],
        [
            ("민지", "그럼 예산은 오백만 원으로 할까요?"),
            ("서준", "네, 그런데 그건 다음 주에 다시 논의해 보는 게 어떨까 싶은데요."),
        ],
    ],
)
def test_what_settles_nothing_and_gives_nobody_work(lines: Lines) -> None:
    found = summary(lines)
    assert found.decisions == ()
    assert [item for item in found.pending if item.kind == "action"] == []
