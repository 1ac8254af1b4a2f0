"""Reads a meeting's input streams: segments of text, questions, and the word that it is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

import structlog

from context import events
from context.events import InputPosition
from context.language.commands import command
from worker.meeting.session import Session
from worker.messages import (
    AskMessage,
    ConsentMessage,
    CorrectionMessage,
    EndMessage,
    InputEntry,
    Malformed,
    SegmentMessage,
)
from worker.room.attendant import Attendant

log = structlog.get_logger(__name__)


class InputBus(Protocol):
    """Where what programs write to a meeting arrives."""

    def read_inputs(self, meeting_id: str, positions: Mapping[str, str]) -> AsyncIterator[InputEntry]:
        """The entries behind these positions, by stream; waits for more, until it is closed."""
        ...

    def refused(self, kind: str) -> None:
        """Count a command that is not obeyed; `kind`: of the stream that it came by."""
        ...


class TextInput:
    """Brings the streams `in` and `ask` of a meeting into its session, from where the record stands."""

    def __init__(self, bus: InputBus, session: Session, *, ends_meeting: bool, attendant: Attendant) -> None:
        """`ends_meeting`: whether `{"end": true}` counts (a meeting in a room ends with its room)."""
        self._bus, self._session = bus, session
        self._ends_meeting, self._attendant = ends_meeting, attendant
        self._met: set[str] = set()
        """Who has spoken here."""
        self._until_ms: int | None = None
        """Where the newest segment ends."""
        self._obeyed: set[str] = set()
        """Ids of the orders that we obeyed; the record has them, too, and those of the holders before us."""

    async def run(self) -> bool:
        """Read until cancelled, or until the end was announced: then True."""
        positions = self._session.manager.meeting.coverage.positions
        async for entry in self._bus.read_inputs(self._session.meeting_id, positions):
            position = InputPosition(stream=entry.stream, position=entry.position)
            match entry.message:
                case SegmentMessage() as segment:
                    await self._segment(segment, position)
                case AskMessage() as ask:
                    self._ask(ask, position)
                case ConsentMessage() as told:
                    self._tell_consent(told, position)
                case CorrectionMessage() as put:
                    at_ms = self._session.now_ms()
                    self._session.post(
                        events.Corrected(id=put.id, by=put.by, at_ms=at_ms, fix=put.fix, position=position)
                    )
                case EndMessage():
                    if self._ends_meeting:
                        # Not noted as read: who takes over in the middle of the closing has to see it, too.
                        return True
                    self._session.post(events.InputRead(position=position))
                case Malformed(reason=reason):
                    log.warning(
                        "input_malformed", stream=entry.stream, position=entry.position, reason=reason
                    )
                    self._session.post(events.InputRead(position=position))
        return False

    async def _meet(self, identity: str, name: str) -> None:
        """Who speaks here first is in the meeting from now on, and may have said no in an earlier one.

        There is no way to tell them alone of it: who is in a room as well is told there.
        """
        if identity in self._met:
            return
        self._met.add(identity)
        session = self._session
        if not session.started or identity not in session.manager.meeting.attendance.people:
            session.human_seen(identity, name)
        await self._attendant.consent_known(identity)

    async def _segment(self, segment: SegmentMessage, position: InputPosition) -> None:
        session = self._session
        self._until_ms = segment.end_ms
        if not segment.text.strip():
            session.post(events.InputRead(position=position))
            return
        await self._meet(segment.speaker, segment.name or segment.speaker)
        if session.manager.meeting.paused or not self._attendant.may_hear(segment.speaker):
            self._off_record(segment, position)
            return
        if not segment.final:
            session.post(events.InputRead(position=position))
            self._attendant.interim(segment.speaker, segment.id, segment.text)
            return
        spoken = events.UtteranceSpoken(
            key=segment.id,
            speaker_id=segment.speaker,
            speaker_name=segment.name or segment.speaker,
            text=segment.text,
            start_ms=segment.start_ms,
            end_ms=segment.end_ms,
            confidence=segment.confidence,
            language=segment.language,
            position=position,
        )
        session.post(spoken)
        # Its times are all that such a meeting has; they may run ahead of the clock.
        self._attendant.listen_for_call(spoken, order_at_ms=segment.end_ms if self._ends_meeting else None)

    def _off_record(self, segment: SegmentMessage, position: InputPosition) -> None:
        """Said while paused: that somebody spoke is on the record, as a gap, and nothing of what was said."""
        session = self._session
        self._attendant.unrecorded(segment.speaker, segment.id)
        if segment.final and not session.manager.meeting.knows(segment.id):
            session.post(
                events.GapNoted(
                    participant_id=segment.speaker,
                    start_ms=segment.start_ms,
                    end_ms=segment.end_ms,
                    reason="off_record",
                )
            )
        session.post(events.InputRead(position=position))
        if self._ends_meeting and segment.final:  # without a room there is no chat to order it in
            self._attendant.off_record(segment.speaker, segment.text, segment.end_ms)

    def _tell_consent(self, told: ConsentMessage, position: InputPosition) -> None:
        if self._was_obeyed(told.id):
            self._refuse_repeated(told.id, position)
            return
        self._attendant.consent.tell(told.person, told.agreed, told.how, erase=told.erase, told_by=told.by)
        self._note_obeyed(told, position)

    def _ask(self, ask: AskMessage, position: InputPosition) -> None:
        """A question; or, through Redis, an order, as in the chat. (Who asks by HTTP waits for a reply.)"""
        if self._was_obeyed(ask.id):
            self._refuse_repeated(ask.id, position)
            return
        order = command(ask.text, addressed=False)
        if order is not None and order.name == "rate":
            self._attendant.set_rate(order.rest, ask.by, ask.text)
            self._note_obeyed(ask, position)
            return
        # By HTTP many share a name; there consent has its own door (`POST /v1/meetings/ID/consent`).
        told = ask.via == "redis" and order is not None and order.name == "me"
        if told and self._attendant.consent.written(ask.by, ask.text):
            self._note_obeyed(ask, position)
            return
        if order is not None and order.name == "me" and order.rest:
            ask = ask.model_copy(update={"text": order.rest, "private": True})
        # Segments' times are all that a meeting without a room has: see `_segment`.
        at_ms = self._until_ms if self._ends_meeting else None
        if ask.via == "redis" and self._attendant.ordered(ask.by, ask.text, order_at_ms=at_ms):
            self._note_obeyed(ask, position)
            return
        self._attendant.ask(
            ask.id,
            ask.by,
            ask.text,
            via=ask.via,
            private=ask.private,
            features=ask.features,
            position=position,
        )

    def _was_obeyed(self, id_: str) -> bool:
        return id_ in self._obeyed or id_ in self._session.manager.meeting.coverage.orders

    def _refuse_repeated(self, id_: str, position: InputPosition) -> None:
        log.warning("order_repeated", stream=position.stream, position=position.position, id=id_)
        self._bus.refused("ask")
        self._session.post(events.InputRead(position=position))

    def _note_obeyed(self, ask: AskMessage | ConsentMessage, position: InputPosition) -> None:
        """With its place: who reads it there again after a death has neither on record, and obeys."""
        self._obeyed.add(ask.id)
        self._session.post(events.InputRead(position=position, order=ask.id))
