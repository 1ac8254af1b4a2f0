"""Every open meeting gets a worker: a loop that reconciles the registry with the leases.

LiveKit's own dispatch places a job once, and never again after its death (and the dead participant stays in
the room for some 22 s). So this goes by the lease alone: an open meeting that no live lease holds is claimed,
atomically, and dispatched. A dispatch that finds no worker is dropped by the server without a word, and a
restarted server has forgotten them all; the claim simply comes due again, a little later each time. How often
it was is part of the meeting's row, so any dispatcher goes on where another stopped, and a lease begins the
count anew. A worker that has a free place again makes those due that have waited longest
(`worker.fleet.places`). Two dispatches for one meeting do no harm: one job gets the lease, the other leaves.
A job whose worker only lost its websocket keeps its lease and is left alone.

Once a meeting is over and its holder gone, its dispatch is withdrawn: LiveKit would list it as running
for as long as the room stands.

A meeting whose room is gone, with nobody left to see it end, is closed from its record
(`worker.fleet.roomless`).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

import structlog

from context.ports import PortError
from worker.clock import Clock, happens
from worker.fleet.roomless import RoomlessMeetings
from worker.job_metadata import JobMetadata
from worker.ports import DispatchOutcome, MeetingRegistry, MeetingRow, Standbys, Unguarded

log = structlog.get_logger(__name__)

CLAIM_EVERY_S: Final = 0.5
RETRY_AFTER_S: Final = 5.0
"""A dispatch that has not become a lease by then is made again; the next waits twice as long, and so on."""
STARTS_WITHIN_S: Final = 20.0
"""A worker that has taken a dispatch gets so long to start the job: another dispatch would end that one."""
RETRY_LATEST_S: Final = 30.0
"""No meeting waits longer for its next dispatch, however often none was answered."""
_JITTER_SHARE: Final = 0.2
"""A wait is longer by up to this share, by chance: a fleet that comes back is not asked for all at once."""
FINISHED_FOR_S: Final = 15.0
"""The time from a lease's end to the withdrawal of the dispatch: its job may still be in the room."""
_WITHDRAW_EVERY_S: Final = 5.0
_WITHDRAW_RETRY_S: Final = 30.0
STANDBY_AFTER_S: Final = 4.0
"""A dispatch of which no standby came is made again after this."""
LATE_S: Final = 2.0
"""A lease of 5 s is renewed every 1.5 s: with so little left of it, its holder is probably dead."""
_BATCH_MEETINGS: Final = 50
_PLACE_AT_ONCE: Final = 10
_RETRY_MAX_S: Final = 4.0

T = TypeVar("T")


class FleetRegistry(MeetingRegistry, Protocol):
    """The list of meetings, and what dispatchers note in it for each other."""

    async def note_dispatch(self, meeting_id: str, retry_after_s: float) -> None:
        """Note that a job was asked for: if no lease comes of it, the next is due in `retry_after_s`."""

    async def claim_finished(
        self, *, limit: int, retry_after_s: float, grace_s: float
    ) -> Sequence[MeetingRow]:
        """Claim ended meetings, without a lease for `grace_s`, whose dispatch LiveKit may still have."""

    async def note_withdrawn(self, meeting_id: str) -> None:
        """Note that LiveKit has no dispatch of this meeting any more."""

    async def newest_in_rooms(self, rooms: Sequence[str]) -> dict[str, MeetingRow]:
        """Return room → its newest meeting, open or over, for each of `rooms` that ever had one."""

    async def hurry(self, room: str | None = None) -> None:
        """Make the meetings due that nobody holds, in `room` or (None) in any, as if none was dispatched."""


