"""Brings what people put right to a meeting's record: through its holder, or here where it has ended.

A meeting that has ended is held again for a moment, to be written to. In that moment the summaries that its
record has as under way are made, too: so a model's draft that came too late for the closing is not lost,
although the job that waited for it is gone.
"""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog

from context.events import events
from context.events.corrections import Fix
from context.fold.meeting import Meeting
from context.ports import MeetingStore, Refused, Unavailable
from worker.clock import Clock
from worker.configuration.settings import Settings
from worker.erasures import Erasures
from worker.meeting.erasing import MeetingErasures, Shown
from worker.meeting.session import Session, Thinker
from worker.messages import CorrectionMessage
from worker.outlets import SilentOutlet
from worker.ports import Holder, MeetingRow
from worker.record.recorder import Recorder
from worker.record.restoring import restore

log = structlog.get_logger(__name__)

_LEASE_S: Final = 90.0
"""How long an ended meeting is held at most: longer than what is done with it takes."""
_TRIES: Final = 20
_BETWEEN_S: Final = 0.25
_CUT_AGAIN_S: Final = 10.0
"""How long cutting the passages anew may take; vectors that are missing then a worker's sweep makes."""
_DRAFTED_WITHIN_S: Final = 70.0
"""How long a late draft may take: longer than a model has for a summary, and within the lease."""
_MADE_AGAIN_S: Final = 30.0
"""How long summaries may take to be made again; one that is not by then is made at the next correction."""


class CorrectBus(Protocol):
    """The stream through which a live meeting's holder is told of corrections."""

    async def correct(self, meeting_id: str, correction: CorrectionMessage) -> str:
        """Tell the meeting's holder of a correction; gives the entry's position. Raises `PortError`."""


