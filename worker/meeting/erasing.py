"""Takes words out of a meeting and of its record, under the meeting's lease: the one path by which they go.

Whoever requests it (pages, HTTP, chat, voice, commands, retention), two things are asked here: whether the
actor may take out what the request reaches (`context.erasure.erasure_reach`), and whether the meeting is on
hold. What somebody may not have is refused and its receipt says so; what is on hold waits.

First the fold goes on without the words (`Session.erase`), which shows at once. When that is on the record,
the events before it are rewritten in one transaction, with all that the database had read off them; the same
commit closes the request. A holder that dies in between leaves the request waiting, and the next one does the
same again: what is blank already stays as it is.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

import structlog

from context.erasure.erased_record import hidden_words, rewritten
from context.erasure.erasure_reach import NotTheirs, demand, reach_of
from context.events.actors import Actor
from context.events.erasure_target import Target
from context.events.events import UtteranceSpoken
from context.events.privacy_events import Erased, WordsShown
from context.ports import Fenced, MeetingStore, PortError, RecordedEvent, Refused, Unavailable
from worker.erasures import Erasures, WantedErasure
from worker.meeting.session import Session
from worker.outlets import Outlets

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 2.0
"""How often a live meeting's holder asks what is to be erased."""


class Shown(Protocol):
    """The streams in which words were shown outside the record."""

    async def forget(
        self,
        meeting_id: str,
        utterances: frozenset[int],
        positions: Mapping[str, str],
        *,
        made: bool,
        asked: Collection[str] = (),
    ) -> None:
        """Take out of the streams what shows these utterances.

        With `made` also all that was made of the meeting's words: summaries, answers. `asked`: the ids of the
        questions whose answers may still be read as they grew. `positions`: how far each input stream has
        been read. Raises `PortError`.
        """


class LivePassages(Protocol):
    """The passages of a live meeting that the search finds."""

    def begin_again(self) -> None:
        """Have the whole meeting cut anew: the passages that were kept are gone with the words."""


NOTHING_THERE: Final = "nothing of it is on the record"
"""What the receipt of a request says that reaches nothing."""
TakenOut = Literal["done", "nothing", "held", "failed"]
"""nothing: none of these words are there · held: it waits until the meeting's hold is lifted · failed: it was
not done, and does not wait either."""
TAKING_OUT: Final = "taking-out"
"""The name of each task by which somebody in the meeting has words taken out, or shown again."""
TakeOut = Callable[[Target, Actor, str], Coroutine[Any, Any, TakenOut]]
"""Takes words out of a meeting for somebody who is in it, and shown as the text; see `take_out`."""


