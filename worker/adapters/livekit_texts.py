"""What is written in a LiveKit room, told to a meeting's `Listener`: chat, other agents' transcripts."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from typing import Final

import structlog
from livekit import rtc

from worker.adapters.livekit_outlet import MARKDOWN_ATTRIBUTE, PRIVATE_ATTRIBUTE, LiveKitOutlet
from worker.adapters.livekit_people import is_human, name_of
from worker.adapters.livekit_tokens import PAGE_ATTRIBUTE
from worker.clock import Clock
from worker.participants.listener import ChatVia, Listener
from worker.participants.reading_turns import ReadingTurns
from worker.participants.tracks import Own

log = structlog.get_logger(__name__)

ARRIVES_WITHIN_S: Final = 5.0
"""The writer of a chat message is waited for so long: it may come before the news that they joined."""
VIA_ATTRIBUTE: Final = "moim.via"
"""A chat message that a button of the page wrote has `page` there, if its sender is on the page."""
_MAX_CHAT_CHARS: Final = 20_000
_READ_DEADLINE_S: Final = 60.0
"""The time to read a text stream: a sender who vanished leaves one without an end."""


class LiveKitTexts:
    """Reads the text streams of a room, each in a task, the chat of each writer in turn."""

    def __init__(
        self,
        room: rtc.Room,
        listener: Listener,
        outlet: LiveKitOutlet,
        own: Own,
        *,
        clock: Clock,
        page_mark: Callable[[str, str], str],
    ) -> None:
        """`own` runs the tasks; `outlet` is told what is Markdown; `page_mark`: see `LiveKitRoom`."""
        self._room, self._listener, self._outlet, self._own, self._clock = room, listener, outlet, own, clock
        self._page_mark = page_mark
        self._readings = ReadingTurns()

    def chat_opened(self, reader: rtc.TextStreamReader, identity: str) -> None:
        """Read a line of chat, unless its writer has too many under way."""
        if not self._readings.admit(identity):
            reader.close()
            if self._readings.is_news(identity):
                self._listener.chat_left_out(identity)
            return
        reading = self._own(self._read_in_turn(reader, identity), name="chat")
        reading.add_done_callback(lambda _: self._readings.done(identity))

    async def _read_in_turn(self, reader: rtc.TextStreamReader, identity: str) -> None:
        async with self._readings.turn(identity):
            await self._read_chat(reader, identity)

    async def _read_chat(self, reader: rtc.TextStreamReader, identity: str) -> None:
        sender = await self._arrived(identity)
        if sender is None or not is_human(sender):
            reader.close()
            return
        try:
            text = await _read_bounded(reader)
        except rtc.StreamError as error:
            log.warning("chat_not_read", participant=identity, error=str(error))
            return
        attributes, message_id = reader.info.attributes or {}, reader.info.stream_id
        if attributes.get(MARKDOWN_ATTRIBUTE) == "true":
            self._outlet.shown_as_markdown.add(message_id)
        private = attributes.get(PRIVATE_ATTRIBUTE) == "true"
        by_button = attributes.get(VIA_ATTRIBUTE) == "page" and self._is_on_page(sender)
        via: ChatVia = "page" if by_button else "chat"
        self._listener.chat(message_id, identity, name_of(sender), text, private=private, via=via)

    def _is_on_page(self, participant: rtc.RemoteParticipant) -> bool:
        """Tell whether somebody joined by our page's token; any chat can say that it is from the page."""
        mark = self._page_mark(self._room.name, participant.identity)
        shown = participant.attributes.get(PAGE_ATTRIBUTE, "")
        return bool(mark) and hmac.compare_digest(shown.encode(), mark.encode())

    async def _arrived(self, identity: str) -> rtc.RemoteParticipant | None:
        """Wait for the writer of a message to be in the room; None where they are not within 5 s."""
        until_s = self._clock.monotonic_s() + ARRIVES_WITHIN_S
        while (someone := self._room.remote_participants.get(identity)) is None:
            if self._clock.monotonic_s() > until_s:
                log.warning("chat_of_unknown", participant=identity)
                break
            await asyncio.sleep(0.05)
        return someone

    def transcription_opened(self, reader: rtc.TextStreamReader, identity: str) -> None:
        """Read what another agent transcribed, in its own name or in a speaker's."""
        speaker = self._transcribed_by_agent(reader.info.attributes or {}, identity)
        if speaker is None:
            reader.close()
            return
        self._own(self._read_transcription(reader, speaker), name="transcription")

    def _transcribed_by_agent(
        self, attributes: dict[str, str], identity: str
    ) -> rtc.RemoteParticipant | None:
        """Return whose words another agent transcribed; None for what a human's own client wrote here.

        An agent writes in the speaker's name or in its own: the track says whose words they are.
        """
        others = self._room.remote_participants
        if not any(other.kind == rtc.ParticipantKind.PARTICIPANT_KIND_AGENT for other in others.values()):
            return None
        track_id = attributes.get("lk.transcribed_track_id", "")
        owner = next((p for p in others.values() if track_id in p.track_publications), None)
        if owner is None or not is_human(owner):
            return None
        sender = others.get(identity)
        by_agent = sender is not None and not is_human(sender)
        return owner if by_agent or identity == owner.identity else None

    async def _read_transcription(self, reader: rtc.TextStreamReader, speaker: rtc.RemoteParticipant) -> None:
        text = await _read_bounded(reader)
        attributes, identity = reader.info.attributes or {}, speaker.identity
        segment_id = attributes.get("lk.segment_id") or reader.info.stream_id
        final = attributes.get("lk.transcription_final") == "true"
        self._listener.agent_text(segment_id, identity, name_of(speaker), text, final=final)


async def _read_bounded(reader: rtc.TextStreamReader) -> str:
    """Read a text stream to its end, and keep its first 20,000 characters. Raises `TimeoutError`."""
    parts: list[str] = []
    size = 0
    async with asyncio.timeout(_READ_DEADLINE_S):
        async for part in reader:
            parts.append(part[: max(0, _MAX_CHAT_CHARS - size)])
            size += len(part)
    return "".join(parts)
