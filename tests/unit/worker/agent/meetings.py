"""Two small meetings to summarise, judge and answer from."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from context.answering.follow_up import PastQuestion
from context.answering.planning import TokenManager
from context.budgets.tokens import EstimateTokenizer
from context.config import ContextConfig
from context.events import events
from context.events.topic_events import SummaryReady
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.models import AgentCallType, PromptRecord, Reply, Summary, TopicSegment, Utterance
from context.plain.answer import Certainty
from context.ports import ChatMessage, Tokenizer, Unavailable
from context.question import Question
from worker.agent.graph.answering import Answerer
from worker.agent.prompt.producers import NO_EXTRAS, Extras
from worker.agent.prompt.prompting import Prompt
from worker.agent.question.question_context import QuestionContext, QuestionContextSettings

START = datetime(2026, 3, 2, 14, 32, 0, tzinfo=UTC)

KO = [
    ("minji", "김민지", "그러면 십이월 십오일 출시는 가능한가요?"),
    ("junho", "박준호", "조금 위험합니다. 저는 십이월 이십이일을 제안합니다."),
    ("minji", "김민지", "좋습니다. 출시일은 십이월 이십이일로 결정하겠습니다."),
    ("junho", "박준호", "결제 테스트 계획은 금요일까지 공유하겠습니다."),
    ("hana", "최하나", "해외 배포는 이번에 하지 않기로 합니다."),
]
EN = [
    ("ben", "Ben", "How much would a second server cost?"),
    ("chloe", "Chloe", "About three hundred dollars a month."),
    ("alice", "Alice", "That is fine. We will add a second server this week."),
    ("ben", "Ben", "I will order the server tomorrow and report on Thursday."),
    ("alice", "Alice", "We will not move the database this month."),
]

LINES = {"ko": KO, "en": EN}
_NUMBERS = itertools.count(1)


def said(lines: Sequence[tuple[str, str, str]], first: int = 1) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(
            id=id_,
            speaker_id=who,
            speaker_name=name,
            text=text,
            start_ms=id_ * 1000,
            end_ms=id_ * 1000 + 900,
            absolute_timestamp=START + timedelta(seconds=id_),
        )
        for id_, (who, name, text) in enumerate(lines, first)
    )


def meeting_of(
    lines: Sequence[tuple[str, str, str]],
    *,
    people: Mapping[str, str] | None = None,
    opened: Mapping[str, str | None] | None = None,
    config: ContextConfig | None = None,
    every_ms: int = 1000,
) -> ContextManager:
    """A meeting in which `lines` were said. `opened`: its id, room and title, "m" alone where nothing is told."""
    opened = {"meeting_id": "m", **(opened or {})}
    manager = ContextManager(str(opened["meeting_id"]), config)
    manager.receive(events.MeetingOpened.model_validate(opened))
    manager.receive(events.MeetingStarted(at=START))
    for who, name in (people or {}).items():
        manager.receive(events.ParticipantJoined(participant_id=who, name=name, at_ms=0))
    say(manager, *lines, every_ms=every_ms)
    return manager


def say(manager: ContextManager, *lines: tuple[str, str, str], every_ms: int = 1000) -> None:
    """Behind what was said before, one line in `every_ms`."""
    for who, name, text in lines:
        at_ms = (len(manager.meeting.utterances) + 1) * every_ms
        spoken = events.UtteranceSpoken(
            key=str(at_ms), speaker_id=who, speaker_name=name, text=text, start_ms=at_ms, end_ms=at_ms + 900
        )
        manager.receive(spoken)


def answered(
    manager: ContextManager,
    question: str,
    text: str,
    *,
    by: str = "minji",
    private: bool = False,
    evidence: tuple[int, ...] = (),
    sources: tuple[str, ...] = (),
) -> None:
    """A question and its answer, on the record."""
    id_, at_ms = next(_NUMBERS), 9000 + len(manager.meeting.replies)
    put = Question(id=f"i{id_}", by=by, via="chat", text=question, private=private, at_ms=at_ms)
    manager.receive(events.QuestionAsked(question=put))
    reply = Reply(
        id=f"r{id_}", invocation_id=put.id, by=by, via="chat", question=question, text=text,
        call_type="IMMEDIATE_RESPONSE", private=private, evidence=evidence, sources=sources,
        asked_at_ms=at_ms, answered_at_ms=at_ms,
    )  # fmt: skip
    manager.receive(events.AnswerGiven(reply=reply))


async def superseded(answerer: Answerer, room: Room, until: Callable[[], bool]) -> None:
    """A question whose answer is cancelled once `until` holds."""
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(
            answerer.answer(asked("?"), meeting_of(()), room.open_reply, now_ms=lambda: 1)
        )
        async with asyncio.timeout(5):
            while not until():
                await asyncio.sleep(0)
        task.cancel()
    assert task.cancelled()


async def put(
    answerer: Answerer,
    manager: ContextManager,
    text: str,
    by: str = "minji",
    *,
    at_ms: int = 60_000,
    **more: Any,
) -> tuple[Reply, Room]:
    """A question is put and answered as in a room, and both are on the record."""
    question = Question(
        id=f"q{next(_NUMBERS)}", by=by, via="chat", text=text, at_ms=at_ms,
        after_utterance=len(manager.meeting.utterances), **more,
    )  # fmt: skip
    question = await answerer.reader.read(question, manager.meeting)
    manager.receive(events.QuestionAsked(question=question))
    room = Room()
    reply = await answerer.answer(question, manager, room.open_reply, now_ms=lambda: at_ms + 500)
    manager.receive(events.AnswerGiven(reply=reply))
    return reply, room


def asked(text: str, *, private: bool = False, features: dict[str, str] | None = None) -> Question:
    return Question(
        id="q1", by="minji", via="chat", text=text, private=private, at_ms=9000, features=features or {}
    )


@dataclass
class Quoted:
    text: str
    evidence: Sequence[int] = ()
    certainty: Certainty = "answer"
    sources: Sequence[str] = ()

    @property
    def declined(self) -> bool:
        return self.certainty == "none"


QUESTION = {"ko": "출시일이 언제로 결정됐어요?", "en": "What did we decide about the second server?"}
GOOD = {"ko": "출시일은 12월 22일로 결정되었습니다. [#3]", "en": "They add a second server this week. [#3]"}
"""What a model may answer, borne out by the third line."""
QUOTES = {
    "ko": Quoted("**김민지** (14:32:03): 좋습니다. 출시일은 십이월 이십이일로 결정하겠습니다.", (3,)),
    "en": Quoted("**Alice** (14:32:03): That is fine. We will add a second server this week.", (3,)),
}


@dataclass
class FakeContextSettings:
    """Gives question contexts with a fixed extractive answer, whose prompt shows everything."""

    shown: tuple[Utterance, ...]
    answer: Quoted
    language: str = "ko"
    segments: Sequence[TopicSegment] = ()
    earlier: Sequence[PastQuestion] = ()
    fits: bool = True
    thread: str = ""
    prompts: int = 0
    extras: list[Extras] = field(default_factory=list)
    """What each prompt was to show beside the briefing."""
    tokenizer: Tokenizer = field(default_factory=EstimateTokenizer)
    encoder: None = None

    def question_context(self, question: Question, _manager: ContextManager) -> QuestionContext:
        return FixedQuestionContext(question, self)

    def quotes(self) -> Quoted:
        return self.answer


class FixedQuestionContext(QuestionContext):
    def __init__(self, question: Question, fake: FakeContextSettings) -> None:
        self.fake = fake
        lines = [(said.speaker_id, said.speaker_name, said.text) for said in fake.shown]
        super().__init__(question, meeting_of(lines), QuestionContextSettings(fake.tokenizer))
        self.language = fake.language
        if fake.segments:
            self.meeting.topics.segments[:] = fake.segments

    @property
    def tokens(self) -> TokenManager:
        return TokenManager()

    def quotes(self, *_: object) -> Quoted:
        return self.fake.quotes()

    def topics_fit(self) -> bool:
        return self.fake.fits

    def history(self) -> Sequence[PastQuestion]:
        return self.fake.earlier

    def prompt(self, extras: Extras = NO_EXTRAS) -> Prompt:
        self.fake.prompts += 1
        self.fake.extras.append(extras)
        asks = ChatMessage(role="user", content="question")
        record = PromptRecord(purpose="answer", tokens=7)
        return Prompt(messages=(asks,), shown=self.fake.shown, record=record, thread=self.fake.thread)


@dataclass
class Heard:
    """One reply as the room heard it."""

    evidence_at_open: Sequence[int]
    to: str | None
    pieces: list[str] = field(default_factory=list)
    closed_with: Sequence[int] | None = None
    instead: str = ""

    async def write(self, text: str) -> None:
        self.pieces.append(text)

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        self.closed_with = tuple(evidence)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass
class Room:
    """Opens replies; `gone` makes it fail as a lost room does."""

    gone: bool = False
    replies: list[Heard] = field(default_factory=list)

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> Heard:
        if self.gone:
            raise Unavailable("no room")
        self.replies.append(Heard(tuple(evidence), to, instead=instead))
        return self.replies[-1]

    @property
    def text(self) -> str:
        assert len(self.replies) == 1
        return self.replies[0].text


def weekly(lines: list[tuple[str, str, str]]) -> Meeting:
    return meeting_of(lines, opened={"title": "주간 회의 weekly"}).meeting


def with_summary(meeting: Meeting, summary: Summary) -> Meeting:
    segment = meeting.segments[0]
    ready = SummaryReady(
        topic_id=segment.id, version=1, reason="turn_limit", covered_until=segment.end_utterance_id,
        content=summary, engine="test",
    )  # fmt: skip
    meeting.topics.merge(ready, lambda person: person)
    return meeting
