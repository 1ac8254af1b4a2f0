"""One holder of one meeting: lease in hand, from restore to the last event.

What is here is the same for a job in a LiveKit room and for a text meeting beside hundreds of
others; `enter` is where they differ. Order at the end: last words, closing summary, `MeetingEnded`
on the record, the registry, the lease. A holder that merely leaves keeps only the last two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from context import events
from context.ports import Fenced, PortError
from worker.attendant import Attendant
from worker.bootstrap import Parts
from worker.completeness import tell_if_empty
from worker.held_outlet import HeldOutlet
from worker.job_report import JobReport
from worker.last_sound import LastSound
from worker.late_words import LateWords
from worker.lease_keeper import LeaseKeeper
from worker.outlets import Outlets
from worker.ports import MeetingRow, Outlet
from worker.recorder import Recorder
from worker.restoring import Restored, restore
from worker.seam import bridged
from worker.session import Session, StopKind, first_cause
from worker.sound_log import KeptTrack
from worker.spool import Spool
from worker.status_board import FileBoard, StatusBoard
from worker.text_input import TextInput
from worker.tracks import MakeTrack
from worker.unheard import Unheard

log = structlog.get_logger(__name__)

RELEASE_DEADLINE_S = 2.0
STOP_SUMMARY_S = 6.0
"""For the summary of the open topic when the worker stops; with the last words within its 20 s."""
INDEXING_DEADLINE_S = 10.0
"""After the end, for what was said last: until then it is found in other meetings by nobody."""
_RETRY_INPUT_S = 1.0


@dataclass(slots=True)
class Presence:
    """What `enter` gets: the pieces of a meeting that is about to be joined."""

    session: Session
    attendant: Attendant
    tasks: asyncio.TaskGroup
    closers: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    """What `enter` opened and has to be closed when the meeting stops."""
    covered_from_ms: int | None = None
    """From here on a standby has the sound that its holder did not transcribe; None: there was none."""


Enter = Callable[[Presence], Awaitable[None]]


class MeetingJob:
    """Holds one meeting from acquired lease to release."""

    def __init__(
        self,
        parts: Parts,
        row: MeetingRow,
        epoch: int,
        *,
        run_dir: Path,
        pid: int,
        board: StatusBoard | None = None,
    ) -> None:
        """`board`: where statuses go; into files of `run_dir` by default."""
        self._parts, self._row, self._epoch = parts, row, epoch
        self._settings = parts.settings
        self._report = JobReport(parts, row, epoch, board or FileBoard(run_dir), pid)
        self._spool = Spool(parts.settings.process.state_dir / "spool", row.id, parts.settings.agent.tenant)
        self._keeper: LeaseKeeper | None = None
        self.sound = LastSound(parts, row, epoch)
        if epoch > 1:
            parts.metrics.takeover()

    async def restore(self) -> Restored:
        """What the record has of this meeting. Where it can't be had, the lease is let go."""
        # A long past may take longer than a lease stands: it is renewed meanwhile, or it would be another's.
        keeping = asyncio.ensure_future(LeaseKeeper(self._parts.leases, self._row.id, self._epoch).run())
        try:
            return await restore(
                self._parts.store,
                self._row.id,
                self._settings.context,
                tokenizer=self._parts.tokenizer,
                judge=self._parts.thinker.judges,
                spool=self._spool,
            )
        except BaseException:
            await self.release()
            raise
        finally:
            keeping.cancel()
            await asyncio.wait({keeping})

    async def run(
        self,
        restored: Restored,
        outlet: Outlet,
        enter: Enter,
        *,
        make_track: Callable[[Session], MakeTrack] | None,
        heard: Sequence[KeptTrack] = (),
    ) -> tuple[StopKind, str]:
        """Work until the meeting ends or somebody else is to go on with it.

        `heard`: what the holder before us kept on this machine; `enter` brings it to the attendant.
        """
        parts = self._parts
        recorder = Recorder(
            parts.store,
            self._row.id,
            self._epoch,
            clock=parts.clock,
            spool=self._spool,
            committed=restored.last_seq,
        )
        session = Session(
            restored.manager,
            thinker=parts.thinker,
            outlet=HeldOutlet(outlet, self.sure),
            clock=parts.clock,
            recorder=recorder,
            store=parts.store,
            epoch=self._epoch,
            last_seq=restored.last_seq,
            observer=parts.observer,
        )
        try:
            if (ended := restored.manager.meeting.ended) is not None:
                # Its end is on the record; only the list of meetings has not heard of it.
                outcome: tuple[StopKind, str] = ("ended", ended.reason)
            else:
                unheard = Unheard(session, self._row, fresh=restored.last_seq == 0, heard=heard)
                if make_track is not None:
                    make_track = bridged(make_track, unheard)
                outcome = await self._run(
                    session, restored, self._kept_for(outlet, enter), make_track, unheard
                )
                if outcome[0] == "ended":
                    tell_if_empty(session.manager.meeting, parts.metrics)
            if outcome[0] == "ended":
                await self._report.register_end(session)
                await self._forget_inputs()
                await parts.indexers.of(session.manager.meeting).finish(INDEXING_DEADLINE_S)
        except (Fenced, BaseExceptionGroup) as error:
            cause = first_cause(error)
            if not isinstance(cause, Fenced):
                raise cause from error
            log.warning("record_taken_over", error=str(cause))
            outcome = ("left", "fenced")
        finally:
            self._report.gone(session)
            await self.release()
        self.sound.remove()  # not where we failed: whoever goes on here hears it
        return outcome

    async def _forget_inputs(self) -> None:
        if self._parts.bus is None:
            return
        try:
            await self._parts.bus.forget_inputs(self._row.id)
        except PortError as error:
            log.info("inputs_not_forgotten", error=str(error))

    async def sure(self) -> bool:
        """Is the meeting ours?"""
        return self._keeper is None or await self._keeper.sure()

    def _kept_for(self, outlet: Outlet, enter: Enter) -> Enter:
        """What followers can't be told now they are told later, as long as the meeting is ours."""

        async def entering(presence: Presence) -> None:
            await enter(presence)
            if isinstance(outlet, Outlets):
                presence.closers += outlet.keep(presence.tasks, self.sure)

        return entering

    async def release(self) -> None:
        """Let go of the lease, so that a successor need not wait for its end, and of the spool."""
        await asyncio.to_thread(self._spool.let_go)
        try:
            async with asyncio.timeout(RELEASE_DEADLINE_S):
                await self._parts.leases.release(self._row.id, self._epoch)
        except (PortError, TimeoutError) as error:
            log.info("lease_not_released", error=str(error))

    async def _run(
        self,
        session: Session,
        restored: Restored,
        enter: Enter,
        make_track: Callable[[Session], MakeTrack] | None,
        unheard: Unheard,
    ) -> tuple[StopKind, str]:
        async with asyncio.TaskGroup() as tasks:
            agent = self._settings.agent
            attendant = Attendant(
                session,
                tasks,
                make_track=make_track(session) if make_track else None,
                wake_words=agent.wake_words,
                chat=agent.chat,
            )
            beside: list[asyncio.Task[None]] = []

            def begin(work: Coroutine[Any, Any, None], name: str) -> None:
                beside.append(tasks.create_task(work, name=name))

            keeper = self._keeper = LeaseKeeper(
                self._parts.leases,
                self._row.id,
                self._epoch,
                on_lost=lambda: begin(session.leave("lease_lost"), "lease-lost"),
                on_end_requested=lambda: begin(self._end(session, attendant, "requested"), "requested-end"),
                unwritten=lambda: attendant.unwritten,
            )
            self._open(session, restored)
            running = tasks.create_task(session.run(), name="session")
            begin(keeper.run(), "lease")
            begin(self._tell_until_drained(session, attendant, keeper), "status")
            begin(self._read(session, attendant), "text-input")
            begin(self._forget_spool(session, restored), "old-spool")
            begin(self._parts.indexers.of(session.manager.meeting).run(), "passages")
            if self._row.room is not None:  # hundreds of text meetings in a process: each when it is asked
                begin(self._parts.thinker.keep_read(session.manager.meeting), "index")
            if self._parts.late is not None:
                begin(LateWords(self._parts.late, session, self._parts.metrics).run(), "late-words")
            presence = Presence(session, attendant, tasks)
            self.sound.serve(session, attendant)
            try:
                await enter(presence)
                if self._row.room is not None:
                    attendant.note_absent()
                session.show_again(restored.unshown)
                covered_ms = presence.covered_from_ms
                for gap in unheard.gaps(session.now_ms() if covered_ms is None else covered_ms):
                    session.post(gap)
                outcome = await running
            finally:
                for close in presence.closers:
                    await close()
                await attendant.aclose()
                for task in beside:
                    task.cancel()
        return outcome

    def _open(self, session: Session, restored: Restored) -> None:
        if restored.last_seq == 0:
            session.fold_now(
                events.MeetingOpened(
                    meeting_id=self._row.id,
                    room=self._row.room,
                    title=self._row.title,
                    language=self._settings.agent.language,
                    topics_beside=True,
                )
            )
        session.take_up(restored.spooled)
        if (tuned := self._parts.thinker.thread_tuning(restored.manager.meeting.thread)) is not None:
            session.post(tuned)

    async def _forget_spool(self, session: Session, restored: Restored) -> None:
        """What a dead job left is on the record now; a second time it might undo what came after it."""
        if not restored.spooled:
            return
        while session.waiting()["inbox"]:  # noqa: ASYNC110 - it is being folded, a moment
            await asyncio.sleep(0.05)
        if await session.recorder.settled(session.seq):
            await session.recorder.forget_spool()

    async def _read(self, session: Session, attendant: Attendant) -> None:
        if self._parts.bus is None:
            return
        text_only = self._row.room is None
        reader = TextInput(self._parts.bus, session, ends_meeting=text_only, calls=attendant)
        while True:
            try:
                over = await reader.run()
            except Exception:
                # What one entry does to us must not take the room's meeting down with it.
                log.exception("text_input_failed")
                await asyncio.sleep(_RETRY_INPUT_S)
                continue
            if over:
                await self._end(session, attendant, "input_ended")
            return

    async def _end(self, session: Session, attendant: Attendant, reason: str) -> None:
        """End as if everybody had left."""
        try:
            await attendant.say_closing()
        except Exception:
            log.exception("closing_failed")
        await session.end(reason)

    async def _tell_until_drained(self, session: Session, attendant: Attendant, keeper: LeaseKeeper) -> None:
        await self._report.until_drained(session, attendant, keeper)
        await self._stop(session, attendant)

    async def _stop(self, session: Session, attendant: Attendant) -> None:
        """Nobody takes it over, and we have to go: what was said is on record, and summarised so far."""
        try:
            await attendant.last_words()
            await session.close_topics(STOP_SUMMARY_S)
        except Exception:
            log.exception("stop_failed")
        await session.leave("drained")
