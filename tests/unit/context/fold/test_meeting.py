"""The fold, event by event."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from context.config import ContextConfig
from context.events.effects import (
    Answer,
    CancelAnswer,
    JudgeTopic,
    PublishGap,
    PublishReply,
    PublishStatus,
    PublishTopic,
    PublishUtterance,
    Summarise,
)
from context.events.events import (
    AnswerDropped,
    ClosingRequested,
    GapNoted,
    InputPosition,
    MeetingEnded,
    MeetingStarted,
    ParticipantJoined,
    ParticipantLeft,
)
from context.events.privacy_events import RecordingPaused, RecordingResumed
from context.events.topic_events import SummaryFailed, TopicJudged
from context.export.document import document
from context.fold.meeting import Meeting
from context.models import Statement, Summary
from tests.unit.cases import cases
from tests.unit.context.meetings import (
    START,
    answered,
    asked,
    events_of,
    met,
    newer,
    of,
    run,
    spoken,
    summary_for,
    talk,
)


def started(**how: object) -> Meeting:
    return met(MeetingStarted(at=START), **how)


@pytest.fixture
def meeting() -> Meeting:
    return started()


@pytest.mark.parametrize("name", ["ko-release-planning", "en-sprint-review"])
def test_topics_of_a_prefix_are_the_topics_of_the_whole_up_to_what_was_decided_later(name: str) -> None:
    events = events_of(name) + talk(150) + events_of(name)[5:]
    whole = Meeting(name)
    run(whole, events)
    for count in range(0, len(events), 9):
        part = Meeting(name)
        run(part, events[:count])
        heard = len(part.utterances)
        expected = [(s.start_utterance_id, s.reason) for s in whole.segments if s.decided_after <= heard]
        assert [(s.start_utterance_id, s.reason) for s in part.segments] == expected


def test_an_utterance_is_numbered_timed_stamped_and_counts_once(meeting: Meeting) -> None:
    first, second = spoken(1, "나중에 한 말", start_ms=61_500), spoken(2, "먼저 한 말", start_ms=1_000)
    (shown,) = of(PublishUtterance, run(meeting, [first, first]))
    said = shown.utterance
    assert (said.id, said.topic, said.topic_id) == (1, "Intro", "t1")
    assert said.absolute_timestamp == START + timedelta(milliseconds=61_500)
    meeting.receive(second)
    assert [(u.id, u.start_ms) for u in meeting.utterances] == [(1, 61_500), (2, 1_000)], "late, in its time"


def test_turn_limit_summarises_all_and_the_next_one_only_what_came_since(meeting: Meeting) -> None:
    jobs = of(Summarise, run(meeting, talk(50)))
    assert [(j.reason, j.version, j.utterances[0].id, j.utterances[-1].id) for j in jobs] == [
        ("turn_limit", 1, 1, 25),
        ("turn_limit", 2, 26, 50),
    ]
    assert len(meeting.segments) == 1
    assert meeting.segments[0].version == 2


def test_time_limit_wants_fifteen_minutes_and_five_utterances(meeting: Meeting) -> None:
    early = [spoken(i, "서버 비용 이야기", start_ms=i * 1_000) for i in range(1, 4)]
    assert not of(Summarise, run(meeting, early))
    assert not of(Summarise, run(meeting, [spoken(4, "비용이요", start_ms=17 * 60_000)]))
    (job,) = of(Summarise, run(meeting, [spoken(5, "그 비용", start_ms=17 * 60_000 + 5_000)]))
    assert job.reason == "time_limit"


def test_a_topic_change_summarises_the_closing_topic(meeting: Meeting) -> None:
    run(meeting, talk(6))
    effects = meeting.receive(spoken(7, "자, 다음 안건은 보안 점검입니다."))
    (job,) = of(Summarise, effects)
    assert (job.reason, job.topic.id) == ("topic_change", "t1")
    assert [u.id for u in job.utterances] == [1, 2, 3, 4, 5, 6]
    assert [p.segment.name for p in of(PublishTopic, effects)] == ["서버 비용", "보안 점검"]
    assert [u.id for u in meeting.buffer.utterances] == [7]
    assert meeting.utterances[-1].topic == "보안 점검"


@cases
def test_followers_see_topics_under_the_title_of_the_record(said: str, title: str, meeting: Meeting) -> None:
    run(meeting, [spoken(i, said) for i in range(1, 4)])
    assert meeting.topics.current_name == "Intro", "as the seed has it, within"
    (published,) = of(PublishTopic, meeting.receive(MeetingEnded(at_ms=9_000, reason="left")))
    assert published.segment.name == title == document(meeting)["topics"][0]["name"]


def test_the_forced_fold_comes_before_anything_leaves_the_buffer() -> None:
    config = ContextConfig(
        l0_topic_buffer_max_turns=10, l1_update_turn_threshold=1000, l1_update_interval_minutes=1000
    )
    meeting = started(config=config)
    effects = run(meeting, talk(11), summarise=False)
    (job,) = of(Summarise, effects)
    assert (job.reason, len(job.utterances)) == ("turn_limit", 10)
    run(meeting, talk(30)[11:], summarise=False)
    assert [u.id for u in meeting.buffer.utterances] == list(range(1, 31))
    meeting.receive(summary_for(job))
    assert meeting.buffer.utterances[0].id == 11


def test_one_job_at_a_time_and_what_waits_follows(meeting: Meeting) -> None:
    (first,) = of(Summarise, run(meeting, talk(25), summarise=False))
    assert not of(Summarise, run(meeting, talk(60)[25:], summarise=False))
    closing = run(meeting, [spoken(61, "Okay, let us move on to the office move.")], summarise=False)
    assert not of(Summarise, closing)
    (second,) = of(Summarise, meeting.receive(summary_for(first)))
    assert (second.version, second.reason) == (2, "topic_change")
    assert (second.utterances[0].id, second.utterances[-1].id) == (26, 60)


def test_a_failed_job_is_tried_again_later_not_at_once(meeting: Meeting) -> None:
    (job,) = of(Summarise, run(meeting, talk(25), summarise=False))
    assert meeting.receive(SummaryFailed(topic_id="t1", version=job.version, error="timeout")) == []
    assert not of(Summarise, run(meeting, talk(29)[25:], summarise=False))
    (again,) = of(Summarise, run(meeting, talk(30)[29:], summarise=False))
    assert (again.version, len(again.utterances)) == (1, 30)


def test_the_lists_of_a_segment_are_drawn_from_its_summary(meeting: Meeting) -> None:
    meeting.receive(ParticipantJoined(participant_id="b", name="박준호", at_ms=0))
    (job,) = of(Summarise, run(meeting, talk(25), summarise=False))
    content = Summary(
        text="예산을 정했다.",
        key_points=(Statement(text="비용", evidence=(2,)),),
        decisions=(Statement(text="이억 원", evidence=(3,), status="decided"),),
        pending=(Statement(text="캐시 조사", evidence=(4,), owner="b"),),
        participants=("b", "a"),
        keywords=("예산",),
    )
    ready = summary_for(job).model_copy(update={"content": content, "topic_name": "서버 비용"})
    (published,) = of(PublishTopic, meeting.receive(ready))
    assert meeting.receive(ready) == [], "stale now"
    segment = published.segment
    assert (segment.name, segment.summary) == ("서버 비용", "예산을 정했다.")
    assert (segment.key_points, segment.key_decisions) == (["비용"], ["이억 원"])
    assert (segment.pending_items, segment.keywords) == (["캐시 조사"], ["예산"])
    assert segment.participants == ["박준호", "A"]
    assert {u.topic for u in meeting.utterances} == {"서버 비용"}


def test_no_summary_renames_what_the_participants_named_themselves(meeting: Meeting) -> None:
    run(meeting, [*talk(5), spoken(6, "이제 채용 이야기로 넘어가죠.")])
    run(meeting, [spoken(i, f"면접은 제가 {i}") for i in range(7, 31)], summarise=False)
    meeting.receive(newer(meeting.segments[-1], Summary(text="x"), topic_name="면접"))
    assert meeting.current_topic == "채용"


def test_closing_asks_for_the_open_topic_and_a_return_reopens(meeting: Meeting) -> None:
    arrives = ParticipantJoined(participant_id="a", name="A", at_ms=0)
    run(meeting, [arrives, *talk(4)])
    effects = meeting.receive(ClosingRequested(at_ms=60_000))
    assert [j.reason for j in of(Summarise, effects)] == ["closing"]
    assert [s.status for s in of(PublishStatus, meeting.receive(arrives))] == ["live"]


def test_after_the_end_only_the_summary_under_way_is_taken_in(meeting: Meeting) -> None:
    run(meeting, talk(4))
    effects = meeting.receive(MeetingEnded(at_ms=60_000, reason="room closed"))
    (job,) = of(Summarise, effects)
    assert meeting.receive(spoken(9, "늦은 말")) == []
    assert meeting.receive(asked(1)) == []
    assert meeting.receive(summary_for(job))
    better = summary_for(job).model_copy(update={"version": 2, "content": Summary(text="더 나은 요약")})
    assert meeting.receive(better)
    assert meeting.segments[0].summary == "더 나은 요약"
    assert meeting.segments[0].closed


def test_a_question_counts_once_and_a_second_one_of_the_same_asker_replaces_the_first(
    meeting: Meeting,
) -> None:
    run(meeting, talk(3))
    (effect,) = meeting.receive(asked(1))
    assert isinstance(effect, Answer)
    assert effect.question.after_utterance == 3
    assert meeting.receive(asked(1)) == []
    forget, answer = meeting.receive(asked(2))
    assert forget == CancelAnswer(invocation_id="q1")
    assert isinstance(answer, Answer)
    assert len(meeting.receive(asked(3, by="b"))) == 1
    meeting.receive(AnswerDropped(invocation_id="q1", why="superseded", at_ms=9_100))
    assert of(PublishReply, meeting.receive(answered(2)))
    assert meeting.receive(answered(2)) == []
    assert meeting.receive(asked(1)) == []
    assert [e.question.id for e in of(Answer, meeting.outstanding())] == ["q3"]
    assert [r.id for r in meeting.replies] == ["r2"]


def test_what_is_said_in_a_pause_is_not_on_the_record(meeting: Meeting) -> None:
    meeting.receive(spoken(1, "before", start_ms=1_000))
    assert of(PublishStatus, meeting.receive(RecordingPaused(by="a", at_ms=5_000)))
    assert meeting.receive(RecordingPaused(by="b", at_ms=5_500)) == []
    meeting.receive(spoken(2, "begun before the pause", start_ms=4_900, track_id="tr", track_end_ms=6_000))
    meeting.receive(spoken(3, "secret", start_ms=6_000, track_id="tr", track_end_ms=8_000))
    meeting.receive(RecordingResumed(by="a", at_ms=10_000))
    meeting.receive(spoken(4, "a late secret", start_ms=9_000))
    meeting.receive(spoken(5, "after", start_ms=10_500))
    assert [u.text for u in meeting.utterances] == ["before", "begun before the pause", "after"]
    assert meeting.coverage.heard_until == {"tr": 8_000}
    assert not meeting.paused
    (gap,) = meeting.coverage.gaps
    assert (gap.start_ms, gap.reason) == (6_000, "off_record"), "that somebody spoke is known"


def test_positions_and_gaps_are_kept(meeting: Meeting) -> None:
    meeting.receive(spoken(1, "x", position=InputPosition(stream="in", position="7-0")))
    track = {"track_id": "tr", "track_end_ms": 900}
    gap = GapNoted(participant_id="a", start_ms=1, end_ms=5, reason="stt_error", **track)
    assert len(of(PublishGap, run(meeting, [gap, gap]))) == 1
    assert (meeting.coverage.positions, meeting.coverage.heard_until) == ({"in": "7-0"}, {"tr": 900})
    assert [g.reason for g in meeting.gaps] == ["stt_error"]


def test_two_people_of_one_name_stay_two_and_a_leaver_comes_back_as_the_same(meeting: Meeting) -> None:
    for who in ("u1", "u2"):
        meeting.receive(ParticipantJoined(participant_id=who, name="김민지", at_ms=0))
    meeting.receive(ParticipantLeft(participant_id="u1", at_ms=5_000))
    assert [p.present for p in meeting.attendance.people.values()] == [False, True]
    meeting.receive(ParticipantJoined(participant_id="u1", name="김민지", at_ms=9_000))
    assert [p.user_id for p in meeting.attendance.people.values()] == ["u1", "u2"]
    assert all(p.present for p in meeting.attendance.people.values())


def test_a_verdict_splits_the_topic_where_it_was_suspected_and_its_summary_with_it() -> None:
    meeting = started(judge=True)
    run(meeting, talk(25))
    meeting.changes.judging[20] = JudgeTopic(
        at_utterance=20, recent=tuple(meeting.utterances[-5:]), previous_topic_summary=""
    )
    content = Summary(
        text="하나. 둘.",
        sentences=(Statement(text="하나.", evidence=(2, 22)), Statement(text="둘.", evidence=(23,))),
        decisions=(Statement(text="둘.", evidence=(23,)),),
    )
    meeting.receive(newer(meeting.segments[0], content))
    verdict = TopicJudged(at_utterance=20, changed=True, name="인증서")
    assert meeting.receive(verdict.model_copy(update={"at_utterance": 5})) == [], "nobody asked"
    effects = meeting.receive(verdict)
    closed, opened = (p.segment for p in of(PublishTopic, effects))
    assert (closed.end_utterance_id, closed.covered_until) == (19, 19)
    assert (closed.summary, closed.key_decisions) == ("하나.", [])
    assert closed.notes.sentences[0].evidence == (2,)
    assert (opened.name, opened.reason) == ("인증서", "llm")
    assert (opened.start_utterance_id, opened.decided_after) == (20, 25)
    assert [u.topic for u in meeting.buffer.utterances] == ["인증서"] * 6
    assert meeting.window.utterances[-1].topic == "인증서"
    run(meeting, [*talk(30)[25:], ClosingRequested(at_ms=1)])
    assert meeting.segments[-1].covered_until == 30


def test_outstanding_names_the_summary_that_a_dead_worker_left(meeting: Meeting) -> None:
    (job,) = of(Summarise, run(meeting, talk(25), summarise=False))
    run(meeting, talk(28)[25:], summarise=False)
    restored = Meeting.restore("m", None, meeting.snapshot(), meeting.utterances)
    (again,) = of(Summarise, restored.outstanding())
    assert (again.version, again.utterances) == (job.version, job.utterances)


def test_a_snapshot_that_does_not_fit_is_refused(meeting: Meeting) -> None:
    run(meeting, talk(3))
    with pytest.raises(ValueError, match="3 utterances, 2 were given"):
        Meeting.restore("m", None, meeting.snapshot(), meeting.utterances[:2])


@pytest.mark.parametrize(
    ("newer", "found"),
    [
        ({"version": 99}, "of version 99"),
        ({"thread": {}}, "without 'turns'"),
        ({"topics": {}}, "without 'segments'"),
    ],
    ids=str,
)
def test_a_state_of_a_newer_worker_is_refused_in_one_line_that_says_what_to_do(
    meeting: Meeting, newer: dict[str, Any], found: str
) -> None:
    run(meeting, talk(3))
    with pytest.raises(ValueError, match=found) as refused:
        Meeting.restore("m", None, meeting.snapshot() | newer, meeting.utterances)
    line = str(refused.value)
    assert "this worker reads version 2" in line
    assert line.endswith("update this worker")
    assert "\n" not in line


def test_a_million_characters_and_strange_ones_are_one_utterance(meeting: Meeting) -> None:
    meeting.receive(spoken(1, "가나다 " * 250_000))
    meeting.receive(spoken(2, "\x00\u202e🎉\ud800"[:3]))
    assert [u.id for u in meeting.window.utterances] == [2]
    assert len(meeting.utterances) == 2
