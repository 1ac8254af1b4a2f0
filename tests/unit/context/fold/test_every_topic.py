"""After the closing every topic of which something was said has a summary, however it came about."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context.config import ContextConfig
from context.events.effects import Summarise
from context.events.events import ClosingRequested, Event, MeetingEnded, MeetingOpened
from context.events.topic_events import FoundBoundary, SummaryFailed, SummaryReady, TopicsScored
from context.fold.meeting import Meeting
from context.models import Statement, Summary
from context.people.exchanges import is_nod
from tests.unit.context.meetings import by_extraction, of, ready, spoken

QUICK = ContextConfig(
    l0_topic_buffer_max_turns=9, l1_update_turn_threshold=6, l1_topic_check_interval_turns=2
)
LINES = st.sampled_from(
    [
        "그럼 다음 안건으로 넘어가겠습니다. 예산 이야기를 해 보죠.",
        "서버 비용은 지난해보다 삼십 퍼센트 늘었습니다.",
        "출시일은 십이월 이십이일로 결정하겠습니다.",
        "면접관은 누가 하죠?",
        "네네",
        "그렇게 하죠.",
        "Okay, let us move on to the office move.",
        "We will add a second server this week.",
        "Who is going to ask them?",
        "Mm-hmm.",
        "That works.",
    ]
)
STEPS = st.lists(
    st.one_of(
        st.lists(LINES, min_size=1, max_size=9),
        st.tuples(st.just("split"), st.integers(1, 30)),
        st.tuples(st.just("comes"), st.integers(0, 5)),
        st.tuples(st.just("model"), st.integers(0, 5)),
        st.tuples(st.just("fails"), st.integers(0, 5)),
    ),
    min_size=1,
    max_size=30,
)


def by_model(effect: Summarise) -> SummaryReady:
    """One sentence that rests on the newest utterance, as a model may write it."""
    last = effect.utterances[-1]
    sentence = Statement(text=f"({last.id}) {last.text}", evidence=(last.id,))
    return ready(effect, Summary(text=sentence.text, sentences=(sentence,)), "a model")


class Life:
    """A meeting with its jobs under way, which come back, or fail, whenever a step says so."""

    def __init__(self) -> None:
        self.meeting = Meeting("m", QUICK)
        self.jobs: list[Summarise] = []
        self.take(MeetingOpened(meeting_id="m", topics_beside=True))

    def take(self, event: Event) -> None:
        self.jobs += of(Summarise, self.meeting.receive(event))

    def step(self, step: Any) -> None:
        heard = len(self.meeting.utterances)
        match step:
            case [*lines] if isinstance(step, list):
                for place, text in enumerate(lines, 1):
                    self.take(spoken(heard + place, text))
            case ("split", back):
                if heard > 1:
                    found = FoundBoundary(at=max(2, heard - back), kind="drop", shortest=1)
                    self.take(TopicsScored(heard=heard, found=(found,)))
            case (how, place) if self.jobs:
                self.come(self.jobs.pop(place % len(self.jobs)), how)

    def come(self, job: Summarise, how: str) -> None:
        if how == "fails":
            self.take(SummaryFailed(topic_id=job.topic.id, version=job.version, error="x"))
        else:
            self.take(by_model(job) if how == "model" else by_extraction(job))

    def settle(self, how: str) -> None:
        while self.jobs:
            self.come(self.jobs.pop(0), how)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sampled_from(["comes", "model"]), st.sampled_from(["comes", "model", "fails"]), st.data())
def test_every_topic_that_says_something_has_a_summary(
    steps: list[Any], last: str, closing: str, data: st.DataObject
) -> None:
    life = Life()
    for step in steps:
        life.step(step)
    life.take(ClosingRequested(at_ms=10**6))
    heard = len(life.meeting.utterances)
    late = data.draw(st.lists(st.integers(2, heard), max_size=3, unique=True)) if heard > 1 else []
    found = tuple(FoundBoundary(at=at, kind="drop", shortest=1) for at in sorted(late))
    life.take(TopicsScored(heard=heard, rest=True, found=found))
    life.settle(closing)
    life.take(MeetingEnded(at_ms=10**6, reason="done"))
    life.settle(last)
    for topic in life.meeting.segments:
        said = life.meeting.utterances[topic.start_utterance_id - 1 : topic.end_utterance_id]
        if not all(is_nod(each.text) for each in said):
            assert topic.summary, [each.text for each in said]
            assert topic.covered_until == topic.end_utterance_id
