"""What a meeting has to say in its LiveKit room: transcripts in the speakers' names, answers in the chat."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar

from livekit import rtc

from context.effects import Published, PublishUtterance
from context.models import AgentCallType
from context.ports import Unavailable
from context.text import MarkdownStripper
from worker.clock import happens
from worker.outlets import Silence

T = TypeVar("T")

TRANSCRIPTION_TOPIC: Final = "lk.transcription"
CHAT_TOPIC: Final = "lk.chat"
MARKDOWN_ATTRIBUTE: Final = "moim.markdown"
"""`true` on a question: its asker's client shows Markdown; else the answer comes as plain text."""
PRIVATE_ATTRIBUTE: Final = "moim.private"
"""`true` on a message that was addressed to the agent alone: the SDK does not tell whom a message went to."""
_SEND_DEADLINE_S: Final = 10.0
"""What a stalled connection does not take by then is given up, so that the record's followers get theirs."""
_ARRIVAL_S: Final = 20.0
"""A successor takes up its predecessor's questions while it still connects; their answers wait so long."""


class LiveKitReply:
    """One answer, streamed into the chat."""

    def __init__(self, writer: rtc.TextStreamWriter, *, markdown: bool) -> None:
        self._writer = writer
        self._stripper = None if markdown else MarkdownStripper()

    async def write(self, text: str) -> None:
        """Write the next piece of the text."""
        if self._stripper is not None:
            text = self._stripper.feed(text)
        if text:
            await _sent(self._writer.write(text))

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """That was all; `evidence` becomes known to those who read the stream's trailer."""
        if self._stripper is not None and (rest := self._stripper.flush()):
            await _sent(self._writer.write(rest))
        attributes = {"moim.evidence": ",".join(map(str, evidence))} if evidence else None
        await _sent(self._writer.aclose(attributes=attributes))


class LiveKitOutlet(Silence):
    """An `Outlet` into a room that somebody else joins, hears and leaves (`livekit_room`).

    Transcripts, answers and notices are shown there; topics, gaps, corrections and the status are not.
    """

    def __init__(self, room: rtc.Room) -> None:
        self._room = room
        self.arrived = asyncio.Event()
        """Set when the room is joined: answers wait for it."""
        self.silent = False
        """Say nothing more: somebody else speaks for this meeting."""
        self.shown_as_markdown: set[str] = set()
        """Questions whose asker's client shows Markdown."""
        self.track_of: dict[str, str] = {}
        """Participant → the track whose words are shown in their name."""

    async def show(self, what: Published, *, segment_id: str, durable: bool) -> None:
        """A final turn, in its speaker's name."""
        if not isinstance(what, PublishUtterance):
            return
        utterance = what.utterance
        attributes = {
            "lk.transcription_final": "true",
            "moim.utterance": str(utterance.id),
            "moim.start_ms": str(utterance.start_ms),
            "moim.end_ms": str(utterance.end_ms),
        }
        if not durable:
            attributes["moim.durable"] = "false"
        await self._transcribe(utterance.speaker_id, segment_id, utterance.text, attributes)

    async def interim(self, speaker_id: str, segment_id: str, text: str) -> None:
        """What the engine thinks so far."""
        await self._transcribe(speaker_id, segment_id, text, {"lk.transcription_final": "false"})

    async def _transcribe(
        self, speaker_id: str, segment_id: str, text: str, attributes: dict[str, str]
    ) -> None:
        if self.silent or not self._room.isconnected():
            return
        attributes["lk.segment_id"] = segment_id
        if (track_id := self.track_of.get(speaker_id)) is not None:
            attributes["lk.transcribed_track_id"] = track_id
        opening = self._room.local_participant.stream_text(
            topic=TRANSCRIPTION_TOPIC, attributes=attributes, sender_identity=speaker_id
        )
        writer = await _sent(opening)
        await _sent(writer.write(text))
        await _sent(writer.aclose())

    async def open_reply(
        self, invocation_id: str, call_type: AgentCallType, *, evidence: Sequence[int], to: str | None
    ) -> LiveKitReply:
        """Start an answer in the chat."""
        await happens(self.arrived, _ARRIVAL_S)
        if self.silent or not self._room.isconnected():
            raise Unavailable("not in the room")
        attributes = {
            "moim.invocation": invocation_id,
            "moim.call_type": call_type,
            "moim.evidence": ",".join(map(str, evidence)),
        }
        opening = self._room.local_participant.stream_text(
            topic=CHAT_TOPIC, destination_identities=[to] if to else None, attributes=attributes
        )
        writer = await _sent(opening)
        markdown = invocation_id in self.shown_as_markdown
        self.shown_as_markdown.discard(invocation_id)
        return LiveKitReply(writer, markdown=markdown)

    async def say(self, text: str, *, to: str | None = None) -> None:
        """A line in the chat that answers no question."""
        if self.silent or not self._room.isconnected():
            return
        whom = [to] if to else None
        await _sent(
            self._room.local_participant.send_text(text, topic=CHAT_TOPIC, destination_identities=whom)
        )


async def _sent(call: Coroutine[Any, Any, T]) -> T:
    """LiveKit's various send errors as one of ours."""
    try:
        async with asyncio.timeout(_SEND_DEADLINE_S):
            return await call
    except Exception as error:
        raise Unavailable(f"the room did not take it: {error or type(error).__name__}") from error
