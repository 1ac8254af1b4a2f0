"""What happens in a LiveKit room, told to a meeting's `Listener`; `livekit_outlet` speaks there.

LiveKit's types go no further than these adapters. Facts that this rests on (run against livekit-server
1.13.5 and rtc 1.1.21): a muted track goes on delivering silence; an `AudioStream` does not end when its
participant leaves, so every stream has an owner that closes it; after a restart of the server the same
participants and track sids come back by new `track_subscribed` events with new streams, while the old ones
fall silent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

import structlog
from livekit import rtc
from pydantic import SecretStr

from context.primitives.text import one_line
from stt.segment import SAMPLE_RATE_HZ
from worker.adapters.livekit_encryption import TRY_AGAIN_S, Decryption, WritePlainly, is_encrypted
from worker.adapters.livekit_outlet import CHAT_TOPIC, TRANSCRIPTION_TOPIC, LiveKitOutlet
from worker.adapters.livekit_people import NUMBER_ATTRIBUTE, is_human, name_of
from worker.adapters.livekit_texts import LiveKitTexts
from worker.clock import Clock
from worker.participants.listener import FRAME_MS, Listener, Sealed, Sink
from worker.ports import Holder

log = structlog.get_logger(__name__)

CONSENT_ATTRIBUTE: Final = "moim.consent"
"""A participant's `yes` or `no` to being heard."""
EPOCH_ATTRIBUTE: Final = "moim.epoch"
"""The epoch of the lease of an agent that holds the meeting."""
STANDBY_ATTRIBUTE: Final = "moim.standby"
"""An agent that stands by has `1` there."""
JOB_ATTRIBUTE: Final = "moim.job"
"""The `Holder.mark` of an agent that stands by and hears. A dead one is seen in the room for some 22 s."""
_HEARS_WITHIN_S: Final = 5.0
"""So long a standby waits for the tracks that it asked for; some may never come."""
_LOOK_AGAIN_S: Final = 0.05


