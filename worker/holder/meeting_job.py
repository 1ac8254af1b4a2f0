"""One holder of one meeting, from the lease that it was given to the release of that lease.

It is the same for a job in a LiveKit room and for a text meeting beside hundreds of others; `enter` is where
they differ. Order at the end: last words, closing summary, `MeetingEnded` on the record, the registry, the
lease. A holder that merely leaves does only the last of these.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import structlog

from context.events import events
from context.ports import Fenced, PortError
from stt.segment import SpeechEngine
from stt.turn_queue import Means
from worker.bootstrap.language_models import growing_mask_of, mask_of
from worker.bootstrap.parts import Parts
from worker.bootstrap.rooms import remover
from worker.errors import first_cause
from worker.holder.job_report import JobReport
from worker.holder.lease_keeper import LeaseKeeper
from worker.holder.overlap import TakeoverOverlap
from worker.holder.presence import Enter, Presence
from worker.meeting.erasing import MeetingErasures, TakeOut
from worker.meeting.session import Outcome, Session
from worker.monitoring.jobs import FileBoard, StatusBoard
from worker.monitoring.observer import tell_if_empty
from worker.outlets import Outlet, Outlets
from worker.participants.attendant import Attendant
from worker.participants.consent import rule_of
from worker.participants.expected_terms import ExpectedTerms
from worker.participants.guests import Guests, MakeGuests
from worker.participants.tracks import track_maker
from worker.passages.indexing import MeetingIndexer
from worker.ports import MeetingRow
from worker.record.recorder import Recorder
from worker.record.restoring import Restored, restore
from worker.record.sound_log import KeptTrack, SoundLog, sound_log_of
from worker.record.spool import Spool

log = structlog.get_logger(__name__)

RELEASE_DEADLINE_S = 2.0
INDEXING_DEADLINE_S = 10.0
"""The time to index, after the end, what was said last, so that other meetings find it."""

Indexing = Callable[[MeetingIndexer], Awaitable[None]]


async def _in_time(indexer: MeetingIndexer) -> None:
    await indexer.finish(INDEXING_DEADLINE_S)


class MeetingJob:
    """Holds one meeting under an acquired lease (`epoch`), and releases that."""

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
        """`row`: the meeting just before the lease was won. `board`: takes statuses; else `run_dir` does."""
        self._parts, self._row, self._epoch = parts, row, epoch
        self._settings = parts.settings
        self._report = JobReport(parts, row, epoch, board or FileBoard(run_dir), pid)
        self._spool = Spool(parts.settings.process.state_dir / "spool", row.id, parts.settings.process.tenant)
        heard = row.room is not None and parts.engine is not None
        self.sound = sound_log_of(parts.settings, row.id, epoch) if heard else None
        """Where this holder's tracks keep their sound until it is text; None: a meeting without sound."""
        self._won_s = parts.clock.monotonic_s()
        if epoch > 1:
            parts.metrics.instruments.takeovers.inc()

    async def restore(self) -> Restored:
        """Restore the meeting from its record and spool. Where that raises, the lease is released before."""
        # A long past may take longer than a lease stands: it is renewed meanwhile, or it would be another's.
        keeper = LeaseKeeper(
            self._parts.tables.leases, self._row.id, self._epoch, beside=self._parts.renewals
        )
        keeping = asyncio.ensure_future(keeper.run())
        try:
            return await restore(
                self._parts.store,
                self._row.id,
                self._settings.context,
                tokenizer=self._parts.thinker.tokenizer,
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
        outlet: Outlet,
        enter: Enter,
        *,
        engine: SpeechEngine | None = None,
        language: str | None = None,
        indexing: Indexing = _in_time,
    ) -> Outcome:
        """Restore the meeting, `enter` it, and work until it ends or is left to somebody else; tell which.

        `engine` turns sound into text, in `language` (the settings' one by default); None: text comes from
        elsewhere. `indexing` completes the passages of a meeting that is over. The lease is released whatever
        happens; what failed is raised, but for a lost lease.
        """
        restored = await self.restore()
        restored_s = self._parts.clock.monotonic_s()
        outlets = outlet if isinstance(outlet, Outlets) else Outlets(outlet)
        session = self._session(restored, outlets)
        try:
            if (ended := restored.manager.meeting.ended) is not None:
                # Its end is on the record; only the list of meetings has not heard of it.
                outcome = Outcome("ended", ended.reason)
            else:
                entering = self._told(enter, session, restored_s)
                outcome = await self._attend(
                    restored, session, outlets, entering, engine=engine, language=language
                )
            if outcome.kind == "ended":
                await self._after_the_end(session, indexing)
        except (Fenced, BaseExceptionGroup) as error:
            cause = first_cause(error)
            if not isinstance(cause, Fenced):
                raise cause from error
            log.warning("record_taken_over", error=str(cause))
            outcome = Outcome("left", "fenced")
        finally:
            self._report.gone(session)
            await self.release()
        if self.sound is not None:
            self.sound.remove()  # not where we failed: whoever goes on here hears it
        return outcome

    async def _attend(
        self,
        restored: Restored,
        session: Session,
        outlets: Outlets,
        entering: Enter,
        *,
        engine: SpeechEngine | None,
        language: str | None,
    ) -> Outcome:
        """Be at a meeting that has not ended, while the lease is kept, until it ends or is left."""
        self._open(session, restored)
        # Without an engine nobody can hear what was kept: then the gap tells of it.
        kept = await self._kept_before_us() if engine is not None else ()
        overlap = TakeoverOverlap(session, self._row, fresh=restored.last_seq == 0, kept=kept)
        async with asyncio.TaskGroup() as tasks:
            erasing = self._erasing(session)
            attendant = self._attendant(session, tasks, overlap, engine, language, take_out=erasing.take_out)
            presence = Presence(
                self._parts,
                self._row,
                session,
                attendant,
                tasks=tasks,
                overlap=overlap,
                erasing=erasing,
            )
            outlets.sure = self._keep_lease(presence).sure
            presence.closers += outlets.keep(tasks)
            outcome = await presence.run(restored, entering)
        if outcome.kind == "ended":
            tell_if_empty(restored.manager.meeting, self._parts.metrics)
        return outcome

    def _told(self, enter: Enter, session: Session, restored_s: float) -> Enter:
        """Make an `enter` that tells the observer when this holder works."""

        async def entering(presence: Presence) -> None:
            await enter(presence)
            session.observer.entered(self._row, self._won_s, restored_s)

        return entering

    def _session(self, restored: Restored, outlets: Outlets) -> Session:
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
            outlet=outlets,
            clock=parts.clock,
            recorder=recorder,
            observer=parts.observer_of(restored.manager.meeting, self._epoch),
            pressure=parts.pressure,
            mask=mask_of(parts.settings, record=True),
            mask_growing=growing_mask_of(parts.settings),
        )

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

    async def _kept_before_us(self) -> tuple[KeptTrack, ...]:
        """Return the sound that a holder that died on this machine had heard and not written."""
        if self.sound is None:
            return ()
        tracks = await asyncio.to_thread(self.sound.left_by_predecessors, self._parts.clock.monotonic_s())
        if tracks:
            seconds = sum(len(frame.pcm) for track in tracks for frame in track.frames) / 32_000
            log.info("sound_found", tracks=len(tracks), seconds=round(seconds, 1))
        return tracks

    def _attendant(
        self,
        session: Session,
        tasks: asyncio.TaskGroup,
        overlap: TakeoverOverlap,
        engine: SpeechEngine | None,
        language: str | None,
        *,
        take_out: TakeOut,
    ) -> Attendant:
        agent, rule = self._settings.agent, rule_of(self._settings)
        make_track = track_maker(
            session,
            engine,
            language or agent.language,
            keeper=self.sound,
            kept_mb=self._settings.stt.kept_mb,
            cut=overlap.cut,
            terms=ExpectedTerms(
                session,
                configured=self._settings.stt.terms,
                wake_words=agent.wake_words,
                written=self._parts.written_terms,
                run=tasks.create_task,
            ),
        )
        attendant = Attendant(
            session,
            tasks,
            make_track=make_track,
            wake_words=agent.wake_words,
            chat=agent.chat,
            consent=rule,
            told_before=self._parts.tables.consents.newest if rule.lasting else None,
            take_out=take_out,
            guests=self._guests(session),
        )
        if self.sound is not None:
            self._bind(self.sound, attendant, session)
        return attendant

    def _bind(self, sound: SoundLog, attendant: Attendant, session: Session) -> None:
        """Have the sound log keep what the tracks have not written, and forget what they forget."""

        def needed_from_s() -> float | None:
            from_ms = min(attendant.tracks.unwritten.values(), default=None)
            return None if from_ms is None else session.zero_s + from_ms / 1000

        def forget(means: Means) -> None:
            def forgets(who: str, arrived_s: float) -> bool:
                at_ms = round((arrived_s - session.zero_s) * 1000)
                return means(who, at_ms, at_ms)

            sound.forget(forgets)

        sound.needed_from_s = needed_from_s
        attendant.tracks.forget_sound = forget

    def _guests(self, session: Session) -> MakeGuests | None:
        room = self._row.room
        if room is None:
            return None

        def was_here(identity: str) -> bool:
            known = session.manager.meeting.attendance.people.get(identity)
            return known is not None and known.present

        return partial(Guests, self._parts.tables.links, remover(self._settings, room), was_here=was_here)

    def _erasing(self, session: Session) -> MeetingErasures:
        parts = self._parts
        passages = parts.indexers.of(session.manager.meeting)
        return MeetingErasures(session, parts.tables.erasures, parts.store, self._epoch, parts.bus, passages)

    def _keep_lease(self, presence: Presence) -> LeaseKeeper:
        """Begin to renew the lease and to report; a lost lease, a request or a drain ends the presence."""
        session, attendant = presence.session, presence.attendant
        keeper = LeaseKeeper(
            self._parts.tables.leases,
            self._row.id,
            self._epoch,
            beside=self._parts.renewals,
            on_lost=lambda: presence.begin(session.leave("lease_lost"), "lease-lost"),
            on_end_requested=lambda: presence.begin(presence.end("requested"), "requested-end"),
            on_lag=self._parts.pressure.lagged,
            unwritten=lambda: attendant.tracks.unwritten,
            heard=lambda: _heard_until_now(session),
        )

        async def tell_until_drained() -> None:
            await self._report.until_drained(session, attendant, keeper)
            await presence.stop(keeper.renew)

        presence.begin(keeper.run(), "lease")
        presence.begin(tell_until_drained(), "status")
        return keeper

    async def _after_the_end(self, session: Session, indexing: Indexing) -> None:
        """Mark the meeting as ended, let its input expire, and index it for later meetings."""
        meeting = session.manager.meeting
        await self._report.register_end(session)
        try:
            if self._parts.bus is not None:
                await self._parts.bus.forget_inputs(self._row.id)
        except PortError as error:
            log.info("inputs_not_forgotten", error=str(error))
        await indexing(self._parts.indexers.of(meeting))

    async def release(self) -> None:
        """Release the lease, so that a successor need not wait for its end, and the spool. Raises nothing."""
        await asyncio.to_thread(self._spool.let_go)
        try:
            async with asyncio.timeout(RELEASE_DEADLINE_S):
                await self._parts.tables.leases.release(self._row.id, self._epoch)
        except (PortError, TimeoutError) as error:
            log.info("lease_not_released", error=str(error))


def _heard_until_now(session: Session) -> dict[str, int]:
    """Return the present moment for everybody who is there: from here on nothing of them is heard."""
    now_ms = session.now_ms()
    people = session.manager.meeting.attendance.people.values()
    return {person.user_id: now_ms for person in people if person.present}
