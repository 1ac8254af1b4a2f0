"""What a team settles in passing, without a word of deciding; and what only orders the meeting."""

from __future__ import annotations

import pytest

from context.extractive import summarise
from context.models import Summary
from tests.unit.context.samples import utter


def _decided(*lines: str) -> list[str]:
    said = [utter(number, "ab"[number % 2], text) for number, text in enumerate(lines, start=1)]
    return [decision.text for decision in summarise(Summary(), said).decisions]


@pytest.mark.parametrize(
    ("talk", "settled"),
    [
        ("일정이 너무 빠듯해요.", "그럼 일주일만 늦춥시다."),
        ("토요일에 손님이 많아요.", "그럼 11월부터 토요일은 5시까지 엽시다."),
        ("비용이 걱정이에요.", "일단 고위험군 여덟 침상에만 센서 달아 보죠."),
        ("It will rain on Sunday.", "Then we'll pour on Monday instead."),
        ("Seven works for everybody.", "Tuesday at seven it is, then."),
        ("The replicas can follow.", "Fine. Let's do the replicas on the third."),
        ("Twelve is not enough.", "OK, let's change the budget to fifteen thousand dollars."),
        ("The copier has jammed again, that's the third time.", "Then it goes."),
        ("One of them has an allergy.", "Then peanuts go out of everything."),
        ("그건 영수증을 보고 나서 처리해야 돼요.", "앞으로 환불은 영수증 먼저 보고 나서 누르는 걸로."),
        ("혼자 다 못 해요.", "그럼 포장은 학생이 하고, 검수는 직원 입회하에."),
    ],
)
def test_what_is_said_to_be_done_after_others_have_talked_is_settled(talk: str, settled: str) -> None:
    assert [text for text in _decided(talk, settled) if text in settled]


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        ("다 모였네요.", "그럼 시작합시다."),
        ("그건 됐고요.", "그럼 다음 안건으로 넘어갑시다."),
        ("글쎄요.", "그럼 나중에 다시 봅시다."),
        ("좀 그래요.", "그럼 일주일 늦추는 게 어떨까요?"),
        ("We are all here.", "Then let's start."),
        ("That's that.", "Okay, let's move on to the next item."),
        ("I wonder.", "Then we might move it to Monday."),
        ("Where is it?", "Yep, there it is."),
    ],
)
def test_the_order_of_the_meeting_and_what_is_in_doubt_settle_nothing(talk: str, said: str) -> None:
    assert _decided(talk, said) == []


@pytest.mark.parametrize(
    ("lines", "settled"),
    [
        (
            ["What would it take?", "Then mend the steps now. All in favour? That's carried."],
            "mend the steps",
        ),
        (
            ["Brightway failed twice.", "Lumen it is, I'd say.", "Everyone happy? That's settled."],
            "Lumen it is",
        ),
        (["토요일은 어때요?", "토요일 오전 열 시.", "다들 괜찮으시죠? 그렇게 가시죠."], "토요일 오전 열 시"),
    ],
)
def test_a_call_to_agree_is_not_what_was_agreed_on(lines: list[str], settled: str) -> None:
    (decision,) = _decided(*lines)
    assert settled in decision
    assert "All in favour" not in decision
    assert "happy" not in decision
    assert "괜찮" not in decision


def test_a_vote_that_is_announced_is_no_proposal() -> None:
    lines = ["Cameras cost too much.", "Then I propose a trial of six months.", "Seconded.", "I'll vote against, I'm afraid.", "Two for, one against. It's carried."]  # fmt: skip
    assert not [text for text in _decided(*lines) if "vote" in text or "Two for" in text]


@pytest.mark.parametrize(
    "lines",
    [
        ["We need more people.", "I'd say sixteen.", "Okay, sixteen, starting on the first of December."],
        ["포스터는 몇 장이요?", "작년에 남았으니 백 장만 찍어요.", "좋아요, 백 장."],
    ],
)
def test_a_figure_that_was_proposed_is_taken(lines: list[str]) -> None:
    assert len(_decided(*lines)) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["How many came?", "Sixteen came.", "Okay, sixteen."],
        ["몇 명 왔어요?", "열여섯 명 왔습니다.", "네 좋아요, 열여섯 명."],
        ["최소 인원이 오십 명이었나요?", "네, 마흔일곱 명 신청했어요.", "그럼 세 명만 더 오면 되네."],
        ["Was the minimum fifty?", "It was.", "Okay, fifty."],
        ["Twelve, you think?", "I would not know.", "Fine, sixteen years is a long time for anybody."],
    ],
)
def test_a_figure_that_was_told_is_heard(lines: list[str]) -> None:
    assert _decided(*lines) == []


