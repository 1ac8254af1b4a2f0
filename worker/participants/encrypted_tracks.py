"""Microphones that are on and cannot be understood: their sound is end-to-end encrypted, with a key not ours.

None of it becomes words. That is told once, in the room's chat; the page shows it for as long as it lasts,
and the record has a gap for each of these people, which grows while they are not heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

import structlog

from context.language.closed_lists import in_words, wording
from stt.track_events import Missed
from worker.meeting.session import Session
from worker.meeting.side_tasks import OwnTasks
from worker.participants.listener import Sealed

log = structlog.get_logger(__name__)

TOLD_AFTER_S: Final = 2.0
"""What is not understood is told when it has lasted so long: with the right key it is a moment."""
NOTED_EVERY_S: Final = 10.0
"""How often the gap on record grows."""
_MOMENT_MS: Final = 500
"""The first frame of a microphone may take so long to be decrypted; no gap is made of that."""

_TEXTS: Final = wording("encrypted")


class EncryptedTracks:
    """The microphones of one room that cannot be understood."""

    def __init__(self, session: Session, own: OwnTasks, *, note: Callable[[Missed], None]) -> None:
        """`note` takes each piece of a gap."""
        self._session, self._own, self._note = session, own, note
        self._language = session.manager.meeting.language
        """The language of what is said in the chat; `auto`: both."""
        self._on: dict[str, tuple[str, Sealed]] = {}
        """Track → whose it is, and why it is not understood."""
        self._since_ms: dict[str, int] = {}
        """Track → from where on its gap is not on record yet."""
        self._noted: set[str] = set()
        """Tracks of which a gap is on record since they are on."""
        # A holder before us has noted a gap, and said so: most likely it had no key either.
        before = any(gap.reason == "encrypted" for gap in session.manager.meeting.gaps)
        self._told: set[Sealed] = {"no_key"} if before else set()
        self._telling: asyncio.Task[None] | None = None

    @property
    def people(self) -> frozenset[str]:
        """Who is not understood now."""
        return frozenset(who for who, _ in self._on.values())

    @property
    def unwritten(self) -> Iterator[tuple[str, int]]:
        """Where the part of each one's gap begins that is not on record, in ms of the meeting."""
        for track_id, (who, _) in self._on.items():
            yield who, self._since_ms[track_id]

    def opened(self, who: str, track_id: str, why: Sealed) -> None:
        """Take note that a microphone is on and not understood."""
        if track_id in self._on:
            return
        self._on[track_id], self._since_ms[track_id] = (who, why), self._session.now_ms()
        if self._telling is None or self._telling.done():
            self._telling = self._own(self._tell(), name="encrypted")

    def closed(self, track_id: str) -> None:
        """Take note that a microphone is off, or understood."""
        if track_id in self._on:
            lasted_ms = self._session.now_ms() - self._since_ms[track_id]
            if lasted_ms >= _MOMENT_MS or track_id in self._noted:
                self._note_gap(track_id)
            del self._on[track_id], self._since_ms[track_id]
            self._noted.discard(track_id)

    def left(self, who: str) -> None:
        """Take note that somebody has left."""
        for track_id in [id_ for id_, (whose, _) in self._on.items() if whose == who]:
            self.closed(track_id)

    def note(self) -> None:
        """Put on record what is not heard up to now."""
        for track_id in self._on:
            self._note_gap(track_id)

    async def _tell(self) -> None:
        await asyncio.sleep(TOLD_AFTER_S)
        while self._on:
            self.note()
            for why in sorted({why for _, why in self._on.values()} - self._told):
                self._told.add(why)
                log.warning("encrypted_not_heard", why=why, people=len(self.people))
                await self._session.outlet.say(in_words(_TEXTS, self._language, why))
            await asyncio.sleep(NOTED_EVERY_S)

    def _note_gap(self, track_id: str) -> None:
        """Note the gap of a track up to now, but for what lies in a pause, of which nothing is noted."""
        since_ms, now_ms = self._since_ms[track_id], self._session.now_ms()
        self._noted.add(track_id)
        self._since_ms[track_id] = now_ms
        for pause in self._session.manager.meeting.coverage.pauses:
            if pause.end_ms is not None and pause.end_ms <= since_ms:
                continue
            self._piece(track_id, since_ms, min(pause.start_ms, now_ms))
            since_ms = now_ms if pause.end_ms is None else max(since_ms, min(pause.end_ms, now_ms))
        self._piece(track_id, since_ms, now_ms)

    def _piece(self, track_id: str, start_ms: int, end_ms: int) -> None:
        if end_ms > start_ms:
            who, _ = self._on[track_id]
            self._note(Missed(who, start_ms, end_ms, "encrypted", track_id, end_ms))