@dataclass(slots=True)
class MeetingErasures:
    """Carries out the requests to erase words of one meeting, under its holder's `epoch`."""

    session: Session
    erasures: Erasures
    store: MeetingStore
    epoch: int
    shown: Shown | None = None
    passages: LivePassages | None = None
    """Those of a live meeting, which may have been cut between the `Erased` event and the rewriting."""
    _held: bool = False
    """Whether the meeting was on hold when that could be looked up last."""
    _unasked: list[tuple[Target, str, Actor, str]] = field(default_factory=list)
    """Requests that wait for a hold, and that Postgres does not know of yet: target, id, actor, by."""

    async def run(self) -> None:
        """Carry out what waits, every `LOOK_EVERY_S`, until cancelled or fenced. An outage is waited out."""
        while True:
            try:
                # Known before Postgres goes away: then somebody in the room may take out words at once.
                self._held = await self.erasures.held(self.session.meeting_id)
                await self._ask_what_is_unasked()
                await self.carry_out()
            except Fenced:
                return
            except Refused as error:  # waiting mends nothing: a right is missing, in Postgres or in Redis
                log.warning("erasure_refused_by_store", error=str(error))
            except PortError as error:
                log.info("erasure_waits", error=str(error))
            except Exception:
                log.exception("erasure_failed")
            await asyncio.sleep(LOOK_EVERY_S)

    async def take_out(self, target: Target, actor: Actor, by: str) -> TakenOut:
        """Take words out of the meeting at once, or show them again, for somebody who is in it.

        With the `Erased` event the request to rewrite the record is on the record, where `carry_out` finds
        it. While Postgres is away, what was known last of a hold counts; but hidden words stand in the record
        alone, and can't be shown then. Whoever asks has to tell the person what came of it.
        """
        try:
            return await self._take_out(target, actor, by)
        except PortError as error:
            log.warning("words_not_taken_out", actor=actor.known_as, show=target.show, error=str(error))
            return "failed"

    async def _take_out(self, target: Target, actor: Actor, by: str) -> TakenOut:
        id_, meeting_id = uuid.uuid4().hex, self.session.meeting_id
        with suppress(Unavailable):
            self._held = await self.erasures.held(meeting_id)
        if self._held:
            self._unasked.append((target, id_, actor, by))
            with suppress(Unavailable):
                await self._ask_what_is_unasked()
            return "held"
        if target.show:
            await self.erasures.ask(target, id_=id_, actor=actor, by=by, meeting_id=meeting_id)
            await self.carry_out()
            return "done"
        return "done" if await self.session.erase(target, id_=id_, actor=actor, by=by) else "nothing"

    async def _ask_what_is_unasked(self) -> None:
        while self._unasked:
            target, id_, actor, by = self._unasked[0]
            await self.erasures.ask(target, id_=id_, actor=actor, by=by, meeting_id=self.session.meeting_id)
            self._unasked = [unasked for unasked in self._unasked if unasked[1] != id_]

    async def carry_out(self) -> int:
        """Carry out the requests that wait; gives their number. Raises `PortError`: the rest waits on."""
        wanted = await self.erasures.waiting(self.session.meeting_id)
        for request in wanted:
            try:
                await self._carry_out(request)
            except NotTheirs as error:
                log.warning("erasure_refused", erasure=request.id, actor=request.actor.known_as)
                await self.erasures.refuse(self.session.meeting_id, self.epoch, request.id, str(error))
        return len(wanted)

    async def _carry_out(self, request: WantedErasure) -> None:
        session = self.session
        if not await (self._show(request) if request.target.show else self._erase(request)):
            await self.erasures.refuse(session.meeting_id, self.epoch, request.id, NOTHING_THERE)
            return
        # What is on the record by then was read from the streams up to here, and may go from them.
        read = dict(session.manager.meeting.coverage.positions)
        if not await session.recorder.settled(session.seq):
            return
        changes, utterances, hidden = await self._rewritten(request.id)
        await session.shown()  # what goes out from now on is without the words
        await self._forget_shown(utterances, read, made=True)
        await self.erasures.erase(
            session.meeting_id, self.epoch, request.id, events=changes, utterances=utterances, hidden=hidden
        )
        if self.passages is not None:
            self.passages.begin_again()
        await self._forget_shown(utterances, read, made=False)  # and what waited until Redis was back
        await session.save()
        log.info("words_erased", erasure=request.id, utterances=len(utterances), events=len(changes))

    async def _erase(self, request: WantedErasure) -> bool:
        """Have the meeting go on without the words, or see that it does already; False: it never had any."""
        session = self.session
        if await session.erase(request.target, id_=request.id, actor=request.actor, by=request.by):
            return True
        if any(mark.id == request.id for mark in session.manager.meeting.erasures):
            return True  # whoever held it before came no further
        if not (request.actor.administrator and await self._is_on_record(request.target)):
            return False
        return await session.erase(
            request.target, id_=request.id, actor=request.actor, by=request.by, surely=True
        )

    async def _is_on_record(self, target: Target) -> bool:
        """Whether words that are meant stand in turns on the record that are none of the meeting's."""
        if target.what not in {"person", "meeting"}:
            return False
        stored = await self.store.load(self.session.meeting_id, use_snapshot=False)
        stored_events = (recorded.event for recorded in (stored.events if stored is not None else ()))
        return any(
            isinstance(event, UtteranceSpoken)
            and (event.text or event.hidden is not None)
            and (target.what == "meeting" or event.speaker_id in target.everybody)
            for event in stored_events
        )

    async def _show(self, request: WantedErasure) -> bool:
        """Show hidden words again: they stand in the events of their turns. False: none of them is hidden."""
        session, meeting = self.session, self.session.manager.meeting
        reach = reach_of(meeting, request.target)
        demand(request.actor, request.target, reach)
        wanted = [number for number in reach.erased if meeting.utterances[number - 1].hidden]
        if not wanted:
            return False
        numbers = await self.erasures.numbers(session.meeting_id)
        stored = await self.store.load(session.meeting_id, use_snapshot=False)
        words = hidden_words(stored.events if stored is not None else (), numbers, wanted)
        session.fold_now(
            WordsShown(id=request.id, by=request.by, actor=request.actor, at_ms=session.now_ms(), words=words)
        )
        return True

    async def _forget_shown(self, utterances: Sequence[int], read: Mapping[str, str], *, made: bool) -> None:
        if isinstance(self.session.outlet, Outlets):
            self.session.outlet.forget(frozenset(utterances), made=made)
        if self.shown is not None:
            meeting = self.session.manager.meeting
            asked = meeting.invocations
            await self.shown.forget(
                meeting.meeting_id,
                frozenset(utterances),
                read,
                made=made,
                asked={*asked.open, *asked.ended},
            )

    async def _rewritten(self, erasure_id: str) -> tuple[list[RecordedEvent], list[int], int]:
        """The events that the request changes, the utterances that it empties, how many of those it hides."""
        numbers = await self.erasures.numbers(self.session.meeting_id)
        stored = await self.store.load(self.session.meeting_id, use_snapshot=False)
        events = stored.events if stored is not None else ()
        changes: dict[int, RecordedEvent] = {}
        emptied: dict[int, None] = {}
        hidden: set[int] = set()
        for place, recorded in enumerate(events):
            if isinstance(recorded.event, Erased) and recorded.event.id == erasure_id:
                now = [changes.get(earlier.seq, earlier) for earlier in events[:place]]
                changed = await asyncio.to_thread(rewritten, now, recorded.event, numbers)
                changes |= {one.seq: one for one in changed}
                emptied |= dict.fromkeys(recorded.event.utterances)
                hidden |= set(recorded.event.hidden)
        return list(changes.values()), list(emptied), len(hidden)
