"""A job in a meeting's room, as its holder or standing by to become it, and how one follows the other.

**What is kept while a holder works.** Each event goes to the record before it is shown
(`worker.record.recorder`); while the database is away, to this machine's disk (`worker.record.spool`). Each
frame of sound goes to this machine's memory until it is text (`worker.record.sound_log`). A standby in
another worker, where there is one, sits in the room in silence and keeps the newest sound of every track and
what was written lately (`standby_listener`). The lease says who writes the meeting: it stands for 5 s and is
renewed every 1.5 s (`lease_keeper`). With each renewal the holder tells what it has heard and not written
yet (`MeetingRow.unwritten`).

**What happens when the holder dies**, in this order:

1. Its lease ends: after 5 s, or at once where its worker saw it die (`worker.fleet.reaper`). A standby asks
   for it in that moment (`standby`). Without one the dispatcher sends a new job, which asks for it first and
   joins the room then. Whoever gets it has a higher epoch; nothing that the old one still writes is taken.
2. The successor restores the meeting (`worker.record.restoring`): snapshot, events behind it, then the spool.
3. The overlap is laid (`overlap`): up to where each track is text, what the dead holder had heard and not
   written, and what of that was found on this machine.
4. Session and attendant begin (`presence`), and the agent speaks in the room under its new epoch.
5. The hand-in (`_hand_in`): the attendant hears what was kept, from 400 ms before the place up to which the
   track is text, faster than it was spoken; then what comes, by the same listener. The overlap takes out of
   it what is on record already. Questions that were written while nobody held the meeting are asked now.
6. Half a sentence that the dead holder had shown is taken back. What was on record and perhaps not shown is
   shown again, under the same ids. What nobody heard is told as gaps.

A holder that is asked to go (`handover`) seeks a standby, waits for a quiet moment, and leaves as if it had
died: the rest is the same. Words that a dead job left on another machine come last (`late_words`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import structlog
from livekit import agents
from pydantic import SecretStr

from context.ports import PortError, Unavailable
from worker.bootstrap.meeting_room import joining, meeting_room, voice
from worker.bootstrap.parts import Parts
from worker.errors import first_cause, one_line
from worker.holder.handover import Handover
from worker.holder.lease_keeper import LEASE_S
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.holder.standby import Standby, StandbyConsent, Won, holder_is_well
from worker.holder.standby_listener import StandbyListener
from worker.monitoring import jobs
from worker.outlets import Outlets
from worker.participants.consent import rule_of
from worker.participants.listener import JoinedRoom
from worker.ports import Holder, MeetingRow

log = structlog.get_logger(__name__)

CONNECT_DEADLINE_S: Final = 15.0
_STATUS_EVERY_S: Final = 1.0
_KEY_EVERY_S: Final = 3.0
"""How often it is looked for a key of the room, while somebody is not understood without it."""


@dataclass(frozen=True, slots=True)
class Seat:
    """The place of one job of livekit-agents in its meeting: the room, the parts, the row, the holder."""

    ctx: agents.JobContext
    """The job's connection to its room."""
    shared: Parts
    row: MeetingRow
    """The meeting when the job began."""
    me: Holder
    outlets: Outlets
    """The meeting's followers; the room comes to them when this job holds the meeting."""

    def job(self, row: MeetingRow, epoch: int) -> MeetingJob:
        """Make what holds the meeting under a lease that was just won; `row`: just before that."""
        run_dir = jobs.directory(self.shared.settings)
        return MeetingJob(self.shared, row, epoch, run_dir=run_dir, pid=self.me.job_pid)


async def hold(seat: Seat) -> str:
    """Take the lease, join the room and hold the meeting; return how that ended, for the log.

    Where another job has the lease, the room is not entered. Raises what made it fail.
    """
    shared, row = seat.shared, seat.row
    epoch = await shared.tables.leases.acquire(row.id, seat.me, LEASE_S)
    if epoch is None:
        return "held by another worker"
    log.info("lease_acquired", epoch=epoch)
    job = seat.job(row, epoch)

    async def enter(presence: Presence) -> None:
        key = await _room_key(seat)
        # Where a dead holder's sound was found, the room waits behind it.
        listener = None
        if presence.overlap.kept:
            listener = StandbyListener(
                shared.clock, on_closed=lambda: None, may_hear=presence.attendant.may_hear
            )
        room = meeting_room(
            seat.ctx.room,
            listener or presence.attendant,
            presence.tasks,
            shared.settings,
            clock=shared.clock,
            epoch=epoch,
            me=seat.me,
            key=key,
        )
        presence.attendant.consent.changed = room.subscribe_as_agreed
        _speak_in(seat, presence, room, epoch, key)
        room.listen()
        await join(seat.ctx, room, **joining(key))
        if listener is not None:
            await _hand_in(job, presence, listener, heard_from_s=shared.clock.monotonic_s())

    return ": ".join(await job.run(seat.outlets, enter, engine=shared.engine))


