"""The slow work that a meeting's fold asks for: summaries, verdicts, scores of topics, answers.

Each background task runs beside the session, and what comes of it goes into the session's inbox as an event.
A task that is under way when the session stops is cancelled; whoever goes on with the meeting sets it off
again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol

from context.erasure.blanking import Blanking
from context.events import effects, events
from context.events.topic_events import SummaryFailed, SummaryReady, TopicJudged
from context.fold import topic_summaries as summaries
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.models import AgentCallType, Reply
from context.question import Question
from context.topics.topics import as_next_version
from worker.agent.reply.speaking import ReplyOpener
from worker.meeting.answer_progress import AnswerProgress
from worker.meeting.side_tasks import SideTasks
from worker.monitoring import telemetry
from worker.outlets import ReplyStream, Stage

if TYPE_CHECKING:
    from worker.meeting.session import Session


SUMMARIES_GIVE_WAY_S: Final = 120.0
"""No summary waits longer for a machine that is at its limit."""
_DROPPED_WITHIN_S: Final = 1.0
"""How long a cancelled task may take to end."""
Bring = Callable[[events.Event], None]
"""Puts what came of a task into the session's inbox."""


class SlowWork(Protocol):
    """Port of the work of background tasks: with a model or, `by_rules`, at once and without one."""

    def is_spent(self, meeting: Meeting, at_ms: int) -> bool:
        """Whether the meeting has used what it may send to models in an hour; `at_ms`: now, in its time."""

    async def summarise(
        self, effect: effects.Summarise, *, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        """Write a topic's next summary; never raises."""

    async def judge(self, effect: effects.JudgeTopic, *, by_rules: bool = False) -> TopicJudged | None:
        """Say whether the topic changed at the effect's utterance, by rules not; None: there is no model."""

    async def summarise_thread(
        self, effect: effects.SummariseThread, *, at_ms: int, by_rules: bool = False
    ) -> events.ThreadSummaryReady | events.ThreadSummaryFailed:
        """Write the next summary of the agent's thread; never raises. `at_ms`: now, in meeting time."""

    async def answer(
        self,
        question: Question,
        manager: ContextManager,
        opener: ReplyOpener,
        *,
        now_ms: Callable[[], int],
        on_begin: Callable[[str, Stage], None] = lambda _step, _stage: None,
    ) -> Reply:
        """Answer a question by the stream that `opener` opens, and give the reply for the record.

        Cancelled, it closes the stream with a mark. `now_ms`: now, in meeting time. `on_begin` is told the
        name of each step of the answer as it begins, and what it is to people.
        """


class BackgroundTasks:
    """The slow work that one session has under way."""

    def __init__(self, session: Session, slow_work: SlowWork, side_tasks: SideTasks) -> None:
        self._session, self._slow_work, self._side_tasks = session, slow_work, side_tasks
        self._answers: dict[str, asyncio.Task[None]] = {}
        self._thread_summaries: set[asyncio.Task[None]] = set()
        """Summaries of the agent's thread under way: the closing summary does not wait for them."""
        self._blankings: list[Blanking] = []
        """What was erased while this session ran, in order."""
        self._scoring: asyncio.Task[None] | None = None
        self.closing = asyncio.Event()
        """Set while the meeting closes: summaries give way to nothing any more."""
        self.hurried = asyncio.Event()
        """Set while the meeting closes and the time for models is over: rules summarise its topics then."""

    @property
    def answers(self) -> int:
        """How many answers are under way."""
        return len(self._answers)

    @property
    def scoring(self) -> bool:
        """Whether topics are being scored."""
        return self._scoring is not None and not self._scoring.done()

    def summarise(self, effect: effects.Summarise) -> None:
        """Set off a topic's summary (`SummaryReady`, or `SummaryFailed`)."""
        if effect.reason == "topic_change":
            manager = self._session.manager
            telemetry.l1_segment_created(
                meeting_id=manager.meeting_id,
                topic_name=effect.topic.name,
                l0_buffer_size=len(manager.l0_buffer),
                l1_segments_count=len(manager.l1_segments),
                next_topic=manager.current_topic,
                topic_id=effect.topic.id,
                next_topic_id=manager.meeting.topics.segments[-1].id,
            )
        self._side_tasks.spawn(self._summarise(effect, self._bring()), name=f"summary:{effect.topic.id}")

    def summarise_thread(self, effect: effects.SummariseThread, seq: int) -> None:
        """Set off a summary of the agent's thread, once event `seq`, which asks for it, is on the record."""

        def ended(task: asyncio.Task[None]) -> None:
            self._thread_summaries.discard(task)
            # Where this session stops, the summary stays in progress on the record: for whoever goes on.
            if task.cancelled() and not self._session.stopped:
                failed = events.ThreadSummaryFailed(version=effect.version, error="the meeting is closing")
                self._session.post(failed)

        work = self._summarise_thread(effect, seq, self._bring())
        task = self._side_tasks.spawn(work, name=f"thread:{effect.version}", ended=ended)
        if task is not None:
            self._thread_summaries.add(task)

    def drop_thread_summaries(self) -> None:
        """Cancel the summaries of the agent's thread: the meeting closes, and nobody waits for them."""
        for task in self._thread_summaries:
            task.cancel()

    async def drop_all_but(self, besides: Collection[asyncio.Task[None]]) -> None:
        """Cancel all but answers, and `besides`: words are taken out of the meeting that it is made of."""
        await self._side_tasks.drop([*besides, *self._answers.values()], _DROPPED_WITHIN_S)

    def blank(self, blanking: Blanking) -> None:
        """Take erased words out of whatever the tasks bring that have begun by now."""
        self._blankings.append(blanking)

    def _bring(self) -> Bring:
        """How a task that begins now brings what comes of it: without what is erased from now on."""
        erasures = len(self._blankings)

        def bring(event: events.Event) -> None:
            for blanking in self._blankings[erasures:]:
                event = blanking.event(event)
            self._session.post_result(event)

        return bring

    def judge(self, effect: effects.JudgeTopic) -> None:
        """Set off a model's verdict on whether the topic changed (`TopicJudged`)."""
        self._side_tasks.spawn(self._judge(effect, self._bring()), name=f"judge:{effect.at_utterance}")

    def score_topics(self) -> None:
        """Set off the scoring of topics (`TopicsScored`), unless it is under way and comes to it anyway."""
        if not self.scoring:
            self._scoring = self._side_tasks.spawn(self._score_topics(), name="topics")

    def answer(self, question: Question, seq: int) -> None:
        """Set off the answer to a question, which is event `seq` (`AnswerGiven`, or `AnswerDropped`)."""

        def ended(task: asyncio.Task[None]) -> None:
            self._answers.pop(question.id, None)
            if task.cancelled() and self._side_tasks.taken:  # else it stays open, for whoever goes on
                self._session.post_result(self._dropped(question.id, "superseded"))

        work = self._answer(question, seq, self._bring())
        task = self._side_tasks.spawn(work, name=f"answer:{question.id}", ended=ended)
        if task is not None:
            self._answers[question.id] = task

    def forget(self, invocation_id: str) -> None:
        """Drop the answer to a question whose asker has asked something newer."""
        if (running := self._answers.get(invocation_id)) is not None:
            running.cancel()
        elif self._side_tasks.taken:  # its holder died before it could say that it is dropped
            self._session.post(self._dropped(invocation_id, "superseded"))

    # ---- on the way ---------------------------------------------------------------------------

    async def _summarise(self, effect: effects.Summarise, bring: Bring) -> None:
        await self._room_for_summaries()
        self._start(effect, effect.version)
        by_model = asyncio.ensure_future(self._slow_work.summarise(effect, by_rules=self._is_spent()))
        hurried = asyncio.ensure_future(self.hurried.wait())
        try:
            await asyncio.wait({by_model, hurried}, return_when=asyncio.FIRST_COMPLETED)
            if by_model.done():
                bring(by_model.result())
                return
            bring(await self._slow_work.summarise(effect, by_rules=True))
        except BaseException:
            by_model.cancel()
            await asyncio.wait({by_model})
            raise
        finally:
            hurried.cancel()
        self._start(effect, effect.version + 1)  # the model's draft is on the record as under way

        async def late() -> None:
            """A draft that comes when the closing summary is told takes the place of what was quoted.

            One that comes when this session has stopped is asked for again (`worker.fleet.ended_meetings`).
            """
            bring(as_next_version(await by_model, effect.topic))

        def ended(_task: asyncio.Task[None]) -> None:
            by_model.cancel()

        self._side_tasks.spawn(late(), name=f"late:{effect.topic.id}", ended=ended, awaited=False)

    async def _room_for_summaries(self) -> None:
        """Wait while summaries give way to what people say; a meeting that closes waits for nothing."""
        pressure = self._session.pressure
        if pressure is None or self.closing.is_set() or not pressure.gives_way("summaries"):
            return
        room = asyncio.ensure_future(pressure.room_for("summaries", SUMMARIES_GIVE_WAY_S))
        closing = asyncio.ensure_future(self.closing.wait())
        try:
            await asyncio.wait({room, closing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            room.cancel()
            closing.cancel()

    def _start(self, effect: effects.Summarise, version: int) -> None:
        tokenizer, at_ms = self._session.manager.meeting.tokenizer, self._session.now_ms()
        self._session.post_result(summaries.started(effect, tokenizer, at_ms=at_ms, version=version))

    async def _summarise_thread(self, effect: effects.SummariseThread, seq: int, bring: Bring) -> None:
        await self._room_for_summaries()
        # What set it off is on the record first: whoever takes over asks for the same summary.
        await self._session.recorder.settled(seq)
        made = self._session.manager.meeting.thread.summaries
        if (attempt := made.attempt(effect.version, at_ms=self._session.now_ms())) is not None:
            self._session.post_result(attempt)
        at_ms, by_rules = self._session.now_ms(), self._is_spent()
        bring(await self._slow_work.summarise_thread(effect, at_ms=at_ms, by_rules=by_rules))

    async def _judge(self, effect: effects.JudgeTopic, bring: Bring) -> None:
        if (verdict := await self._slow_work.judge(effect, by_rules=self._is_spent())) is not None:
            bring(verdict)

    def _is_spent(self) -> bool:
        """Whether the meeting has used its tokens of this hour, so that the work is done by rules."""
        return self._slow_work.is_spent(self._session.manager.meeting, self._session.now_ms())

    async def _score_topics(self) -> None:
        meeting = self._session.manager.meeting
        for event in meeting.changes.score():
            if event is not None:
                self._session.fold_now(event)
            meeting.catch_up()
            await asyncio.sleep(0)  # whatever else is due goes first

    async def _answer(self, question: Question, seq: int, bring: Bring) -> None:
        session = self._session

        async def opened(
            invocation_id: str,
            call_type: AgentCallType,
            *,
            evidence: Sequence[int],
            to: str | None,
            instead: str = "",
        ) -> ReplyStream:
            # Once its question is on the record: one that is asked again after a crash is answered once.
            await session.recorder.settled(seq)
            return await session.outlet.open_reply(
                invocation_id, call_type, evidence=evidence, to=to, instead=instead
            )

        doing = AnswerProgress(session.outlet, private=question.private)

        def begun(step: str, stage: Stage) -> None:
            doing.at(stage)
            session.observer.answering(question.id, step)

        try:
            async with doing.told():
                reply = await self._slow_work.answer(
                    question, session.manager, opened, now_ms=session.now_ms, on_begin=begun
                )
        except Exception:
            session.post_result(self._dropped(question.id, "failed"))
            raise
        bring(events.AnswerGiven(reply=reply))

    def _dropped(self, invocation_id: str, why: Literal["superseded", "failed"]) -> events.AnswerDropped:
        return events.AnswerDropped(invocation_id=invocation_id, why=why, at_ms=self._session.now_ms())
