"""Words taken out of a meeting and of its record, by whoever holds it.

First the fold goes on without them (`Session.erase`), which shows at once. When that is on the record, the
events before it are rewritten in one transaction, with all that the database had read off them; the wish is
done with the same commit. Whoever dies in between leaves the wish waiting, and the next holder does the same
again: what is blank already stays as it is.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from context.decided import Erased
from context.erasure.erasing import rewritten
from context.erasure.target import Target
from context.ports import Fenced, MeetingStore, PortError, RecordedEvent
from worker.erasures import Erasures, WantedErasure
from worker.meeting.session import Session
from worker.outlets import Outlets

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 2.0


class Shown(Protocol):
    """Where words were shown outside the record: streams."""

    async def forget(
        self, meeting_id: str, utterances: frozenset[int], positions: Mapping[str, str], *, made: bool
    ) -> None:
        """Take out what shows these turns, and with `made` all that was made of a meeting's words.

        `positions`: how far each input stream has been read. Raises `PortError`.
        """
        ...


@dataclass(frozen=True, slots=True)
class MeetingErasures:
    """Carries out what is to be erased of one meeting, under its holder's epoch."""

    session: Session
    erasures: Erasures
    store: MeetingStore
    epoch: int
    shown: Shown | None = None

    async def run(self) -> None:
        """Look now and again whether something is to be erased, until cancelled. An outage is waited out."""
        known = False
        while True:
            try:
                if not known:
                    await self._ask_again()
                    known = True
                await self.carry_out()
            except Fenced:
                return
            except PortError as error:
                log.info("erasure_waits", error=str(error))
            except Exception:
                log.exception("erasure_failed")
            await asyncio.sleep(LOOK_EVERY_S)

    async def take_out(self, target: Target, by: str) -> None:
        """Have words erased at once, by wish of somebody who is there; in the database once that is there."""
        id_ = uuid.uuid4().hex
        await self.session.erase(target, id_=id_, by=by)
        while True:
            try:
                await self.erasures.ask(target, id_=id_, by=by, meeting_id=self.session.meeting_id)
            except PortError as error:
                log.info("erasure_waits", error=str(error))
                await asyncio.sleep(LOOK_EVERY_S)
            else:
                return

    async def _ask_again(self) -> None:
        """What was taken out of the meeting before its holder could ask for the rest."""
        for mark in self.session.manager.meeting.erasures:
            target = Target(
                what=mark.what, person=mark.person, since_ms=mark.since_ms, utterances=mark.utterances or (0,)
            )
            await self.erasures.ask(target, id_=mark.id, by=mark.by, meeting_id=self.session.meeting_id)

    async def carry_out(self) -> int:
        """Erase what waits; how many wishes it was. Raises `PortError`: the rest waits on."""
        session = self.session
        if not session.started:  # nothing was said yet
            return 0
        wanted = await self.erasures.waiting(session.meeting_id)
        for wish in wanted:
            await self._carry_out(wish)
        return len(wanted)

    async def _carry_out(self, wish: WantedErasure) -> None:
        session = self.session
        await session.erase(wish.target, id_=wish.id, by=wish.by)
        if not await session.recorder.settled(session.seq):
            return
        changes, utterances = await self._rewritten(wish.id)
        await session.shown()  # what goes out from now on is without the words
        await self._forget_shown(utterances, made=True)
        await self.erasures.erase(
            session.meeting_id, self.epoch, wish.id, events=changes, utterances=utterances
        )
        await self._forget_shown(utterances, made=False)  # and what waited until Redis was back
        await session.save()
        log.info("words_erased", erasure=wish.id, utterances=len(utterances), events=len(changes))

    async def _forget_shown(self, utterances: Sequence[int], *, made: bool) -> None:
        if isinstance(self.session.outlet, Outlets):
            self.session.outlet.forget(frozenset(utterances), made=made)
        if self.shown is not None:
            meeting = self.session.manager.meeting
            await self.shown.forget(meeting.meeting_id, frozenset(utterances), meeting.positions, made=made)

    async def _rewritten(self, erasure_id: str) -> tuple[list[RecordedEvent], list[int]]:
        """The events that change, and the turns that are emptied by this wish."""
        numbers = await self.erasures.numbers(self.session.meeting_id)
        stored = await self.store.load(self.session.meeting_id, use_snapshot=False)
        events = stored.events if stored is not None else ()
        changes: dict[int, RecordedEvent] = {}
        emptied: dict[int, None] = {}
        for place, each in enumerate(events):
            if isinstance(each.event, Erased) and each.event.id == erasure_id:
                now = [changes.get(earlier.seq, earlier) for earlier in events[:place]]
                found = await asyncio.to_thread(rewritten, now, each.event, numbers)
                changes |= {one.seq: one for one in found}
                emptied |= dict.fromkeys(each.event.utterances)
        return list(changes.values()), list(emptied)
