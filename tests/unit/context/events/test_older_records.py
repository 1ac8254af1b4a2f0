"""What older records say in another shape is read as it would be recorded today."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import (
    AnswerDropped,
    AnswerGiven,
    Event,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    ThreadSummaryReady,
    ThreadTuned,
    decode,
    encode,
)
from context.events.older_records import STATE_VERSION, as_today
from context.fold.meeting import Meeting
from context.models import ToolUse
from context.primitives.askers import nobodys
from tests.languages import BOTH
from tests.unit.context.meetings import START, answered, asked, spoken

SAID = {
    "ko": ("출시일은 20일입니다.", "네, 좋습니다.", "출시일이 언제예요?", "20일입니다."),
    "en": ("The release is on the 20th.", "Yes, fine.", "When is the release?", "On the 20th."),
}
RECORDED: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
"""What the code of 30 November wrote of `thread_of_30_november`: its snapshot, and an erasure of what Ben said."""
STATE_FIELDS: list[str] = json.loads(
    Path(__file__).with_name("state_of_version_2.json").read_text(encoding="utf-8")
)
"""The paths of the fields of a state since version 2."""
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
    """No newer snapshot is ever taken of a meeting that ended then."""
    made = meeting(language, *map(decode, recorded(language, by=nobodys("http"))))
    old = json.loads(json.dumps(made.snapshot()))
    as_of_25_november(old)
    then = Meeting.restore("m", None, old, made.utterances)
    assert then.snapshot() == made.snapshot()


def thread_of_30_november(language: str) -> list[Event]:
    """Questions with every end that one can have, some that a summary covers, a summary under way."""
    question, text = SAID[language][2:]
    used = ToolUse(name="search", arguments=f'{{"q": "{question}"}}', result=f"2: {text}")

    def told(number: int, by: str, *, private: bool = False, **more: Any) -> list[Event]:
        words = f"{question} {number}"
        answer = answered(number, f"{text} {number}", by=by, question=words, private=private, **more)
        return [asked(number, words, by=by, private=private), answer]

    def in_vain(number: int, by: str, why: Any, *, private: bool = False) -> list[Event]:
        words = asked(number, f"{question} {number}", by=by, private=private)
        return [words, AnswerDropped(invocation_id=f"q{number}", why=why, at_ms=number * 1000)]

    summary = {"original_chars": 9, "compression_rate": 0.3, "engine": "model"}
    return [
        ThreadTuned(recent_messages=2),
        *told(1, "minji", tools=(used,)),
        *in_vain(2, "ben", "failed"),
        *told(3, "minji"),
        ThreadSummaryReady(version=1, turns=(1, 2, 3), text=text, **summary),
        *told(4, "ben", tools=(used,)),
        *told(5, "minji", private=True),
        *in_vain(6, "ben", "cancelled", private=True),
        *in_vain(7, "ben", "superseded"),
        *told(8, "minji", evidence=(1,)),
        asked(9, f"{question} 9", by="ben"),
        asked(10, f"{question} 10", by="minji", private=True),
    ]


def without_the_asker_of_the_second(state: dict[str, Any]) -> dict[str, Any]:
    """A state as far as one of 30 November tells it: the second question was let go when its turn was."""
    second = state["invocations"]["dropped"][0]
    assert (second["invocation_id"], second["by"]) == ("q2", "ben")
    second |= {"by": "", "question": ""}
    return state


@BOTH
def test_a_snapshot_whose_turns_held_their_words_is_gone_on_from(language: str) -> None:
    made = meeting(language, *thread_of_30_november(language))
    then = Meeting.restore("m", None, RECORDED[language]["snapshot"], made.utterances)
    assert then.snapshot() == without_the_asker_of_the_second(made.snapshot())
    assert then.thread.kept == made.thread.kept
    assert then.outstanding() == made.outstanding()
    for event in (answered(10, private=True), answered(9), *thread_of_30_november(language)[4:7]):
        assert then.receive(event) == made.receive(event)


@BOTH
def test_a_summary_goes_where_nobody_knows_any_more_whose_question_it_tells_of(language: str) -> None:
    made = meeting(language, *thread_of_30_november(language))
    then = Meeting.restore("m", None, RECORDED[language]["snapshot"], made.utterances)
    for one, left in ((made, SAID[language][3]), (then, "")):
        wanted = Target(what="person", person="nobody")
        now = erased(one, wanted, id_="e", actor=operator("ops"), at_ms=99_000)
        assert now is not None
        (entry,) = now[0].state["thread"]["summaries"]["entries"]
        assert entry["summary"] == left


@BOTH
def test_the_state_of_an_erasure_whose_turns_held_their_words_is_gone_on_from(language: str) -> None:
    events = thread_of_30_november(language)
    made = meeting(language, *events)
    now = erased(made, Target(what="person", person="ben"), id_="e", actor=operator("ops"), at_ms=99_000)
    assert now is not None
    made.receive(now[0])
    then = meeting(language, *events, decode(RECORDED[language]["erased"]))
    assert then.snapshot() == without_the_asker_of_the_second(made.snapshot())
    assert {turn.question.content for turn in then.thread.kept if turn.by == "ben"} == {""}


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


def test_what_a_worker_looks_for_in_a_state_of_its_version_is_in_one_of_today() -> None:
    """Whoever takes something out, or renames it, counts `STATE_VERSION` up: a worker that runs looks for it."""
    made = meeting("ko", *thread_of_30_november("ko"))
    state = json.loads(json.dumps(made.snapshot()))
    assert state["version"] == STATE_VERSION
    assert set(STATE_FIELDS) <= set(_fields_of(state))


def _fields_of(held: Any, at: str = "") -> Iterator[str]:
    """The paths of all fields of a state, items of lists by one name."""
    match held:
        case dict():
            for name, each in held.items():
                yield from _fields_of(each, f"{at}.{name}" if at else name)
        case list() if held:
            for each in held:
                yield from _fields_of(each, f"{at}[]")
        case _:
            yield at


@pytest.mark.parametrize(
    ("payload", "found"),
    [
        ({"kind": "erased", "state": {"version": 99}}, "of version 99, and this worker reads version 2"),
        ({"kind": "telepathy", "at_ms": 1}, "'telepathy' is no event that this worker knows"),
    ],
)
def test_an_event_of_a_newer_worker_is_refused_in_one_line_that_says_what_to_do(
    payload: dict[str, Any], found: str
) -> None:
    with pytest.raises(ValueError, match=found) as refused:
        decode(payload)
    line = str(refused.value)
    assert line.endswith("update this worker")
    assert "\n" not in line


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
