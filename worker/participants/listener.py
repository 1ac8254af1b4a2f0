"""`Listener`, the port by which a room adapter tells a meeting what happens; LiveKit's types stop there."""

from __future__ import annotations

from typing import Final, Literal, Protocol

from worker.outlets import Outlet
from worker.ports import Holder

ChatVia = Literal["chat", "page"]
"""How a line of chat was written: by a person, or for them by a button of the page."""


Sealed = Literal["no_key", "other_key"]
"""Why encrypted sound is not understood: we have no key of the room, or one that is not the speaker's."""
FRAME_MS: Final = 50
"""A room's sound comes in frames of so long."""


class Sink(Protocol):
    """Port that takes the sound of one track."""

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """Take the next PCM, whose last sample arrived at `arrived_s` (monotonic clock). Never waits."""


class Listener(Protocol):
    """Port of whoever listens to a room for a meeting. All calls are synchronous and quick.

    `identity` is a participant's LiveKit identity, `name` what people call them.
    """

    def joined(self, identity: str, name: str) -> None:
        """A human has entered the room, or was there when we came. Told again, only a new name is news."""

    def left(self, identity: str) -> None:
        """A human has left the room."""

    def may_hear(self, identity: str) -> bool:
        """Whether the room may subscribe to a human's sound now, by what they said about consent."""

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        """A human's front end says whether they agree to be heard; `standing`: it said so before we came."""

    def track_opened(self, identity: str, track_id: str) -> Sink:
        """Open a human's audio track (the same id continues the same track); returns what takes its sound."""

    def track_encrypted(self, identity: str, track_id: str, *, why: Sealed) -> None:
        """A human's microphone is on and its sound cannot be understood, until `track_closed`, or muted."""

    def track_muted(self, track_id: str) -> None:
        """A track was muted: what is being said on it ends here."""

    def track_closed(self, track_id: str) -> None:
        """A track has ended: no more sound comes of it."""

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
        """A human wrote a line of chat; `message_id` identifies it. `private`: it went to the agent alone."""

    def chat_left_out(self, identity: str) -> None:
        """Lines of chat were not read, because their writer has too many under way; told once for a flood."""

    def agent_text(self, message_id: str, identity: str, name: str, text: str, *, final: bool) -> None:
        """Another agent transcribed `identity`; interims and final of an utterance share `message_id`."""

    def outranked(self, epoch: int) -> None:
        """Another holder shows a higher epoch in the room, so the meeting is theirs."""

    def connection(self, *, up: bool) -> None:
        """The connection to the room broke, or is back."""

    def closed(self, reason: str) -> None:
        """We are out of the room for good; `reason` is LiveKit's, such as `ROOM_DELETED`."""


class JoinedRoom(Protocol):
    """Port of a LiveKit room to the job in it: it tells the job's `Listener`, and `outlet` speaks."""

    @property
    def outlet(self) -> Outlet:
        """Speaks in the room; silent while the job stands by."""

    def listen(self) -> None:
        """Begin to hear the room's events; to be called before it is connected, so that nothing is missed."""

    async def arrive(self) -> None:
        """Show the room who we are, and tell the listener who is here; to be called once it is connected."""

    def take_over(self, epoch: int) -> None:
        """Become the holder after standing by: show `epoch` to the room, and let the outlet speak."""

    def stands_by(self, who: Holder) -> bool:
        """Tell whether `who` is in the room and stands by."""

    def subscribe_as_agreed(self, identity: str) -> None:
        """Subscribe to somebody's tracks, or unsubscribe, as `Listener.may_hear` says of them now."""

    async def aclose(self) -> None:
        """Hear no more, and end every stream and task; to leave the room is its owner's business."""
