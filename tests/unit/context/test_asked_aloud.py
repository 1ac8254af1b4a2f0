"""The same question asked in the meeting leaves its subject to the talk; a reason is not told before a heading."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.retrieval.questions import coverage, take_apart
from tests.unit.context.test_other_words import talk

TRAILER = (
    "A: Last thing, the shop page. We still don't have a trailer.",
    "B: I can cut one on Monday.",
    "A: Fine. Sixty seconds, no logo at the start.",
    "B: Why no logo?",
    "A: People click away in the first three seconds.",
)
TRAILER_KO = (
    "가: 마지막으로 상점 페이지요. 예고편이 아직 없어요.",
    "나: 월요일에 하나 만들 수 있어요.",
    "가: 좋아요. 육십 초로 하고 첫 화면에 로고는 넣지 마세요.",
    "나: 로고는 왜요?",
    "가: 사람들이 삼 초 안에 나가 버리니까요.",
)
FLAT = (
    "A: Next one's the empty flat, 3B.",
    "B: We had nine letters, and I've picked two families.",
    "A: And the boiler is new now, so that was money well spent.",
    "C: It's quieter, too, the old one kept everybody awake.",
    "B: Yes, thank goodness.",
    "A: Who's doing the interviews?",
    "C: Leave it with me.",
)


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (TRAILER, "Why is there no logo in the trailer?", 5),
        (TRAILER_KO, "예고편에 로고는 왜 안 넣어?", 5),
        (FLAT, "Who does the interviews for 3B?", 7),
    ],
)
def test_a_question_in_the_meeting_with_the_askers_words_is_on_their_subject(
    lines: tuple[str, ...], question: str, evidence: int
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert evidence in reply.evidence


@pytest.mark.parametrize(
    ("lines", "question", "not_told"),
    [
        (
            (
                "A: I'm in a café, so it may be too loud.",
                "B: Fine.",
                "A: Next, the last film. Did you see the views?",
                "B: The views went up because of the new picture.",
            ),
            "Why did the views go up?",
            "café",
        ),
        (
            (
                "가: 저 지금 카페라 너무 시끄러울 수 있어요.",
                "나: 네.",
                "가: 다음은 지난 영상입니다. 조회수 봤어요?",
                "나: 사진을 바꾸고 나서 조회수가 올랐어요.",
            ),
            "조회수는 왜 올랐어?",
            "카페",
        ),
    ],
)
def test_no_reason_is_told_before_the_matter_was_announced(
    lines: tuple[str, ...], question: str, not_told: str
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert 4 in reply.evidence
    assert not_told not in reply.text


@pytest.mark.parametrize(
    ("question", "topic", "kind"),
    [
        ("협찬 거절은 누가 해?", ("협찬", "거절"), "who"),
        ("교육은 며칠 걸려?", ("교육", "걸려"), "how_much"),
        ("다음 모임은 며칠이야?", ("다음", "모임"), "when"),
        ("What's the rent for 3B?", ("rent", "3"), "how_much"),
        ("Where is stand B14?", ("stand", "14"), "where"),
    ],
)
def test_what_is_asked_about_is_read_whole(question: str, topic: tuple[str, ...], kind: str) -> None:
    asked = take_apart(question)
    assert asked.topic == topic
    assert asked.kind == kind


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why did the roof rot?", "The roof rotted."),
        ("When is the run?", "We're running it on Friday."),
        ("Who goes to the fair?", "Marek went to the fair."),
    ],
)
def test_another_form_of_a_verb_is_the_verb(question: str, said: str) -> None:
    assert coverage(take_apart(question), said) >= 0.8


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            (
                "A: Billing goes last, on the 21st.",
                "B: We can switch the old cluster off two weeks after billing has moved.",
                "A: Agreed, let's do that.",
            ),
            "When do we move billing?",
        ),
        (
            (
                "가: 결제 서버는 21일에 옮깁시다.",
                "나: 결제 서버 옮기고 나서 이 주 뒤 월요일에 예전 장비를 끕시다.",
                "가: 네, 그렇게 하죠.",
            ),
            "결제 서버는 언제 옮겨?",
        ),
    ],
)
def test_what_is_done_after_a_matter_does_not_tell_the_matters_day(
    lines: tuple[str, ...], question: str
) -> None:
    assert answer(question, utterances=talk(*lines)).evidence[0] == 1
