"""One holder of one meeting: lease in hand, from restore to the last event.

What is here is the same for a job in a LiveKit room and for a text meeting beside hundreds of
others; `enter` is where they differ. Order at the end: last words, closing summary, `MeetingEnded`
on the record, the registry, the lease. A holder that merely leaves keeps only the last two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from context.ports import Fenced, PortError
from worker.bootstrap import Parts
from worker.holder.held_outlet import HeldOutlet
from worker.holder.job_report import JobReport
from worker.holder.last_sound import LastSound
from worker.holder.lease_keeper import LeaseKeeper
from worker.holder.presence import Enter, Presence
from worker.holder.restoring import Restored, restore
from worker.holder.seam import bridged
from worker.holder.sound_log import KeptTrack
from worker.holder.unheard import Unheard
from worker.meeting.outlets import Outlets
from worker.meeting.session import Outcome, Session, first_cause
from worker.monitoring.completeness import tell_if_empty
from worker.ports import MeetingRow, Outlet
from worker.process.status_board import FileBoard, StatusBoard
from worker.record.recorder import Recorder
from worker.record.spool import Spool
from worker.room.attendant import Attendant
from worker.room.tracks import MakeTrack

log = structlog.get_logger(__name__)

RELEASE_DEADLINE_S = 2.0
INDEXING_DEADLINE_S = 10.0
"""After the end, for what was said last: until then it is found in other meetings by nobody."""


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
    ) -> Outcome:
        """Work until the meeting ends or somebody else is to go on with it.

        `heard`: what the holder before us kept on this machine; `enter` brings it to the attendant.
        """
        session = self._session(restored, outlet)
        try:
            if (ended := restored.manager.meeting.ended) is not None:
                # Its end is on the record; only the list of meetings has not heard of it.
                outcome = Outcome("ended", ended.reason)
            else:
                outcome = await self._attend(
                    session, restored, self._kept_for(outlet, enter), make_track, heard
                )
            if outcome.kind == "ended":
                await self._report.register_end(session)
                await self._forget_inputs()
                await self._parts.indexers.of(session.manager.meeting).finish(INDEXING_DEADLINE_S)
                if self._parts.earlier is not None:
                    await self._parts.earlier.keep(session.manager.meeting)
        except (Fenced, BaseExceptionGroup) as error:
            cause = first_cause(error)
            if not isinstance(cause, Fenced):
                raise cause from error
            log.warning("record_taken_over", error=str(cause))
            outcome = Outcome("left", "fenced")
        finally:
            self._report.gone(session)
            await self.release()
        self.sound.remove()  # not where we failed: whoever goes on here hears it
        return outcome

    def _session(self, restored: Restored, outlet: Outlet) -> Session:
        parts = self._parts
        recorder = Recorder(
            parts.store,
            self._row.id,
            self._epoch,
            clock=parts.clock,
            spool=self._spool,
            committed=restored.last_seq,
        )
        return Session(
            restored.manager,
            thinker=parts.thinker,
            outlet=HeldOutlet(outlet, self.sure),
            clock=parts.clock,
            recorder=recorder,
            observer=parts.observer,
        )

    async def _attend(
        self,
        session: Session,
        restored: Restored,
        enter: Enter,
        make_track: Callable[[Session], MakeTrack] | None,
        heard: Sequence[KeptTrack],
    ) -> Outcome:
        """Be there, with the lease kept and a report every second, until the session stops."""
        agent = self._settings.agent
        unheard = Unheard(session, self._row, fresh=restored.last_seq == 0, heard=heard)
        async with asyncio.TaskGroup() as tasks:
            attendant = Attendant(
                session,
                tasks,
                make_track=bridged(make_track, unheard)(session) if make_track else None,
                wake_words=agent.wake_words,
                chat=agent.chat,
            )
            presence = Presence(self._parts, self._row, session, attendant, tasks)
            keeper = self._keeper = LeaseKeeper(
                self._parts.leases,
                self._row.id,
                self._epoch,
                on_lost=lambda: presence.begin(session.leave("lease_lost"), "lease-lost"),
                on_end_requested=lambda: presence.begin(presence.end("requested"), "requested-end"),
                unwritten=lambda: attendant.unwritten,
            )
            presence.begin(keeper.run(), "lease")
            presence.begin(self._tell_until_drained(presence, keeper), "status")
            self.sound.serve(session, attendant)
            outcome = await presence.run(restored, enter, unheard)
        if outcome.kind == "ended":
            tell_if_empty(session.manager.meeting, self._parts.metrics)
        return outcome

    async def _tell_until_drained(self, presence: Presence, keeper: LeaseKeeper) -> None:
        await self._report.until_drained(presence.session, presence.attendant, keeper)
        await presence.stop()

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
