"""What people put right stays so: in the talk, in what rests on it, through a restore and a replay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from context.events.corrections import Fix, PersonFix, StatementFix, TermFix, TopicFix, UtteranceFix
from context.events.effects import PublishCorrected, PublishTopic, Summarise
from context.events.events import Corrected, Event, MeetingEnded, ParticipantJoined
from context.events.topic_events import SummaryReady
from context.export.document import document
from context.fold.meeting import Meeting
from context.models import Statement, Summary
from tests.unit.cases import cases
from tests.unit.context.meetings import met, newer, of, ready, run, spoken, talk


def after(events: list[Event]) -> Meeting:
    """The meeting; a successor's, from a snapshot and the turns as they were heard, is the same."""
    whole, heard = met(*events), met(*(event for event in events if not isinstance(event, Corrected)))
    stored = json.loads(json.dumps(whole.snapshot()))
    assert document(Meeting.restore("m", None, stored, heard.utterances)) == document(whole)
    return whole


def corrected(fix: Fix, number: int = 1) -> Corrected:
    return Corrected(id=f"c{number}", by="김민지", at_ms=9_000, fix=fix)


def reworded(number: int, text: str) -> Corrected:
    return corrected(UtteranceFix(of="utterance", utterance=number, text=text, was="?"))


def edited(**changes: object) -> Corrected:
    which = {"of": "statement", "topic": "t1", "list": "decisions", "evidence": (2,), "was": DECIDED.text}
    return corrected(StatementFix.model_validate({**which, **changes}))


DECIDED = Statement(text="금요일에 출시합니다.", evidence=(2,), status="decided")


def summarised(effect: Summarise, *decisions: Statement) -> SummaryReady:
    return ready(effect, Summary(text="요약.", decisions=decisions))


def summarised_again(meeting: Meeting, *decisions: Statement, **more: Any) -> None:
    """Fold a newer summary of the first topic."""
    meeting.receive(newer(meeting.segments[0], Summary(text="요약.", decisions=decisions), **more))


def meeting_with_a_decision() -> Meeting:
    meeting = met(*talk(12), summarise=False)
    (asked,) = of(Summarise, meeting.receive(MeetingEnded(at_ms=99_000, reason="x")))
    meeting.receive(summarised(asked, DECIDED))
    assert meeting.segments[0].notes.decisions == (DECIDED,)
    return meeting


@pytest.mark.parametrize(
    "text", ["서버 비용은 지난해보다 줄었습니다.", "The server costs less than last year."]
)
def test_words_are_shown_as_they_were_put_right_and_kept_as_they_were_heard(text: str) -> None:
    meeting = met(*talk(3))
    heard = meeting.utterances[1].text
    (shown, *_) = of(PublishCorrected, meeting.receive(reworded(2, text)))
    assert shown.utterance.text == text
    row = document(meeting)["utterances"][1]
    assert (row["text"], row["heard"], row["corrected_by"]) == (text, heard, "김민지")
    assert meeting.receive(reworded(2, text)) == [], "so it is already"
    meeting.receive(reworded(2, "한 번 더."))
    assert document(meeting)["utterances"][1]["heard"] == heard


def test_what_rested_on_the_words_is_made_again() -> None:
    meeting = meeting_with_a_decision()
    version = meeting.segments[0].version
    effects = meeting.receive(reworded(2, "월요일에 출시합니다."))
    assert meeting.segments[0].notes.decisions == (), "it rested on what was not said"
    (again,) = of(Summarise, effects)
    assert (again.reason, again.version) == ("correction", version + 2)
    assert [u.text for u in again.utterances][:1] == ["월요일에 출시합니다."]
    stale = summarised(again, DECIDED).model_copy(update={"version": version + 1})
    assert meeting.receive(stale) == [], "made of the old words"
    monday = DECIDED.model_copy(update={"text": "월요일에 출시합니다."})
    meeting.receive(summarised(again, monday))
    assert meeting.segments[0].notes.decisions == (monday,)


@cases
def test_no_engine_takes_back_what_was_edited(
    change: dict[str, str], left: tuple[str, str, str | None] | None
) -> None:
    meeting = meeting_with_a_decision()
    assert of(PublishTopic, meeting.receive(edited(**change)))
    for _ in range(2):
        found = [(each.text, each.status, each.owner) for each in meeting.segments[0].notes.decisions]
        assert found == ([] if left is None else [left])
        if left is not None:
            assert meeting.segments[0].notes.decisions[0].corrected_by == "김민지"
        summarised_again(meeting, DECIDED)
        summarised_again(meeting)  # leaves it out


def test_a_name_holds_for_what_was_said_and_for_what_will_be() -> None:
    meeting = met(*talk(3))
    meeting.receive(corrected(PersonFix(of="person", person="a", name="박지훈")))
    run(meeting, [ParticipantJoined(participant_id="a", name="phone-1", at_ms=1), spoken(9, "네.", "a")])
    assert {u.speaker_name for u in meeting.utterances if u.speaker_id == "a"} == {"박지훈"}
    assert {p["id"]: p["name"] for p in document(meeting)["participants"]}["a"] == "박지훈"


