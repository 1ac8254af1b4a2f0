"""The completeness ledger: every stretch of speech has one end, and the sum is what was heard."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from typing import get_args

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from context.events.effects import PublishGap, PublishStatus, PublishUtterance
from context.events.events import (
    Event,
    GapNoted,
    MeetingEnded,
    MeetingStarted,
    ParticipantJoined,
    SpeechWaits,
    SpeechWordless,
    TrackEnded,
    UtteranceSpoken,
    decode,
    encode,
)
from context.events.privacy_events import RecordingPaused
from context.export.document import document
from context.export.minutes import to_markdown
from context.fold.meeting import Meeting
from context.models import GapReason
from tests.unit.cases import cases
from tests.unit.context import meetings
from tests.unit.context.meetings import START, any_events

SCHEMA = json.loads((files("context") / "document.schema.json").read_text("utf-8"))

NAMES = {"ko": "김민지", "en": "Ben"}
TEXTS = {"ko": "출시일은 금요일입니다.", "en": "We ship on Friday."}


def spoken(start_ms: int, speech_ms: int | None = None, *, language: str = "ko") -> UtteranceSpoken:
    track = {"track_id": "t", "track_end_ms": start_ms + 1500, "speech_ms": speech_ms}
    said = meetings.spoken(start_ms, TEXTS[language], "a", start_ms=start_ms, **track)
    return said.model_copy(update={"end_ms": start_ms + 1000, "speaker_name": NAMES[language]})


def missed(start_ms: int, ms: int, reason: GapReason) -> GapNoted:
    track = {"track_id": "t", "track_end_ms": start_ms + ms}
    return GapNoted(participant_id="a", start_ms=start_ms, end_ms=start_ms + ms, reason=reason, **track)


def wordless(start_ms: int, ms: int) -> SpeechWordless:
    track = {"track_id": "t", "track_end_ms": start_ms + ms + 500}
    return SpeechWordless(participant_id="a", start_ms=start_ms, end_ms=start_ms + ms, **track)


def met(*happened: Event, language: str = "ko") -> Meeting:
    joined = ParticipantJoined(participant_id="a", name=NAMES[language], at_ms=0)
    return meetings.met(MeetingStarted(at=START), joined, *happened)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(any_events())
def test_the_ledger_is_the_sum_of_what_the_fold_took_in(events: list[Event]) -> None:
    meeting = Meeting("m")
    transcribed, lost, unheard = Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for event in events:
        effects = meeting.receive(event)
        if isinstance(event, UtteranceSpoken) and any(isinstance(e, PublishUtterance) for e in effects):
            transcribed[event.speaker_id] += max(0, event.speech_ms or 0)
        if isinstance(event, GapNoted) and any(isinstance(e, PublishGap) for e in effects):
            into = unheard if event.reason == "takeover" else lost
            into[event.participant_id, event.reason] += max(0, event.end_ms - event.start_ms)
    for who, count in meeting.speech.people.items():
        assert count.transcribed_ms == transcribed[who]
        whole_ms = count.transcribed_ms + count.wordless_ms + sum(count.lost_ms.values()) + count.waiting_ms
        assert count.heard_ms == whole_ms
        assert not count.waits_ms.keys() & meeting.keys.keys()
        of_gaps = {r: ms for r, ms in count.lost_ms.items() if r != "off_record"}
        assert of_gaps == {reason: ms for (p, reason), ms in lost.items() if p == who and ms}
        assert count.unheard_ms == {reason: ms for (p, reason), ms in unheard.items() if p == who and ms}
    assert meeting.speech.everybody.heard_ms == sum(
        count.heard_ms for count in meeting.speech.people.values()
    )


def test_each_stretch_counts_once_under_its_end() -> None:
    meeting = met(
        spoken(0, 1400),
        spoken(0, 1400),  # the same again
        wordless(3000, 300),
        wordless(3000, 300),  # the same place on the track again
        missed(5000, 2000, "overload"),
        missed(5000, 2000, "overload"),
        missed(8000, 1000, "stt_timeout"),
        missed(9000, 30_000, "takeover"),
        TrackEnded(participant_id="a", track_id="t", sound_ms=60_000),
    )
    count = meeting.speech.of("a")
    assert (count.transcribed_ms, count.wordless_ms, count.sound_ms) == (1400, 300, 60_000)
    assert count.lost_ms == {"overload": 2000, "stt_timeout": 1000}
    assert count.unheard_ms == {"takeover": 30_000}
    assert count.heard_ms == 1400 + 300 + 3000
    assert meeting.coverage.heard_until == {"t": 39_000}, "what held no words is settled, too"


def waits(start_ms: int, ms: int) -> SpeechWaits:
    track = {"track_id": "t", "track_end_ms": start_ms + ms}
    key = spoken(start_ms).key
    return SpeechWaits(key=key, participant_id="a", start_ms=start_ms, end_ms=start_ms + ms, **track)


def late(start_ms: int, speech_ms: int) -> UtteranceSpoken:
    return spoken(start_ms, speech_ms).model_copy(update={"late": True})


def test_what_waits_is_counted_until_it_is_known_what_became_of_it_also_after_the_end() -> None:
    meeting = met(spoken(0, 1000), waits(5000, 900), waits(7000, 800), waits(9000, 700), waits(11_000, 600))
    meeting.receive(MeetingEnded(at_ms=20_000, reason="over"))
    count = meeting.speech.people["a"]
    assert (count.waiting_ms, count.heard_ms) == (3000, 4000)
    assert document(meeting)["meeting"]["waiting_ms"] == 3000
    jsonschema.validate(document(meeting), SCHEMA)
    left = []
    for event in (
        late(7000, 800),
        late(7000, 800),  # told twice counts once
        spoken(8000, 400),  # nobody said that it was to come
        wordless(9000, 700).model_copy(update={"key": waits(9000, 700).key}),
        missed(11_000, 600, "off_record").model_copy(update={"key": waits(11_000, 600).key}),
        missed(13_000, 600, "stt_error"),
        late(5000, 900),
        waits(5000, 900),
    ):
        effects = meeting.receive(event)
        left += [int(each.detail) for each in effects if isinstance(each, PublishStatus)]
    assert left == [2200, 1500, 900, 0]
    assert (count.waiting_ms, count.transcribed_ms, count.wordless_ms) == (0, 2700, 700)
    assert count.heard_ms == 3400, "what somebody would not have heard is none of it"
    shown = document(meeting)
    jsonschema.validate(shown, SCHEMA)
    assert "waiting_ms" not in shown["meeting"]
    assert [(line["id"], line.get("late", False)) for line in shown["utterances"]] == [
        (1, False), (3, True), (2, True)
    ]  # fmt: skip
    assert meeting.segments[-1].end_utterance_id == 3
    assert [gap["start_ms"] for gap in shown["gaps"]] == [11_000]


def test_words_that_fell_into_a_pause_are_lost_off_the_record() -> None:
    meeting = met(spoken(0, 900), RecordingPaused(by="a", at_ms=2000), spoken(3000, 1200), spoken(3000, 1200))
    assert meeting.speech.of("a").lost_ms == {"off_record": 1200}
    assert meeting.speech.of("a").heard_ms == 2100
    typed = spoken(0).model_copy(update={"track_id": None, "track_end_ms": None})
    assert met(typed).speech.everybody.heard_ms == 0, "text that was never sound"


def test_events_of_before_the_ledger_still_count() -> None:
    old = encode(spoken(0))
    assert "speech_ms" not in old
    meeting = met(decode(old))
    assert meeting.speech.of("a").transcribed_ms == 1000, "without a stretch's length, the turn's own"
    stored = json.loads(json.dumps(meeting.snapshot()))
    assert Meeting.restore("m", None, stored, meeting.utterances).speech.of("a").transcribed_ms == 1000


@cases
def test_the_document_and_the_minutes_say_what_was_lost(language: str, line: str) -> None:
    meeting = met(
        spoken(0, 1400, language=language),
        wordless(3000, 300),
        missed(5000, 2000, "overload"),
        missed(8000, 1000, "stt_error"),
        missed(9000, 4000, "takeover"),
        language=language,
    )
    doc = document(meeting)
    jsonschema.Draft202012Validator(SCHEMA).validate(doc)
    assert doc["participants"][0]["speech"] == {
        "heard_ms": 4700,
        "transcribed_ms": 1400,
        "wordless_ms": 300,
        "lost_ms": {"overload": 2000, "stt_error": 1000},
        "unheard_ms": {"takeover": 4000},
    }
    assert line in to_markdown(doc, language)
    complete = document(met(spoken(0, 1400, language=language), language=language))
    assert "중 0초" not in to_markdown(complete, language)
    assert "did not become" not in to_markdown(complete, language)
    del doc["participants"][0]["speech"]  # a document of an earlier version
    assert line not in to_markdown(doc, language)


def ended_track(sound_ms: int) -> TrackEnded:
    return TrackEnded(participant_id="a", track_id="t", sound_ms=sound_ms)


@pytest.mark.parametrize(
    ("happened", "empty"),
    [
        ([], None),
        ([ended_track(59_000)], None),
        ([ended_track(40_000), ended_track(40_000)], "nothing_heard"),
        ([missed(0, 2000, "stt_error")], None),
        ([missed(0, 2000, "stt_error"), wordless(3000, 1500)], "nothing_transcribed"),
        ([missed(0, 60_000, "takeover")], None),
        ([missed(0, 9000, "stt_error"), spoken(10_000, 500), ended_track(90_000)], None),
    ],
)
def test_a_meeting_that_is_complete_but_empty_is_noticed(happened: list[Event], empty: str | None) -> None:
    meeting = met(*happened)
    assert meeting.speech.emptiness(meeting.utterances) == empty


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("reason", get_args(GapReason))
def test_no_reason_of_a_gap_is_a_code(language: str, reason: GapReason) -> None:
    meeting = met(spoken(0, 1400, language=language), missed(5000, 2000, reason), language=language)
    assert reason not in to_markdown(document(meeting), language)
