"""What stands is the answer: put right, objected to, settled in passing, handed on, chosen instead."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.quoting.headings import heading_in
from context.retrieval.questions import take_apart
from tests.unit.context.test_other_words import talk

BUILDERS_KO = (
    "가: 시공은 대림하고 한성 두 군데서 견적을 받았어요.",
    "나: 한성은 천사백, 대림은 천이백인데 6월에나 된대요.",
    "가: 6월은 너무 늦어요.",
    "다: 그럼 한성으로 하죠.",
    "나: 계약금은 얼마래요?",
    "가: 절반이요.",
    "다: 아니요, 60퍼센트예요.",
)
BUILDERS = (
    "A: We've had two builders look at it, Hughes and Parker.",
    "B: Hughes is fourteen thousand, Parker's twelve but can't start before June.",
    "A: June's too late for us.",
    "C: Then Hughes it is.",
    "B: And how much up front?",
    "A: They want half.",
    "C: It was 60 percent in the letter, not half.",
)
WATCH_KO = (
    "가: 워치 연동은 어떻게 됐어요?",
    "나: 심박수가 자꾸 끊겨요.",
    "다: 제조사에 물어봤는데 답이 없어요.",
    "가: 그럼 이번 버전에서는 빼요.",
    "나: 출시일은 그대로 이십칠 일이에요?",
    "가: 이십이 일로 당길 수 있을까요?",
    "다: 심사가 나흘 걸려서 빠듯해요. 이십사 일이면 가능해요.",
    "가: 그럼 이십사 일에 출시합시다.",
)
PARKING_KO = (
    "가: 주차권은요? 한 시간은 짧다고 하세요.",
    "나: 관리소에 두 시간짜리를 물어봤는데 한 장에 천오백 원이래요.",
    "다: 비싸네요. 그건 원장님께 여쭤보고 정해요.",
    "나: 제가 내일 여쭤볼게요.",
    "다: 네, 수고하셨어요. 양치하러 갑시다.",
)
OPENING_KO = (
    "가: 오픈은 다음 달 15일로 하죠.",
    "나: 15일은 소방 점검이 있어서 안 돼요.",
    "가: 그럼 17일로 합시다.",
    "나: 네.",
)
OPENING = (
    "A: Let's open on the 15th.",
    "B: The fire inspection is on the 15th, we can't.",
    "A: Then the 17th.",
    "B: Fine.",
)


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (BUILDERS_KO, "시공은 어디로 하기로 했어?", 4),
        (BUILDERS_KO, "계약금은 얼마야?", 7),
        (BUILDERS_KO, "왜 대림은 안 했어?", 2),
        (BUILDERS, "Which builder did we choose?", 4),
        (BUILDERS, "How much up front?", 7),
        (BUILDERS, "why not Parker?", 2),
        (WATCH_KO, "워치 연동은 어떻게 하기로 했어?", 4),
        (PARKING_KO, "주차권은 어떻게 됐어?", 3),
        (PARKING_KO, "원장님한테는 누가 물어봐?", 4),
        (OPENING_KO, "오픈은 언제야?", 3),
        (OPENING_KO, "왜 15일이 아니야?", 2),
        (OPENING, "when do we open?", 3),
        (OPENING, "why isn't it the 15th?", 2),
    ],
)
def test_the_latest_state_is_quoted(lines: tuple[str, ...], question: str, evidence: int) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert evidence in reply.evidence


@pytest.mark.parametrize(
    ("lines", "question", "evidence", "says"),
    [
        (OPENING_KO, "15일 아니었어?", {1, 3}, ("바뀌었", "바로잡")),
        (OPENING, "wasn't it the 15th?", {1, 3}, ("changed", "put right")),
        (OPENING_KO, "17일 아니야?", {3}, ("네",)),
        (OPENING, "isn't it the 17th?", {3}, ("Yes",)),
    ],
)
def test_a_day_without_a_subject_is_held_against_what_stands(
    lines: tuple[str, ...], question: str, evidence: set[int], says: tuple[str, ...]
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert evidence <= set(reply.evidence)
    assert any(word in reply.text for word in says)


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (("가: 도서관이 일요일 개관을 궁금해해요.", "나: 직원들한테 물어보기 전엔 대답 못 해요."), "일요일 개관하기로 했지?"),
        (
            ("A: The library wants to know about Sunday opening.", "B: We can't answer that before the staff."),
            "did we decide on Sunday opening?",
        ),
    ],
)  # fmt: skip
def test_what_was_only_talked_about_was_not_decided(lines: tuple[str, ...], question: str) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert "네, 그렇게" not in reply.text
    assert "Yes" not in reply.text


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (
            ("가: 필터 청소는 누가 챙깁니까?", "나: 제가 하겠습니다.", "다: 나 님은 재고 조사 있잖아요. 제가 할게요."),
            "필터 청소는 누가 해?",
            3,
        ),
        (
            ("A: Who cleans the filters?", "Bea: I'll do it.", "Cy: Bea, you've the stocktaking. I can do it."),
            "who cleans the filters?",
            3,
        ),
        (
            ("가: 금요일 당직 설 사람이 필요해요.", "나: 저는 목요일만 돼요.", "다: 금요일은 제가 할 수 있어요."),
            "금요일은 누가 맡아?",
            3,
        ),
        (
            ("A: We need somebody on Thursday and Friday.", "B: I'm away on Thursday.", "C: I can do Friday."),
            "Who covers Friday?",
            3,
        ),
    ],
)  # fmt: skip
def test_who_has_it_in_the_end(lines: tuple[str, ...], question: str, evidence: int) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert evidence in reply.evidence


@pytest.mark.parametrize(
    ("text", "name", "marked"),
    [
        ("다음은 전기 트럭입니다. 몇 대였죠?", "전기 트럭", True),
        ("미수금은 어떻게 됐어요?", "미수금", False),
        ("주차는요? 또 싸움 났다면서요.", "주차는", False),
        ("First item, the playground on Mill Lane.", "the playground on Mill Lane", True),
        ("Item three. Twenty miles an hour on Station Road.", "Twenty miles an hour on Station Road.", True),
        ("Good. Certification.", "Certification", False),
    ],
)
def test_what_the_talk_is_headed_by(text: str, name: str, marked: bool) -> None:
    found = heading_in(text)
    assert found is not None
    assert found.name.startswith(name)
    assert found.marked == marked


@pytest.mark.parametrize("text", ["스무 명이요.", "네, 제가 할게요.", "Sixty-one.", "Sure.", "I'll do it."])
def test_a_short_turn_is_no_heading(text: str) -> None:
    assert heading_in(text) is None


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (
            ("가: 세 번째는 통학로예요.", "나: 정문이 위험해요.", "다: 봉사자를 세우면 어때요?", "가: 그럼 두 명씩 세우는 걸로 합시다."),
            "통학로는 어떻게 하기로 했어?",
            4,
        ),
        (
            ("A: Item three. Speed on Station Road.", "B: There were four accidents.", "A: Then I propose a trial of six months.", "A: Two for, one against. It's carried."),
            "what did we decide about Station Road?",
            3,
        ),
    ],
)  # fmt: skip
def test_a_decision_is_about_what_it_was_headed_by(
    lines: tuple[str, ...], question: str, evidence: int
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert evidence in reply.evidence
    assert not reply.declined


def test_a_verb_weighs_less_than_what_is_done() -> None:
    asked = take_apart("who puts up the Christmas lights?")
    worth = dict(zip(asked.topic, asked.importance, strict=True))
    assert worth["lights"] == 1.0
    assert take_apart("who calls the contractor?").importance == (0.6, 1.0)


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            ("가: 회식은 언제 하나요?", "나: 다음 주 수요일이요. 장소는 다은 님이 골라 주세요.", "다: 고기 괜찮죠?", "나: 좋습니다. 그럼 여기까지 할게요."),
            "회식 장소는 누가 정해?",
        ),
        (
            ("A: When's the dinner?", "B: Next Wednesday. Dana, will you choose the place?", "C: Steak is fine, right?", "B: Good. Then that's it for today, then."),
            "When is the dinner?",
        ),
    ],
)  # fmt: skip
def test_the_end_of_the_meeting_settles_nothing_else(lines: tuple[str, ...], question: str) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert 4 not in reply.evidence
    assert 2 in reply.evidence
