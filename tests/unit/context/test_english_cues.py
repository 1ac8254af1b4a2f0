"""English sentences: results of votes, and work that is promised in passing."""

from __future__ import annotations

import pytest

from context.extractive import english_cues as english
from context.extractive import english_tasks as tasks
from context.extractive.english_forms import plain_form
from context.extractive.subjects import restates, supersedes


@pytest.mark.parametrize(
    "text",
    [
        "Amendment 2C is lost.",
        "So, there voted two in favour, four against, and amendment 7 is not agreed.",
        "The motion to adjourn is carried.",
        "The motion has been adopted.",
        "Clauses 4 to 9 are therefore agreed.",
    ],
)
def test_the_result_of_a_vote_is_a_decision(text: str) -> None:
    assert english.is_vote(plain_form(text))
    assert english.decides(plain_form(text))


@pytest.mark.parametrize(
    "text",
    [
        "If amendment 3 is not agreed, amendment 6 will fall.",
        "The question is that amendment 2C be agreed.",
        "Once the bill is passed, we can talk about money.",
        "The item that I was looking for is lost.",
    ],
)
def test_what_may_come_of_one_is_none(text: str) -> None:
    assert not english.decides(plain_form(text))


@pytest.mark.parametrize(
    "text",
    [
        "I'll have to look that up as well.",
        "You could provide a note to the committee on that.",
        "I'll drive down on Tuesday, then.",
        "Sure, I'll have it by Wednesday.",
    ],
)
def test_work_promised_in_passing(text: str) -> None:
    assert tasks.gives_task(plain_form(text), ())


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Amendment 2D is not agreed.", "Amendment 2C is not agreed."),
        ("수정안 2D는 부결되었습니다.", "수정안 2C는 부결되었습니다."),
        (
            "Four voted against, and amendment 2F is not agreed.",
            "Four voted against, and amendment 2G is not agreed.",
        ),
    ],
)
def test_amendments_of_other_numbers_are_other_decisions(new: str, old: str) -> None:
    assert not restates(new, old)
    assert not supersedes(new, old)