class ReopenedLeases(Protocol):
    """The right to write a meeting that has ended."""

    async def reopen(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """Take the lease for `ttl_s`: the new epoch, or None while another holds it.

        Raises `Refused` for an unknown meeting.
        """

    async def release(self, meeting_id: str, epoch: int) -> None:
        """Give the lease back at once."""


class MeetingPassages(Protocol):
    """The passages of one meeting that the search finds."""

    async def finish(self, deadline_s: float) -> None:
        """Cut all of the meeting into passages and keep them, as far as that is done by the deadline."""


class PassageMaker(Protocol):
    """Makes the passages of any meeting."""

    def of(self, meeting: Meeting) -> MeetingPassages:
        """The passages of one meeting."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Something that somebody puts right in a meeting's record."""

    by: str
    """Who puts it right."""
    fix: Fix


class Correcting:
    """Brings corrections to any meeting of the tenant, live or ended."""

    def __init__(
        self,
        store: MeetingStore,
        leases: ReopenedLeases,
        thinker: Thinker,
        settings: Settings,
        *,
        passages: PassageMaker,
        bus: CorrectBus | None,
        clock: Clock,
        erasures: Erasures | None = None,
        shown: Shown | None = None,
    ) -> None:
        self._store, self._leases, self._thinker, self._settings = store, leases, thinker, settings
        self._passages, self._bus, self._clock = passages, bus, clock
        self._erasures, self._shown = erasures, shown

    async def correct(self, row: MeetingRow, correction: Correction) -> str:
        """Bring a correction to the meeting's record; gives its id.

        Of an ended meeting it is on the record then; of a live one once those who follow the meeting see it.
        Raises `Unavailable` where that can't be done now, `Refused` where the meeting hasn't begun or failed.
        """
        id_ = uuid.uuid4().hex
        if row.status == "live":
            if self._bus is None:
                raise Unavailable("a live meeting is put right through Redis: set REDIS_URL")
            message = CorrectionMessage(id=id_, by=correction.by, fix=correction.fix)
            await self._bus.correct(row.id, message)
        elif row.status == "ended":
            event = events.Corrected(id=id_, at_ms=0, by=correction.by, fix=correction.fix)

            async def post(session: Session, _epoch: int) -> None:
                session.post(event)

            await self._reopened(row.id, post, made_within_s=_MADE_AGAIN_S)
        else:
            raise Refused(f"meeting {row.id!r} is {row.status}: there is nothing to put right")
        return id_

    async def make_late_drafts(self, meeting_id: str) -> None:
        """Make the summaries that the record of an ended meeting has as under way.

        Raises `Unavailable` while somebody else writes to the meeting.
        """
        await self._reopened(meeting_id, _nothing_new, made_within_s=_DRAFTED_WITHIN_S)

    async def finish_passages(self, meeting_id: str) -> None:
        """Complete the passages of an ended meeting, which its last holder had no time for.

        Raises `Unavailable` while somebody else writes to the meeting.
        """
        await self._reopened(meeting_id, _nothing_new, made_within_s=_MADE_AGAIN_S)

    async def erase(self, meeting_id: str) -> None:
        """Take out of an ended meeting what waits to be erased, and make anew what rested on it.

        Raises `Unavailable` while somebody else writes to the meeting.
        """
        erasures = self._erasures
        if erasures is None:
            raise Refused("nothing can be erased here")

        async def carry_out(session: Session, epoch: int) -> None:
            await MeetingErasures(session, erasures, self._store, epoch, self._shown).carry_out()

        await self._reopened(meeting_id, carry_out, made_within_s=_MADE_AGAIN_S)

    async def add_late(self, meeting_id: str, take: Callable[[Session], Awaitable[None]]) -> None:
        """Have `take` fold into an ended meeting what came late, and make anew what rests on it.

        Raises `Unavailable` while somebody else writes to the meeting.
        """
        await self._reopened(
            meeting_id, lambda session, _epoch: take(session), made_within_s=_DRAFTED_WITHIN_S
        )

    async def _reopened(
        self, meeting_id: str, write: Callable[[Session, int], Awaitable[None]], made_within_s: float
    ) -> None:
        """Hold an ended meeting, `write` to it, and do what that asks for, and what was under way before."""
        epoch = await self._lease(meeting_id)
        try:
            restored = await restore(self._store, meeting_id, self._settings.context)
            recorder = Recorder(
                self._store, meeting_id, epoch, clock=self._clock, committed=restored.last_seq
            )
            session = Session(
                restored.manager,
                thinker=self._thinker,
                outlet=SilentOutlet(),
                clock=self._clock,
                recorder=recorder,
            )
            running = asyncio.ensure_future(session.run())
            try:
                await write(session, epoch)
                await asyncio.sleep(0)  # the session sets off first what was under way before
                async with asyncio.timeout(made_within_s):
                    await session.settle()
            except TimeoutError:
                log.warning("not_made_again_yet", meeting_id=meeting_id)
            finally:
                await session.leave("written again")
                await running
            await self._passages.of(restored.manager.meeting).finish(_CUT_AGAIN_S)
        finally:
            await self._leases.release(meeting_id, epoch)

    async def _lease(self, meeting_id: str) -> int:
        """Take the lease; while another correction is under way, in the next few seconds."""
        pid = os.getpid()
        holder = Holder(host=socket.gethostname(), worker_pid=pid, job_pid=pid)
        for _ in range(_TRIES):
            epoch = await self._leases.reopen(meeting_id, holder, _LEASE_S)
            if epoch is not None:
                return epoch
            await asyncio.sleep(_BETWEEN_S)
        raise Unavailable(f"meeting {meeting_id!r} is being put right by somebody else")


async def _nothing_new(_session: Session, _epoch: int) -> None:
    """Write nothing: what was under way before is all that is to be done."""


def shown(correction: Correction, id_: str) -> dict[str, Any]:
    """A correction and its id in the shape in which the API answers."""
    return {"id": id_, "by": correction.by, "fix": correction.fix.model_dump(mode="json", exclude_none=True)}
