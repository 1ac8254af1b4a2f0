"""Questions in other words than the meeting's: synonyms, what a question word asks for, what a decision closes."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.models import Utterance
from context.retrieval.questions import coverage, take_apart
from tests.unit.context.samples import utter


def talk(*lines: str) -> list[Utterance]:
    """`speaker: text`, an utterance each."""
    return [utter(place, *line.split(": ", 1)) for place, line in enumerate(lines, 1)]


@pytest.mark.parametrize(
    ("question", "said", "other"),
    [
        ("텐트는 누가 챙겨?", "그늘막 두 개를 챙기겠습니다", "그늘이 없어서 두 개를 챙기겠습니다"),
        ("우천 시에는 어떻게 해?", "비 오면 강당에서 합니다", "비용은 강당에서 냅니다"),
        ("when did the outage begin?", "the incident started at nine", "the internet stalled at nine"),
        ("which venue is cheaper?", "that location is cheaper", "that relocation is cheaper"),
    ],
)
def test_a_synonym_covers_nearly_as_much_as_the_word(question: str, said: str, other: str) -> None:
    asked = take_apart(question)
    assert 0.4 <= coverage(asked, said) <= 1.0
    assert coverage(asked, said) > coverage(asked, other)


@pytest.mark.parametrize(
    ("question", "lines", "evidence"),
    [
        (
            "아드님한테 연락은 누가 하기로 했지?",
            ("가: 회의실 책상이 모자라요.", "나: 제가 두 개 가져올게요.", "가: 아들한테는 제가 전화할게요."),
            (3,),
        ),
        (
            "who is going to purchase the chairs?",
            ("A: The heating is off again.", "B: I'll look at it.", "A: I'll buy the chairs tomorrow."),
            (3,),
        ),
    ],
)
def test_synonyms_find_the_line(question: str, lines: tuple[str, ...], evidence: tuple[int, ...]) -> None:
    assert answer(question, utterances=talk(*lines)).evidence == evidence
