"""The port of late words: what came too late for its holder, until it is on the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from context.events.events import GapNoted, SpeechWaits, SpeechWordless, UtteranceSpoken
from context.events.privacy_events import ConsentTold

LateEvent = UtteranceSpoken | GapNoted | SpeechWaits | SpeechWordless
"""What comes late: a turn, that a stretch waits for its text, or that none will come of it."""


def late_key(event: LateEvent) -> str:
    """Give the id under which a late event counts once; that a stretch waits is one of its own."""
    return f"waits:{event.key}" if isinstance(event, SpeechWaits) else event.key or ""


class LateWordStore(Protocol):
    """Port of the words that came too late for their holder, and wait for whoever holds the meeting next.

    Every method may raise `PortError`.
    """

    async def offer(self, meeting_id: str, said: Sequence[LateEvent]) -> int:
        """Leave late events for the holder; give how many were neither on record nor offered before."""

    async def missing(self, meeting_id: str, keys: Sequence[str]) -> set[str]:
        """Give those of `keys` under which no turn is on record."""

    async def waiting(self, meeting_id: str, limit: int) -> Sequence[LateEvent]:
        """Give at most `limit` events that wait for the meeting's holder, in the order they were spoken."""

    async def over(self, limit: int) -> Sequence[str]:
        """Give at most `limit` meetings that are over and have late events that nobody folded in yet."""

    async def taken(self, meeting_id: str, keys: Sequence[str]) -> None:
        """Forget events that are on the record now, by `late_key`."""

    async def seen(self, meeting_id: str) -> None:
        """Note that the sound of a meeting's speech that waits is still there."""

    async def unseen(self, for_s: float, limit: int) -> Sequence[str]:
        """Give at most `limit` meetings that are over, with sound that nobody has seen for so long."""

    async def unseen_of(self, meeting_id: str, for_s: float) -> Sequence[SpeechWaits]:
        """Give the stretches of a meeting whose sound nobody has seen for so long: it is gone."""

    async def refused(self, meeting_id: str, told: ConsentTold) -> bool:
        """Keep a no to being heard that is on no record; False where its person told something since."""

    async def paused(self, meeting_id: str, at_ms: int) -> bool:
        """Tell whether a pause that is on no record still stands: none is on now, and none ended since."""
