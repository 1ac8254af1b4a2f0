"""What a meeting can answer at all: Korean and English, own and foreign questions, names, sounds."""

from __future__ import annotations

import pytest

from context.corpora.answerable import verdict
from context.corpora.hearing import heard
from context.retrieval.lexical import LexicalIndex
from tests.unit.context.asked import answer
from tests.unit.corpora.lines import said

BUDGET_KO = [
    ("민지", "내년 예산 이야기를 해 보죠. 마케팅 예산은 이억 원을 요청했습니다."),
    ("준호", "서버 비용은 지난해보다 삼십 퍼센트 늘었습니다."),
    ("민지", "서버 비용을 줄이려면 캐시를 도입해야 합니다."),
    ("하나", "마케팅 예산은 일억 팔천만 원으로 확정합니다."),
]
REMOTE_EN = [
    ("Project Manager", "So the remote control should have fewer buttons, I think."),
    ("Marketing", "The market survey says that people lose their remote control all the time."),
    ("Project Manager", "Let's put a locator in the base, then they find it."),
    ("Marketing", "And the battery has to last for a year."),
]


@pytest.mark.parametrize(
    ("lines", "own", "foreign"),
    [
        (BUDGET_KO, "마케팅 예산은 얼마로 확정했어?", "야간 진료 연장은 언제부터야?"),
        (BUDGET_KO, "서버 비용은 왜 줄여야 해?", "위장전입 의혹에 대한 답변이 뭐였죠?"),
        (
            REMOTE_EN,
            "What did Marketing say about the battery?",
            "What did Kirsty Williams say about teacher training?",
        ),
        (
            REMOTE_EN,
            "How many buttons should the remote have?",
            "Summarize the debate about long-term care facilities.",
        ),
    ],
)
def test_own_questions_are_heard_and_foreign_ones_declined(
    lines: list[tuple[str, str]], own: str, foreign: str
) -> None:
    meeting = said(lines)
    index = LexicalIndex(meeting)
    assert verdict(own, index).answerable
    assert not verdict(foreign, index).answerable
    reply = answer(foreign, utterances=meeting)
    assert reply.certainty != "answer"
    assert not answer(own, utterances=meeting).declined


def test_without_a_subject_there_is_nothing_to_decline_by() -> None:
    assert verdict("What was discussed?", LexicalIndex(said(REMOTE_EN))).answerable
    assert verdict("뭐라고 했어?", LexicalIndex(said(BUDGET_KO))).answerable


def test_an_empty_meeting_has_heard_nothing() -> None:
    assert not verdict("What about the budget?", LexicalIndex()).answerable
    assert not verdict("예산이 얼마야?", LexicalIndex()).answerable


def test_as_of_a_moment() -> None:
    index = LexicalIndex(said(REMOTE_EN))
    assert not verdict("What did Marketing say about the battery?", index, 1).answerable
    assert verdict("What did Marketing say about the battery?", index).answerable


def test_whoever_was_not_there_is_missed() -> None:
    index = LexicalIndex(said(REMOTE_EN))
    there = heard("What did Marketing think of the buttons?", index)
    missing = heard("What did Kirsty Williams think of the buttons?", index)
    assert there.whole.tolist() != missing.whole.tolist()
    assert verdict("What did Marketing think of the buttons?", index).score > (
        verdict("What did Kirsty Williams think of the buttons?", index).score
    )
