"""The next item of a list, named without a verb, is announced; a turn to speak or a date is not."""

from __future__ import annotations

import pytest

from context.topics.cues import find


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("좋아요. 다음은 작은도서관 운영 시간.", "작은도서관 운영 시간"),
        ("다음은 뽑기 확률요. 지금 1.2퍼센트인데.", "뽑기 확률"),
        ("자 다음, 배달. 수수료가 올랐어요.", "배달"),
        ("고맙습니다. 다음으로 넘어가서, 화단 가꾸기요.", "화단 가꾸기"),
        ("고마워요. 다음, 인계 시간 문제요.", "인계 시간"),
        ("Please. Next thing, the reviewer comments on the paper.", "reviewer comments on the paper"),
        ("Ta. So, the crane. Did the licence come through?", "crane"),
        ("Last one, the volunteer policy.", "volunteer policy"),
    ],
)
def test_an_item_without_a_verb_announces_a_topic(text: str, name: str) -> None:
    cue = find(text)
    assert cue is not None
    assert (cue.strength, cue.name) == ("strong", name)


@pytest.mark.parametrize(
    "text",
    [
        "다음은 김현 위원님 질의해 주십시오.",
        "다음은 제가 할게요.",
        "다음은 좀 어렵네요.",
        "다음 주에 하죠.",
        "그냥 넘어가서, 문제가 됐어요.",
        "끝으로 감사 인사를 드립니다.",
        "So , the idea is",
        "Another thing, I think we agree.",
    ],
)
def test_whose_turn_it_is_announces_none(text: str) -> None:
    cue = find(text)
    assert cue is None or cue.strength == "weak"
