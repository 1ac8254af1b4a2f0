"""A meeting's `Outlet` into its LiveKit room: transcripts in the speakers' names, answers in the chat."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from livekit import rtc

from context.events.effects import Published, PublishUtterance
from context.models import AgentCallType
from context.ports import Unavailable
from context.primitives.guest_identity import link_of
from context.primitives.text import MarkdownStripper
from worker.adapters.livekit_encryption import WritePlainly
from worker.clock import happens
from worker.outlets import Replies, ReplyStream, SilentOutlet, Stage

T = TypeVar("T")

TRANSCRIPTION_TOPIC: Final = "lk.transcription"
CHAT_TOPIC: Final = "lk.chat"
MARKDOWN_ATTRIBUTE: Final = "moim.markdown"
"""Attribute of a question, `true` where its asker's client shows Markdown; else the answer is plain text."""
FIRM_ATTRIBUTE: Final = "moim.firm"
"""Attribute of a transcript that is not final: so many characters, from its beginning, are to stay."""
PRIVATE_ATTRIBUTE: Final = "moim.private"
"""Attribute of a question, `true` where it went to the agent alone, and of an answer, `true` where it goes to
the asker alone: the SDK does not tell a receiver that."""
_TAKEN_BACK: Final = " "
"""Sent where there are no words any more: LiveKit's components pass over a stream in which nothing comes."""
_SEND_DEADLINE_S: Final = 10.0
"""Sending on a stalled connection is given up after this, so that other outlets get their turn."""
_FINALS_KNOWN: Final = 100
"""More finals than go out while one interim is being sent."""
_ARRIVAL_S: Final = 20.0
"""An answer waits so long for the room to be joined: a successor takes up questions while it connects."""


class LiveKitReply:
    """A `ReplyStream`: one answer, streamed into the chat."""

    def __init__(self, writer: rtc.TextStreamWriter, *, markdown: bool) -> None:
        """Without `markdown` the text's Markdown is taken out on its way."""
        self._writer = writer
        self._stripper = None if markdown else MarkdownStripper()

    async def write(self, text: str) -> None:
        """See `ReplyStream.write`. Raises `Unavailable`."""
        if self._stripper is not None:
            text = self._stripper.feed(text)
        if text:
            await _sent(self._writer.write(text))

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """See `ReplyStream.close`. `evidence` goes into the stream's trailer. Raises `Unavailable`."""
        if self._stripper is not None and (rest := self._stripper.flush()):
            await _sent(self._writer.write(rest))
        attributes = {"moim.evidence": ",".join(map(str, evidence))} if evidence else None
        await _sent(self._writer.aclose(attributes=attributes))


class LiveKitOutlet(SilentOutlet):
    """An `Outlet` into a room that `LiveKitRoom` hears and a job joins and leaves.

    Transcripts, answers and notices are shown there; topics, gaps, corrections and the status are not.
    """

    def __init__(self, room: rtc.Room) -> None:
        self._room = room
        self.arrived = asyncio.Event()
        """Set when the room is joined: answers wait for it."""
        self.silent = False
        """True while another job speaks for this meeting: nothing is sent."""
        self.shown_as_markdown: set[str] = set()
        """Ids of open questions whose asker's client shows Markdown."""
        self._plainly: tuple[WritePlainly, Callable[[], bool]] | None = None
        self.track_of: dict[str, str] = {}
        """Participant's identity → sid of the track whose words are shown in their name."""
        self._interims: dict[str, asyncio.Lock] = {}
        """Id of a turn → held while an interim of it is being sent."""
        self._final: deque[str] = deque(maxlen=_FINALS_KNOWN)
        """Ids of the newest turns whose final was shown."""

    def say_plainly(self, write: WritePlainly, *, unless: Callable[[], bool]) -> None:
        """Say notices (`say`) by `write`, unencrypted, as long as `unless` is not true: see `LiveKitRoom`."""
        self._plainly = write, unless

    async def show(self, what: Published, *, segment_id: str, durable: bool) -> None:
        """See `Outlet.show`: final turns alone, in their speakers' names; everything else is passed over."""
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
        self._final.append(segment_id)
        async with self._interims.get(segment_id, asyncio.Lock()):  # one that is being sent comes before it
            await self._transcribe(utterance.speaker_id, segment_id, utterance.text, attributes)

    async def interim(self, speaker_id: str, segment_id: str, text: str, firm: int = 0) -> None:
        """See `Outlet.interim`; none goes out beside or behind its turn's final, which it would replace."""
        turn = self._interims.setdefault(segment_id, asyncio.Lock())
        try:
            async with turn:
                if segment_id not in self._final:
                    attributes = {"lk.transcription_final": "false", FIRM_ATTRIBUTE: str(firm)}
                    await self._transcribe(speaker_id, segment_id, text, attributes)
        finally:
            if not turn.locked():
                self._interims.pop(segment_id, None)

    async def doing(self, stage: Stage) -> None:
        """Do nothing: a room's chat has no place for what passes."""

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
        await _sent(writer.write(text or _TAKEN_BACK))
        await _sent(writer.aclose())

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """See `Outlet.open_reply`. Raises `Unavailable` where the room is not joined in time, or left."""
        await happens(self.arrived, _ARRIVAL_S)
        if self.silent or not self._room.isconnected():
            raise Unavailable("not in the room")
        whom = [to] if to else None
        if instead:
            guests = guests_in(self._room)
            whom = [who for who in whom or self._room.remote_participants if who not in guests]
            if told_guests := [who for who in guests if to in {None, who}]:
                await self._write(instead, told_guests)
            if not whom:  # an empty list would be everybody
                return Replies([])
        attributes = {
            "moim.invocation": invocation_id,
            "moim.call_type": call_type,
            "moim.evidence": ",".join(map(str, evidence)),
        }
        if to:
            attributes[PRIVATE_ATTRIBUTE] = "true"
        opening = self._room.local_participant.stream_text(
            topic=CHAT_TOPIC, destination_identities=whom, attributes=attributes
        )
        writer = await _sent(opening)
        markdown = invocation_id in self.shown_as_markdown
        self.shown_as_markdown.discard(invocation_id)
        return LiveKitReply(writer, markdown=markdown)

    async def say(self, text: str, *, to: str | None = None) -> None:
        """See `Outlet.say`."""
        if self.silent or not self._room.isconnected():
            return
        await self._write(text, [to] if to else None)

    async def _write(self, text: str, whom: list[str] | None) -> None:
        """Write a line into the chat, to these participants alone, or (None) to everybody."""
        if self._plainly is not None:
            write, proven = self._plainly
            if not proven():
                await _sent(write(text, whom))
                return
        await _sent(
            self._room.local_participant.send_text(text, topic=CHAT_TOPIC, destination_identities=whom)
        )


def guests_in(room: rtc.Room) -> list[str]:
    """Give the identities of those in a room who came by a link, which opens this one meeting to them."""
    return [identity for identity in room.remote_participants if link_of(identity) is not None]


async def _sent(call: Awaitable[T]) -> T:
    """Send within the deadline; whatever the SDK raises becomes `Unavailable`."""
    try:
        async with asyncio.timeout(_SEND_DEADLINE_S):
            return await call
    except Exception as error:
        raise Unavailable(f"the room did not take it: {error or type(error).__name__}") from error
