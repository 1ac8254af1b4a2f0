"""A meeting that comes back to an earlier topic is told to, in the words that people use."""

from __future__ import annotations

import pytest

from context.events.effects import PublishTopic, Summarise
from context.events.events import ClosingRequested
from context.fold.meeting import Meeting
from context.topics.returning import named
from tests.unit.cases import cases
from tests.unit.context.meetings import met, of, run, summary_for, talk_of

KO = ["이제 채용 이야기로 넘어가죠.", "면접 질문을 고릅시다.", "지원자가 열 명입니다.", "공고는 어디에 올렸나요?", "누리집에요.",
      "다음 안건은 내년 예산입니다.", "이억 원이 필요합니다.", "작년보다 많네요.", "장비가 비쌉니다.", "그렇군요."]  # fmt: skip
EN = ["Let's move on to hiring.", "We need four questions.", "Ten people have applied.", "Where did we post it?", "On our site.",
      "The next topic is the travel budget.", "We need two thousand.", "More than last year.", "Flights cost more.", "I see."]  # fmt: skip


def held(lines: list[str], last: str) -> Meeting:
    opening = [f"서버 비용 server cost {number}." for number in range(1, 6)]
    return met(*talk_of([*opening, *lines, last]))


@cases
def test_a_return_opens_a_topic_that_is_linked_to_the_earlier_one(last: str) -> None:
    meeting = held(EN if last.isascii() else KO, last)
    name = "hiring" if last.isascii() else "채용"
    assert [s.start_utterance_id for s in meeting.segments] == [1, 6, 11, 16]
    assert (meeting.segments[-1].name, meeting.segments[-1].returns_to) == (name, "t2")
    assert [s.returns_to for s in meeting.segments[:-1]] == [None, None, None]


@cases
def test_no_return_to_what_was_no_topic_to_what_is_the_topic_nor_later(last: str) -> None:
    assert [s.start_utterance_id for s in held(EN if last.isascii() else KO, last).segments] == [1, 6, 11]


@cases
def test_a_topic_that_a_summary_names_like_an_earlier_one_is_a_return(
    first: str, again: str, name: str, linked: str | None
) -> None:
    lines = ["서버 비용입니다.", "Server cost.", "네.", "Yes.", first, "하나.", "One.", "둘.", "Two."]
    lines += ["다음 안건은 보안 점검입니다.", "셋.", "Three.", "넷.", "Four."]
    lines += ["그럼 다음 안건으로 넘어가겠습니다.", "다섯.", "Five.", "여섯."]
    meeting = met(*talk_of([("ab"[place % 2], text) for place, text in enumerate(lines)]))
    assert [s.returns_to for s in meeting.segments] == [None] * 4
    (job,) = of(Summarise, meeting.receive(ClosingRequested(at_ms=200_000)))
    effects = meeting.receive(summary_for(job).model_copy(update={"topic_name": again}))
    (published,) = of(PublishTopic, effects)
    assert (published.segment.name, published.segment.returns_to) == (name, linked)
    assert meeting.segments[-1] == published.segment


def test_nobody_comes_back_to_what_was_not_left() -> None:
    meeting = held(KO, "그럼 다음 안건으로 넘어가겠습니다.")
    run(meeting, talk_of([("b", "하나."), ("b", "둘."), ("b", "셋.")], 30))
    (job,) = of(Summarise, meeting.receive(ClosingRequested(at_ms=900_000)))
    meeting.receive(summary_for(job).model_copy(update={"topic_name": "내년 예산"}))
    assert (meeting.segments[-1].name, meeting.segments[-1].returns_to) == ("내년 예산", None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2.5 버전 얘기로 돌아가죠. 언제였죠?", "2.5 버전"),
        ("Thanks. Back to the 2.5 release, when was it?", "2.5 release"),
    ],
)
def test_a_full_stop_within_a_name_ends_no_sentence(text: str, name: str) -> None:
    assert named(text) == name
