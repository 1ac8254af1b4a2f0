"""One holder of one meeting: lease in hand, from restore to the last event.

What is here is the same for a job in a LiveKit room and for a text meeting beside hundreds of
others; `enter` is where they differ. Order at the end: last words, closing summary, `MeetingEnded`
on the record, the registry, the lease. A holder that merely leaves keeps only the last two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import structlog

from context import events
from context.ports import Fenced, PortError
from worker import jobs
from worker.attendant import Attendant
from worker.bootstrap import Parts
from worker.completeness import tell_if_empty
from worker.held_outlet import HeldOutlet
from worker.late_words import LateWords
from worker.lease_keeper import LEASE_S, LeaseKeeper
from worker.outlets import Outlets
from worker.ports import MeetingRow, Outlet
from worker.recorder import Recorder
from worker.restoring import Restored, restore
from worker.session import Session, StopKind, first_cause
from worker.spool import Spool
from worker.status_board import FileBoard, StatusBoard
from worker.text_input import TextInput
from worker.tracks import MakeTrack

log = structlog.get_logger(__name__)

STATUS_EVERY_S = 1.0
RELEASE_DEADLINE_S = 2.0
STOP_SUMMARY_S = 6.0
"""For the summary of the open topic when the worker stops; with the last words within its 20 s."""
LET_GO_WITHIN_S = 1.0
"""A lease that was let go: at the latest this long after its holder heard the last (`worker.reaper`)."""
INDEXING_DEADLINE_S = 10.0
"""After the end, for what was said last: until then it is found in other meetings by nobody."""
_RETRY_INPUT_S = 1.0
_RECENT = 50
"""Utterances among which the last one spoken is; they are numbered as they are transcribed."""


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
        self._board, self._pid = board or FileBoard(run_dir), pid
        self._settings = parts.settings
        self._spool = Spool(parts.settings.process.state_dir / "spool", row.id, parts.settings.agent.tenant)
        self._marked_start = False
        self._keeper: LeaseKeeper | None = None
        if epoch > 1:
            parts.metrics.takeover()

    async def restore(self) -> Restored:
        """What the record has of this meeting. Where it can't be had, the lease is let go."""
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

    async def run(
        self,
        restored: Restored,
        outlet: Outlet,
        enter: Enter,
        *,
        make_track: Callable[[Session], MakeTrack] | None,
    ) -> tuple[StopKind, str]:
        """Work until the meeting ends or somebody else is to go on with it."""
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
                outcome = await self._run(session, restored, self._kept_for(outlet, enter), make_track)
                if outcome[0] == "ended":
                    tell_if_empty(session.manager.meeting, parts.metrics)
            await self._register_end(session, outcome)
            if outcome[0] == "ended":
                await parts.indexers.of(session.manager.meeting).finish(INDEXING_DEADLINE_S)
        except (Fenced, BaseExceptionGroup) as error:
            cause = first_cause(error)
            if not isinstance(cause, Fenced):
                raise cause from error
            log.warning("record_taken_over", error=str(cause))
            return ("left", "fenced")
        finally:
            self._board.remove(self._status(session, None))
            self._parts.metrics.meeting_gone(self._row.id)
            await self.release()
        return outcome

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
            keeper = self._keeper = LeaseKeeper(
                self._parts.leases,
                self._row.id,
                self._epoch,
                on_lost=lambda: session.leave("lease_lost"),
                on_end_requested=lambda: self._end(session, attendant, "requested"),
            )
            self._open(session, restored)
            running = tasks.create_task(session.run(), name="session")
            beside = [
                tasks.create_task(keeper.run(), name="lease"),
                tasks.create_task(self._report(session, attendant, keeper), name="status"),
                tasks.create_task(self._read(session, attendant), name="text-input"),
                tasks.create_task(self._forget_spool(session, restored), name="old-spool"),
                tasks.create_task(self._parts.indexers.of(session.manager.meeting).run(), name="passages"),
            ]
            if self._row.room is not None:  # hundreds of text meetings in a process: each when it is asked
                reading = self._parts.thinker.keep_read(session.manager.meeting)
                beside.append(tasks.create_task(reading, name="index"))
            if self._parts.late is not None:
                late = LateWords(self._parts.late, session, self._parts.metrics)
                beside.append(tasks.create_task(late.run(), name="late-words"))
            presence = Presence(session, attendant, tasks)
            away = self._unheard(session, restored)
            try:
                await enter(presence)
                session.show_again(restored.unshown)
                for gap in away:
                    covered = presence.covered_from_ms
                    end_ms = session.now_ms() if covered is None else covered
                    if covered is None or end_ms > gap.start_ms:
                        session.post(gap.model_copy(update={"end_ms": end_ms}))
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

    def _unheard(self, session: Session, restored: Restored) -> list[events.GapNoted]:
        """What nobody heard between the last holder's last sign of life and now, per participant."""
        meeting, over_s = session.manager.meeting, self._row.lease_over_s
        if restored.last_seq == 0 or over_s is None or not session.started or self._row.room is None:
            return []
        unseen_s = LET_GO_WITHIN_S if self._row.let_go else LEASE_S
        alive_ms = session.now_ms() - round((over_s + unseen_s) * 1000)
        last_ms = max((u.end_ms for u in meeting.utterances[-_RECENT:]), default=0)
        return [
            events.GapNoted(
                participant_id=person.user_id,
                start_ms=max(0, alive_ms, min(last_ms, session.now_ms())),
                end_ms=session.now_ms(),
                reason="takeover",
            )
            for person in meeting.attendance.people.values()
            if person.present
        ]

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

    # ---- telling ------------------------------------------------------------------------------

    async def _report(self, session: Session, attendant: Attendant, keeper: LeaseKeeper) -> None:
        while True:
            try:
                await self._tell(session, attendant, keeper)
            except Exception:
                # Whether anybody can watch the meeting is no reason to end it.
                log.exception("status_failed")
            if self._board.drain_requested():
                await self._stop(session, attendant)
                return
            await asyncio.sleep(STATUS_EVERY_S)

    async def _stop(self, session: Session, attendant: Attendant) -> None:
        """Nobody takes it over, and we have to go: what was said is on record, and summarised so far."""
        try:
            await attendant.last_words()
            async with asyncio.timeout(STOP_SUMMARY_S):
                await session.close_topics()
        except TimeoutError:
            log.warning("summary_left_to_successor", deadline_s=STOP_SUMMARY_S)
        except Exception:
            log.exception("stop_failed")
        await session.leave("drained")

    async def _tell(self, session: Session, attendant: Attendant, keeper: LeaseKeeper) -> None:
        status = self._status(session, attendant, away=keeper.away)
        try:
            await self._board.tell(status)
        except OSError as error:
            log.warning("status_not_written", error=str(error))
        metrics, meeting = self._parts.metrics, session.manager.meeting
        metrics.durable_lag(status.oldest_unwritten_s)
        metrics.meeting_degraded(self._row.id, [part.partition(":")[0] for part in status.degraded])
        metrics.meeting_queues(self._row.id, {**session.waiting(), "audio_seconds": attendant.backlog_s})
        metrics.meeting_size(
            self._row.id, l0=session.manager.get_l0_utterances(), topics=len(meeting.segments)
        )
        await self._mark_live(session)

    async def _mark_live(self, session: Session) -> None:
        started_at = session.manager.meeting.started_at
        if self._marked_start or (self._row.status == "live" and started_at is None):
            return
        try:
            await self._parts.registry.mark_live(self._row.id, self._epoch, started_at)
        except PortError as error:
            log.warning("not_marked_live", error=str(error))
            return
        self._row = self._row.model_copy(update={"status": "live"})
        self._marked_start = started_at is not None

    async def _register_end(self, session: Session, outcome: tuple[StopKind, str]) -> None:
        if outcome[0] != "ended":
            return
        meeting, ended_at = session.manager.meeting, session.now_utc()
        if meeting.ended is not None and meeting.started_at is not None:
            ended_at = meeting.started_at + timedelta(milliseconds=meeting.ended.at_ms)
        try:
            await self._parts.registry.mark_ended(self._row.id, self._epoch, ended_at)
        except PortError as error:
            # The record has its MeetingEnded: whoever restores the meeting next marks it.
            log.warning("not_marked_ended", error=str(error))

    def _status(self, session: Session, attendant: Attendant | None, *, away: bool = False) -> jobs.JobStatus:
        degraded: list[str] = []
        if session.recorder.away or away:
            degraded.append("postgres: events wait in the spool")
        if (bus := self._parts.bus) is not None and bus.away:
            degraded.append("redis: no live events, no text input")
        if trouble := session.recorder.spool_trouble:
            degraded.append(f"spool: what waits for postgres is in memory only: {trouble}")
        degraded += self._parts.thinker.degraded()
        if attendant is not None and (why := attendant.speech_trouble):
            degraded.append(f"stt: speech waits with its sound: {why}")
        if trouble := self._parts.indexers.of(session.manager.meeting).trouble:
            degraded.append(trouble)
        return jobs.JobStatus(
            pid=self._pid,
            meeting_id=self._row.id,
            epoch=self._epoch,
            oldest_unwritten_s=session.recorder.oldest_unwritten_s(),
            stt_backlog_s=attendant.backlog_s if attendant else 0.0,
            degraded=tuple(degraded),
            updated_s=self._parts.clock.monotonic_s(),
        )
