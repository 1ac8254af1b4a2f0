"""A holder's presence at its meeting: session and attendant, and what runs beside them until it stops.

The lease is kept around it (`worker.holder.meeting_job`). `enter` is where a room (`worker.holder.takeover`)
and a text meeting differ: it gets the presence, and joins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from context.ports import Fenced
from worker.bootstrap.parts import Parts
from worker.holder.late_words import LateWords
from worker.holder.overlap import TakeoverOverlap
from worker.meeting.erasing import MeetingErasures
from worker.meeting.session import Outcome, Session
from worker.participants.attendant import Attendant
from worker.participants.text_input import TextInput
from worker.ports import MeetingRow
from worker.record.restoring import Restored

log = structlog.get_logger(__name__)

STOP_SUMMARY_S: Final = 6.0
"""The time for the open topic's summary when the worker stops: with the last words it has 20 s."""
_RETRY_INPUT_S: Final = 1.0
_LEAVES_SPEECH: Final = frozenset({"lease_lost", "outranked"})
"""Reasons to stop at once, without the text of speech that waits here: the next holder hears that again."""


class Presence:
    """A holder at its meeting, from joining to the session's last event.

    `tasks` runs the session and all that stands beside it; `overlap` knows what the holder before left.
    """

    def __init__(
        self,
        parts: Parts,
        row: MeetingRow,
        session: Session,
        attendant: Attendant,
        *,
        tasks: asyncio.TaskGroup,
        overlap: TakeoverOverlap,
        erasing: MeetingErasures,
    ) -> None:
        self.session, self.attendant, self.tasks, self.overlap = session, attendant, tasks, overlap
        self.closers: list[Callable[[], Awaitable[None]]] = []
        """They are called when the meeting stops, the last one first: each closes what `enter` opened."""
        self.covered_from_ms: int | None = None
        """The moment from which this holder has the sound, as it stood by before; None: the present."""
        self._parts, self._row, self._erasing = parts, row, erasing
        self._beside: list[asyncio.Task[None]] = []

    def begin(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run `work` beside the session; it is cancelled when that stops."""
        self._beside.append(self.tasks.create_task(work, name=name))

    async def run(self, restored: Restored, enter: Enter) -> Outcome:
        """Enter, show what the holder before left unshown, note the gaps, and work until the session stops.

        Whatever is raised, `closers` and the attendant are closed before.
        """
        session = self.session
        running = self.tasks.create_task(session.run(), name="session")
        self._begin_all(restored)
        try:
            await enter(self)
            if self._row.room is not None:
                self.attendant.people.note_absent()
            session.show_again(restored.unshown)
            covered_ms = self.covered_from_ms
            for gap in self.overlap.gaps(session.now_ms() if covered_ms is None else covered_ms):
                session.post(gap)
            return await running
        except Fenced:
            self.attendant.tracks.leave()
            raise
        finally:
            if session.stopped is not None and session.stopped.reason in _LEAVES_SPEECH:
                self.attendant.tracks.leave()
            for close in reversed(self.closers):
                await close()
            await self.attendant.aclose()
            for task in self._beside:
                task.cancel()

    async def end(self, reason: str) -> None:
        """End the meeting as if everybody had left: last words, closing summary, the end on the record."""
        try:
            await self.attendant.closing.say()
        except Exception:
            log.exception("closing_failed")
        await self.session.end(reason)

    async def stop(self, tell_written: Callable[[], Awaitable[None]]) -> None:
        """Leave, as the worker stops and no successor came; transcribe and summarise first.

        `tell_written` renews the lease: what its last renewal told is text by now, or waits on the record.
        """
        try:
            await self.attendant.tracks.last_words()
            await tell_written()
            await self.session.close_topics(STOP_SUMMARY_S)
        except Exception:
            log.exception("stop_failed")
        await self.session.leave("drained")

    def _begin_all(self, restored: Restored) -> None:
        parts, meeting = self._parts, self.session.manager.meeting
        self.begin(self._read_input(), "text-input")
        self.begin(self._forget_spool(restored), "old-spool")
        self.begin(parts.indexers.run(meeting), "passages")
        if self._row.room is not None:  # hundreds of text meetings in a process: each when it is asked
            self.begin(parts.thinker.keep_read(self.session.manager), "index")
        self.begin(self._erasing.run(), "erasures")
        if self.attendant.guests is not None:
            self.begin(self.attendant.guests.run(), "guests")
        self.begin(LateWords(parts.tables.late, self.session, parts.metrics).run(), "late-words")

    async def _forget_spool(self, restored: Restored) -> None:
        """Delete a dead job's spool once it is on record: folded again it might undo what came after it."""
        if not restored.spooled:
            return
        while self.session.waiting()["inbox"]:  # noqa: ASYNC110 - it is being folded, a moment
            await asyncio.sleep(0.05)
        if await self.session.recorder.settled(self.session.seq):
            await self.session.recorder.forget_spool()

    async def _read_input(self) -> None:
        if self._parts.bus is None:
            return
        text_only = self._row.room is None
        reader = TextInput(self._parts.bus, self.session, ends_meeting=text_only, attendant=self.attendant)
        while True:
            try:
                over = await reader.run()
            except Exception:
                # What one entry does to us must not take the room's meeting down with it.
                log.exception("text_input_failed")
                await asyncio.sleep(_RETRY_INPUT_S)
                continue
            if over:
                await self.end("input_ended")
            return


Enter = Callable[[Presence], Awaitable[None]]
"""Joins the meeting with this presence: in its room, or as a text meeting."""