class LiveKitRoom:
    """`JoinedRoom` on LiveKit: turns a room's events into calls of `Listener`; its `outlet` speaks there."""

    def __init__(
        self,
        room: rtc.Room,
        listener: Listener,
        tasks: asyncio.TaskGroup,
        *,
        clock: Clock,
        epoch: int,
        me: Holder,
        on_holder_gone: Callable[[], None] = lambda: None,
        page_mark: Callable[[str, str], str] = lambda _room, _identity: "",
        key: SecretStr | None = None,
        write_plainly: WritePlainly | None = None,
    ) -> None:
        """Start nothing yet: `listen`, connect the room, `arrive`.

        `page_mark` (room, identity) makes the mark of whoever joined from our page; empty: nobody has.

        `key`: that of an end-to-end encrypted room, with which it is connected; `write_plainly` then writes
        notices that everybody can read, until somebody was understood with that key.

        `tasks` runs what reads the room's streams. `epoch`: the lease's; 0 for a standby, silent until
        `take_over`. `on_holder_gone` is called when an agent that held the meeting has left the room.
        """
        self._room, self._listener, self._tasks, self._clock = room, listener, tasks, clock
        self._epoch, self._me, self._on_holder_gone = epoch, me, on_holder_gone
        self._closed = self._hears = False
        self._streams: dict[str, asyncio.Task[None]] = {}
        self._sinks: dict[str, Sink] = {}
        """Track → what takes its sound; none for sound that cannot be understood."""
        self._sealed: set[str] = set()
        """Tracks of which the listener was told that they are encrypted."""
        self._decryption = Decryption(room, key)
        self._trying: asyncio.Task[None] | None = None
        self._owned: set[asyncio.Task[None]] = set()
        self.outlet = LiveKitOutlet(room)
        self._texts = LiveKitTexts(room, listener, self.outlet, self._own, clock=clock, page_mark=page_mark)
        if write_plainly is not None:
            self.outlet.say_plainly(write_plainly, unless=lambda: self._decryption.proven)
        self._handlers: dict[Any, Callable[..., None]] = {
            "participant_connected": self._participant_connected,
            "participant_disconnected": self._participant_disconnected,
            "participant_attributes_changed": self._attributes_changed,
            "participant_name_changed": lambda participant, _old, _new: self._name_changed(participant),
            "track_published": self._track_published,
            "track_unpublished": lambda publication, _whose: self._close_stream(publication.sid),
            "track_subscribed": self._track_subscribed,
            "track_unsubscribed": lambda _track, publication, _whose: self._close_stream(publication.sid),
            "track_muted": self._track_muted,
            "track_unmuted": self._track_unmuted,
            "e2ee_state_changed": self._decryption_changed,
            "reconnecting": lambda: self._listener.connection(up=False),
            "reconnected": self._reconnected,
            "disconnected": lambda reason: self._listener.closed(rtc.DisconnectReason.Name(reason)),
        }

    # ---- in -----------------------------------------------------------------------------------

    def listen(self) -> None:
        """See `JoinedRoom.listen`."""
        room = self._room
        for event, handler in self._handlers.items():
            room.on(event, handler)
        room.register_text_stream_handler(CHAT_TOPIC, self._texts.chat_opened)
        room.register_text_stream_handler(TRANSCRIPTION_TOPIC, self._texts.transcription_opened)

    async def arrive(self) -> None:
        """See `JoinedRoom.arrive`."""
        await self._show_rank()
        self.outlet.arrived.set()
        for participant in list(self._room.remote_participants.values()):
            self._met(participant)
            self._attributes_changed({}, participant)
            self.subscribe_as_agreed(participant.identity)
            for publication in list(participant.track_publications.values()):
                if publication.track is not None and publication.subscribed:
                    self._track_subscribed(publication.track, publication, participant)
        if not self._epoch:
            self._own(self._show_hearing(), name="show-hearing")

    def take_over(self, epoch: int) -> None:
        """See `JoinedRoom.take_over`."""
        self._epoch, self.outlet.silent = epoch, False
        self._own(self._show_rank(), name="show-epoch")
        for participant in list(self._room.remote_participants.values()):
            self._attributes_changed({}, participant)

    def stands_by(self, who: Holder) -> bool:
        """See `JoinedRoom.stands_by`."""
        others = self._room.remote_participants.values()
        return any(
            not is_human(p)
            and p.attributes.get(STANDBY_ATTRIBUTE) == "1"
            and p.attributes.get(JOB_ATTRIBUTE) == who.mark
            for p in others
        )

    async def _show_rank(self) -> None:
        holding = {EPOCH_ATTRIBUTE: str(self._epoch), STANDBY_ATTRIBUTE: "", JOB_ATTRIBUTE: ""}
        standing_by = {STANDBY_ATTRIBUTE: "1", JOB_ATTRIBUTE: self._me.mark if self._hears else ""}
        await self._room.local_participant.set_attributes(holding if self._epoch else standing_by)

    async def _show_hearing(self) -> None:
        """Show the mark of a standby once it hears the room: a holder may leave when it sees it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_HEARS_WITHIN_S):
                while not self._asked_for <= self._streams.keys():  # noqa: ASYNC110 - the room's state
                    await asyncio.sleep(_LOOK_AGAIN_S)
        self._hears = True
        await self._show_rank()

    @property
    def _asked_for(self) -> set[str]:
        """The tracks of people here whose sound we have asked for, and can understand."""
        return {
            publication.sid
            for participant in self._room.remote_participants.values()
            if is_human(participant) and self._listener.may_hear(participant.identity)
            for publication in participant.track_publications.values()
            if publication.kind == rtc.TrackKind.KIND_AUDIO
            and (self._decryption.keyed or not is_encrypted(publication))
        }

    def _met(self, participant: rtc.RemoteParticipant) -> bool:
        """Tell the listener of a human, however often they are met; False, and nothing, for anybody else."""
        if is_human(participant):
            self._listener.joined(participant.identity, name_of(participant))
            return True
        return False

    def _name_changed(self, participant: rtc.Participant) -> None:
        if isinstance(participant, rtc.RemoteParticipant):
            self._met(participant)

    def _participant_connected(self, participant: rtc.RemoteParticipant) -> None:
        if self._met(participant):
            self._attributes_changed({}, participant)  # what their token says of them is no change

    def _participant_disconnected(self, participant: rtc.RemoteParticipant) -> None:
        if is_human(participant):
            for publication in participant.track_publications.values():
                self._close_stream(publication.sid)
            self._decryption.left(participant.identity)
            self._listener.left(participant.identity)
        elif participant.attributes.get(EPOCH_ATTRIBUTE):
            self._on_holder_gone()

    def _attributes_changed(self, changed: dict[str, str], participant: rtc.Participant) -> None:
        if NUMBER_ATTRIBUTE in changed:
            self._name_changed(participant)
        consent = one_line(participant.attributes.get(CONSENT_ATTRIBUTE, "")).lower()
        if is_human(participant) and consent in {"yes", "no"}:
            standing = CONSENT_ATTRIBUTE not in changed
            self._listener.told_consent(participant.identity, agreed=consent == "yes", standing=standing)
        shown = participant.attributes.get(EPOCH_ATTRIBUTE, "")
        if isinstance(participant, rtc.LocalParticipant) or is_human(participant) or not shown.isdigit():
            return
        if int(shown) > self._epoch:
            self.outlet.silent = True
            self._listener.outranked(int(shown))

    def subscribe_as_agreed(self, identity: str) -> None:
        """See `JoinedRoom.subscribe_as_agreed`."""
        participant = self._room.remote_participants.get(identity)
        if participant is None or not is_human(participant):
            return
        wanted = self._listener.may_hear(identity)
        for publication in participant.track_publications.values():
            if publication.kind == rtc.TrackKind.KIND_AUDIO:
                if not wanted:
                    publication.set_subscribed(False)
                    self._close_stream(publication.sid)
                elif is_encrypted(publication) and not self._decryption.keyed:
                    self._seal(publication, participant)  # what it would play is noise
                elif publication.sid not in self._streams:
                    publication.set_subscribed(True)

    def _track_published(
        self, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        if publication.kind == rtc.TrackKind.KIND_AUDIO and self._met(participant):
            self.subscribe_as_agreed(participant.identity)

    def _track_subscribed(
        self, track: rtc.Track, publication: rtc.TrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        if track.kind != rtc.TrackKind.KIND_AUDIO or not self._met(participant):
            return
        if not self._listener.may_hear(participant.identity):
            self.subscribe_as_agreed(participant.identity)  # they said no while we were asking for it
            return
        self._cancel_stream(publication.sid)
        if not is_encrypted(publication) or self._decryption.understands(participant.identity):
            self._open(publication, participant)
        elif not self._decryption.keyed:
            return
        pump = self._pump(track, publication.sid)
        self._streams[publication.sid] = self._own(pump, name=f"pump:{participant.identity}")

    def _open(self, publication: rtc.TrackPublication, participant: rtc.RemoteParticipant) -> None:
        """Let the listener hear a track's sound, which can be understood."""
        self._unseal(publication.sid)
        self.outlet.track_of[participant.identity] = publication.sid
        self._sinks[publication.sid] = self._listener.track_opened(participant.identity, publication.sid)

    def _track_muted(self, participant: rtc.Participant, publication: rtc.TrackPublication) -> None:
        if not isinstance(participant, rtc.RemoteParticipant):
            return
        self._unseal(publication.sid)  # there is nothing that is not heard
        if publication.sid in self._sinks:
            self._listener.track_muted(publication.sid)

    def _track_unmuted(self, participant: rtc.Participant, publication: rtc.TrackPublication) -> None:
        if isinstance(participant, rtc.RemoteParticipant) and is_human(participant):
            self._seal_unless_understood(publication, participant)

    # ---- encrypted sound ----------------------------------------------------------------------

    def _decryption_changed(
        self, participant: rtc.Participant | None, state: rtc.EncryptionState.ValueType
    ) -> None:
        if not isinstance(participant, rtc.RemoteParticipant) or not is_human(participant):
            return
        self._decryption.told(participant.identity, state)
        for publication in list(participant.track_publications.values()):
            if not is_encrypted(publication) or publication.sid not in self._streams:
                continue
            if self._decryption.understands(participant.identity):
                if publication.sid not in self._sinks:
                    self._open(publication, participant)
                continue
            if self._sinks.pop(publication.sid, None) is not None:
                self._listener.track_closed(publication.sid)
            self._seal_unless_understood(publication, participant)

    def _seal_unless_understood(
        self, publication: rtc.TrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        """Tell the listener of a track that is not understood: there is no key, or it does not fit."""
        tried = not self._decryption.keyed or publication.sid in self._streams
        audio = publication.kind == rtc.TrackKind.KIND_AUDIO
        if audio and tried and is_encrypted(publication) and publication.sid not in self._sinks:
            self._seal(publication, participant)

    def _seal(self, publication: rtc.TrackPublication, participant: rtc.RemoteParticipant) -> None:
        """Tell the listener that a track's sound is encrypted for them, unless it is muted; go on trying."""
        if publication.sid in self._sealed or not self._listener.may_hear(participant.identity):
            return
        if not publication.muted:
            self._sealed.add(publication.sid)
            why: Sealed = "other_key" if self._decryption.keyed else "no_key"
            self._listener.track_encrypted(participant.identity, publication.sid, why=why)
        if self._decryption.keyed and (self._trying is None or self._trying.done()):
            self._trying = self._own(self._try_again(), name="decrypt")

    def _unseal(self, track_id: str) -> None:
        if track_id in self._sealed:
            self._sealed.discard(track_id)
            self._listener.track_closed(track_id)

    async def _try_again(self) -> None:
        while not self._streams.keys() <= self._sinks.keys():
            await asyncio.sleep(TRY_AGAIN_S)
            self._decryption.try_again()

    def _reconnected(self) -> None:
        self._listener.connection(up=True)
        # A restarted server has forgotten our attributes, and publishes nothing of who was back before us.
        self._own(self._show_rank(), name="show-epoch")
        for participant in self._room.remote_participants.values():
            self.subscribe_as_agreed(participant.identity)

    async def _pump(self, track: rtc.Track, track_id: str) -> None:
        stream = rtc.AudioStream.from_track(
            track=track, sample_rate=SAMPLE_RATE_HZ, num_channels=1, frame_size_ms=FRAME_MS
        )
        try:
            async for event in stream:
                if (sink := self._sinks.get(track_id)) is not None:
                    sink.push(bytes(event.frame.data), self._clock.monotonic_s())
        finally:
            await stream.aclose()

    def _cancel_stream(self, track_id: str) -> None:
        self._sinks.pop(track_id, None)
        if (pump := self._streams.pop(track_id, None)) is not None:
            pump.cancel()

    def _close_stream(self, track_id: str) -> None:
        self._unseal(track_id)
        heard = track_id in self._sinks
        self._cancel_stream(track_id)
        if heard:
            self._listener.track_closed(track_id)

    # ---- owning -------------------------------------------------------------------------------

    def _own(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[None]:
        async def guarded() -> None:
            try:
                await work
            except Exception:
                # One broken stream must not take the meeting down.
                log.exception("room_task_failed", task=name)

        task = self._tasks.create_task(guarded(), name=name)
        self._owned.add(task)
        task.add_done_callback(self._owned.discard)
        return task

    async def aclose(self) -> None:
        """See `JoinedRoom.aclose`."""
        if self._closed:
            return
        self._closed = True
        for event, handler in self._handlers.items():
            self._room.off(event, handler)
        for topic in (CHAT_TOPIC, TRANSCRIPTION_TOPIC):
            self._room.unregister_text_stream_handler(topic)
        for track_id in list(self._streams):
            self._cancel_stream(track_id)
        for task in self._owned:
            task.cancel()
