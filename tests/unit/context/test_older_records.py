"""What older records say in another shape is read as it would be recorded today."""

from __future__ import annotations

import json
from typing import Any

import pytest

from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import (
    AnswerGiven,
    Event,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    decode,
    encode,
)
from context.events.older_records import as_today
from context.fold.meeting import Meeting
from context.primitives.askers import nobodys
from tests.languages import BOTH
from tests.unit.context.meetings import START, spoken

SAID = {
    "ko": ("출시일은 20일입니다.", "네, 좋습니다.", "출시일이 언제예요?", "20일입니다."),
    "en": ("The release is on the 20th.", "Yes, fine.", "When is the release?", "On the 20th."),
}
LATER = [
    ("late",),
    ("doubtful",),
    ("asked",),
    ("summaries", "late"),
    ("boundaries", "suspected"),
    ("prompts", "by_minute"),
]
"""What a state of 25 November does not have."""


def recorded(language: str, *, by: str, **more: Any) -> list[dict[str, Any]]:
    """A question from the API and its answer, as they stand in a record."""
    question, text = SAID[language][2:]
    asker = {"by": by, "via": "http"}
    asked = {"id": "q1", **asker, "text": question, "at_ms": 10}
    told = {"id": "r1", "invocation_id": "q1", **asker, "question": question, "text": text}
    times = {"call_type": "SEARCH", "asked_at_ms": 10, "answered_at_ms": 20}
    return [
        {"kind": "question_asked", "invocation": asked},
        {"kind": "answer_given", "reply": told | times | more},
    ]


def meeting(language: str, *events: Event) -> Meeting:
    first, second = SAID[language][:2]
    made = Meeting("m")
    for event in (
        MeetingOpened(meeting_id="m", language=language, topics_beside=True),
        MeetingStarted(at=START),
        *(ParticipantJoined(participant_id=who, name=who, at_ms=0) for who in ("ben", "minji")),
        spoken(1, first, "minji"),
        spoken(2, second, "ben"),
        *events,
    ):
        made.receive(event)
    return made


def as_of_25_november(state: dict[str, Any]) -> None:
    """Make of a state of today one of that day, which had less, and the channel for an asker without a name."""
    for *part, name in LATER:
        held = state[part[0]] if part else state
        del held[name]
    for reply in state["invocations"]["replies"]:
        reply["by"] = "http"


@BOTH
def test_the_state_that_an_erasure_of_25_november_brought_is_gone_on_from(language: str) -> None:
    made = meeting(language, *map(decode, recorded(language, by=nobodys("http"))))
    now = erased(made, Target(what="person", person="ben"), id_="e", actor=operator("ops"), at_ms=99)
    assert now is not None
    old = json.loads(json.dumps(encode(now[0])))
    as_of_25_november(old["state"])
    assert old != encode(now[0])
    assert decode(old) == now[0]
    events = [decode(each) for each in recorded(language, by="http")]
    then = meeting(language, *events, decode(old))
    made.receive(now[0])
    assert then.snapshot() == made.snapshot()
    assert then.utterances == made.utterances
    assert SAID[language][1] not in str(then.utterances)


@BOTH
def test_a_snapshot_of_25_november_is_gone_on_from(language: str) -> None:
    """Of a meeting that ended then no newer one is ever taken."""
    made = meeting(language, *map(decode, recorded(language, by=nobodys("http"))))
    old = json.loads(json.dumps(made.snapshot()))
    as_of_25_november(old)
    then = Meeting.restore("m", None, old, made.utterances)
    assert then.snapshot() == made.snapshot()


@BOTH
@pytest.mark.parametrize("producer", ["documents", "earlier_meetings"])
def test_a_reply_whose_prompt_held_what_is_elsewhere_rests_elsewhere(language: str, producer: str) -> None:
    for found, rests in ((producer, True), ("thread", False)):
        prompt = {"purpose": "answer", "tokens": 9, "producers": {found: 4}}
        _, answer = recorded(language, by="minji", run={"prompts": [prompt]})
        told = decode(answer)
        assert isinstance(told, AnswerGiven)
        assert told.reply.rests_elsewhere is rests
        answer["reply"]["elsewhere"] = False
        told = decode(answer)
        assert isinstance(told, AnswerGiven)
        assert not told.reply.rests_elsewhere, "what is recorded of it counts"


@BOTH
def test_what_was_recorded_today_is_read_as_it_is(language: str) -> None:
    payloads = [*recorded(language, by=nobodys("http", "s1")), *recorded(language, by="minji")]
    payloads += [encode(spoken(3, SAID[language][0], "minji", track_id="t", track_end_ms=9, speech_ms=0))]
    assert [as_today(each) for each in payloads] == payloads


@pytest.mark.parametrize(
    "payload",
    [
        {"kind": "answer_given", "reply": 7},
        {"kind": "question_asked"},
        {"kind": "utterance_spoken", "track_id": "t", "start_ms": "soon"},
        {"kind": "erased", "state": []},
    ],
)
def test_what_is_no_event_is_refused_as_before(payload: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        decode(payload)
