"""What is settled or given to do in two turns, formally or in passing; each case has its twin that settles nothing."""

from __future__ import annotations

import pytest

from context.checking import checked, sources_of
from context.extractive import summarise
from context.models import Summary
from tests.unit.context.samples import utter
from tests.unit.context.summaries import Lines, summary


@pytest.mark.parametrize(
    "lines",
    [
        [
            ("Ann", "Our trial is thirty days, that's too long."),
            ("Ben", "Fourteen would do."),
            ("Ann", "All right, so the trial stays, but without a card."),
            ("Ben", "Cool."),
        ],
        [
            ("Ben", "The texts are still with legal."),
            ("Ann", "Then the new page goes live on the ninth."),
            ("Ben", "Good."),
        ],
        [("Ann", "Do we want their insurance?"), ("Ben", "It's dear."), ("Ann", "We'll skip it.")],
        [
            ("Ann", "They want us to sign the petition."),
            ("Ben", "I don't agree with it."),
            ("Ann", "Neither do I. We won't sign it."),
        ],
        [
            ("Ann", "What about the guests of last year?"),
            ("Ben", "Give them until March."),
            ("Ann", "Yep, agreed."),
        ],
        [
            ("Ann", "Shall we have music at the stall?"),
            ("Ben", "It was loud."),
            ("Ann", "This year, no music."),
            ("Ben", "Understood."),
        ],
        [
            ("Ann", "So when do we see each other?"),
            ("Ben", "Same room, the fourth?"),
            ("Ann", "The fourth? Yes."),
        ],
        [
            ("Ann", "The baker or the café?"),
            ("Ben", "I'd stick with the baker."),
            ("Ann", "Yeah, no reason to change."),
        ],
        [
            ("위원장", "총무가 공석입니다."),
            ("나영", "백종태 위원을 추천합니다."),
            ("위원장", "백종태 위원을 총무로 선출하는 데 이의 없으십니까?"),
            ("나영", "없습니다."),
        ],
        [
            ("Ann", "It came with a dent. Send it back or paint it?"),
            ("Ben", "I'd send it back."),
            ("Ann", "Yeah, send it back."),
        ],
        [
            ("Ann", "Then I suggest we open on Sundays from May. Any dissent?"),
            ("Ben", "None here."),
        ],
        [("Ben", "They'd like an answer."), ("Ann", "So we take part."), ("Ben", "Lovely.")],
        [("Ann", "Those in favour? Thank you. The accounts are adopted."), ("Ben", "Good.")],
        [("위원장", "시청에 가로등을 요청하면 어떻겠습니까?"), ("나영", "찬성합니다.")],
        [("나영", "후보는 한 분입니다."), ("위원장", "백종태 위원이 총무로 선출되었음을 선포합니다.")],
        [
            ("도경", "문서를 줄이자는 의견이 있던데요."),
            ("미라", "지금처럼 두 장씩 작성합니다."),
            ("도경", "네, 알겠습니다."),
        ],
    ],
)
def test_it_is_decided(lines: Lines) -> None:
    assert len(summary(lines).decisions) == 1


@pytest.mark.parametrize(
    "lines",
    [
        [("Ann", "Is that the old price?"), ("Ben", "I suppose it is."), ("Ann", "Hm.")],
        [("Ann", "Ben, you wanted fifty?"), ("Ben", "Fifty."), ("Ann", "Why?")],
        [("Ann", "Ninety scares me."), ("Ben", "Okay, forget ninety."), ("Ann", "What else is there?")],
        [("Ann", "They're always late."), ("Ben", "Right. We won't know the result."), ("Ann", "No.")],
        [
            ("Ann", "Same room, the fourth?"),
            ("Ben", "No, I'm away."),
        ],
        [("Ann", "Was it open on Friday?"), ("Ben", "Yes.")],
        [
            ("나영", "백종태 위원을 총무로 선출하는 데 이의 없으십니까?"),
            ("위원", "이의 있습니다."),
        ],
        [("Ann", "I'd like it smaller."), ("Ben", "Yeah.")],
        [("순자", "다 끝났네."), ("조합장", "그럼 오늘은 이쯤 하죠."), ("순자", "네.")],
        [("위원장", "설문을 한 번 더 하고 결정하는 게 좋겠습니다."), ("나영", "네, 좋습니다.")],
        [("나영", "제가 2019년에 총무로 선출되었습니다."), ("위원", "그렇군요.")],
        [
            ("도경", "5층 수납장 사진을 보기로 했죠?"),
            ("미라", "그럼 그거 보고 결정합시다."),
            ("도경", "네."),
        ],
    ],
)
def test_it_is_not(lines: Lines) -> None:
    assert summary(lines).decisions == ()


