"""What a dead job took out of a meeting is taken out again, of whatever the meeting is by then."""

from __future__ import annotations

import pytest

from context.erasure.erasing import erased
from context.erasure.target import Target
from context.events import MeetingStarted
from context.meeting import Meeting
from tests.unit.context.meetings import START, run, spoken
from worker.meeting.discretion import erased_again


@pytest.mark.parametrize(
    ("secret", "others"),
    [
        ("제 연봉은 팔천만 원입니다.", "출시일은 삼월입니다."),
        ("My salary is eighty.", "We release in March."),
    ],
)
def test_turns_are_known_by_their_keys_where_another_holder_has_counted_on(secret: str, others: str) -> None:
    dead, living = Meeting("m"), Meeting("m")
    run(dead, [MeetingStarted(at=START), spoken(1, secret, "a")])
    made = erased(dead, Target(what="utterances", utterances=(1,)), id_="x", by="a", at_ms=9_000)
    assert made is not None
    run(living, [MeetingStarted(at=START), spoken(2, others, "b"), spoken(1, secret, "a")])
    again = erased_again(living, made[0])
    assert again is not None
    living.receive(again)
    assert [each.text for each in living.utterances] == [others, ""]
    assert erased_again(living, made[0]) is None


def test_a_turn_that_is_not_there_is_not_taken_for_another() -> None:
    dead, living = Meeting("m"), Meeting("m")
    run(dead, [MeetingStarted(at=START), spoken(1, "비밀", "a")])
    made = erased(dead, Target(what="utterances", utterances=(1,)), id_="x", by="a", at_ms=9_000)
    assert made is not None
    run(living, [MeetingStarted(at=START), spoken(2, "We release in March.", "b")])
    assert erased_again(living, made[0]) is None
