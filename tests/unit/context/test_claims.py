"""Fact checks and "did we not decide otherwise?": both evidences, in both languages, without a model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from context.answering.claims import claim_in
from context.answers import answer
from context.models import Utterance

START = datetime(2026, 3, 2, 14, 32, tzinfo=UTC)
Lines = list[tuple[str, str]]

KO: Lines = [
    ("김민지", "그러면 십이월 십오일 출시는 가능한가요?"),
    ("박준호", "조금 위험합니다. 저는 십이월 이십이일을 제안합니다."),
    ("김민지", "좋습니다. 출시일은 십이월 이십이일로 결정하겠습니다."),
    ("박준호", "결제 테스트 계획은 금요일까지 공유하겠습니다."),
    ("최하나", "해외 배포는 이번에 하지 않기로 합니다."),
]
KO_AGAINST = [*KO, ("최하나", "출시일은 십이월 십오일이니까 준비를 서둘러야 합니다.")]
KO_OTHER: Lines = [*KO[:4], ("최하나", "해외 배포는 안 하겠습니다.")]
KO_CHANGED: Lines = [
    ("김민지", "출시일은 십이월 십오일로 결정하겠습니다."),
    ("박준호", "네 알겠습니다."),
    ("최하나", "결제 모듈이 늦어지고 있습니다."),
    ("김민지", "그러면 출시일은 십이월 이십이일로 변경하기로 결정하겠습니다."),
]
EN: Lines = [
    ("Ben", "Could we release on December fifteenth?"),
    ("Chloe", "That is risky, I propose the twenty-second."),
    ("Alice", "Fine. We decided the release date is December twenty-second."),
    ("Ben", "I will order the server tomorrow and report on Thursday."),
    ("Alice", "We will not move the database this month."),
]
EN_AGAINST = [*EN, ("Chloe", "The release date is December fifteenth, so we must hurry.")]
EN_CHANGED: Lines = [
    ("Alice", "We decided the release date is December fifteenth."),
    ("Ben", "Okay."),
    ("Chloe", "The payment module is late."),
    ("Alice", "Then we decided to change the release date to December twenty-second instead."),
]


def said(lines: Lines) -> list[Utterance]:
    return [
        Utterance(
            id=id_, speaker_id=name, speaker_name=name, text=text, start_ms=id_ * 1000, end_ms=id_ * 1000 + 900,
            absolute_timestamp=START + timedelta(seconds=id_), topic_id="t1",
        )
        for id_, (name, text) in enumerate(lines, 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("우리 다르게 결정하지 않았나요?", "decided"),
        ("우리 십오일로 결정하지 않았나요?", "decided"),
        ("출시일을 15일로 하기로 하지 않았어?", "decided"),
        ("결정이 바뀌었나요?", "decided"),
        ("15일에 출시하는 게 맞나요?", "said"),
        ("민지가 금요일까지 공유한다고 했나요?", "said"),
        ("Didn't we decide on the 15th?", "decided"),
        ("Did we not decide otherwise?", "decided"),
        ("Has the decision been changed?", "decided"),
        ("weren't we going to move the database?", "decided"),
        ("Is it true that the server costs 300 dollars?", "said"),
        ("Did Ben say he orders the server?", "said"),
        ("출시일이 언제로 결정됐지?", None),
        ("무엇을 결정했나요?", None),
        ("회의 요약해 줘", None),
        ("두 사람이 의결한 안건이 몇 건이라고 했어?", None),
        ("What did we decide about the second server?", None),
        ("When did we agree to ship?", None),
        ("What changed since the last meeting?", None),
        ("How did we decide this?", None),
    ],
)
def test_what_doubts_something_and_what_only_asks(question: str, kind: str | None) -> None:
    claim = claim_in(question)
    assert (claim.kind if claim else None) == kind


@pytest.mark.parametrize(
    ("lines", "question", "evidence", "says"),
    [
        (KO_CHANGED, "우리 다르게 결정하지 않았나요?", (1, 4), "네, 결정이 바뀌었습니다"),
        (KO_CHANGED, "우리 15일로 결정하지 않았어요?", (1, 4), "네, 결정이 바뀌었습니다"),
        (KO_CHANGED, "출시일 22일로 하기로 한 거 맞죠?", (4,), "이후 바뀐 것은 찾지 못했습니다"),
        (KO_AGAINST, "우리 다르게 결정하지 않았나요?", (3, 6), "네, 결정된 것과 다른 말이 나왔습니다"),
        (KO, "우리 십오일로 결정하지 않았나요?", (1, 3), "아니요, 그 말은 나왔지만"),
        (KO, "우리 다르게 결정하지 않았나요?", (3,), "아니요, 결정은 그대로"),
        (KO, "해외 배포 하기로 하지 않았나요?", (5,), "아니요, 기록은 다릅니다"),
        (KO, "해외 배포는 하지 않기로 한 거 맞나요?", (5,), "이후 바뀐 것은 찾지 못했습니다"),
        (KO_OTHER, "결제 테스트 계획을 공유한다고 했나요?", (4,), "이후 바뀐 것은 찾지 못했습니다"),
        (
            KO_OTHER,
            "준호가 결제 테스트 계획을 금요일까지 공유한다고 한 거 맞나요?",
            (4,),
            "이후 바뀐 것은 찾지 못했습니다",
        ),
        (KO_OTHER, "우리 다르게 결정하지 않았나요?", (5,), "아니요, 결정은 그대로"),
        (EN_CHANGED, "didn't we decide otherwise?", (1, 4), "Yes, the decision changed"),
        (EN_CHANGED, "Didn't we decide on the 15th?", (1, 4), "Yes, the decision changed"),
        (EN_CHANGED, "Didn't we decide on the 22nd?", (4,), "I find no later change"),
        (EN_AGAINST, "Didn't we decide otherwise?", (3, 6), "Yes, something was said that does not fit"),
        (EN, "Didn't we decide on the 15th?", (1, 3), "No: that was said, but"),
        (EN, "Didn't we decide otherwise?", (5,), "No: the decision stands"),
        (EN[:4], "Didn't we decide otherwise?", (3,), "No: the decision stands"),
        (EN, "Did we decide to move the database this month?", (5,), "No, the record says otherwise"),
        (EN, "Is it true that Ben reports on Friday?", (4,), "No, the record says otherwise"),
        (EN, "Is it true that Ben orders the server tomorrow?", (4,), "I find no later change"),
    ],
)
def test_a_claim_is_answered_with_both_evidences(
    lines: Lines, question: str, evidence: tuple[int, ...], says: str
) -> None:
    found = answer(question, utterances=said(lines))
    assert found.evidence == evidence
    assert says in found.text
    assert not found.declined
    for id_ in evidence:
        assert f"**{lines[id_ - 1][0]}** (14:32:0{id_}): " in found.text


HOURS_KO: Lines = [
    ("김민지", "그럼 밤 열 시부터 아침 일곱 시까지는 알림을 안 보내는 걸로 합시다."),
    ("박준호", "새벽에 운동하는 분들은 여섯 시에 받길 원해요."),
    ("김민지", "아 그러네. 그럼 여섯 시까지로 바꾸죠."),
]
KITS: Lines = [
    ("Alice", "We decided to buy six hundred kits out of the staff underspend."),
    ("Ben", "Hang on, what about the car? A gearbox is seven thousand."),
    ("Alice", "Hmm. Gearbox, and what's left goes on kits, so four hundred."),
]
KITS_KO: Lines = [
    ("김민지", "그럼 키트는 육백 개 사는 걸로 합시다."),
    ("박준호", "차도 고쳐야 하는데요. 칠백만 원이래요."),
    ("김민지", "음, 차부터 고치고 남는 돈으로 키트 사백 개 정도요."),
]
COLOURS_KO: Lines = [
    ("김민지", "색상은 파란색으로 가겠습니다."),
    ("박준호", "브랜드팀에서 초록색도 괜찮대요."),
    ("김민지", "색상은 초록색으로 바꾸죠."),
]
COLOURS: Lines = [
    ("Alice", "Let's make the cover blue."),
    ("Ben", "The brand people prefer green."),
    ("Alice", "We decided the cover is green."),
]


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (HOURS_KO, "아침 일곱 시까지 아니었어?", (1, 3)),
        (KITS, "didn't we agree on six hundred kits?", (1, 3)),
        (KITS_KO, "키트 육백 개로 하기로 하지 않았어?", (1, 3)),
        (COLOURS_KO, "색상은 파란색으로 정하지 않았어?", (1, 3)),
    ],
)
def test_what_was_said_first_is_never_told_without_what_came_after(
    lines: Lines, question: str, evidence: tuple[int, ...]
) -> None:
    found = answer(question, utterances=said(lines))
    assert found.evidence == evidence
    assert "no later change" not in found.text
    assert "바뀐 것은 찾지 못했" not in found.text


PRINTER: Lines = [
    ("Alice", "The printer is jammed again."),
    ("Ben", "A new one costs a lot."),
    ("Alice", "Then we just repair the printer."),
    ("Ben", "The shop says there are no parts for it."),
    ("Alice", "Then we'll buy a new one."),
]
PRINTER_KO: Lines = [
    ("김민지", "프린터가 또 고장 났어요."),
    ("박준호", "새로 사면 비싸요."),
    ("김민지", "그럼 프린터는 그냥 고쳐 쓰기로 해요."),
    ("박준호", "부품이 없어서 수리가 안 된대요."),
    ("김민지", "그럼 새로 사기로 하겠습니다."),
]
LIBRARY: Lines = [
    ("Ben", "The hall is free."),
    ("Alice", "Then it's the library for the reading."),
    ("Ben", "I like the library."),
    ("Alice", "Then we'll take the bus to the museum."),
]
LIBRARY_KO: Lines = [
    ("박준호", "강당도 비어 있습니다."),
    ("김민지", "그럼 낭독회는 도서관에서 하기로 결정하겠습니다."),
    ("박준호", "도서관 좋네요."),
    ("김민지", "박물관은 버스로 가기로 결정하겠습니다."),
]


@pytest.mark.parametrize(
    ("lines", "question", "evidence", "says"),
    [
        (PRINTER, "didn't we say we'd just repair the printer?", (3, 5), "something else was settled"),
        (PRINTER, "didn't we say we'd repair it?", (3, 5), "something else was settled"),
        (PRINTER_KO, "프린터는 고쳐 쓰기로 하지 않았어?", (3, 5), "다른 결정도 나왔습니다"),
        (LIBRARY, "didn't we say the reading is in the library?", (2,), "I find no later change"),
        (LIBRARY_KO, "낭독회는 도서관에서 하기로 하지 않았어?", (2,), "바뀐 것은 찾지 못했"),
    ],
)
def test_a_plan_that_fell_without_a_figure_is_told_with_what_was_settled_instead(
    lines: Lines, question: str, evidence: tuple[int, ...], says: str
) -> None:
    found = answer(question, utterances=said(lines))
    assert found.evidence == evidence
    assert says in found.text


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (COLOURS_KO[1:], "색상은 파란색으로 정하지 않았어?"),
        (COLOURS[1:], "didn't we agree the cover is blue?"),
    ],
)
def test_a_decision_that_lacks_the_claims_word_is_no_yes(lines: Lines, question: str) -> None:
    found = answer(question, utterances=said(lines))
    assert found.evidence == (2,)
    assert "I do not find it said like that" in found.text or "그대로 말한 기록은 찾지" in found.text


@pytest.mark.parametrize(
    ("lines", "question", "evidence", "says"),
    [
        (
            [
                ("Chloe", "How much would a second server cost?"),
                ("Ben", "About three hundred dollars a month."),
            ],
            "Wasn't the server 300 dollars?",
            (2,),
            "Yes, that was said",
        ),
        (
            [("김민지", "두 번째 서버는 얼마예요?"), ("박준호", "한 달에 삼십만 원쯤 합니다.")],
            "서버가 삼십만 원 아니었어?",
            (2,),
            "네, 그렇게 나온",
        ),
        (
            [
                ("Chloe", "How many chairs do we need?"),
                ("Ben", "Four hundred and twelve."),
                ("Ben", "Sorry, I counted again, it's three hundred and eighty-six."),
            ],
            "Wasn't it 412 chairs?",
            (2, 3),
            "put right",
        ),
    ],
)
def test_a_figure_told_in_reply_is_its_questions(
    lines: Lines, question: str, evidence: tuple[int, ...], says: str
) -> None:
    found = answer(question, utterances=said(lines))
    assert found.evidence == evidence
    assert says in found.text


@pytest.mark.parametrize(
    ("lines", "question", "told"),
    [
        (
            [
                ("김민지", "공연은 14일 아니었어요?"),
                ("박준호", "아니요, 13일로 바뀌었어요. 강당 공사 때문에요."),
            ],
            "공연 14일 아니었어?",
            2,
        ),
        (
            [
                ("김민지", "공연이 14일이죠?"),
                ("박준호", "아니요, 13일로 바뀌었어요."),
                ("김민지", "포스터에는 14일이라고 돼 있던데요."),
            ],
            "공연 14일 아니었어?",
            2,
        ),
        (
            [
                ("Alice", "Wasn't the concert on the 14th?"),
                ("Ben", "No, it's the 13th now, the hall is being painted."),
            ],
            "Wasn't the concert on the 14th?",
            2,
        ),
    ],
)
def test_another_day_of_the_same_thing_is_an_answer(lines: Lines, question: str, told: int) -> None:
    found = answer(question, utterances=said(lines))
    assert told in found.evidence
    assert not found.declined


@pytest.mark.parametrize(
    "question", ["우리 펭귄 전시를 열기로 하지 않았나요?", "Didn't we decide to open the penguin exhibition?"]
)
def test_what_nobody_decided_or_said_is_declined(question: str) -> None:
    lines = KO if question[0] == "우" else EN
    assert answer(question, utterances=said(lines)).declined