class Placement(Protocol):
    """LiveKit's room and dispatch services. Every method raises `PortError`."""

    async def ensure_room(self, room: str) -> None:
        """Make the room if there is none."""

    async def existing(self, rooms: list[str]) -> set[str]:
        """Return the names among `rooms` of which there is a room."""

    async def place(self, room: str, metadata: JobMetadata) -> None:
        """Ask for a job that gets `metadata`. A holder's replaces earlier ones of holders in the room."""

    async def starting(self, room: str, meeting_id: str, within_s: float) -> bool:
        """Tell whether a worker has taken a dispatch of this meeting that is younger than `within_s`."""

    async def withdraw(self, room: str, meeting_id: str) -> None:
        """Delete this meeting's dispatches; nothing happens where room or dispatch is gone."""


class Dispatcher:
    """The reconciling loop of one tenant. Any number of dispatchers may run side by side."""

    def __init__(
        self,
        registry: FleetRegistry,
        placement: Placement,
        *,
        tenant: str,
        clock: Clock,
        close_meeting: Callable[[str], Awaitable[None]],
        wake: AsyncIterator[None] | None = None,
        standbys: Standbys | None = None,
        every_standby: bool = False,
        on_dispatch: Callable[[DispatchOutcome], None] = lambda _outcome: None,
        dice: Callable[[], float] = random.random,
    ) -> None:
        """`close_meeting` ends a meeting from its record; see `worker.fleet.closing_from_record`.

        `wake` yields when there is something to do at once. `standbys` None: none are sent; `every_standby`:
        each meeting gets one, not only those that ask for one. `dice` gives 0 to 1, for the waits.
        """
        self._registry, self._placement, self._tenant = registry, placement, tenant
        self._clock, self._wake = clock, wake
        self._standbys, self._every_standby = standbys, every_standby
        self._on_dispatch, self._dice = on_dispatch, dice
        self._withdraw_at_s = clock.monotonic_s()
        self.roomless = RoomlessMeetings(close_meeting, clock)
        self._woken = asyncio.Event()

    async def run(self) -> None:
        """Reconcile twice a second and when woken, until cancelled; an outage of any part is waited out."""
        try:
            async with asyncio.TaskGroup() as tasks:
                if self._wake is not None:
                    tasks.create_task(self._listen(self._wake), name="wake")
                await self._loop()
        finally:
            await self.roomless.abandon()

    async def _loop(self) -> None:
        wait_s = CLAIM_EVERY_S
        while True:
            self._woken.clear()
            try:
                await self.reconcile()
                wait_s = CLAIM_EVERY_S
            except PortError as error:
                wait_s = min(2 * wait_s, _RETRY_MAX_S)
                log.warning("dispatch_failed", error=str(error), retry_s=wait_s)
            except Exception:
                # A fault of ours in one look: without a next one no meeting would ever get a worker.
                wait_s = min(2 * wait_s, _RETRY_MAX_S)
                log.exception("dispatch_broke", retry_s=wait_s)
            await happens(self._woken, wait_s)

    async def _listen(self, wake: AsyncIterator[None]) -> None:
        async for _ in wake:
            self._woken.set()

    def hurry(self) -> None:
        """Reconcile now, without waiting for the next turn."""
        self._woken.set()

    async def reconcile(self) -> int:
        """Make one pass; return for how many meetings a job was asked. Raises `PortError`."""
        rows = await self._registry.claim_unheld(limit=_BATCH_MEETINGS, retry_after_s=RETRY_AFTER_S)
        placed = await _some_at_a_time(self._place_safely, rows)
        guarded = await self._guard()
        await self._withdraw_finished()
        if max(placed, guarded) > _BATCH_MEETINGS // 2:
            self.hurry()  # there may be more; where LiveKit takes none of them, the next look is soon enough
        return placed

    async def _place_safely(self, row: MeetingRow) -> bool:
        room = row.room
        try:
            assert room is not None, "text meetings are claimed by themselves"
            return await self._place(row, room)
        except PortError as error:
            log.warning("dispatch_failed", meeting_id=row.id, room=room, error=str(error))
        except Exception:
            # What is wrong with one meeting must not keep the others from their workers.
            log.exception("dispatch_failed", meeting_id=row.id, room=room)
        self._on_dispatch("failed")
        return False

    async def _place(self, row: MeetingRow, room: str) -> bool:
        if row.status == "live" and room not in await self._placement.existing([room]):
            self.roomless.note(row)
            return False
        self.roomless.forget(row)
        if row.status == "wanted":
            await self._placement.ensure_room(room)
        if row.dispatches and await self._placement.starting(room, row.id, STARTS_WITHIN_S):
            log.info("job_is_starting", meeting_id=row.id, room=room)  # looked at again with the next claim
            return False
        await self._placement.place(room, JobMetadata(meeting_id=row.id, tenant=self._tenant))
        await self._registry.note_dispatch(row.id, backoff_s(row.dispatches, self._dice()))
        outcome: DispatchOutcome = "first"
        if row.dispatches:
            outcome = "again"
        elif row.crashes:
            outcome = "crashed"
        self._on_dispatch(outcome)
        write = log.info if outcome == "first" else log.warning
        counts = {"epoch": row.epoch, "before": row.dispatches, "crashes": row.crashes}
        write("meeting_dispatched", meeting_id=row.id, room=room, **counts)
        return True

    async def _guard(self) -> int:
        """Send standbys to meetings that want one, or whose holder seems to be dead; return how many."""
        if self._standbys is None:
            return 0
        unguarded_meetings = await self._standbys.claim_unguarded(
            limit=_BATCH_MEETINGS, retry_after_s=STANDBY_AFTER_S, every=self._every_standby, late_s=LATE_S
        )
        return await _some_at_a_time(self._send_standby, unguarded_meetings)

    async def _send_standby(self, unguarded: Unguarded) -> bool:
        row, how = unguarded.row, {"apart": unguarded.apart, "relief": unguarded.relief}
        metadata = JobMetadata(meeting_id=row.id, tenant=self._tenant, standby=True, **how)
        try:
            assert row.room is not None
            await self._placement.place(row.room, metadata)
        except PortError as error:
            log.warning("standby_not_dispatched", meeting_id=row.id, error=str(error))
            return False
        except Exception:
            log.exception("standby_not_dispatched", meeting_id=row.id)
            return False
        log.info("standby_dispatched", meeting_id=row.id, room=row.room, **how)
        return True

    async def _withdraw_finished(self) -> None:
        """Withdraw the dispatches of ended meetings, every 5 s; what fails comes due again."""
        now_s = self._clock.monotonic_s()
        if now_s < self._withdraw_at_s:
            return
        self._withdraw_at_s = now_s + _WITHDRAW_EVERY_S
        for row in await self._registry.claim_finished(
            limit=_BATCH_MEETINGS, retry_after_s=_WITHDRAW_RETRY_S, grace_s=FINISHED_FOR_S
        ):
            try:
                if row.room is not None:
                    await self._placement.withdraw(row.room, row.id)
                await self._registry.note_withdrawn(row.id)
            except PortError as error:
                log.info("dispatch_not_withdrawn", meeting_id=row.id, room=row.room, error=str(error))
            except Exception:
                log.exception("dispatch_not_withdrawn", meeting_id=row.id, room=row.room)


async def _some_at_a_time(send: Callable[[T], Awaitable[bool]], whom: Sequence[T]) -> int:
    """Return for how many `send` did it; ten at a time: a slow LiveKit must not outlast the claims."""
    at_once = asyncio.Semaphore(_PLACE_AT_ONCE)

    async def sent(one: T) -> bool:
        async with at_once:
            return await send(one)

    async with asyncio.TaskGroup() as tasks:
        sending = [tasks.create_task(sent(one)) for one in whom]
    return sum(task.result() for task in sending)


def backoff_s(before: int, dice: float) -> float:
    """Return seconds until the next dispatch, after one that followed `before` others in vain.

    `dice`, 0 to 1, lengthens the wait by up to a fifth.
    """
    latest_s = RETRY_LATEST_S / (1 + _JITTER_SHARE)
    base_s: float = min(latest_s, RETRY_AFTER_S * 2 ** min(before, 10))
    return base_s * (1 + _JITTER_SHARE * dice)
