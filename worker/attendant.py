"""Sits in a room for one meeting: who is here, who speaks, who asks, and when it is over.

The room adapter calls it (`Ears`); it speaks to the session by events. A participant's sound is a
`Track` per track id, which outlives short breaks of the connection. When the last human has left,
the last words are waited for and the closing summary goes out while the room still stands; should
somebody come back, the meeting simply goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final

import structlog

from context import events
from context.addressing import ChatMode, for_agent, wake
from context.catching_up import depth_asked
from context.commands import Command, command, unknown_command
from context.korean import has_hangul
from context.models import Invocation, InvocationChannel
from context.questions import is_question, is_request
from context.speech_ledger import HEARD_LOST
from context.thread.history import checked_rate
from stt.heard import Heard, Interim, Missed, Nothing, TrackEvent
from stt.track import Track
from worker.calls import VoiceCalls
from worker.ears import Sink
from worker.notices import Notice, notice, rate_notice
from worker.observer import SpeechState
from worker.session import Session
from worker.tracks import MakeTrack, Tracks

log = structlog.get_logger(__name__)

EVERYBODY_LEFT_GRACE_S: Final = 3.0
"""A reconnecting browser is away for about this long."""
_TONGUE: Final = 5
"""Utterances that tell which language people speak."""


class Attendant:
    """A meeting's presence in its room. Implements `Ears`."""

    def __init__(
        self,
        session: Session,
        tasks: asyncio.TaskGroup,
        *,
        make_track: MakeTrack | None,
        wake_words: Sequence[str],
        chat: ChatMode,
    ) -> None:
        self._session, self._tasks = session, tasks
        self._transcribing = make_track is not None
        self._wake_words, self._chat_mode = wake_words, chat
        self._calls = VoiceCalls(wake_words)
        self._present: dict[str, str] = {}
        self._gone: set[str] = set()
        """Who has left and not come back: what they wrote last may be read after that."""
        self._tracks = Tracks(make_track, on_event=self._from_track, on_end=self._track_ended, own=self._own)
        self._closing: asyncio.Task[None] | None = None
        self._owned: set[asyncio.Task[None]] = set()
        self._shown: set[str] = set()
        """Keys whose interim text is out and not yet replaced."""
        self._connected = asyncio.Event()
        self._connected.set()

    # ---- people -------------------------------------------------------------------------------

    def joined(self, identity: str, name: str) -> None:
        """A human is in the room, or is there again."""
        if identity in self._present:
            return
        self._present[identity] = name
        self._gone.discard(identity)
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        self._session.human_seen(identity, name)
        log.info("participant_joined", participant=identity)

    def left(self, identity: str) -> None:
        """A human is gone."""
        if self._present.pop(identity, None) is None:
            return
        self._gone.add(identity)
        self._tracks.close_of(identity)
        self._session.post(events.ParticipantLeft(participant_id=identity, at_ms=self._session.now_ms()))
        log.info("participant_left", participant=identity)
        if not self._present and self._closing is None:
            self._closing = self._own(self._everybody_left(), name="closing")

    def note_absent(self) -> None:
        """On arrival: who is present on the record and not here has left while nobody saw it."""
        for person in self._session.manager.meeting.attendance.people.values():
            if person.present and person.user_id not in self._present:
                self._session.post(
                    events.ParticipantLeft(participant_id=person.user_id, at_ms=self._session.now_ms())
                )

    async def _everybody_left(self) -> None:
        await asyncio.sleep(EVERYBODY_LEFT_GRACE_S)
        await self._connected.wait()
        if not self._present:
            await self.say_closing()

    async def say_closing(self) -> None:
        """The last words, then the closing summary, to whoever still follows."""
        await self.last_words()
        await self._session.outlet.say(await self._session.close_topics())

    # ---- sound --------------------------------------------------------------------------------

    @property
    def backlog_s(self) -> float:
        """Seconds of speech heard and not yet transcribed."""
        return self._tracks.backlog_s

    @property
    def speech_trouble(self) -> str:
        """Why speech is not transcribed now; empty where it is."""
        return self._tracks.trouble

    @property
    def behind_ms(self) -> int:
        """How old the oldest sound is that is no text yet; 0 where none waits and nobody speaks."""
        return self._tracks.behind_ms

    @property
    def unwritten(self) -> dict[str, int]:
        """Participant → where the oldest of their sound begins that is no text yet, in ms of the meeting."""
        return self._tracks.unwritten

    def track_opened(self, identity: str, track_id: str) -> Sink:
        """A human's audio track; the same id again continues the same track."""
        return self._tracks.opened(identity, track_id, paused=self._session.manager.meeting.paused)

    def track_muted(self, track_id: str) -> None:
        """What is being said on this track ends here."""
        self._tracks.muted(track_id)

    def track_closed(self, track_id: str) -> None:
        """No more sound on this track; its last words are still to come."""
        self._tracks.closed(track_id)

    async def last_words(self) -> None:
        """Wait for everything that has been said to become text, up to the deadline."""
        await self._tracks.last_words()

    def _track_ended(self, track: Track) -> None:
        self._session.post(
            events.TrackEnded(
                participant_id=track.participant, track_id=track.track_id, sound_ms=track.sound_ms
            )
        )

    def _from_track(self, event: TrackEvent) -> None:
        match event:
            case Heard():
                self._session.observer.heard(event.delay_s)
                self._session.observer.settled("transcribed", event.speech_ms)
                self._session.trails.heard(event.key, event.moments)
                self._said(event)
            case Interim(key=key, participant=participant, text=text):
                self._shown.add(key)
                self.interim(participant, key, text)
            case Missed():
                self._take_back(event.key, event.participant)
                self._session.observer.missed(event.reason)
                state: SpeechState = "lost" if event.reason in HEARD_LOST else "unheard"
                self._session.observer.settled(state, event.end_ms - event.start_ms, event.reason)
                self._session.post(
                    events.GapNoted(
                        participant_id=event.participant,
                        start_ms=event.start_ms,
                        end_ms=event.end_ms,
                        reason=event.reason,
                        track_id=event.track_id,
                        track_end_ms=event.track_end_ms,
                    )
                )
            case Nothing(key=key, participant=participant):
                self._take_back(key, participant)
                self._session.observer.settled("wordless", event.end_ms - event.start_ms)
                self._session.post(
                    events.SpeechWordless(
                        participant_id=participant,
                        start_ms=event.start_ms,
                        end_ms=event.end_ms,
                        track_id=event.track_id,
                        track_end_ms=event.track_end_ms,
                    )
                )

    def _said(self, heard: Heard) -> None:
        self._shown.discard(heard.key)
        name = self._name(heard.participant)
        self._session.post(
            events.UtteranceSpoken(
                key=heard.key,
                speaker_id=heard.participant,
                speaker_name=name,
                text=heard.text,
                start_ms=heard.start_ms,
                end_ms=heard.end_ms,
                confidence=heard.confidence,
                language=heard.language,
                track_id=heard.track_id,
                track_end_ms=heard.track_end_ms,
                speech_ms=heard.speech_ms,
            )
        )
        self.listen_for_call(heard.participant, heard.key, heard.text, heard.start_ms, heard.end_ms)

    def listen_for_call(
        self,
        speaker_id: str,
        key: str,
        text: str,
        start_ms: int,
        end_ms: int,
        *,
        order_at_ms: int | None = None,
    ) -> None:
        """Was that for the agent? An order counts from `order_at_ms` on, else from now."""
        call = self._calls.hear(speaker_id, text, start_ms, end_ms)
        if isinstance(call, Command):
            self._order(call, speaker_id, text, order_at_ms)
        elif call is not None:
            self.ask(f"voice:{key}", speaker_id, call, via="voice", private=False)

    def interim(self, speaker_id: str, key: str, text: str) -> None:
        """Show what is being said, until its final takes its place."""
        session = self._session
        self._own(session.outlet.interim(speaker_id, session.segment_id(key), text), name="interim")

    def _take_back(self, key: str | None, speaker_id: str) -> None:
        """No final will take the place of what was shown."""
        if key is not None and key in self._shown:
            self._shown.discard(key)
            self.interim(speaker_id, key, "")

    # ---- questions and orders -----------------------------------------------------------------

    def chat(self, message_id: str, identity: str, name: str, text: str) -> None:
        """A human wrote into the chat."""
        if identity not in self._gone:
            self.joined(identity, name)
        rest = wake(text, self._wake_words)
        order = self._written_order(text)
        if order is not None and order.name != "me":
            self._order(order, identity, text)
        elif order is not None:
            if order.rest:
                self.ask(message_id, identity, order.rest, via="chat", private=True)
            else:
                self._tell("unknown_order", self._in_their_tongue(text), to=identity)
        elif unknown_command(text) is not None and not (is_question(text) or is_request(text)):
            self._tell("unknown_order", self._in_their_tongue(text), to=identity)
        elif for_agent(
            text, mode=self._chat_mode, wake_words=self._wake_words, participant_names=self._others(identity)
        ):
            self.ask(message_id, identity, rest or text, via="chat", private=False)

    def off_record(self, speaker_id: str, text: str, at_ms: int) -> None:
        """Said in text while paused: nothing but the order to go on counts."""
        order = self._written_order(text)
        if order is not None and order.name == "resume":
            self._order(order, speaker_id, text, at_ms)

    def _written_order(self, text: str) -> Command | None:
        rest = wake(text, self._wake_words)
        return command(text, addressed=False) or (command(rest) if rest else None)

    def ask(self, id_: str, by: str, text: str, *, via: InvocationChannel, private: bool) -> None:
        """Put a question to the agent; the same id counts once."""
        meeting = self._session.manager.meeting
        self._session.post(
            events.QuestionAsked(
                invocation=Invocation(
                    id=id_,
                    by=by,
                    via=via,
                    text=text,
                    private=private or depth_asked(text) is not None,  # what one missed bores the others
                    at_ms=self._session.now_ms(),
                    after_utterance=len(meeting.utterances),
                )
            )
        )

    def _order(self, order: Command, by: str, asked_in: str, at_ms: int | None = None) -> None:
        paused = self._session.manager.meeting.paused
        at_ms = self._session.now_ms() if at_ms is None else at_ms
        match order.name:
            case "pause" if not paused:
                self._session.fold_now(events.RecordingPaused(by=by, at_ms=at_ms))
                self._tracks.pause()
                self._tell("paused", asked_in)
            case "pause":
                self._tell("already_paused", asked_in)
            case "resume" if paused:
                self._session.fold_now(events.RecordingResumed(by=by, at_ms=at_ms))
                self._tracks.resume()
                self._tell("resumed", asked_in)
            case "resume":
                self._tell("not_paused", asked_in)
            case "leave":
                self._own(self._leave(asked_in), name="leave")
            case "rate":
                self.set_rate(order.rest, by, asked_in)
            case _:
                pass

    def _in_their_tongue(self, order: str) -> str:
        """An order, or, where it is in no language (/help), what was said last."""
        said = self._session.manager.meeting.utterances[-_TONGUE:]
        return order if has_hangul(order) else " ".join(each.text for each in said) or order

    def set_rate(
        self, wish: str, by: str, asked_in: str, *, position: events.InputPosition | None = None
    ) -> None:
        """How short the thread's summaries are from the next one on; without a wish, or a wrong one: tell."""
        session = self._session
        now = session.manager.meeting.thread.policy.compression_rate
        rate: float | None = None
        with suppress(ValueError):
            rate = checked_rate(float(wish.replace(",", ".")))
        if rate is not None:
            session.post(events.ThreadTuned(by=by, compression_rate=rate, position=position))
        elif position is not None:
            session.post(events.InputRead(position=position))
        text = rate_notice(rate or now, asked_in=asked_in, refused=bool(wish) and rate is None)
        self._own(session.outlet.say(text), name="rate")

    def _tell(self, what: Notice, asked_in: str, *, to: str | None = None) -> None:
        self._own(self._session.outlet.say(notice(what, asked_in=asked_in), to=to), name=what)

    async def _leave(self, asked_in: str) -> None:
        try:
            await self._session.outlet.say(notice("leaving", asked_in=asked_in))
            await self.say_closing()
        finally:
            await self._session.end("asked_to_leave")

    # ---- the room -----------------------------------------------------------------------------

    def agent_text(self, message_id: str, identity: str, name: str, text: str, *, final: bool) -> None:
        """Another agent transcribed `identity`: only where we do not transcribe ourselves."""
        if self._transcribing or self._session.manager.meeting.paused:
            return
        if not final:
            self.interim(identity, message_id, text)
            return
        at_ms = self._session.now_ms()
        self._session.post(
            events.UtteranceSpoken(
                key=message_id,
                speaker_id=identity,
                speaker_name=name,
                text=text,
                start_ms=at_ms,
                end_ms=at_ms,
            )
        )
        self.listen_for_call(identity, message_id, text, at_ms, at_ms)

    def outranked(self, epoch: int) -> None:
        """Another holder has a higher epoch: the record is theirs."""
        log.warning("outranked", epoch=epoch)
        self._own(self._session.leave("outranked"), name="outranked")

    def connection(self, *, up: bool) -> None:
        """While the connection is down, nobody has left."""
        if up:
            self._connected.set()
        else:
            self._connected.clear()

    def closed(self, reason: str) -> None:
        """Out of the room: over where the room is over, else somebody goes on."""
        log.info("room_left", reason=reason)
        over = reason in {"ROOM_DELETED", "ROOM_CLOSED", "PARTICIPANT_REMOVED"}
        self._own(self._out(reason.lower(), over=over), name="out-of-room")

    async def _out(self, reason: str, *, over: bool) -> None:
        try:
            await self.last_words()
            if over:
                await self._session.close_topics()
        finally:
            await (self._session.end(reason) if over else self._session.leave(reason))

    # ---- small things -------------------------------------------------------------------------

    def _name(self, identity: str) -> str:
        return self._present.get(identity) or self._session.manager.meeting.attendance.name_of(identity)

    def _others(self, identity: str) -> list[str]:
        return [name for who, name in self._present.items() if who != identity]

    async def aclose(self) -> None:
        """Drop what is still under way; the meeting has stopped."""
        for task in self._owned:
            task.cancel()
        await self._tracks.aclose()

    def _own(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[None]:
        task = self._tasks.create_task(_guarded(work, name), name=name)
        self._owned.add(task)
        task.add_done_callback(self._owned.discard)
        return task


async def _guarded(work: Coroutine[Any, Any, Any], name: str) -> None:
    try:
        await work
    except Exception:
        # One thing that went wrong beside the meeting must not take the meeting down.
        log.exception("attendant_task_failed", task=name)
