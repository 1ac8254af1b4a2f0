"""Takes words out of a meeting and of its record, under the meeting's lease.

First the fold goes on without the words (`Session.erase`), which shows at once. When that is on the record,
the events before it are rewritten in one transaction, with all that the database had read off them; the same
commit closes the wish. A holder that dies in between leaves the wish waiting, and the next one does the same
again: what is blank already stays as it is.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from context.erasure.erasing import rewritten
from context.erasure_target import Target
from context.ports import Fenced, MeetingStore, PortError, RecordedEvent
from context.privacy_events import Erased
from worker.erasures import Erasures, WantedErasure
from worker.meeting.session import Session
from worker.outlets import Outlets

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 2.0
"""How often a live meeting's holder asks what is to be erased."""


class Shown(Protocol):
    """The streams in which words were shown outside the record."""

    async def forget(
        self, meeting_id: str, utterances: frozenset[int], positions: Mapping[str, str], *, made: bool
    ) -> None:
        """Take out of the streams what shows these utterances.

        With `made` also all that was made of the meeting's words: summaries, answers. `positions`: how far
        each input stream has been read. Raises `PortError`.
        """


class LivePassages(Protocol):
    """The passages of a live meeting that the search finds."""

    def begin_again(self) -> None:
        """Have the whole meeting cut anew: the passages that were kept are gone with the words."""


@dataclass(frozen=True, slots=True)
class MeetingErasures:
    """Carries out the wishes to erase words of one meeting, under its holder's `epoch`."""

    session: Session
    erasures: Erasures
    store: MeetingStore
    epoch: int
    shown: Shown | None = None
    passages: LivePassages | None = None
    """Those of a live meeting, which may have been cut between the `Erased` event and the rewriting."""

    async def run(self) -> None:
        """Carry out what waits, every `LOOK_EVERY_S`, until cancelled or fenced. An outage is waited out."""
        while True:
            try:
                await self.carry_out()
            except Fenced:
                return
            except PortError as error:
                log.info("erasure_waits", error=str(error))
            except Exception:
                log.exception("erasure_failed")
            await asyncio.sleep(LOOK_EVERY_S)

    async def take_out(self, target: Target, by: str) -> None:
        """Take words out of the meeting at once, by wish of `by`, who is in it.

        With the `Erased` event the wish to rewrite the record is on the record, where `carry_out` finds it.
        """
        await self.session.erase(target, id_=uuid.uuid4().hex, by=by)

    async def carry_out(self) -> int:
        """Carry out the wishes that wait; gives their number. Raises `PortError`: the rest waits on."""
        wanted = await self.erasures.waiting(self.session.meeting_id)
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
        if self.passages is not None:
            self.passages.begin_again()
        await self._forget_shown(utterances, made=False)  # and what waited until Redis was back
        await session.save()
        log.info("words_erased", erasure=wish.id, utterances=len(utterances), events=len(changes))

    async def _forget_shown(self, utterances: Sequence[int], *, made: bool) -> None:
        if isinstance(self.session.outlet, Outlets):
            self.session.outlet.forget(frozenset(utterances), made=made)
        if self.shown is not None:
            meeting = self.session.manager.meeting
            await self.shown.forget(
                meeting.meeting_id, frozenset(utterances), meeting.coverage.positions, made=made
            )

    async def _rewritten(self, erasure_id: str) -> tuple[list[RecordedEvent], list[int]]:
        """The events that this wish changes, and the utterances that it empties."""
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
