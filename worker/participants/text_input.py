"""Reads what programs write to a meeting: segments of text, questions, consent, corrections, its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final, Protocol

import structlog

from context.erasure.erased_record import withheld
from context.events import events
from context.events.events import InputPosition
from context.language.commands import command_in
from context.primitives.askers import nobodys
from context.primitives.text import many_lines, one_line, visible
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
from worker.participants.attendant import Attendant
from worker.participants.entry_removal import Droppable, EntryRemoval
from worker.participants.room_people import name_of

log = structlog.get_logger(__name__)

TAKEN_OUT_WITHIN_S: Final = 5.0
"""How long the stream waits for what a command takes out of the meeting."""


class InputBus(Droppable, Protocol):
    """Port of the streams (`in`, `ask`) that programs write to for a meeting."""

    def read_inputs(self, meeting_id: str, positions: Mapping[str, str]) -> AsyncIterator[InputEntry]:
        """Yield the entries behind these positions (stream → position) and wait for more, until closed."""

    def refused(self, kind: str) -> None:
        """Count a command that is not obeyed; `kind` is that of its stream, such as `ask`."""


class TextInput:
    """Brings the streams `in` and `ask` of a meeting into its session, from where its record stands."""

    def __init__(self, bus: InputBus, session: Session, *, ends_meeting: bool, attendant: Attendant) -> None:
        """`ends_meeting`: there is no room, so `{"end": true}` ends the meeting; segments tell the time."""
        self._bus, self._session = bus, session
        self._ends_meeting, self._attendant = ends_meeting, attendant
        self._removal = EntryRemoval(bus, session, attendant.own)
        self._met: set[str] = set()
        """Ids of those who have spoken by these streams."""
        self._until_ms: int | None = _read_until_ms(session)
        """Where the latest segment ends, in ms of the meeting; None: there was none."""
        self._obeyed: set[str] = set()
        """Ids of the commands obeyed here; the record has them, too, and those of earlier holders."""

    async def run(self) -> bool:
        """Read until cancelled. True: the meeting's end was announced; False: the bus closed the streams."""
        session, attendant = self._session, self._attendant
        async for entry in self._bus.read_inputs(
            session.meeting_id, session.manager.meeting.coverage.positions
        ):
            position = InputPosition(stream=entry.stream, position=entry.position)
            match entry.message:
                case SegmentMessage() as segment:
                    await self._segment(segment, position)
                case AskMessage(id=id_) | ConsentMessage(id=id_) if self._was_obeyed(id_):
                    log.warning("command_repeated", stream=entry.stream, position=entry.position, id=id_)
                    self._bus.refused("ask")
                    session.post(events.InputRead(position=position))
                case AskMessage() as ask:
                    await self._ask(ask, position)
                case ConsentMessage() as consent:
                    attendant.consent.record(
                        attendant.people.identity_of(consent.person),
                        consent.agreed,
                        consent.how,
                        erase=consent.erase,
                        told_by=consent.by,
                        actor=consent.actor,
                    )
                    await self._note_obeyed(consent.id, position)
                case CorrectionMessage(id=id_, by=by, fix=fix):
                    session.post(
                        events.Corrected(id=id_, by=by, at_ms=session.now_ms(), fix=fix, position=position)
                    )
                case EndMessage() if self._ends_meeting:
                    # Not noted as read: who takes over in the middle of the closing has to see it, too.
                    return True
                case EndMessage():
                    session.post(events.InputRead(position=position))
                case Malformed(reason=reason):
                    log.warning(
                        "input_malformed", stream=entry.stream, position=entry.position, reason=reason
                    )
                    session.post(events.InputRead(position=position))
        return False

    async def _segment(self, segment: SegmentMessage, position: InputPosition) -> None:
        session, attendant = self._session, self._attendant
        speaker = attendant.people.identity_of(segment.speaker)
        name = name_of(speaker, segment.name)
        # A segment may come late: what stood in the stream before a command was said before it.
        self._until_ms = max(self._until_ms or 0, segment.end_ms, segment.start_ms + 1)
        if not one_line(segment.text):
            attendant.turns.take_back(speaker, segment.id)
            session.post(events.InputRead(position=position))
            return
        if speaker not in self._met:
            # The speaker is in the meeting from now on, and may have said no in an earlier one. Nobody can be
            # asked by these streams: who is in a room as well is told there.
            self._met.add(speaker)
            if not session.started or speaker not in session.manager.meeting.attendance.people:
                session.human_seen(speaker, name)
            await attendant.consent_known(speaker)
        if session.manager.meeting.paused or not attendant.may_hear(speaker):
            await self._off_record(segment, speaker, position)
            return
        if not segment.final:
            session.post(events.InputRead(position=position))
            attendant.turns.interim(speaker, segment.id, segment.text)
            return
        spoken = events.UtteranceSpoken(
            key=segment.id,
            speaker_id=speaker,
            speaker_name=name,
            text=segment.text,
            start_ms=segment.start_ms,
            end_ms=segment.end_ms,
            confidence=segment.confidence,
            language=segment.language,
            # A refusal is read when what it takes out is out: see `_note_obeyed`.
            position=None if (refuses := attendant.refuses_aloud(segment.text)) else position,
        )
        session.post(spoken)
        if withheld(session.manager.meeting, spoken).text != spoken.text or self._is_off_record(spoken):
            self._removal.add(position)
        # Its times are all that such a meeting has; they may run ahead of the clock.
        attendant.listen_for_call(spoken, command_at_ms=self._until_ms if self._ends_meeting else None)
        if refuses:
            await attendant.taken_out(TAKEN_OUT_WITHIN_S)
            session.post(events.InputRead(position=position))

    async def _off_record(self, segment: SegmentMessage, who: str, position: InputPosition) -> None:
        """Record a gap instead of a segment that nobody is to hear.

        Only whether its speaker may be heard, and that the record shall go on, is obeyed there.
        """
        session, commands = self._session, self._attendant.commands
        start_ms, end_ms = segment.start_ms, segment.end_ms
        self._attendant.turns.take_back(who, segment.id)
        if segment.final and not session.manager.meeting.knows(segment.id):
            session.post(
                events.GapNoted(participant_id=who, start_ms=start_ms, end_ms=end_ms, reason="off_record")
            )
        # Without a room there is no chat to command it in.
        ordered = self._ends_meeting and segment.final
        was_told = ordered and self._attendant.told_aloud(who, segment.text)
        if was_told:
            await self._attendant.taken_out(TAKEN_OUT_WITHIN_S)
        session.post(events.InputRead(position=position))
        self._removal.add(position)
        if ordered and not was_told:
            command = commands.command_in(segment.text)
            if command is not None and command.name in {"resume", "on"}:
                commands.carry_out(command, who, segment.text, self._until_ms)

    def _is_off_record(self, spoken: events.UtteranceSpoken) -> bool:
        meeting = self._session.manager.meeting
        return spoken.key not in meeting.keys and meeting.coverage.off_record(spoken.start_ms)

    async def _ask(self, ask: AskMessage, position: InputPosition) -> None:
        """Ask a question, or by Redis obey a command, as in the chat. (Who asks by HTTP waits for a reply.)

        What is read next is behind it in the stream: it waits until the question is on the record.
        """
        attendant, text, private = self._attendant, many_lines(ask.text), ask.private
        hidden = visible(ask.text) != ask.text
        # Who gives the way that a question came in by as their name is nobody.
        unnamed = ask.by == ask.via != "redis"
        by = nobodys(ask.by) if unnamed else attendant.people.identity_of(ask.by)
        command = command_in(text, addressed=False)
        obeyed = False
        if command is not None and command.name == "rate":
            attendant.commands.set_rate(command.rest, by, text)
            obeyed = True
        elif command is not None and command.name == "me":
            # By HTTP many share a name; consent is told elsewhere (`POST /v1/meetings/ID/consent`).
            obeyed = ask.via == "redis" and attendant.decided(by, text)
            if command.rest:
                text, private = command.rest, True
        if not obeyed and ask.via == "redis" and not hidden:
            # Segments' times are all that a meeting without a room has: see `_segment`.
            at_ms = self._until_ms if self._ends_meeting else None
            obeyed = attendant.obey(by, text, command_at_ms=at_ms)
        if obeyed:
            await self._note_obeyed(ask.id, position)
        else:
            reading = attendant.questions.ask(
                ask.id, by, text, via=ask.via, private=private, features=ask.features, position=position
            )
            if reading is not None:
                await asyncio.wait({reading})

    def _was_obeyed(self, id_: str) -> bool:
        return id_ in self._obeyed or id_ in self._session.manager.meeting.coverage.orders

    async def _note_obeyed(self, id_: str, position: InputPosition) -> None:
        """Record that a command was obeyed together with its place, so that no successor obeys it again.

        What it takes out of the meeting has to be out by then: a successor would read the command no more.
        """
        self._obeyed.add(id_)
        await self._attendant.taken_out(TAKEN_OUT_WITHIN_S)
        self._session.post(events.InputRead(position=position, order=id_))


def _read_until_ms(session: Session) -> int | None:
    """Where the latest segment ends that the holders before have read; None: they read none.

    What was off the record left no words; how long it went on is known by its gaps and pauses. Pauses alone
    tell nothing of it: before the first segment they are counted by the clock.
    """
    meeting = session.manager.meeting
    ends = [utterance.end_ms for utterance in meeting.utterances]
    ends += [gap.end_ms for gap in meeting.coverage.gaps if gap.reason == "off_record"]
    if not ends:
        return None
    return max(*ends, *(pause.end_ms or pause.start_ms for pause in meeting.coverage.pauses), 0)
