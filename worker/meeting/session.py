"""One meeting at work: inbox, fold, record, effects.

Theory of operation. Everything that happens to the meeting, from outside (`post`) or from its own
side tasks, goes through one inbox and is folded in that order by `ContextManager.receive`. The event is
handed to the recorder in the same breath, so the record has the fold's order. What the fold wants
published goes to the outbox with the event's number; the publisher waits until that number is
settled and sends in order. Summaries, verdicts and answers run beside all this as tasks of the
session's TaskGroup and come back through the inbox as events. Topics are scored there, too, an
utterance at a time, but what is found is folded at once: it holds for at most 40 utterances.

A session does not know what process it is in, or whether there is a room: it sees an `Outlet`.
It ends in one of two ways: `end` (the meeting is over: `MeetingEnded`) or `leave` (somebody else goes on:
nothing is said, the record simply stops here).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Literal, NamedTuple, Protocol, assert_never

import structlog

from context.erasure.erased_record import erased, is_done
from context.erasure.erasure_effect import takes_out
from context.events import effects, events
from context.events.actors import Actor
from context.events.erasure_target import Erasure, Target
from context.events.privacy_events import Erased
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.ports import RecordedEvent
from context.primitives.text import cleaned, one_line
from worker.clock import Clock
from worker.errors import first_cause
from worker.meeting.background_tasks import BackgroundTasks, SlowWork
from worker.meeting.inbox import Inbox
from worker.meeting.outbox import Outbox
from worker.meeting.question_intake import QuestionIntake, Reader
from worker.meeting.record_privacy import erased_again, recordable
from worker.meeting.side_tasks import SideTasks, UnderWay
from worker.monitoring.instruments import QueueName
from worker.monitoring.observer import Observer
from worker.monitoring.turn_latency import TurnLatencies
from worker.outlets import Outlet
from worker.pressure import Pressure
from worker.record.recorder import Recorder
from worker.record.restoring import Snapshots

log = structlog.get_logger(__name__)

CLOSING_DEADLINE_S = 12.0
"""How long the closing summary may take."""
_MODEL_SHARE = 0.75
"""The share of that time for which a model is waited for."""
TASKS_END_WITHIN_S = 1.5
"""How long a side task that a stop cancels may take to end."""


class Thinker(SlowWork, Protocol):
    """Does all slow work beside the fold; `worker.bootstrap.thinking` puts it together."""

    @property
    def reader(self) -> Reader:
        """Reads questions where they come in."""

    def closing_text(self, meeting: Meeting) -> str:
        """The closing summary of a meeting, from what is known now."""


class Outcome(NamedTuple):
    """How a session stopped: whether the meeting `ended` or was only `left`, and why."""

    kind: Literal["ended", "left"]
    reason: str


class Session:
    """One meeting at work: its inbox, its fold, its record, and what the fold wants done."""

    def __init__(
        self,
        manager: ContextManager,
        *,
        thinker: Thinker,
        outlet: Outlet,
        clock: Clock,
        recorder: Recorder,
        observer: Observer | None = None,
        pressure: Pressure | None = None,
        mask: Callable[[str], str] = lambda text: text,
        mask_growing: Callable[[str], str] = lambda text: text,
    ) -> None:
        """`manager` has the meeting as `recorder` has committed it: events follow from there.

        `pressure` None: nothing gives way. `mask` masks a text that people say or ask, before it is on the
        record; `mask_growing` one that is still being said.
        """
        self._mask, self._mask_growing = mask, mask_growing
        self.manager, self.outlet, self.clock = manager, outlet, clock
        self.recorder, self.observer = recorder, observer or Observer()
        self.pressure = pressure
        self.seq = recorder.committed
        """The number of the last event that was folded."""
        self.latencies = TurnLatencies()
        self.stopped: Outcome | None = None
        self.on_erased: Callable[[Erasure], None] = lambda _mark: None
        """Called with the mark of words that were taken out: what it means and is no text yet goes, too."""
        self._thinker = thinker
        self._inbox = Inbox()
        self._under_way = UnderWay()
        self._side_tasks = SideTasks(self._under_way)
        self._background = BackgroundTasks(self, thinker, self._side_tasks)
        self.questions = QuestionIntake(self, thinker.reader, self._side_tasks)
        self._stop = asyncio.Event()
        self._zero_s: float | None = None
        self._outbox = Outbox(self, self._under_way)
        self._snapshots = Snapshots(
            manager, recorder, seq=lambda: self.seq, shown_up_to=self._outbox.shown_up_to
        )

    # ---- inputs -------------------------------------------------------------------------------

    @property
    def meeting_id(self) -> str:
        """The meeting's id."""
        return self.manager.meeting_id

    @property
    def started(self) -> bool:
        """Whether the first human has been seen."""
        return self.manager.meeting.started_at is not None

    @property
    def zero_s(self) -> float:
        """When the meeting began, on the monotonic clock; this moment before the first human."""
        started_at = self.manager.meeting.started_at
        if started_at is None:
            return self.clock.monotonic_s()
        if self._zero_s is None:
            # Wall time is asked once; after that the monotonic clock counts, so a jump shifts nothing.
            elapsed_s = (self.clock.now_utc() - started_at).total_seconds()
            self._zero_s = self.clock.monotonic_s() - elapsed_s
        return self._zero_s

    def now_ms(self) -> int:
        """Milliseconds of meeting time; 0 before the first human."""
        return max(0, round((self.clock.monotonic_s() - self.zero_s) * 1000))

    def now_utc(self) -> datetime:
        """The present moment of the meeting as wall time, UTC-aware."""
        started_at = self.manager.meeting.started_at
        if started_at is None:
            return self.clock.now_utc()
        return started_at + timedelta(milliseconds=self.now_ms())

    def post(self, event: events.Event) -> None:
        """Put an event into the inbox. Events are folded in the order of these calls.

        A session that is stopping takes nothing in: what comes then is its successor's, who reads on
        from where the record stands. Else it would be folded behind the last snapshot and never shown.
        """
        if self.stopped is None:
            self.post_result(event)

    def post_result(self, event: events.Event) -> None:
        """Put what came of the session's own background tasks into the inbox, even while it is stopping."""
        self._under_way.add("events", 1)
        self._inbox.put(event)

    def human_seen(self, participant_id: str, name: str) -> None:
        """Take note that a human is in the meeting; the first one starts its clock."""
        if not self.started:
            self.fold_now(events.MeetingStarted(at=self.clock.now_utc()))
        self.post(events.ParticipantJoined(participant_id=participant_id, name=name, at_ms=self.now_ms()))

    def fold_now(self, event: events.Event) -> None:
        """Fold an event at once, before what lies in the inbox, as the next line of code depends on it."""
        self._fold(event)

    async def erase(
        self, target: Target, *, id_: str, actor: Actor, by: str = "", surely: bool = False
    ) -> bool:
        """Take the words of `target` out of the meeting; False where none are there (`surely`: some are).

        `id_`: the erasure request that this carries out, made by `actor`, shown as `by`. What is being made
        of the meeting is dropped; answers go on, and events that lie in the inbox, but both come to the
        record without the words. Raises `NotTheirs` where the actor may not take them out.
        """
        await self.questions.until_read()  # they lie in the inbox then, as what else comes behind the erasure
        meeting = self.manager.meeting
        if is_done(meeting, target, id_=id_):  # nothing would set off again what is dropped
            return False
        at_ms = max(self.now_ms(), self._inbox.after_words_of(target, meeting.utterances))
        if not (surely or self._inbox.holds_words_of(target) or takes_out(meeting, target, at_ms=at_ms)):
            return False
        # Until what is dropped is set off again, nothing is settled: a closing summary would lack it.
        self._under_way.add("tasks", 1)
        try:
            await self._background.drop_all_but(self.questions.under_way)
            made = erased(self.manager.meeting, target, id_=id_, actor=actor, by=by, at_ms=at_ms)
            if made is None:
                return False
            event, blanking = made
            self._background.blank(blanking)
            self._inbox.change(blanking.event)
            self.fold_now(event)
            self.on_erased(event.mark)
            return True
        finally:
            self._under_way.add("tasks", -1)

    def take_up(self, spooled: Iterable[events.Event]) -> None:
        """Fold, before `run`, the events that a dead job left. `run` does what they ask for and still stands.

        So a question is not answered again whose answer comes behind it.
        """
        for event in spooled:
            again = erased_again(self.manager.meeting, event) if isinstance(event, Erased) else event
            if again is not None:
                self._fold_safely(again)

    # ---- running ------------------------------------------------------------------------------

    async def run(self) -> Outcome:
        """Work until `end` or `leave`; says which and why. Raises `Fenced` where the record is lost."""
        try:
            async with asyncio.TaskGroup() as tasks:
                self._side_tasks.open(tasks)
                loops = [
                    tasks.create_task(self._read_inbox(), name="inbox"),
                    tasks.create_task(self._outbox.run(), name="publisher"),
                    tasks.create_task(self.recorder.run(), name="recorder"),
                    tasks.create_task(self._snapshots.run(), name="snapshots"),
                ]
                # What was under way when the meeting was last stored, or folded before we run.
                for wanted in self.manager.meeting.outstanding():
                    self._perform(wanted, self.seq)
                await self._stop.wait()
                self._side_tasks.close()
                for task in loops:
                    task.cancel()
        except BaseExceptionGroup as group:
            raise first_cause(group) from group
        finally:
            self._side_tasks.close()
        assert self.stopped is not None
        return self.stopped

    async def settle(self) -> None:
        """Wait until everything that was set off so far is folded, carried out and published."""
        await self._under_way.done()

    async def close_topics(self, within_s: float = CLOSING_DEADLINE_S) -> str:
        """Summarise the open topic, as everybody has left, and give the closing summary, both in `within_s`.

        A model that is not done after three quarters of that is not waited for: rules summarise, at once.
        """
        self._background.drop_thread_summaries()
        self._background.closing.set()
        self.post(events.ClosingRequested(at_ms=self.now_ms()))
        try:
            if not await self._under_way.done_within(within_s * _MODEL_SHARE):
                log.warning("closing_summary_by_rules", after_s=round(within_s * _MODEL_SHARE, 1))
                self._background.hurried.set()
                if not await self._under_way.done_within(within_s * (1 - _MODEL_SHARE)):
                    log.warning("closing_summary_late", deadline_s=within_s)
        finally:
            self._background.hurried.clear()
            self._background.closing.clear()
        return self._thinker.closing_text(self.manager.meeting)

    async def end(self, reason: str, *, deadline_s: float = 5.0) -> None:
        """End the meeting for good: say so on the record, wait for what is under way, and stop."""
        if self.stopped:
            return
        await self.questions.until_read()  # what was asked before the end is answered
        if self.stopped:
            return
        self.stopped = Outcome("ended", reason)
        self.post_result(events.MeetingEnded(at_ms=self.now_ms(), reason=reason))
        await self._finish(deadline_s)

    async def leave(self, reason: str, *, deadline_s: float = 2.0) -> None:
        """Stop without a word: somebody else goes on with the meeting, or nobody does for now."""
        if self.stopped:
            return
        self.stopped = Outcome("left", reason)
        await self._finish(deadline_s)

    async def _finish(self, deadline_s: float) -> None:
        self._background.closing.set()
        self._background.drop_thread_summaries()
        until_s = self.clock.monotonic_s() + deadline_s
        if not await self._under_way.done_within(deadline_s):
            log.warning("session_unsettled", **self._under_way.count)
            # Before the record is closed: an answer whose words are all said is on it, and not said again.
            await self._side_tasks.end(TASKS_END_WITHIN_S)
        elif self.stopped and self.stopped.kind == "ended":
            # A draft that comes now is better than the quotes that were told in its place.
            await self._side_tasks.welcome(max(0.0, until_s - self.clock.monotonic_s()))
        while self._under_way.count["events"]:  # noqa: ASYNC110 - it is being folded, a moment
            await asyncio.sleep(0)
        if await self.recorder.drain(deadline_s):
            await self._snapshots.save()
            await self._snapshots.save()  # with an answer or a summary that came while it was saved
        self._stop.set()

    async def shown(self) -> None:
        """Wait until what was folded so far has been shown outside; for 2 s at most."""
        await self._outbox.shown_up_to(self.seq)

    async def save(self) -> None:
        """Save a snapshot of the present state, for whoever goes on."""
        await self._snapshots.save()

    def show_again(self, unshown: Sequence[effects.Published]) -> None:
        """Show what is on the record and may not have been shown, as a holder died between the two.

        It goes out under the same ids and with the same text, so whoever has seen it sees nothing new.
        """
        for effect in unshown:
            self._outbox.put(effect, self.recorder.committed, again=True)

    def waiting(self) -> dict[QueueName, float]:
        """How many events wait to be folded and written, effects to be shown, and answers are under way."""
        return {
            "inbox": self._under_way.count["events"],
            "outbox": self._under_way.count["effects"],
            "record": self.recorder.pending,
            "answers": self._background.answers,
        }

    # ---- the fold -----------------------------------------------------------------------------

    async def _read_inbox(self) -> None:
        while True:
            event = await self._inbox.get()
            self._fold_safely(event)
            self._under_way.add("events", -1)
            if self._background.scoring:
                await asyncio.sleep(0)  # in a burst of words it must not fall behind

    def _fold_safely(self, event: events.Event) -> None:
        try:
            self._fold(event)
        except Exception:
            # One event that the fold cannot take must not cost the meeting all the others.
            log.exception("event_not_folded", kind=event.kind)

    def _fold(self, event: events.Event) -> None:
        # What is folded is what is recorded, to the letter; what is hidden in a number hides it from no mask.
        event = recordable(cleaned(event), self.manager.meeting, self._mask)
        event = self.manager.meeting.attendance.as_shown(event)
        wanted = self.manager.receive(event)
        self.seq += 1
        self.recorder.write(RecordedEvent(seq=self.seq, event=event))
        self.observer.folded(event, wanted)
        for effect in wanted:
            self._perform(effect, self.seq)

    def _perform(self, effect: effects.Effect, seq: int) -> None:
        match effect:
            case _ if isinstance(effect, effects.Published):
                self._outbox.put(effect, seq)
            case effects.Summarise():
                self._background.summarise(effect)
            case effects.SummariseThread():
                self._background.summarise_thread(effect, seq)
            case effects.JudgeTopic():
                self._background.judge(effect)
            case effects.ScoreTopics():
                self._background.score_topics()
            case effects.Answer(question=question):
                self._background.answer(question, seq)
            case effects.CancelAnswer(invocation_id=invocation_id):
                self._background.forget(invocation_id)
            case _:
                assert_never(effect)

    # ---- what was shown -----------------------------------------------------------------------

    def as_shown(self, text: str, firm: int) -> tuple[str, int]:
        """Words under way, and how many of their characters are firm, as they may be shown."""
        shown, certain = (self._mask_growing(one_line(part)) for part in (text, text[:firm]))
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(shown, certain, strict=False))
        return shown, sum(1 for _ in alike)

    def segment_id(self, key: str) -> str:
        """The id under which every worker shows the turn with this key, interim or final."""
        return f"{self.meeting_id}/{key}"
