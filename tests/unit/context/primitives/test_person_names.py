"""Nobody is shown under a name that another one, or the agent, bears already."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from context.config import ContextConfig
from context.events.corrections import PersonFix
from context.events.events import (
    Corrected,
    Event,
    MeetingStarted,
    ParticipantJoined,
    ParticipantLeft,
    UtteranceSpoken,
)
from context.fold.meeting import Meeting
from context.fold.snapshot import dump, load
from context.primitives.person_names import canonical, names_of_agent, told_apart


@pytest.mark.parametrize(
    "alike",
    [
        [
            "Moim",
            "moim",
            "ＭＯＩＭ",
            "M o i m",
            "Mo\u200bim",
            "Móím",
            "М\u043e\u0456m",
            "Moim.",
            "MOİM",
            "~Moim~",
        ],
        ["모임", unicodedata.normalize("NFD", "모임"), "모 임", "모임\u3164"],
        ["김민지", unicodedata.normalize("NFD", "김민지"), " 김민지 ", "김 민지", "김민지\u2060"],
        ["Ben", "BEN", "Bén", "Ｂｅｎ"],
        ["🙂", " 🙂"],
    ],
)
def test_names_that_look_the_same_are_the_same(alike: list[str]) -> None:
    assert len({canonical(each) for each in alike}) == 1, [canonical(each) for each in alike]


def test_names_that_look_different_are_different() -> None:
    names = [
        "Moim",
        "모임",
        "김민지",
        "김민주",
        "Ben",
        "Benn",
        "🙂",
        "🙃",
        "Kim 1",
        "Kim 2",
        "李",
        "김민지 (2)",
    ]
    assert len({canonical(each) for each in names}) == len(names)


def test_the_number_is_the_first_that_is_free() -> None:
    taken = [canonical(each) for each in ("김민지", "김민지 (2)", "Ben")]
    assert told_apart("김민지", taken) == "김민지 (3)"
    assert told_apart("BEN", taken) == "BEN (2)"
    assert told_apart("Alice", taken) == "Alice"
    assert told_apart("Hal", names_of_agent(["비서", "Hal"])) == "Hal (2)"


def joined(id_: str, name: str) -> ParticipantJoined:
    return ParticipantJoined(participant_id=id_, name=name, at_ms=0)


def spoke(id_: str, name: str, key: str) -> UtteranceSpoken:
    return UtteranceSpoken(key=key, speaker_id=id_, speaker_name=name, text="네.", start_ms=0, end_ms=9)


def held(happened: Iterable[Event], *agent_names: str) -> Meeting:
    meeting = Meeting("m-1", ContextConfig(agent_names=agent_names or ("모임", "Moim")))
    for event in (MeetingStarted(at=datetime(2026, 11, 1, tzinfo=UTC)), *happened):
        meeting.receive(event)
    return meeting


def names_of(meeting: Meeting) -> dict[str, str]:
    return {who: meeting.attendance.name_of(who) for who in meeting.attendance.people}


def test_a_second_bearer_of_a_name_is_shown_with_a_number_whatever_their_door() -> None:
    meeting = held(
        [
            joined("a", "김민지"),
            joined("b", unicodedata.normalize("NFD", "김민지")),
            spoke("c", "김 민지", "k1"),  # by text, without having joined
            spoke("b", "김민지", "k2"),
            spoke("a", "김민지", "k3"),
            joined("d", "Ben"),
        ]
    )
    shown = {who: unicodedata.normalize("NFC", name) for who, name in names_of(meeting).items()}
    assert shown == {"a": "김민지", "b": "김민지 (2)", "c": "김 민지 (3)", "d": "Ben"}
    said = [unicodedata.normalize("NFC", each.speaker_name) for each in meeting.utterances]
    assert said == ["김 민지 (3)", "김민지 (2)", "김민지"]


@pytest.mark.parametrize("name", ["Moim", "ＭＯＩＭ", "모임", "M\u043eim", "Moim (standby)"])
def test_the_agent_is_the_first_bearer_of_its_names(name: str) -> None:
    assert names_of(held([joined("a", name)])) == {"a": f"{name} (2)"}
    assert held([spoke("a", name, "k1")]).utterances[0].speaker_name == f"{name} (2)"


def test_the_agent_may_be_called_something_else() -> None:
    assert names_of(held([joined("a", "비서"), joined("b", "모임")], "비서")) == {
        "a": "비서 (2)",
        "b": "모임",
    }


def test_whoever_speaks_under_anothers_name_is_shown_with_a_number() -> None:
    meeting = held([joined("a", "Alice"), joined("b", "Ben"), spoke("b", "alice", "k1")])
    assert meeting.utterances[0].speaker_name == "alice (2)"


def test_a_number_stays_when_others_come_and_go() -> None:
    before = [joined("a", "Ben"), joined("b", "Ben"), joined("c", "Ben")]
    left = [ParticipantLeft(participant_id=who, at_ms=5) for who in "abc"]
    assert names_of(held([*before, *left, *reversed(before)])) == names_of(held(before))


def test_a_corrected_name_is_told_apart_too() -> None:
    def renamed(person: str, name: str, number: int) -> Corrected:
        fix = PersonFix(of="person", person=person, name=name)
        return Corrected(id=f"c{number}", by="x", at_ms=1, fix=fix)

    happened = [joined("a", "Alice"), joined("b", "Ben"), spoke("b", "Ben", "k1")]
    meeting = held([*happened, renamed("b", "ALICE", 1)])
    assert names_of(meeting) == {"a": "Alice", "b": "ALICE (2)"}
    assert meeting.utterances[0].speaker_name == "ALICE (2)"
    assert names_of(held([*happened, renamed("b", "Moim", 1)]))["b"] == "Moim (2)"
    back = held([*happened, renamed("b", "Alice", 1), renamed("a", "Minji", 2), renamed("b", "Alice", 3)])
    assert names_of(back) == {"a": "Minji", "b": "Alice"}


def test_a_restored_meeting_shows_the_same_names() -> None:
    happened = [joined("a", "Ben"), joined("b", "Ben"), spoke("b", "Ben", "k1")]
    meeting = held(happened)
    restored = Meeting("m-1")
    load(restored, dump(meeting), meeting.utterances)
    for event in (joined("b", "Ben"), joined("c", "Ben"), joined("d", "Moim")):
        meeting.receive(event)
        restored.receive(event)
    assert names_of(restored) == names_of(meeting)
    assert names_of(restored) == {"a": "Ben", "b": "Ben (2)", "c": "Ben (3)", "d": "Moim (2)"}
