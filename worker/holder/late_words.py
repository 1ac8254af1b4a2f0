"""What a dead job heard while the record was away, folded in late by the meeting's present holder.

Only the holder writes, so a worker that finds such words (`worker.holder.orphans`) leaves them in the
database and the holder looks there. They are folded behind what is on record, as any turn that comes late:
they get the next numbers, and stand in the transcript where they were spoken. A turn keeps its key, so it
counts once and replaces what the room saw of it. Where a standby heard the sound again, the words are on
record under another key already: a turn whose time other turns of its speaker mostly cover is passed over.
"""

from __future__ import annotations

import asyncio
import random
from typing import Final

import structlog

from context.events import UtteranceSpoken
from context.meeting import Meeting
from context.ports import PortError
from worker.meeting.session import Session
from worker.monitoring.metrics import Metrics
from worker.ports import LateWordStore

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 30.0
_AT_ONCE: Final = 200
_COVERED: Final = 0.5
"""Of a turn's time: if so much is covered by other turns of its speaker, it was heard again."""


class LateWords:
    """Looks for late words of one meeting, and folds them in while the meeting is held."""

    def __init__(self, store: LateWordStore, session: Session, metrics: Metrics) -> None:
        self._store, self._session, self._metrics = store, session, metrics

    async def run(self) -> None:
        """Call `take` at once and then every 30 s or so, until cancelled."""
        while True:
            try:
                await self.take()
            except PortError as error:
                log.info("late_words_not_looked_for", error=str(error))
            except Exception:
                log.exception("late_words_failed")
            await asyncio.sleep(LOOK_EVERY_S * random.uniform(0.8, 1.2))

    async def take(self) -> int:
        """Fold up to 200 turns that wait, and return how many wait no longer. Raises `PortError`."""
        session = self._session
        said = await self._store.waiting(session.meeting_id, _AT_ONCE)
        if not said or session.stopped or not session.started:
            return 0
        meeting = session.manager.meeting
        before, known = len(meeting.utterances), {u.key for u in meeting.utterances}
        for one in said:
            if one.key not in known and not heard_again(meeting, one):
                session.fold_now(one)
        folded = len(meeting.utterances) - before
        if folded:
            log.info("late_words_folded", turns=folded)
            self._metrics.late_words("folded", folded)
        if not await session.recorder.settled(session.seq):
            return 0
        await self._store.taken(session.meeting_id, [one.key for one in said])
        return len(said)


def heard_again(meeting: Meeting, late: UtteranceSpoken) -> bool:
    """Tell whether turns of this speaker under other keys cover at least half of the time of `late`."""
    length_ms = late.end_ms - late.start_ms
    if late.track_id is None or length_ms <= 0:
        return False
    covered_ms = sum(
        max(0, min(u.end_ms, late.end_ms) - max(u.start_ms, late.start_ms))
        for u in meeting.utterances
        if u.speaker_id == late.speaker_id and u.key != late.key
    )
    return covered_ms >= _COVERED * length_ms