@pytest.mark.parametrize(
    ("lines", "owner", "due"),
    [
        (
            [("Ann", "Could you send a reminder?"), ("Ben", "I will, probably Thursday.")],
            "Ben",
            "Thursday",
        ),
        (
            [("Ann", "Could you dig around and come back with a number?"), ("Ben", "Sure, by Monday.")],
            "Ben",
            "by Monday",
        ),
        (
            [
                ("Ben", "Pounds are a switch in the shop's settings."),
                ("Ann", "Do it then."),
                ("Ben", "On it."),
            ],
            "Ben",
            None,
        ),
        ([("Ann", "Ask him anyway."), ("Ben", "Okay.")], "Ben", None),
        ([("Ann", "What if I took the Sundays?"), ("Ben", "Then by all means.")], "Ann", None),
        ([("Ann", "I'll move two men across."), ("Ben", "Right.")], "Ann", None),
        ([("조합장", "병호 씨가 전화 한 통 해 줘요."), ("병호", "예.")], "병호", None),
        (
            [("Ann", "Me and Ben can clear the shed on Sunday."), ("Ben", "Sunday works.")],
            "Ann",
            "Sunday",
        ),
        (
            [("미라", "금요일까지 명단 좀 보내 주실 수 있어요?"), ("도경", "네, 목요일까지 올릴게요.")],
            "도경",
            "목요일까지",
        ),
        (
            [
                ("위원장", "설문을 먼저 해 보도록 하죠. 간사님 가능하시겠습니까?"),
                ("임나영", "예, 만들어 보겠습니다."),
            ],
            "임나영",
            None,
        ),
        ([("미라", "창고 한번 보고 올 사람?"), ("하윤", "저 나가면서 보고 올게요.")], "하윤", None),
        ([("미라", "장소는 도경 쌤이 알아봐 주고."), ("도경", "넵.")], "도경", None),
        ([("미라", "숙소 좀 알아봐 주세요."), ("도경", "네.")], "도경", None),
    ],
)
def test_it_is_somebody_s_task(lines: Lines, owner: str, due: str | None) -> None:
    (item,) = summary(lines).pending
    assert (item.kind, item.owner, item.due) == ("action", owner, due)


@pytest.mark.parametrize(
    "lines",
    [
        [("Ann", "Is there a wall for hire?"), ("Ben", "I could ask, but no promises."), ("Ann", "Hm.")],
        [("Ann", "We do it on paper."), ("Ben", "Do it then."), ("Ann", "No, I don't want to.")],
        [("위원장", "그건 다음 회의에 다루겠습니다."), ("나영", "네.")],
        [("위원장", "부장님 설명 부탁드립니다."), ("나영", "네.")],
        [("미라", "짧게 하고 보내 드릴게요."), ("도경", "네.")],
        [("미라", "누가 온다고 했죠?"), ("하윤", "두 분이 오신대요.")],
    ],
)
def test_it_is_nobody_s_task(lines: Lines) -> None:
    assert [item for item in summary(lines).pending if item.kind == "action"] == []


def test_an_officer_called_by_their_office_is_the_owner() -> None:
    lines = [("위원장 오세근", "간사님께서는 견적을 받아 주시기 바랍니다."), ("간사 임나영", "예.")]
    said = [utter(number, who, text) for number, (who, text) in enumerate(lines, 1)]
    found = checked(summarise(Summary(), said), sources_of(said))
    assert found.dropped == ()
    assert [item.owner for item in found.summary.pending] == ["간사 임나영"]


def test_an_office_that_two_hold_names_nobody() -> None:
    lines = [
        ("위원장 오세근", "위원님께서는 자료를 보내 주시기 바랍니다."),
        ("위원 백종태", "어떤 자료요?"),
        ("위원 안수진", "저요?"),
    ]
    (item,) = summary(lines).pending
    assert item.owner not in {"위원 백종태", "위원 안수진"}


@pytest.mark.parametrize(
    "lines",
    [
        [
            ("Ben", "The hall is free."),
            ("Ann", "Then the fair goes ahead on the seventh."),
            ("Ben", "Good."),
            ("Ben", "The caretaker is away."),
            ("Ann", "Let's move the fair to the ninth."),
            ("Ben", "Okay."),
        ],
        [
            ("하윤", "다들 됩니다."),
            ("미라", "그럼 회식은 일곱 시로 하겠습니다."),
            ("하윤", "네."),
            ("도경", "식당이 늦게 연대요."),
            ("미라", "그럼 회식은 여덟 시로 옮기죠."),
            ("도경", "좋아요."),
        ],
    ],
)
def test_an_early_day_and_a_spoken_hour_that_change_are_noticed(lines: Lines) -> None:
    first, second = summary(lines).decisions
    assert (first.status, first.superseded_by) == ("superseded", str(second.evidence[-1]))


@pytest.mark.parametrize(
    ("lines", "tasks"),
    [
        (
            [
                ("지우", "홍보 포스터는 누가 만드실래요?"),
                ("가영", "제가 할게요. 다음 주 수요일까지 시안 올리겠습니다."),
                ("지우", "고맙습니다."),
            ],
            1,
        ),
        ([("세훈", "체육관 예약은 제가 내일 행정실에 말씀드릴게요."), ("지우", "네.")], 1),
        ([("Sam", "I'll talk to the office about the gym booking tomorrow."), ("Joy", "Okay.")], 1),
        ([("세훈", "그럼 제가 예산 현황을 말씀드리겠습니다."), ("지우", "네.")], 0),
        ([("세훈", "그건 제가 다음 주에 말씀드릴게요."), ("지우", "네.")], 0),
    ],
)
def test_who_tells_somebody_else_later_has_an_errand_and_each_is_told_once(lines: Lines, tasks: int) -> None:
    assert len(summary(lines).pending) == tasks
