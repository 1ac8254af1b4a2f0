"""What must hold for every life of a meeting."""

from __future__ import annotations

import json

from hypothesis import given

from context.events.effects import Summarise
from context.events.events import Event, UtteranceSpoken
from context.fold.meeting import Meeting
from context.models import Utterance
from context.topics.topics import uncovered_from
from tests.unit.context.lives import TIGHT, few, state
from tests.unit.context.meetings import any_events, of, run


def _as_stored(utterance: Utterance, events: list[Event]) -> Utterance:
    """The archive's utterance: as it was heard, whatever somebody has put right since, and with no topic of now."""
    heard = next(e for e in events if isinstance(e, UtteranceSpoken) and e.key == utterance.key)
    person = heard.speaker_name or utterance.speaker_name
    update = {"text": heard.text, "heard": None, "corrected_by": None, "speaker_name": person, "doubtful": ()}
    return utterance.model_copy(update={**update, "topic": None, "topic_id": "old"})


@few
@given(any_events())
def test_restored_at_any_point_and_gone_on_with_it_is_the_uninterrupted_meeting(events: list[Event]) -> None:
    whole = Meeting("m", TIGHT, judge=True)
    snapshots = [(whole.snapshot(), list(whole.utterances))]
    effects = []
    for place, event in enumerate(events):
        events[place] = whole.attendance.as_shown(event)  # as the session does, before it is on record
        effects.append(whole.receive(events[place]))
        snapshots.append((whole.snapshot(), list(whole.utterances)))
    for cut in range(0, len(events) + 1, max(1, len(events) // 6)):
        stored = json.loads(json.dumps(snapshots[cut][0]))
        unstamped = [_as_stored(u, events) for u in snapshots[cut][1]]
        restored = Meeting.restore("m", TIGHT, stored, unstamped, judge=True)
        again = [restored.receive(event) for event in events[cut:]]
        assert state(restored) == state(whole)
        assert again == effects[cut:]


@few
@given(any_events())
def test_the_fold_is_total_and_topics_partition_the_utterances(events: list[Event]) -> None:
    meeting = Meeting("m", TIGHT, judge=True)
    for event in events:
        meeting.receive(event)
    count = len(meeting.utterances)
    assert [u.id for u in meeting.utterances] == list(range(1, count + 1))
    covered = [i for s in meeting.segments for i in range(s.start_utterance_id, s.end_utterance_id + 1)]
    assert covered == list(range(1, count + 1))
    assert [s.closed for s in meeting.segments[:-1]] == [True] * (len(meeting.segments) - 1)
    for segment in meeting.segments:
        assert 0 <= segment.decided_after - segment.start_utterance_id <= 40
        assert segment.covered_until <= segment.end_utterance_id
        for utterance in meeting.topics.own(segment, meeting.utterances):
            assert (utterance.topic_id, utterance.topic) == (segment.id, segment.name)
            assert meeting.topics.of(utterance.id) == segment
    of_topics = [
        u.id for segment in meeting.segments for u in meeting.topics.own(segment, meeting.utterances)
    ]
    assert sorted(of_topics) == list(range(1, count + 1))
    assert {n for segment in meeting.segments for n in segment.late} <= set(meeting.late)


@few
@given(any_events())
def test_nothing_uncovered_leaves_the_topic_buffer_and_l0_keeps_its_limits(events: list[Event]) -> None:
    meeting = Meeting("m", TIGHT)
    for event in events:
        meeting.receive(event)
        assert len(meeting.window) <= TIGHT.l0_max_turns
        assert meeting.window.tokens <= TIGHT.l0_max_tokens or len(meeting.window) == 1
        for topic in meeting.segments[-1:]:
            first = uncovered_from(topic)
            shown = {u.id for u in meeting.buffer.utterances}
            assert shown >= set(range(first, topic.end_utterance_id + 1))
            assert not meeting.buffer.over or first == min(shown) or len(shown) == 1


@few
@given(any_events())
def test_with_every_job_answered_everything_is_covered_and_no_span_twice(events: list[Event]) -> None:
    meeting = Meeting("m", TIGHT)
    talk = [e for e in events if isinstance(e, UtteranceSpoken)]
    jobs: list[Summarise] = of(Summarise, run(meeting, talk))
    spans = [u.id for job in jobs for u in job.utterances]
    anew = meeting.late or any(s.reason in {"semantic", "llm"} for s in meeting.segments)
    assert len(spans) == len(set(spans)) or anew
    assert all(s.covered_until == s.end_utterance_id for s in meeting.segments if s.closed)
    assert all(s.end_utterance_id - uncovered_from(s) + 1 < 7 for s in meeting.segments)