async def stand_by(seat: Seat, *, relief: bool = False) -> str:
    """Stand by in the room, hold the meeting when its holder is gone; return how that ended, for the log.

    `relief`: sent because the holder seemed to be dead. Where it is not, this job does not enter the room.
    """
    if relief and holder_is_well(seat.row):
        return "the holder is well"
    shared = seat.shared
    run_dir = jobs.directory(shared.settings)
    standby = Standby(
        shared.tables.leases,
        shared.tables.registry,
        shared.tables.standbys,
        seat.row.id,
        seat.me,
        leaving=lambda: jobs.leaving(run_dir),
        relief=relief,
    )
    if not await standby.stand():
        return "another one stands by"
    log.info("standing_by", relief=relief)
    try:
        async with asyncio.TaskGroup() as tasks:
            return await _wait_and_hold(seat, standby, tasks)
    except BaseExceptionGroup as group:
        raise first_cause(group) from group
    finally:
        await standby.give_up()


async def _wait_and_hold(seat: Seat, standby: Standby, tasks: asyncio.TaskGroup) -> str:
    """Stay in the room in silence until the lease is won, and then hold the meeting, or not needed."""
    clock = seat.shared.clock
    agreed = StandbyConsent(seat.shared.tables.consents, rule_of(seat.shared.settings), seat.row.id)
    listener = StandbyListener(
        clock, on_closed=lambda: standby.stop("the room is gone"), may_hear=agreed.may_hear
    )

    def keep_enough(row: MeetingRow) -> None:
        """Keep as much sound as the holder is behind with its text, by what it told at its last renewal."""
        if row.started_at is not None:
            now_ms = (clock.now_utc() - row.started_at).total_seconds() * 1000
            listener.keep((now_ms - min(row.unwritten.values(), default=now_ms)) / 1000)

    standby.on_look = keep_enough
    key = await _room_key(seat)
    room = meeting_room(
        seat.ctx.room,
        listener,
        tasks,
        seat.shared.settings,
        clock=clock,
        epoch=0,
        me=seat.me,
        on_holder_gone=standby.look_now,
        key=key,
    )
    room.listen()
    telling = tasks.create_task(_tell_standing(seat, standby), name="standby-status")
    agreed.changed = room.subscribe_as_agreed
    following = tasks.create_task(agreed.follow(), name="standby-consent")
    try:
        await join(seat.ctx, room, **joining(key))
        arrived_s = clock.monotonic_s()
        won = await standby.contend()
        telling.cancel()
        jobs.remove_status(jobs.directory(seat.shared.settings), _status(seat))
        if isinstance(won, str):
            return won
        log.info("lease_acquired", epoch=won.epoch, from_standby=True, kept_bytes=listener.kept_bytes)
        return await _succeed(seat, standby, won, room=room, listener=listener, arrived_s=arrived_s, key=key)
    finally:
        telling.cancel()
        following.cancel()
        await room.aclose()


async def _succeed(
    seat: Seat,
    standby: Standby,
    won: Won,
    *,
    room: JoinedRoom,
    listener: StandbyListener,
    arrived_s: float,
    key: SecretStr | None,
) -> str:
    """Hold the meeting after its holder, from where the record ends.

    This job is here since `arrived_s`, and joined the room with `key`.
    """
    shared = seat.shared
    job = seat.job(won.row, won.epoch)

    async def enter(presence: Presence) -> None:
        began_s = shared.clock.monotonic_s()
        presence.attendant.consent.changed = room.subscribe_as_agreed
        _speak_in(seat, presence, room, won.epoch, key)
        room.take_over(won.epoch)
        await _hand_in(job, presence, listener, heard_from_s=max(arrived_s, began_s - listener.kept_s))
        took_s = round(shared.clock.monotonic_s() - began_s, 3)
        log.info("taken_over", epoch=won.epoch, took_s=took_s)
        presence.begin(standby.give_up(), "standby-over")

    return ": ".join(await job.run(seat.outlets, enter, engine=shared.engine))