def test_a_topic_keeps_the_name_that_somebody_gave_it() -> None:
    meeting = meeting_with_a_decision()
    meeting.receive(corrected(TopicFix(of="topic", topic="t1", name="서버")))
    summarised_again(meeting, topic_name="비용")
    assert meeting.segments[0].name == "서버"
    assert {u.topic for u in meeting.utterances} == {"서버"}


@pytest.mark.parametrize(
    "fix",
    [
        UtteranceFix(of="utterance", utterance=99, text="x"),
        UtteranceFix(of="utterance", utterance=0, text="x"),
        PersonFix(of="person", person="nobody", name="x"),
        TopicFix(of="topic", topic="t9", name="x"),
        StatementFix(of="statement", topic="t9", list="pending", evidence=(1,), was="x"),
    ],
)
def test_what_there_is_not_is_passed_over(fix: Fix) -> None:
    assert met(*talk(3)).receive(corrected(fix)) == []


@pytest.mark.parametrize(
    ("heard", "meant", "lines", "right"),
    [
        ("출시", "출하", ["출시일은 금요일", "출시가 늦다", "예산"], ["출하일은 금요일", "출하가 늦다", "예산"]),
        ("pay gate", "PayGate", ["The pay gate is down", "Pay gate?", "gateway"], ["The PayGate is down", "PayGate?", "gateway"]),
        ("ACL", "ASIL", ["The ACL", "acls", "MACLE"], ["The ASIL", "acls", "MACLE"]),
        ("지훈", "박지훈", ["지훈 씨가 합니다", "박지훈 씨요", "예산"], ["박지훈 씨가 합니다", "박지훈 씨요", "예산"]),
        ("kim", "Kim Lee", ["Kim does it", "Kim Lee, kim?", "kimono"], ["Kim Lee does it", "Kim Lee, Kim Lee?", "kimono"]),
    ],
)  # fmt: skip
def test_a_term_is_put_right_wherever_it_stands(
    heard: str, meant: str, lines: list[str], right: list[str]
) -> None:
    said: list[Event] = [spoken(number, text) for number, text in enumerate(lines, 1)]
    meeting = after([*said, corrected(TermFix(of="term", heard=heard, meant=meant))])
    assert [each.text for each in meeting.utterances] == right
    assert meeting.corrections.terms == [meant]
    again = corrected(TermFix(of="term", heard=heard, meant=meant), 2)
    assert of(PublishCorrected, meeting.receive(again)) == [], "for later lines it may be said once more"


@pytest.mark.parametrize("names", [("김민지", "전화 참가자"), ("Alice", "Dial-in")])
def test_two_participants_who_are_one_count_as_one(names: tuple[str, str]) -> None:
    people = zip("ab", names, strict=True)
    joined: list[Event] = [ParticipantJoined(participant_id=id_, name=name, at_ms=0) for id_, name in people]
    meeting = after(
        [
            *joined,
            spoken(1, "Hello", "a", start_ms=0),
            spoken(2, "Hi", "b", start_ms=5_000),
            corrected(PersonFix(of="person", person="b", name=names[0], into="a")),
            spoken(3, "Once more", "b", start_ms=10_000),
        ]
    )
    shape = document(meeting)
    assert [(row["id"], row["stats"]["turns"]) for row in shape["participants"]] == [("a", 3)]
    assert {row["speaker"] for row in shape["utterances"]} == {"a"}
    assert {each.speaker_name for each in meeting.utterances[1:]} == {names[0]}
    assert meeting.receive(corrected(PersonFix(of="person", person="a", name="x", into="b"))) == [], (
        "no circle"
    )


def test_a_participant_who_was_said_to_be_the_wrong_one_can_be_said_to_be_another() -> None:
    people: list[Event] = [ParticipantJoined(participant_id=id_, name=id_, at_ms=0) for id_ in "abc"]
    said: list[Event] = [spoken(number, "Hello", id_) for number, id_ in enumerate("abc", 1)]
    wrong = corrected(PersonFix(of="person", person="b", name="a", into="a"))
    right = corrected(PersonFix(of="person", person="b", name="c", into="c"), 2)
    meeting = after([*people, *said, wrong, spoken(4, "And", "b"), right, spoken(5, "so on", "b")])
    assert [each.speaker_id for each in meeting.utterances] == ["a", "c", "c", "c", "c"]
    back = PersonFix(of="person", person="c", name="a", into="a")
    shown = of(PublishCorrected, meeting.receive(corrected(back, 3)))
    assert [each.utterance.id for each in shown] == [2, 3, 4, 5]


@pytest.mark.parametrize("text", ["동의합니다.", "I agree."])
def test_a_line_in_a_room_of_several_is_given_to_who_said_it(text: str) -> None:
    fix = UtteranceFix(of="utterance", utterance=3, text=text, was=text, speaker="ben")
    meeting = after(
        [spoken(1, "회의실", "room"), spoken(2, "Ben", "ben"), spoken(3, text, "room"), corrected(fix)]
    )
    assert [each.speaker_id for each in meeting.utterances] == ["room", "ben", "ben"]
    turns = {row["id"]: row["stats"]["turns"] for row in document(meeting)["participants"]}
    assert turns == {"room": 1, "ben": 2}
    nobody = UtteranceFix(of="utterance", utterance=1, text="회의실", speaker="nobody")
    assert meeting.receive(corrected(nobody)) == []
