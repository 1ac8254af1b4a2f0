"""A session on fakes, on the clock of a virtual loop: everything real but the world."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from context.config import ContextConfig
from context.events import events
from context.fold.meeting import Meeting
from context.fold.window import RoughTokenizer
from context.models import QuestionChannel
from context.question import Question
from tests.fakes.outlet import FakeOutlet
from tests.fakes.record import START
from tests.fakes.store import FakeStore
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.meeting.session import Outcome, Session
from worker.monitoring.observer import Observer
from worker.pressure import Pressure
from worker.record.recorder import Recorder
from worker.record.restoring import restore
from worker.record.spool import Spool

SETTINGS = Settings.from_env({})


class LoopClock:
    """The running loop's clock, which in a virtual loop jumps."""

    def __init__(self) -> None:
        self._zero_s = asyncio.get_running_loop().time()

    def monotonic_s(self) -> float:
        return asyncio.get_running_loop().time()

    def now_utc(self) -> datetime:
        return START + timedelta(seconds=self.monotonic_s() - self._zero_s)


@dataclass
class World:
    """A session at work, and what it touches."""

    session: Session
    store: FakeStore
    outlet: FakeOutlet
    epoch: int
    running: asyncio.Task[object] | None = None
    said: int = field(default=0)

    def speak(self, text: str, who: str = "minji", *, key: str | None = None) -> None:
        self.said += 1
        start_ms = self.said * 1000
        self.session.post(
            events.UtteranceSpoken(
                key=key or f"{who}@{start_ms}",
                speaker_id=who,
                speaker_name=who.title(),
                text=text,
                start_ms=start_ms,
                end_ms=start_ms + 900,
            )
        )

    async def say(self, *lines: str) -> None:
        """Each is said and all that it sets off is done."""
        for line in lines:
            self.speak(line)
        await self.settle()

    def ask(
        self,
        text: str,
        id_: str = "q1",
        by: str = "minji",
        *,
        via: QuestionChannel = "chat",
        private: bool = False,
    ) -> None:
        self.session.post(asked(text, id_, by, via=via, private=private))

    async def settle(self) -> None:
        await self.session.settle()

    async def kill(self) -> None:
        """SIGKILL: nothing is said, written or handed over any more."""
        assert self.running is not None
        self.session.stopped = Outcome("left", "killed")
        self.running.cancel()
        await asyncio.wait({self.running})


def asked(
    text: str, id_: str = "q1", by: str = "minji", *, via: QuestionChannel = "chat", private: bool = False
) -> events.QuestionAsked:
    invocation = Question(id=id_, by=by, via=via, text=text, private=private, at_ms=5000)
    return events.QuestionAsked(question=invocation)


@asynccontextmanager
async def meeting_at_work(
    store: FakeStore | None = None,
    *,
    epoch: int | None = None,
    spool: Spool | None = None,
    thinker: Thinking | None = None,
    language: str = "ko",
    pressure: Pressure | None = None,
    mask_growing: Callable[[str], str] = lambda text: text,
    observer_of: Callable[[Meeting], Observer | None] = lambda _meeting: None,
) -> AsyncIterator[World]:
    """Restored from the store where it has the meeting; stops without an end when the block ends."""
    store = store or FakeStore()
    epoch = epoch if epoch is not None else store.record.open_meeting("m-test")
    clock, outlet = LoopClock(), FakeOutlet()
    tokenizer = RoughTokenizer()
    restored = await restore(store, "m-test", ContextConfig(), tokenizer=tokenizer, spool=spool)
    session = Session(
        restored.manager,
        thinker=thinker or Thinking(None, tokenizer, SETTINGS),
        outlet=outlet,
        clock=clock,
        recorder=Recorder(store, "m-test", epoch, clock=clock, spool=spool, committed=restored.last_seq),
        observer=observer_of(restored.manager.meeting),
        pressure=pressure,
        mask_growing=mask_growing,
    )
    world = World(session, store, outlet, epoch, said=len(restored.manager.meeting.utterances))
    async with asyncio.TaskGroup() as tasks:
        if restored.last_seq == 0:
            opened = events.MeetingOpened(meeting_id="m-test", language=language, topics_beside=True)
            session.fold_now(opened)
            session.fold_now(events.MeetingStarted(at=clock.now_utc()))
        session.take_up(restored.spooled)
        world.running = tasks.create_task(session.run())
        await asyncio.sleep(0)
        session.show_again(restored.unshown)
        try:
            yield world
        finally:
            await session.leave("test over")