async def _hand_in(
    job: MeetingJob, presence: Presence, listener: StandbyListener, *, heard_from_s: float
) -> None:
    """Let the attendant hear what `listener` kept, and from then on the room.

    `heard_from_s`: where the sound in `listener` begins, on the monotonic clock.
    """
    session, overlap = presence.session, presence.overlap
    presence.covered_from_ms = max(0, round((heard_from_s - session.zero_s) * 1000))
    await listener.hand_to(presence.attendant, overlap.on_record(session.clock.monotonic_s()), overlap.kept)
    if job.sound is not None:  # what was found has been heard again, and is kept by us now
        await asyncio.to_thread(job.sound.remove_predecessors_sound)
    for segment_id, speaker_id in listener.interims.items():
        # Half a sentence that the holder has shown: ours goes out under its own id.
        key = segment_id.removeprefix(session.segment_id(""))
        presence.attendant.turns.interim(speaker_id, key, "")


# ---- the room ---------------------------------------------------------------------------------


async def join(ctx: agents.JobContext, room: JoinedRoom, **options: Any) -> None:
    """Connect to the job's room, subscribed to nobody yet, and meet who is here. Raises `Unavailable`.

    `options`: see `worker.bootstrap.meeting_room.joining`.
    """
    bound = asyncio.timeout(CONNECT_DEADLINE_S)
    try:
        async with bound:
            # Whose sound is asked for is the room's side to say: see `worker.participants.consent`.
            await ctx.connect(auto_subscribe=agents.AutoSubscribe.SUBSCRIBE_NONE, **options)
            await room.arrive()
            log.info("room_joined")
    except Exception as error:
        why = f"no answer within {CONNECT_DEADLINE_S:.0f} s" if bound.expired() else one_line(error)
        raise Unavailable(f"room {ctx.job.room.name!r} could not be joined: {why}") from error


async def _room_key(seat: Seat) -> SecretStr | None:
    """Look up the key of an encrypted room; None where nobody gave one. Raises `Unavailable`."""
    return await seat.shared.tables.room_keys.of(seat.row.id)


async def _leave_for_key(seat: Seat, presence: Presence, key: SecretStr | None) -> None:
    """Leave once there is another key than ours, while somebody is not understood: a successor joins with it.

    A room is joined with a key or without one, for good.
    """
    while True:
        await asyncio.sleep(_KEY_EVERY_S)
        if not presence.attendant.encrypted.people:
            continue
        try:
            newest = await _room_key(seat)
        except PortError as error:
            log.info("room_key_not_looked_up", error=str(error))
            continue
        if newest is not None and newest != key:
            log.info("room_key_given")
            await presence.attendant.tracks.last_words()
            await presence.session.leave("room_key_given")
            return


def _speak_in(seat: Seat, presence: Presence, room: JoinedRoom, epoch: int, key: SecretStr | None) -> None:
    """Add the room, and a voice where one is configured, to the outlets; begin to listen for a handover.

    `key`: with which the room is joined.
    """
    presence.begin(_leave_for_key(seat, presence, key), "room-key")
    presence.closers.append(room.aclose)
    seat.outlets.add(room.outlet, first=True)
    if (spoken := voice(seat.shared.settings, seat.ctx.room, presence.tasks.create_task)) is not None:
        presence.closers.append(spoken.aclose)
        seat.outlets.add(spoken)
    handover = Handover(
        seat.shared.tables.standbys,
        seat.shared.tables.registry,
        seat.shared.tables.leases,
        jobs.directory(seat.shared.settings),
        me=seat.me,
        epoch=epoch,
        session=presence.session,
        tracks=presence.attendant.tracks,
        in_room=room.stands_by,
    )
    presence.begin(handover.run(), "handover")


# ---- while standing by ------------------------------------------------------------------------


async def _tell_standing(seat: Seat, standby: Standby) -> None:
    """Write this job's status once a second, and stop standing by when the worker leaves."""
    run_dir = jobs.directory(seat.shared.settings)
    while True:
        try:
            await asyncio.to_thread(jobs.write_status, run_dir, _status(seat))
        except OSError as error:
            log.warning("status_not_written", error=str(error))
        if jobs.leaving(run_dir):
            standby.stop("drained")
        await asyncio.sleep(_STATUS_EVERY_S)


def _status(seat: Seat) -> jobs.JobStatus:
    now_s = seat.shared.clock.monotonic_s()
    return jobs.JobStatus(pid=seat.me.job_pid, meeting_id=seat.row.id, standby=True, updated_s=now_s)
