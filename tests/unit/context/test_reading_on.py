"""A quote brings what stands behind it and belongs to it, and nothing else."""

from __future__ import annotations

import pytest

from context.answers import answer
from tests.unit.context.test_whole_meeting_answers import told


@pytest.mark.parametrize(
    ("question", "lines", "wanted"),
    [
        (
            "간식은 뭘 주기로 했어?",
            ["간식은 학부모회에서 준비한다고 들었는데요.", "올해는 못 한대요.", "그럼 물하고 빵으로 합시다."],
            3,
        ),
        (
            "화장실은 언제 고쳐?",
            ["2층 화장실이 또 막혔어요.", "설비 업체가 수요일 오전에 와요.", "네."],
            2,
        ),
        (
            "현수막은 누가 걸어?",
            ["현수막은 정문에 하나요. 나은 씨가 걸어 주세요.", "알겠습니다.", "좋아요."],
            2,
        ),
        (
            "what are we doing about the posters?",
            ["The posters came out too dark.", "We could reprint them.", "Okay, reprint them, then."],
            3,
        ),
        (
            "when is the boiler repaired?",
            ["The boiler is broken, it has to be repaired.", "The plumber comes on Wednesday.", "Okay."],
            2,
        ),
    ],
)
def test_what_was_named_first_and_settled_or_told_later_is_quoted(
    question: str, lines: list[str], wanted: int
) -> None:
    said = told(*(("정나은" if place % 2 else "Ben", line) for place, line in enumerate(lines)))
    assert wanted in answer(question, utterances=said).evidence


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "화장실은 언제 고쳐?",
            ["2층 화장실이 또 막혔어요.", "다음은 회식입니다.", "회식은 수요일로 합시다."],
        ),
        (
            "what's wrong with the boiler?",
            ["The boiler is leaking.", "Next item, the party.", "Let's have the party on Friday."],
        ),
        ("what's wrong with the boiler?", ["The boiler is leaking.", "Hm.", "Let's stop there, thanks all."]),
    ],
)
def test_what_is_said_of_another_matter_or_to_take_leave_is_not(question: str, lines: list[str]) -> None:
    said = told(*(("정나은" if place % 2 else "Ben", line) for place, line in enumerate(lines)))
    assert 3 not in answer(question, utterances=said).evidence


def test_never_more_than_four_utterances_are_quoted_with_it() -> None:
    lines = [f"The boiler number {n} leaks on the {n}th." for n in range(4, 9)] + ["Okay, the twelfth, then."]
    said = told(*(("Ana" if place % 2 else "Ben", line) for place, line in enumerate(lines)))
    assert len(answer("when does the boiler leak?", utterances=said).evidence) <= 4


@pytest.mark.parametrize(
    ("question", "line", "right"),
    [
        ("택배는 몇 상자 받기로 했어?", "택배는 구백 상자요. 아니, 팔백 상자가 맞겠네요.", "팔백 상자"),
        ("how many boxes do we ship?", "We ship ninety boxes. No, hang on, eighty boxes.", "eighty"),
    ],
)
def test_whoever_puts_themselves_right_is_quoted_with_it(question: str, line: str, right: str) -> None:
    said = told(("정나은", line), ("Ben", "네, 알겠어요. Okay."))
    assert right in answer(question, utterances=said).text


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("서버 비용은 누가 내?", ["서버 비용이 늘어요.", "누가 내죠?", "그건 아직 몰라요."]),
        ("who pays for the train?", ["The train has to be paid.", "Who pays?", "I don't know yet."]),
    ],
)
def test_what_is_not_known_yet_is_told(question: str, lines: list[str]) -> None:
    said = told(*(("정나은" if place % 2 else "Ben", line) for place, line in enumerate(lines)))
    assert 3 in answer(question, utterances=said).evidence


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("19일 아니었어?", ["송년회는 19일 금요일 괜찮아요?", "저는 18일이 나아요.", "그럼 18일로 하죠."]),
        ("wasn't it the twelfth?", ["We said the twelfth.", "That clashes.", "Fine, the nineteenth it is."]),
    ],
)
def test_a_figure_is_checked_against_how_its_talk_ended(question: str, lines: list[str]) -> None:
    said = told(*(("정나은" if place % 2 else "Ben", line) for place, line in enumerate(lines)))
    given = answer(question, utterances=said)
    assert 3 in given.evidence
    assert given.text.splitlines()[2].startswith(("아니요", "No"))


LAUNCH = [
    ("Anna", "Let's settle the release. I say we ship on November 20."),
    ("David", "Agreed. November 20 it is."),
    ("David", "I'll write the release notes by Friday."),
    ("Anna", "Great. Lucy, can you check the installer on Windows?"),
    ("Lucy", "Sure, I'll do that tomorrow."),
]
LAUNCH_KO = [
    ("김민지", "출시일부터 정하죠. 저는 11월 20일이 좋다고 봅니다."),
    ("박준호", "네, 11월 20일로 하시죠."),
    ("김민지", "좋습니다. 그럼 출시일은 11월 20일로 하겠습니다."),
    ("박준호", "릴리스 노트는 제가 금요일까지 쓰겠습니다."),
    ("이서연", "설치 프로그램은 제가 내일 확인할게요."),
]


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (LAUNCH, "When do we ship?", (1, 2)),
        (LAUNCH, "Who writes the release notes?", (3,)),
        (LAUNCH_KO, "출시일이 언제로 결정됐지?", (2, 3)),
        (LAUNCH_KO, "릴리스 노트는 누가 써?", (4,)),
    ],
)
def test_what_somebody_else_does_next_is_another_matter(
    lines: list[tuple[str, str]], question: str, evidence: tuple[int, ...]
) -> None:
    assert answer(question, utterances=told(*lines)).evidence == evidence
