"""Who answers whom, and who speaks right after whom, is told only of people whose words are on record."""

from __future__ import annotations

from typing import Any, Final

import jsonschema
import pytest

from context.events.erasure_target import Target
from context.events.privacy_events import ConsentTold
from context.export.document import document
from context.fold.meeting import Meeting
from tests.unit.context.documents import SCHEMA
from tests.unit.context.lives import TIGHT, state
from tests.unit.context.meetings import spoken
from tests.unit.context.recorded_meetings import OPS, meeting_of

_Pairs = dict[str, dict[str, int]]
TALKS: Final = {
    "ko": (
        ("minji", "배포는 언제 합니까?"), ("ben", "월요일에 합니다."), ("hana", "누가 준비합니까?"),
        ("minji", "제가 준비하겠습니다."), ("ben", "테스트는 누가 합니까?"), ("hana", "제가 하겠습니다."),
    ),
    "en": (
        ("minji", "When do we deploy?"), ("ben", "On Monday."), ("hana", "Who prepares it?"),
        ("minji", "I will prepare it."), ("ben", "Who tests it?"), ("hana", "I will."),
    ),
}  # fmt: skip
each_language = pytest.mark.parametrize("language", ["ko", "en"])


def pairs(meeting: Meeting) -> tuple[_Pairs, _Pairs]:
    """Whose questions each answered, and right after whom each spoke; of those who did neither nothing."""
    told: dict[str, Any] = document(meeting)
    jsonschema.validate(told, SCHEMA)
    stats = {person["id"]: person["stats"] for person in told["participants"]}
    answers, follows = (
        {who: each[name] for who, each in stats.items() if each[name]} for name in ("answers_to", "follows")
    )
    return answers, follows


ALL: Final = (
    {"minji": {"hana": 1}, "ben": {"minji": 1}, "hana": {"ben": 1}},
    {"minji": {"hana": 1}, "ben": {"minji": 2}, "hana": {"ben": 2}},
)
WITHOUT_BEN: Final = ({"minji": {"hana": 1}}, {"minji": {"hana": 1}})


@each_language
def test_all_are_told_of_and_so_they_are_after_a_restore(language: str) -> None:
    meeting = meeting_of(*TALKS[language]).meeting
    assert pairs(meeting) == ALL
    restored = Meeting.restore("m", TIGHT, meeting.snapshot(), meeting.utterances)
    assert pairs(restored) == ALL


@each_language
def test_from_three_answers_on_it_is_told_who_answered_whom_most(language: str) -> None:
    question, answer = TALKS[language][:2]
    talk = [line for n in range(12) for line in (question, (f"p{n}", answer[1]))]
    assert "exchanges" not in document(meeting_of(*talk[:4]).meeting)
    told = document(meeting_of(*talk, question, ("p11", answer[1])).meeting)
    jsonschema.validate(told, SCHEMA)
    pairs, more = told["exchanges"]["pairs"], told["exchanges"]["more"]
    assert pairs[0] == {"id": "p11", "other": "minji", "answers": 2, "follows": 2}
    assert [pair["id"] for pair in pairs[1:]] == [f"p{n}" for n in range(7)]
    assert more == 4


@each_language
def test_who_is_erased_is_gone_from_it_and_comes_back_with_new_words_alone(language: str) -> None:
    meeting = meeting_of(*TALKS[language])
    meeting.erase(Target(what="person", person="ben"))
    assert pairs(meeting.meeting) == WITHOUT_BEN
    assert meeting.meeting.speakers.speaker_stats["ben"].talk_ms == 8_000, "how long somebody spoke stays"
    meeting.fold(spoken(7, TALKS[language][1][1], "ben"))
    answers, follows = pairs(meeting.meeting)
    assert answers == WITHOUT_BEN[0]
    assert follows == {**WITHOUT_BEN[1], "ben": {"hana": 1}}
    assert state(meeting.replayed()) == state(meeting.meeting)


@each_language
def test_what_was_asked_in_erased_words_is_not_answered_afterwards(language: str) -> None:
    meeting = meeting_of(*TALKS[language][:5])
    meeting.erase(Target(what="person", person="ben"))
    meeting.fold(spoken(6, TALKS[language][5][1], "hana"))
    assert pairs(meeting.meeting) == WITHOUT_BEN


@each_language
def test_hidden_words_tell_nothing_until_they_are_shown_again(language: str) -> None:
    meeting = meeting_of(*TALKS[language])
    meeting.erase(Target(what="stretch", person="hana", since_ms=0, others="hide"))
    assert pairs(meeting.meeting) == ({}, {})
    meeting.show([1, 2, 4, 5], OPS)
    assert pairs(meeting.meeting) == ({"ben": {"minji": 1}}, {"ben": {"minji": 2}})
    assert state(meeting.replayed()) == state(meeting.meeting)


@each_language
def test_who_refuses_to_be_heard_is_gone_from_it_until_they_agree(language: str) -> None:
    meeting = meeting_of(*TALKS[language])
    meeting.fold(ConsentTold(participant_id="ben", agreed=False, how="chat", at_ms=40_000))
    assert pairs(meeting.meeting) == WITHOUT_BEN
    meeting.fold(ConsentTold(participant_id="ben", agreed=True, how="chat", at_ms=50_000))
    assert pairs(meeting.meeting) == ALL


@each_language
def test_a_snapshot_that_still_holds_the_newest_lines_of_each_is_read(language: str) -> None:
    meeting = meeting_of(*TALKS[language]).meeting
    now = meeting.snapshot()
    assert "buffers" not in now["speakers"], "they are taken from the archive for whoever asks"
    older = {
        **now,
        "speakers": {**now["speakers"], "buffers": {"minji": [1, 4], "ben": [2, 5], "hana": [3, 6]}},
    }
    restored = Meeting.restore("m", TIGHT, older, meeting.utterances)
    assert restored.snapshot() == now
    assert restored.speakers.speaker_buffers == meeting.speakers.speaker_buffers
    for both in (meeting, restored):
        both.receive(spoken(7, TALKS[language][1][1], "ben"))
    assert restored.snapshot() == meeting.snapshot()
