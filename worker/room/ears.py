"""`Ears`, the port by which a room adapter tells a meeting what happens; LiveKit's types stop there."""

from __future__ import annotations

from typing import Literal, Protocol

ChatVia = Literal["chat", "page"]
"""How a line of chat was written: by a person, or for them by a button of the page."""


class Sink(Protocol):
    """Port that takes the sound of one track."""

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """Take the next PCM, whose last sample arrived at `arrived_s` (monotonic clock). Never waits."""


class Ears(Protocol):
    """Port of whoever listens to a room for a meeting. All calls are synchronous and quick.

    `identity` is a participant's LiveKit identity, `name` what people call them.
    """

    def joined(self, identity: str, name: str) -> None:
        """A human has entered the room, or was there when we came. Told again, it changes nothing."""

    def left(self, identity: str) -> None:
        """A human has left the room."""

    def may_hear(self, identity: str) -> bool:
        """Whether the room may subscribe to a human's sound now, by what they said about consent."""

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        """A human's front end says whether they agree to be heard; `standing`: it said so before we came."""

    def track_opened(self, identity: str, track_id: str) -> Sink:
        """Open a human's audio track (the same id continues the same track); returns what takes its sound."""

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

    def agent_text(self, message_id: str, identity: str, name: str, text: str, *, final: bool) -> None:
        """Another agent transcribed `identity`; interims and final of an utterance share `message_id`."""

    def outranked(self, epoch: int) -> None:
        """Another holder shows a higher epoch in the room, so the meeting is theirs."""

    def connection(self, *, up: bool) -> None:
        """The connection to the room broke, or is back."""

    def closed(self, reason: str) -> None:
        """We are out of the room for good; `reason` is LiveKit's, such as `ROOM_DELETED`."""
