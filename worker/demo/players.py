"""A scripted human in a LiveKit room, who speaks from PCM, writes, and reads what a real client reads.

Every player's microphone follows one clock, the stage's: at second 12 of the play it gives what
its track has at second 12, whether or not the player is in the room just then. A player who joins late
or comes back therefore speaks in time with the others, and what was said while away was said to nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, Self, TypeVar

from livekit import rtc

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from worker.clock import monotonic_s
from worker.demo.room_texts import ChatStream, TranscriptStream

TRANSCRIPTION_TOPIC: Final = "lk.transcription"
CHAT_TOPIC: Final = "lk.chat"
FRAME_MS: Final = 50
_FRAME_BYTES: Final = FRAME_MS * BYTES_PER_MS
_SOURCE_QUEUE_MS: Final = 1000
_CONNECT_DEADLINE_S: Final = 15.0

_WORTH_A_LOOK: Final = (
    "participant_connected",
    "participant_disconnected",
    "participant_attributes_changed",
    "track_published",
    "track_unpublished",
    "track_muted",
    "track_unmuted",
    "reconnecting",
    "reconnected",
    "disconnected",
)
"""The room's events that `Changes` notes, so that whoever waits for something in the room looks again."""

T = TypeVar("T")


class Player:
    """One participant of a room. `transcripts` and `chats` hold what it has read, in order of arrival."""

    def __init__(
        self,
        url: str,
        access_token: str,
        identity: str,
        name: str,
        *,
        own: Callable[[Coroutine[Any, Any, None]], object],
        changes: Changes,
        sound: bytes = b"",
    ) -> None:
        """`sound`: PCM, 16-bit mono at 16 kHz, from second 0 of the play; silence follows it.

        `own` runs the player's background work as tasks, and cancels them at the end. `changes` is noted at
        everything that arrives.
        """
        self.identity, self.name = identity, name
        self.transcripts: list[TranscriptStream] = []
        self.chats: list[ChatStream] = []
        self.speaking: frozenset[str] = frozenset()
        """The identities of those who are speaking now, according to the server."""
        self.sound = bytearray(sound)
        self.track: rtc.LocalAudioTrack | None = None
        self.publication: rtc.LocalTrackPublication | None = None
        self._url, self._token, self._own, self._changes = url, access_token, own, changes
        self._room: rtc.Room | None = None
        self._source: rtc.AudioSource | None = None
        self._started = False

    @property
    def room(self) -> rtc.Room:
        """The LiveKit client's room object, for what this class does not offer; the player must be in it."""
        assert self._room is not None, f"{self.identity} is not in the room"
        return self._room

    async def join(self) -> None:
        """Enter the room, and open the microphone. Raises `TimeoutError` after 15 s."""
        await self.enter(rtc.RoomOptions(auto_subscribe=False))
        await self.publish()

    async def enter(self, options: rtc.RoomOptions) -> None:
        """Enter the room without a microphone; a player who is in it leaves first, and keeps the identity."""
        if self._room is not None:
            await self.leave()
        room = rtc.Room()
        room.register_text_stream_handler(TRANSCRIPTION_TOPIC, self._transcription_opened)
        room.register_text_stream_handler(CHAT_TOPIC, self._chat_opened)
        room.on("active_speakers_changed", self._speakers_changed)
        for event in _WORTH_A_LOOK:
            room.on(event, lambda *_: self._changes.note())
        async with asyncio.timeout(_CONNECT_DEADLINE_S):
            await room.connect(self._url, self._token, options)
        self._room = room

    async def leave(self) -> None:
        """Close the microphone and leave the room; nothing happens if the player is not in it."""
        room, self._room = self._room, None
        await self.close_microphone()
        if room is not None:
            await room.disconnect()

    async def publish(self) -> None:
        """Open the microphone, as a new track."""
        source = rtc.AudioSource(SAMPLE_RATE_HZ, 1, queue_size_ms=_SOURCE_QUEUE_MS)
        track = rtc.LocalAudioTrack.create_audio_track("microphone", source)
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        self.publication = await self.room.local_participant.publish_track(track, options)
        self.track, self._source = track, source

    async def close_microphone(self) -> None:
        """Close the microphone: no frame is sent any more. The room's track stays published."""
        source, self._source, self.track, self.publication = self._source, None, None, None
        if source is not None:
            await source.aclose()

    @property
    def sound_s(self) -> float:
        """The second of the play at which this player's sound ends."""
        return len(self.sound) / BYTES_PER_MS / 1000

    def start(self, started_s: float) -> None:
        """Begin to speak; second 0 of the play is `started_s`, a monotonic moment. Later calls do nothing."""
        if not self._started:
            self._started = True
            self._own(self._speak(started_s))

    async def _speak(self, started_s: float) -> None:
        """Send frame after frame, each when it is due; after the sound silence, as from a microphone."""
        number = 0
        while True:
            wait_s = started_s + number * FRAME_MS / 1000 - monotonic_s()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            elif wait_s < -_SOURCE_QUEUE_MS / 1000:  # the machine stood still: a microphone has lost that
                number += int(-wait_s * 1000 / FRAME_MS)
            source = self._source
            if source is not None:
                start = number * _FRAME_BYTES
                pcm = bytes(self.sound[start : start + _FRAME_BYTES]).ljust(_FRAME_BYTES, b"\0")
                try:
                    await source.capture_frame(rtc.AudioFrame(pcm, SAMPLE_RATE_HZ, 1, len(pcm) // 2))
                except Exception:
                    if source is self._source:  # else it was closed under our hands: the player left
                        raise
            number += 1

    async def chat(self, text: str) -> str:
        """Write `text` into the chat; returns the id of the message's stream."""
        info = await self.room.local_participant.send_text(text, topic=CHAT_TOPIC)
        return str(info.stream_id)

    @property
    def finals(self) -> list[TranscriptStream]:
        """The final transcripts: the newest of each segment, in the order in which segments first came."""
        return list({t.segment_id: t for t in self.transcripts if t.final}.values())

    def answer_to(self, question_id: str) -> ChatStream | None:
        """The answer to the chat message with this id; None until it is complete."""
        return next((m for m in self.chats if m.invocation == question_id and m.done), None)

    async def wait_for(self, look: Callable[[Self], T | None], timeout_s: float, what: str = "") -> T:
        """The first true value of `look(self)`, which is called whenever something arrives.

        Raises `TimeoutError` after `timeout_s`; its text names `what`.
        """
        return await self._changes.wait_for(lambda: look(self), timeout_s, what)

    def _speakers_changed(self, speakers: list[rtc.Participant]) -> None:
        self.speaking = frozenset(speaker.identity for speaker in speakers)
        self._changes.note()

    def _transcription_opened(self, reader: rtc.TextStreamReader, identity: str) -> None:
        self._own(self._read_transcription(reader, identity))

    async def _read_transcription(self, reader: rtc.TextStreamReader, identity: str) -> None:
        try:
            text = await reader.read_all()
        except ConnectionError:  # the sender was cut off: a client would show nothing either
            return
        attributes = dict(reader.info.attributes or {})
        self.transcripts.append(TranscriptStream(identity, text, attributes, monotonic_s()))
        self._changes.note()

    def _chat_opened(self, reader: rtc.TextStreamReader, identity: str) -> None:
        attributes = dict(reader.info.attributes or {})
        message = ChatStream(reader.info.stream_id, identity, monotonic_s(), attributes=attributes)
        self.chats.append(message)
        self._own(self._read_chat(reader, message))

    async def _read_chat(self, reader: rtc.TextStreamReader, message: ChatStream) -> None:
        try:
            async for piece in reader:
                if message.first_text_s is None:
                    message.first_text_s = monotonic_s()
                message.text += piece
                self._changes.note()
        except ConnectionError:
            message.broken = True
        message.attributes.update(reader.info.attributes or {})
        message.done_s = monotonic_s()
        self._changes.note()


class Changes:
    """Lets tasks wait for a condition without polling: each looks again when a change is noted."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def note(self) -> None:
        """Wake everybody who waits, because something has changed."""
        event, self._event = self._event, asyncio.Event()
        event.set()

    async def wait_for(self, look: Callable[[], T | None], timeout_s: float, what: str = "") -> T:
        """The first true value of `look()`. Raises `TimeoutError`, which names `what`, after `timeout_s`."""
        try:
            async with asyncio.timeout(timeout_s):
                while not (found := look()):
                    await self._event.wait()
        except TimeoutError:
            raise TimeoutError(
                f"{what or 'what was waited for'} did not come within {timeout_s:g} s"
            ) from None
        return found
