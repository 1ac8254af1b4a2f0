"""How a room's meeting closes: its last words are waited for, and the closing summary is said.

When the last human has left, this is done while the room still stands; should somebody come back, the meeting
simply goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from worker.meeting.session import CLOSING_DEADLINE_S, Session
from worker.participants.tracks import LAST_WORDS_DEADLINE_S, Own, Tracks

log = structlog.get_logger(__name__)

EVERYBODY_LEFT_GRACE_S: Final = 3.0
"""How long an empty room is waited on: a reconnecting browser is away for about this long."""
CLOSING_WITHIN_S: Final = 15.5
"""How long the last words and the closing summary may take together after that: LiveKit closes the room 20 s
after its last human."""
OUT_WORDS_S: Final = 4.0
"""How long the last words may take once we are out of the room."""
OUT_WITHIN_S: Final = 8.0
"""How long they and the closing summary may take then: livekit-agents cancels the job 15 s later."""
_OVER_REASONS: Final = frozenset({"ROOM_DELETED", "ROOM_CLOSED", "PARTICIPANT_REMOVED"})
"""Why we are out of a room that is over for us."""


class Closing:
    """The closing of one meeting in its room."""

    def __init__(
        self, session: Session, tracks: Tracks, own: Own, *, unless: Callable[[], bool] = lambda: False
    ) -> None:
        """`own` runs work in a task. `unless`: somebody is here, or it was ordered already."""
        self._session, self._tracks, self._own, self._unless = session, tracks, own, unless
        self._under_way: asyncio.Task[None] | None = None
        self._connected = asyncio.Event()
        self._connected.set()

    def begin(self) -> None:
        """Close soon, as everybody has left."""
        if self._under_way is None:
            self._under_way = self._own(self._everybody_left(), name="closing")

    def call_off(self) -> None:
        """Go on, as somebody is back."""
        if self._under_way is not None:
            self._under_way.cancel()
            self._under_way = None

    def connection(self, *, up: bool) -> None:
        """See `Listener.connection`; while it is down, nobody counts as gone."""
        if up:
            self._connected.set()
        else:
            self._connected.clear()

    async def say(self) -> None:
        """Wait for the last words, then write the closing summary into the chat."""
        await self._session.outlet.say(await self._last_summary(LAST_WORDS_DEADLINE_S, CLOSING_WITHIN_S))

    def out(self, reason: str) -> None:
        """See `Listener.closed`: the meeting ends where its room is over, else a successor goes on."""
        log.info("room_left", reason=reason)
        self._own(self._out(reason.lower(), over=reason in _OVER_REASONS), name="out-of-room")

    async def _everybody_left(self) -> None:
        await asyncio.sleep(EVERYBODY_LEFT_GRACE_S)
        await self._connected.wait()
        if not self._unless():
            await self.say()

    async def _last_summary(self, words_s: float, within_s: float) -> str:
        loop = asyncio.get_running_loop()
        until_s = loop.time() + within_s
        await self._tracks.last_words(words_s)
        return await self._session.close_topics(min(CLOSING_DEADLINE_S, until_s - loop.time()))

    async def _out(self, reason: str, *, over: bool) -> None:
        # The framework cancels us 15 s from here: all of it has to be on record by then.
        try:
            if over:
                await self._last_summary(OUT_WORDS_S, OUT_WITHIN_S)
            else:
                await self._tracks.last_words(OUT_WORDS_S)
        finally:
            ending = self._session.end if over else self._session.leave
            await ending(reason, deadline_s=2.0)
