"""A meeting that comes back to an earlier topic is told to, in the words that people use."""

from __future__ import annotations

import pytest

from context.effects import PublishTopic, Summarise
from context.events import ClosingRequested
from context.meeting import Meeting
from tests.unit.cases import cases
from tests.unit.context.meetings import of, run, spoken, summary_for

KO = ["이제 채용 이야기로 넘어가죠.", "면접 질문을 고릅시다.", "지원자가 열 명입니다.", "공고는 어디에 올렸나요?", "누리집에요.",
      "다음 안건은 내년 예산입니다.", "이억 원이 필요합니다.", "작년보다 많네요.", "장비가 비쌉니다.", "그렇군요."]  # fmt: skip
EN = ["Let's move on to hiring.", "We need four questions.", "Ten people have applied.", "Where did we post it?", "On our site.",
      "The next topic is the travel budget.", "We need two thousand.", "More than last year.", "Flights cost more.", "I see."]  # fmt: skip


def held(lines: list[str], last: str) -> Meeting:
    meeting = Meeting("m")
    opening = [spoken(i, f"서버 비용 server cost {i}.") for i in range(1, 6)]
    run(meeting, [*opening, *(spoken(i, text) for i, text in enumerate([*lines, last], 6))])
    return meeting


@pytest.mark.parametrize(
    ("lines", "last", "name"),
    [
        *(
            (KO, last, "채용")
            for last in (
                "그럼 다시 채용 이야기로 넘어가겠습니다.",
                "아까 채용 건으로 돌아가서요, 면접관은 누가 하죠?",
                "채용 얘기로 다시 돌아가겠습니다.",
                "다시 채용으로 돌아갈게요.",
                "아까 하던 채용 얘기 마저 하죠.",
                "다시 채용 얘기 좀 해 볼까요?",
                "아 그리고 아까 채용 얘기로 돌아가면, 면접관이 모자라요.",
                "근데 채용 말이야, 다시 보니까 면접관이 모자라.",
                "저기 그 채용 건 말인데요, 공고는 언제 내려요?",
                "참, 방금 말하던 채용 건으로 다시 돌아가서, 공고는 언제 내려요?",
            )
        ),
        *(
            (EN, last, "hiring")
            for last in (
                "So let's talk about hiring.",
                "Back to hiring.",
                "Actually, wait. About hiring: two people have called it off.",
                "Oh, and as for the hiring, do we pay for trains?",
                "Oh wait, before we finish, can we go back to hiring?",
                "Also, just going back to hiring, do we pay for trains?",
                "Okay, back to the hiring question.",
                "Going back to hiring, who does the interviews?",
                "Can we come back to hiring for a second?",
                "Let us return to hiring.",
            )
        ),
    ],
)
def test_a_return_opens_a_topic_that_is_linked_to_the_earlier_one(
    lines: list[str], last: str, name: str
) -> None:
    meeting = held(lines, last)
    assert [s.start_utterance_id for s in meeting.segments] == [1, 6, 11, 16]
    assert (meeting.segments[-1].name, meeting.segments[-1].returns_to) == (name, "t2")
    assert [s.returns_to for s in meeting.segments[:-1]] == [None, None, None]


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        (KO, "처음으로 돌아가서 생각해 봅시다."),
        (KO, "집으로 돌아가죠."),
        (KO, "채용은 나중에 다시 이야기하죠."),
        (KO, "예산 얘기로 돌아가죠."),
        (KO, "채용 말고 다른 말이에요."),
        (KO, "그런 말인데요, 뭐."),
        (EN, "It's about hiring, I think."),
        (EN, "About the travel budget, is it enough?"),
        (EN, "About ten people, I'd say."),
        (EN, "Let's get back to work."),
        (EN, "I'll get back to you on hiring."),
        (EN, "We'll come back to hiring next week."),
        (EN, "Let's come back to hiring later."),
        (EN, "Back to the travel budget."),
    ],
)
def test_no_return_to_what_was_no_topic_to_what_is_the_topic_nor_later(lines: list[str], last: str) -> None:
    assert [s.start_utterance_id for s in held(lines, last).segments] == [1, 6, 11]


@cases
def test_a_topic_that_a_summary_names_like_an_earlier_one_is_a_return(
    first: str, again: str, name: str, linked: str | None
) -> None:
    meeting = Meeting("m")
    lines = ["서버 비용입니다.", "Server cost.", "네.", "Yes.", first, "하나.", "One.", "둘.", "Two."]
    lines += [
        "다음 안건은 보안 점검입니다.",
        "셋.",
        "Three.",
        "넷.",
        "Four.",
        "그럼 다음 안건으로 넘어가겠습니다.",
        "다섯.",
        "Five.",
        "여섯.",
    ]
    run(meeting, [spoken(i, text, "ab"[i % 2]) for i, text in enumerate(lines, 1)])
    assert [s.returns_to for s in meeting.segments] == [None] * 4
    (job,) = of(Summarise, meeting.receive(ClosingRequested(at_ms=200_000)))
    effects = meeting.receive(summary_for(job).model_copy(update={"topic_name": again}))
    (published,) = of(PublishTopic, effects)
    assert (published.segment.name, published.segment.returns_to) == (name, linked)
    assert meeting.segments[-1] == published.segment


def test_nobody_comes_back_to_what_was_not_left() -> None:
    meeting = held(KO, "그럼 다음 안건으로 넘어가겠습니다.")
    run(meeting, [spoken(30 + i, text, "b") for i, text in enumerate(["하나.", "둘.", "셋."])])
    (job,) = of(Summarise, meeting.receive(ClosingRequested(at_ms=900_000)))
    meeting.receive(summary_for(job).model_copy(update={"topic_name": "내년 예산"}))
    assert (meeting.segments[-1].name, meeting.segments[-1].returns_to) == ("내년 예산", None)
