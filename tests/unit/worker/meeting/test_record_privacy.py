"""What may be recorded of people's words, and what a dead job took out of a meeting taken out again."""

from __future__ import annotations

import pytest

from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import Event, MeetingStarted, UtteranceSpoken
from context.events.privacy_events import RecordingPaused, RecordingResumed
from context.fold.meeting import Meeting
from tests.unit.context.meetings import START, run, spoken
from worker.meeting.record_privacy import erased_again, recordable

PAUSED = RecordingPaused(by="b", at_ms=4_000, off_the_record=True)


@pytest.mark.parametrize("then", [[], [RecordingResumed(by="b", at_ms=9_000)]])
@pytest.mark.parametrize("secret", ["제 연봉은 팔천만 원입니다.", "My salary is eighty."])
def test_what_was_said_off_the_record_is_recorded_without_its_words(then: list[Event], secret: str) -> None:
    meeting = Meeting("m")
    run(meeting, [MeetingStarted(at=START), spoken(0, "before", "a"), PAUSED, *then])
    off_the_record = spoken(1, secret, "a")
    assert recordable(off_the_record, meeting, str.upper) == off_the_record.model_copy(update={"text": ""})
    for counts in (
        spoken(0, "before", "a"),
        spoken(1, "known", "a", key="k0"),
        spoken(2, "on", "a", start_ms=-1),
    ):
        assert recordable(counts, meeting, str.upper).text == counts.text.upper()


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ("010-1234-5678이고 출시는 12일입니다.", "12일"),
        ("Call 010-1234-5678, and we ship on the 12th.", "12th"),
    ],
)
def test_a_figure_in_doubt_keeps_its_mark_behind_a_masked_number(said: str, figure: str) -> None:
    meeting = Meeting("m")
    at = said.index(figure)
    event = spoken(0, said, "a", doubtful=((at, at + len(figure)),))
    recorded = recordable(event, meeting, lambda text: text.replace("010-1234-5678", "[number]"))
    assert isinstance(recorded, UtteranceSpoken)
    assert [recorded.text[start:end] for start, end in recorded.doubtful] == [figure]
    run(meeting, [MeetingStarted(at=START), PAUSED])
    off_the_record = event.model_copy(update={"start_ms": 5_000, "end_ms": 6_000})
    assert recordable(off_the_record, meeting, str.upper) == off_the_record.model_copy(
        update={"text": "", "doubtful": ()}
    )


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
    made = erased(
        dead, Target(what="utterances", utterances=(1,)), id_="x", actor=operator("ops"), by="a", at_ms=9_000
    )
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
    made = erased(
        dead, Target(what="utterances", utterances=(1,)), id_="x", actor=operator("ops"), by="a", at_ms=9_000
    )
    assert made is not None
    run(living, [MeetingStarted(at=START), spoken(2, "We release in March.", "b")])
    assert erased_again(living, made[0]) is None
