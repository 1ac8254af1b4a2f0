"""Takes part in a room for one meeting: who is there, who speaks, who asks, and when it is over.

The room adapter calls the `Attendant` (`Listener`), which posts events to the session. A participant's sound
is a `Track` per track id, which outlives short breaks of the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from context.erasure.erased_record import withheld
from context.events import events
from context.events.privacy_events import ConsentChannel
from context.language.addressing import ChatMode, chat_line, for_agent
from context.language.commands import Command, command_in
from context.language.consenting import answer, answer_to
from context.primitives.text import many_lines, one_line, visible
from context.reading.requests import asks_for_a_list, asks_one_another
from worker.meeting.erasing import TAKING_OUT, TakeOut
from worker.meeting.session import Session
from worker.meeting.side_tasks import OwnTasks
from worker.participants.closing import Closing
from worker.participants.consent import NOBODY_IS_ASKED, Consent, ConsentRule, ToldBefore
from worker.participants.encrypted_tracks import EncryptedTracks
from worker.participants.guests import MakeGuests
from worker.participants.listener import ChatVia, Sealed, Sink
from worker.participants.question_turns import too_many
from worker.participants.room_commands import RoomCommands, VoiceCalls
from worker.participants.room_people import RoomPeople, name_of
from worker.participants.room_questions import RoomQuestions
from worker.participants.tracks import DEAF_LISTENER, MakeTrack, Tracks
from worker.participants.turns import Turns

log = structlog.get_logger(__name__)


class Attendant:
    """A meeting's presence in its room. Implements `Listener`."""

    def __init__(
        self,
        session: Session,
        tasks: asyncio.TaskGroup,
        *,
        make_track: MakeTrack | None,
        wake_words: Sequence[str],
        chat: ChatMode,
        consent: ConsentRule = NOBODY_IS_ASKED,
        told_before: ToldBefore | None = None,
        take_out: TakeOut | None = None,
        guests: MakeGuests | None = None,
    ) -> None:
        """`tasks` owns what runs beside. `make_track` None: text comes from elsewhere.

        `told_before` gives somebody's answer in earlier meetings; None: only this one counts. `take_out` has
        words erased; None: nobody can. `guests` makes the meeting's `Guests` (None: nobody comes by a link).
        """
        self._session, self.own = session, OwnTasks(tasks)
        self._transcribing = make_track is not None
        self._wake_words, self._chat_mode = wake_words, chat
        self._calls = VoiceCalls(wake_words)
        self.questions = RoomQuestions(session, self.own)
        self.people = RoomPeople(session, self.own)
        self.turns = Turns(
            session,
            self.own,
            name_of=self.people.name,
            may_show=lambda who: not session.manager.meeting.paused and self.may_hear(who),
            on_said=self._said,
        )
        self.encrypted = EncryptedTracks(session, self.own, note=self.turns.from_track)
        self.tracks = Tracks(
            make_track,
            on_event=self.turns.from_track,
            on_end=self.turns.track_ended,
            own=self.own,
            encrypted=self.encrypted,
        )
        self.closing = Closing(session, self.tracks, self.own, unless=self._closes_otherwise)
        self.commands = RoomCommands(
            session,
            self.tracks,
            self.own,
            wake_words=wake_words,
            say_closing=self.closing.say,
            in_turn=self.questions.turns.carry_out,
            take_out=take_out,
        )
        self.consent = Consent(
            session,
            consent,
            run=self.own,
            in_turn=self.questions.turns.carry_out,
            refused=lambda identity: self.tracks.forget(lambda who, *_: who == identity),
            take_out=take_out,
            told_before=told_before,
        )
        session.on_erased = lambda mark: self.tracks.forget(mark.withholds)
        self.guests = guests(run=self.own, changed=self._may_hear_changed) if guests is not None else None

    # ---- people -------------------------------------------------------------------------------

    def joined(self, identity: str, name: str) -> None:
        """See `Listener.joined`; a closing that has begun is called off."""
        if not self.people.joined(identity, name):
            return
        self.closing.call_off()
        if self.guests is not None:
            self.guests.joined(identity)
        self.consent.joined(identity, name_of(identity, name))

    def left(self, identity: str) -> None:
        """See `Listener.left`; the last one begins the closing."""
        if identity not in self.people:
            return
        if self.guests is not None:
            self.guests.left(identity)
        self.tracks.close_of(identity)
        self.people.left(identity)
        if not self.people:
            self.closing.begin()

    # ---- sound --------------------------------------------------------------------------------

    def track_opened(self, identity: str, track_id: str) -> Sink:
        """See `Listener.track_opened`."""
        if not self.may_hear(identity):
            return DEAF_LISTENER  # the room was not to ask for it
        return self.tracks.opened(identity, track_id, paused=self._session.manager.meeting.paused)

    def may_hear(self, identity: str) -> bool:
        """See `Listener.may_hear`."""
        return self.consent.may_hear(identity) and (self.guests is None or self.guests.may_hear(identity))

    async def consent_known(self, identity: str) -> None:
        """Wait until `may_hear` is known of somebody: see `Consent.wait_until_known`."""
        await self.consent.wait_until_known(identity)

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        """See `Listener.told_consent`; it overrules what they said otherwise before.

        What is only `standing` does not: an old yes would undo a no of the chat at each takeover.
        """
        before = self._session.manager.meeting.attendance.agreed(identity)
        if standing and before is not None:
            return
        if before != agreed:
            self.consent.record(identity, agreed, "attribute")

    def track_encrypted(self, identity: str, track_id: str, *, why: Sealed) -> None:
        """See `Listener.track_encrypted`; who may not be heard is not missed."""
        if self._transcribing and self.may_hear(identity):
            self.encrypted.opened(identity, track_id, why)

    def track_muted(self, track_id: str) -> None:
        """See `Listener.track_muted`."""
        self.tracks.muted(track_id)

    def track_closed(self, track_id: str) -> None:
        """See `Listener.track_closed`; the last words are still to come, unless their speaker has refused."""
        who = self.tracks.participant_of(track_id)
        self.tracks.closed(track_id)
        if who is not None and not self.may_hear(who):
            self.turns.take_back_of(who)

    def _said(self, spoken: events.UtteranceSpoken) -> None:
        # What is said while a command becomes text comes behind it.
        self.listen_for_call(spoken, command_at_ms=spoken.end_ms)

    def listen_for_call(self, spoken: events.UtteranceSpoken, *, command_at_ms: int | None = None) -> None:
        """Carry out the command, or ask the question, that an utterance puts to the agent by its name.

        A command counts from `command_at_ms` on, in ms of the meeting, else from now. A question that was
        asked off the record is not asked.
        """
        self.turns.replaced(spoken.key)
        meeting = self._session.manager.meeting
        spoken = withheld(meeting, spoken)
        call = self._calls.hear(spoken.speaker_id, spoken.text, spoken.start_ms, spoken.end_ms)
        if isinstance(call, Command) and call.name == "me":
            self.consent.handle_chat(spoken.speaker_id, f"/me {call.rest}", "voice")
        elif isinstance(call, Command):
            self.commands.carry_out(call, spoken.speaker_id, spoken.text, command_at_ms)
        elif call is not None and not meeting.coverage.off_record(spoken.start_ms):
            self.questions.ask(f"voice:{spoken.key}", spoken.speaker_id, call, via="voice", private=False)

    # ---- questions and commands -----------------------------------------------------------------

    def chat(
        self,
        message_id: str,
        identity: str,
        name: str,
        text: str,
        *,
        private: bool = False,
        via: ChatVia = "chat",
    ) -> None:
        """See `Listener.chat`; a `private` line is always for the agent, which answers its writer alone."""
        if self.guests is not None and self.guests.is_out(identity):
            return
        if not self.people.has_left(identity) and identity not in self.people:
            self.joined(identity, name)
        if not one_line(text):
            return
        hidden = visible(text) != text
        text = many_lines(text)  # what is asked becomes one line; a command has but one
        if self.decided(identity, text, via):
            return
        if self.guests is not None and not self.guests.may_hear(identity):
            return  # whether their link stands is not known: they decide about their own words alone
        # Who cannot see all of a line that they copy here shall not command something by it.
        line = chat_line(text, self._wake_words, may_command=not hidden)
        if self.commands.obey(line.command, text, identity, to=identity):
            return
        if line.command is not None:
            self.questions.ask(message_id, identity, line.command.rest, via="chat", private=True)
        elif private or for_agent(
            line,
            mode=self._chat_mode,
            participant_names=self.people.others(identity),
            asks=asks_for_a_list,
            among_people=asks_one_another,
        ):
            self.questions.ask(message_id, identity, line.rest or text, via="chat", private=private)

    def chat_left_out(self, identity: str) -> None:
        """See `Listener.chat_left_out`; a line that was not read may have been in either language."""
        self.own(self._session.outlet.say(too_many("auto"), to=identity), name="chat-left-out")

    def decided(self, by: str, text: str, how: ConsentChannel = "chat") -> bool:
        """Obey a line in which somebody decides about their own words; False: it is about something else."""
        if (decision := answer_to(text, self._wake_words)) is not None:
            text = f"/me {decision}"
        return self.commands.hiding.handle_chat(by, text) or self.consent.handle_chat(by, text, how)

    def told_aloud(self, by: str, text: str) -> bool:
        """Obey a line that tells the agent, by its name, whether to record its speaker; False: it is none.

        Who may be heard already agrees to nothing by it.
        """
        decision = answer_to(text, self._wake_words)
        if decision is None or (self.may_hear(by) and not self.refuses_aloud(text)):
            return False
        return self.consent.handle_chat(by, f"/me {decision}", "voice")

    def refuses_aloud(self, text: str) -> bool:
        """Tell whether a line lets the agent know, by its name, that its speaker is not to be recorded."""
        decision = answer_to(text, self._wake_words)
        return decision is not None and (meant := answer(decision)) is not None and not meant.agreed

    async def taken_out(self, within_s: float) -> None:
        """Wait until what people have had taken out of the meeting by now is out, for so long at most."""
        await self.own.done(TAKING_OUT, within_s)

    def obey(self, by: str, text: str, *, command_at_ms: int | None = None) -> bool:
        """Carry out a command that was written to the agent alone; False: it was none, nor meant as one."""
        if self.decided(by, text):
            return True
        line = chat_line(text, self._wake_words)
        command = line.command or (None if line.rest else command_in(text))
        return self.commands.obey(
            command, text, by, at_ms=command_at_ms, to=by if by in self.people else None
        )

    # ---- the room -----------------------------------------------------------------------------

    def agent_text(self, message_id: str, identity: str, name: str, text: str, *, final: bool) -> None:
        """See `Listener.agent_text`; ignored where we transcribe ourselves."""
        if self._transcribing:
            return
        text = one_line(text)
        at_ms = self._session.now_ms()
        if self._session.manager.meeting.paused or not self.may_hear(identity):
            self.turns.take_back(identity, message_id)
            if final:
                gap = events.GapNoted(
                    participant_id=identity, start_ms=at_ms, end_ms=at_ms, reason="off_record"
                )
                self._session.post(gap)
            return
        if not final:
            self.turns.interim(identity, message_id, text)
            return
        if not text:
            self.turns.take_back(identity, message_id)
            return
        spoken = events.UtteranceSpoken(
            key=message_id,
            speaker_id=identity,
            speaker_name=name_of(identity, name),
            text=text,
            start_ms=at_ms,
            end_ms=at_ms,
        )
        self._session.post(spoken)
        self.listen_for_call(spoken)

    def outranked(self, epoch: int) -> None:
        """See `Listener.outranked`; we leave."""
        log.warning("outranked", epoch=epoch)
        self.own(self._session.leave("outranked"), name="outranked")

    def _closes_otherwise(self) -> bool:
        return len(self.people) > 0 or self.commands.leaving

    def connection(self, *, up: bool) -> None:
        """See `Listener.connection`."""
        self.closing.connection(up=up)

    def closed(self, reason: str) -> None:
        """See `Listener.closed`."""
        self.closing.out(reason)

    def _may_hear_changed(self, identity: str) -> None:
        self.consent.changed(identity)

    async def aclose(self) -> None:
        """Cancel what is still under way; the meeting has stopped."""
        self.own.cancel()
        await self.tracks.aclose()
