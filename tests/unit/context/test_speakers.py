"""Who speaks how much, and what role that is."""

from __future__ import annotations

import pytest

from context.meeting import Meeting
from context.models import Utterance
from context.speaker_context import SpeakerContext
from tests.unit.context.meetings import START, events_of, run


def say(
    context: SpeakerContext, speaker: str, text: str, start_ms: int = 0, end_ms: int | None = None
) -> None:
    context.add_utterance(
        Utterance(
            id=0, speaker_id=speaker, speaker_name=speaker, text=text, start_ms=start_ms,
            end_ms=start_ms + 1_000 if end_ms is None else end_ms, absolute_timestamp=START,
        )
    )  # fmt: skip


def test_counts_words_questions_and_talk_time() -> None:
    context = SpeakerContext()
    say(context, "a", "서버 비용이 얼마나 늘었습니까?", 0, 2_000)
    say(context, "a", "알겠습니다.", 5_000, 5_500)
    stats = context.speaker_stats["a"]
    assert (stats.utterance_count, stats.question_count, stats.statement_count) == (2, 1, 1)
    assert (stats.total_words, stats.avg_utterance_length, stats.talk_ms) == (5, 2.5, 2_500)


@pytest.mark.parametrize("question", ["테스트는 언제 시작할 수 있나요?", "When do we have to leave?"])
def test_who_answers_whom_and_who_follows_whom(question: str) -> None:
    context = SpeakerContext()
    say(context, "a", question)
    say(context, "b", "월요일부터요. On Monday.", 2_000)
    say(context, "a", "좋습니다. Good.", 4_000)
    assert context.interaction_matrix == {("a", "b"): 1, ("b", "a"): 1}
    assert context.answer_matrix == {("a", "b"): 1}
    assert context.speaker_stats["b"].answers == 1


def test_an_interruption_begins_well_before_the_other_one_has_ended() -> None:
    context = SpeakerContext()
    say(context, "a", "long", 0, 5_000)
    say(context, "b", "in between", 3_000, 4_000)
    say(context, "c", "in turn", 4_000, 6_000)
    say(context, "a", "a slight overlap", 5_900, 7_000)
    interruptions = {s: stats.interruptions for s, stats in context.speaker_stats.items()}
    assert interruptions == {"a": 0, "b": 1, "c": 0}
    assert context.speaker_stats["a"].interrupted == 1


def test_roles_in_the_seeds_order_with_confidence() -> None:
    context = SpeakerContext()
    for _ in range(8):
        say(context, "asks", "누가 합니까?")
        say(context, "asks-long", "그러면 " + "정말 " * 30 + "누가 합니까?")
        say(context, "tells", "설명 " * 30 + "입니다.")
        say(context, "talks", "네 그렇습니다.")
    say(context, "silent", "네.")
    say(context, "silent", "누가 합니까?")
    assert context.infer_roles() == {
        "asks": "facilitator", "asks-long": "facilitator", "tells": "presenter", "talks": "participant", "silent": "observer",
    }  # fmt: skip
    assert context.speaker_roles == context.infer_roles()
    assert context.role_confidence["silent"] < 0.3 < context.role_confidence["asks"]
    assert all(0 <= c <= 1 for c in context.role_confidence.values())


def test_a_role_gets_surer_with_every_utterance() -> None:
    context, seen = SpeakerContext(), []
    for _ in range(12):
        say(context, "a", "누가 합니까?")
        context.infer_roles()
        seen.append(context.role_confidence["a"])
    assert seen == sorted(seen)


def test_the_buffer_keeps_the_newest_of_each_speaker() -> None:
    context = SpeakerContext(max_buffer_per_speaker=3)
    for i in range(10):
        say(context, "a", f"말 {i}")
    assert [u.text for u in context.speaker_buffers["a"]] == ["말 7", "말 8", "말 9"]
    assert SpeakerContext().max_buffer == 25


@pytest.mark.parametrize(
    ("name", "answers"),
    [("ko-release-planning", {"junho"}), ("en-sprint-review", {"ben", "chloe"})],
)
def test_the_scripted_meetings_know_who_has_the_answers(name: str, answers: str) -> None:
    meeting = Meeting(name)
    run(meeting, events_of(name))
    stats = meeting.speakers.speaker_stats
    most = max(s.answers for s in stats.values())
    assert {who for who, s in stats.items() if s.answers == most} == answers
    assert sum(s.interruptions for s in stats.values()) > 0