@pytest.mark.parametrize(
    ("talk", "settled"),
    [
        ("They have not answered.", "Then we stop selling the boots until they reply."),
        ("It leaks.", "So we stay inside the headland until it's fixed."),
        ("The yard needs ten days. Falmouth has one on the shelf.", "It is far. Get the Falmouth one."),
        ("Many have complained.", "Fine. Let's do refunds for anyone who bought after the first of August."),
    ],
)
def test_what_is_stopped_and_for_whom_it_is_done_is_settled(talk: str, settled: str) -> None:
    assert [text for text in _decided(talk, settled) if text in settled]


@pytest.mark.parametrize(
    ("lines", "decided"),
    [
        (["방을 두 반으로 나누면 되지 않을까요?", "좋네요. 그렇게 나눕시다."], "나누면"),
        (["부품이 4만 원이고 출장비가 6만 원이에요.", "그건 바로 하시죠."], "출장비"),
    ],
)
def test_what_is_said_of_it_decides_what_was_said_before(lines: list[str], decided: str) -> None:
    (decision,) = summarise(
        Summary(), [utter(n, "ab"[n % 2], text) for n, text in enumerate(lines, 1)]
    ).decisions
    assert decided in decision.text
    assert decision.evidence == (1, 2)


@pytest.mark.parametrize("said", ["Get the other one.", "Take the second one."])
def test_one_that_nobody_named_is_not_picked(said: str) -> None:
    assert _decided("It is broken.", said) == []


def test_who_proposes_and_then_concludes_has_decided_once() -> None:
    lines = [
        "제습기는 빌리는 게 낫지 않아요?",
        "세 달만 쓸 거면 그게 싸네요.",
        "그럼 사지 말고 두 대 빌립시다.",
        "네, 알겠습니다.",
    ]
    assert _decided(*lines) == ["그럼 사지 말고 두 대 빌립시다."]


@pytest.mark.parametrize(
    ("talk", "settled", "yes"),
    [
        ("We'll have the spare van by then.", "Then put the spare van on and keep the hour.", "Even better."),
        ("It has been smoking.", "And the ovens stay off until they've been seen to.", "Absolutely."),
        ("금요일은 다 외근이에요.", "월요일 10시까지가 낫지 않아요?", "그래, 그럼 월요일 10시."),
    ],
)
def test_what_another_says_yes_to_is_settled(talk: str, settled: str, yes: str) -> None:
    assert [text for text in _decided(talk, settled, yes) if settled in text]


@pytest.mark.parametrize(
    ("talk", "asked", "yes"),
    [
        ("팀장님은 아직 올라오고 있어요.", "다른 안건부터 먼저 하죠.", "네, 그래요."),
        ("저는 4시에 나가야 돼요.", "그럼 배송 건만 먼저 하면 안 될까요?", "어, 그래요."),
        ("다 한 것 같은데요.", "더 없으면 끝냅시다.", "네."),
    ],
)
def test_what_comes_first_or_ends_the_meeting_is_its_order(talk: str, asked: str, yes: str) -> None:
    assert _decided(talk, asked, yes) == []


@pytest.mark.parametrize(
    ("talk", "asked", "yes"),
    [
        ("Nobody's picked a date.", "Can we leave it till next week?", "Yes, fine."),
        ("아직 날짜를 못 정했어요.", "그건 다음 회의에서 정할까요?", "네, 그래요."),
    ],
)
def test_what_is_agreed_to_be_put_off_is_open(talk: str, asked: str, yes: str) -> None:
    said = [utter(number, "ab"[number % 2], text) for number, text in enumerate((talk, asked, yes), start=1)]
    summary = summarise(Summary(), said)
    assert summary.decisions == ()
    assert any(item.kind == "open" and asked in item.text for item in summary.pending)
