"""Words that a program wrote and that nobody is to have: their entries are taken out of the stream.

What is said off the record, by somebody who does not want to be recorded, or in a time that was taken back,
comes to the record without its words. Until then its entry has to stay, for whoever takes over: it goes once
its place in the stream is on the record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

import structlog

from context.events.events import InputPosition
from context.ports import PortError
from worker.meeting.session import Session
from worker.participants.tracks import Own

log = structlog.get_logger(__name__)

_LOOK_EVERY_S: Final = 0.05
_RETRY_S: Final = 2.0


class Droppable(Protocol):
    """Port of the streams of which entries can be taken out."""

    async def drop(self, stream: str, positions: Sequence[str]) -> None:
        """Take these entries out of a stream. Raises `PortError`."""


class EntryRemoval:
    """The entries of a meeting's input streams that are to go."""

    def __init__(self, streams: Droppable, session: Session, own: Own) -> None:
        """`own` runs work beside the meeting."""
        self._streams, self._session, self._own = streams, session, own
        self._waiting: list[InputPosition] = []
        self._dropping: asyncio.Task[None] | None = None

    def add(self, position: InputPosition) -> None:
        """Have an entry go once its position is on the record."""
        self._waiting.append(position)
        if self._dropping is None or self._dropping.done():
            self._dropping = self._own(self._drop(), name="entry-removal")

    async def _drop(self) -> None:
        while self._waiting:
            wanted = list(self._waiting)
            await self._until_recorded(wanted)
            for stream in dict.fromkeys(position.stream for position in wanted):
                gone = [position.position for position in wanted if position.stream == stream]
                while not await self._is_dropped(stream, gone):  # noqa: ASYNC110 - Redis is away
                    await asyncio.sleep(_RETRY_S)
            del self._waiting[: len(wanted)]

    async def _until_recorded(self, wanted: Sequence[InputPosition]) -> None:
        """Wait until all that lies in the inbox now is folded, and that is on the record."""
        last, session = {position.stream: position.position for position in wanted}, self._session
        positions = session.manager.meeting.coverage.positions
        while any(_place(positions.get(stream, "0")) < _place(at) for stream, at in last.items()):
            await asyncio.sleep(_LOOK_EVERY_S)
            positions = session.manager.meeting.coverage.positions
        while not await session.recorder.settled(session.seq):  # noqa: ASYNC110 - it is in a spool until then
            await asyncio.sleep(_RETRY_S)

    async def _is_dropped(self, stream: str, positions: Sequence[str]) -> bool:
        try:
            await self._streams.drop(stream, positions)
        except PortError as error:
            log.info("unheard_words_wait", stream=stream, error=str(error))
            return False
        return True


def _place(position: str) -> tuple[int, ...]:
    return tuple(map(int, position.split("-")))
