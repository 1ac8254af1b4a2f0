"""A meeting in this process alone, without lease, record and followers: for replays and the rehearsal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from context.events import events
from context.fold.meeting import Meeting
from context.manager import ContextManager
from stt.segment import SpeechEngine
from stt.vad import SileroVad, Vad
from worker.bootstrap.thinking import Thinking
from worker.clock import Clock
from worker.configuration.settings import Settings
from worker.meeting.session import Session
from worker.outlets import SilentOutlet
from worker.participants.attendant import Attendant
from worker.participants.expected_terms import ExpectedTerms
from worker.participants.tracks import track_maker
from worker.record.recorder import Recorder


@asynccontextmanager
async def solo_meeting(
    settings: Settings,
    meeting: Meeting,
    *,
    thinker: Thinking,
    engine: SpeechEngine | None,
    clock: Clock,
    language: str | None = None,
    make_vad: Callable[[], Vad] = SileroVad,
) -> AsyncIterator[tuple[Session, Attendant]]:
    """Give a running session on `meeting` and its attendant; both stop when the block ends, the meeting open.

    `engine` None: there is no sound. `language`: that of the speech, the settings' one by default.
    """
    spoken = language or settings.agent.language
    session = Session(
        ContextManager(meeting.meeting_id, settings.context, meeting=meeting),
        thinker=thinker,
        outlet=SilentOutlet(),
        clock=clock,
        recorder=Recorder(None, meeting.meeting_id, 0, clock=clock),
    )
    terms = ExpectedTerms(session, configured=settings.stt.terms, wake_words=settings.agent.wake_words)
    async with asyncio.TaskGroup() as tasks:
        attendant = Attendant(
            session,
            tasks,
            make_track=track_maker(session, engine, spoken, make_vad=make_vad, terms=terms),
            wake_words=settings.agent.wake_words,
            chat=settings.agent.chat,
        )
        running = tasks.create_task(session.run())
        await asyncio.sleep(0)
        if meeting.opened is None:
            session.fold_now(
                events.MeetingOpened(meeting_id=meeting.meeting_id, language=spoken, topics_beside=True)
            )
        if (tuned := thinker.thread_tuning(meeting.thread)) is not None:
            session.fold_now(tuned)
        try:
            yield session, attendant
        finally:
            await session.leave("done")
            await running
            await attendant.aclose()
