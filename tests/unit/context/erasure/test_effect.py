"""Whether an erasure would take anything out: words, questions, or what may still be under way."""

from __future__ import annotations

import pytest

from context.erasure.erasure_effect import takes_out
from context.events.erasure_target import Target
from context.events.events import AnswerDropped, ParticipantJoined, ParticipantLeft
from context.events.privacy_events import ConsentTold
from tests.unit.context.meetings import asked
from tests.unit.context.recorded_meetings import Told, meeting_of

BEN = Target(what="person", person="ben")


def off(at_ms: int) -> Target:
    return Target(what="stretch", person="ben", since_ms=0, until_ms=at_ms, others="hide")


@pytest.mark.parametrize("text", ["시작합시다.", "Let us begin."])
def test_words_of_nobody_are_nothing(text: str) -> None:
    meeting = meeting_of(("minji", text)).meeting
    assert takes_out(meeting, Target(what="person", person="minji"), at_ms=50_000)
    assert not takes_out(meeting, BEN, at_ms=50_000)
    assert not takes_out(meeting, Target(what="utterances", utterances=(99_999,)), at_ms=50_000)


def no(told: Told, at_ms: int) -> None:
    told.fold(ConsentTold(participant_id="ben", agreed=False, how="chat", at_ms=at_ms))


def test_who_was_never_there_has_nothing_under_way_whatever_they_say() -> None:
    told = meeting_of(("minji", "하나"))
    no(told, 20_000)
    assert not takes_out(told.meeting, BEN, at_ms=20_001)


def test_the_first_words_of_somebody_who_is_there_may_be_under_way_once() -> None:
    told = meeting_of(("minji", "one"))
    told.fold(ParticipantJoined(participant_id="ben", name="Ben", at_ms=0))
    assert takes_out(told.meeting, BEN, at_ms=20_000)
    no(told, 20_000)
    told.erase(BEN, "e1", at_ms=20_001)
    assert not takes_out(told.meeting, BEN, at_ms=20_500), "they are not heard since"
    told.fold(ConsentTold(participant_id="ben", agreed=True, how="chat", at_ms=30_000))
    no(told, 31_000)
    assert takes_out(told.meeting, BEN, at_ms=31_001)


def test_the_last_words_of_somebody_who_left_have_come_after_a_minute() -> None:
    told = meeting_of(("minji", "one"))
    told.fold(ParticipantJoined(participant_id="ben", name="Ben", at_ms=0))
    told.fold(ParticipantLeft(participant_id="ben", at_ms=10_000))
    assert takes_out(told.meeting, BEN, at_ms=20_000)
    assert not takes_out(told.meeting, BEN, at_ms=80_000)


def test_a_question_is_something() -> None:
    told = meeting_of(("minji", "하나"))
    told.fold(asked(1, by="ben"))
    assert takes_out(told.meeting, BEN, at_ms=50_000)
    told.erase(BEN, "e1", at_ms=50_000)
    assert not takes_out(told.meeting, BEN, at_ms=50_001)


@pytest.mark.parametrize("text", ["출시일이 언제죠?", "When is the release?"])
def test_what_others_asked_in_vain_is_nothing_of_theirs(text: str) -> None:
    told = meeting_of(("minji", "하나"))
    told.fold(asked(1, text, by="minji"))
    told.fold(AnswerDropped(invocation_id="q1", why="failed", at_ms=2_000))
    assert not takes_out(told.meeting, BEN, at_ms=50_000)
    assert takes_out(told.meeting, Target(what="person", person="minji"), at_ms=50_000)


def test_the_same_minutes_are_taken_back_once() -> None:
    told = meeting_of(("minji", "하나"), ("ben", "둘"))
    told.fold(ParticipantJoined(participant_id="minji", name="Minji", at_ms=0))
    assert takes_out(told.meeting, off(40_000), at_ms=40_000)
    told.erase(off(40_000), "e1", at_ms=40_000)
    assert not takes_out(told.meeting, off(40_000), at_ms=41_000)
    assert takes_out(told.meeting, off(60_000), at_ms=60_000), "somebody may be speaking"
