"""What a room tells a meeting. The room adapter calls these; LiveKit's types stop at the adapter."""

from __future__ import annotations

from typing import Literal, Protocol

ChatVia = Literal["chat", "page"]
"""Who wrote a line of chat: a person, or for them a button of the page."""


class Sink(Protocol):
    """Where one track's sound goes."""

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """The next 16 kHz mono PCM; `arrived_s` on the monotonic clock. Never waits."""


class Ears(Protocol):
    """The meeting's side of a room. All calls are synchronous and quick."""

    def joined(self, identity: str, name: str) -> None:
        """A human is in the room, or is there again."""

    def left(self, identity: str) -> None:
        """A human is gone."""

    def may_hear(self, identity: str) -> bool:
        """Whether a human's sound may be asked for."""

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        """A human's front end says that they agree to be heard, or not; `standing`: it had said so before."""

    def track_opened(self, identity: str, track_id: str) -> Sink:
        """A human's audio track; the same `track_id` again continues the same track."""

    def track_muted(self, track_id: str) -> None:
        """The track fell silent for now: what is being said on it ends here."""

    def track_closed(self, track_id: str) -> None:
        """No more sound on this track."""

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
        """A human wrote into the chat, or pressed a button that does; `private`: to the agent alone."""

    def agent_text(self, message_id: str, identity: str, name: str, text: str, *, final: bool) -> None:
        """Another agent transcribed `identity`."""

    def outranked(self, epoch: int) -> None:
        """Another holder shows a higher epoch in the room."""

    def connection(self, *, up: bool) -> None:
        """The connection to the room broke, or is back."""

    def closed(self, reason: str) -> None:
        """We are out of the room, for good."""
