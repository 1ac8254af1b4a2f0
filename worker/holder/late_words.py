"""What came too late for its holder, folded in by the meeting's present one, or when it is opened again.

It is what a dead job heard while the record was away, and what was recognised only after its holder had
stopped (`worker.holder.late_speech`).

Only the holder writes, so a worker that finds such words (`worker.holder.orphaned_spools`) leaves them in the
database and the holder looks there. They are folded behind what is on record, as any turn that comes late:
they get the next numbers, are marked as late, and stand in the transcript where they were spoken. A turn
keeps its key, so it counts once and replaces what the room saw of it. Where a standby heard the sound again,
the words are on record under another key already: a turn whose time other turns of its speaker mostly cover
is passed over.
"""

from __future__ import annotations

import asyncio
import random
from typing import Final

import structlog

from context.events.events import GapNoted, SpeechWaits, SpeechWordless, UtteranceSpoken
from context.fold.meeting import Meeting
from context.models import GapReason
from context.ports import PortError
from worker.meeting.session import Session
from worker.monitoring.metrics import Metrics
from worker.record.late_word_store import LateEvent, LateWordStore, late_key

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 30.0
GONE_AFTER_S: Final = 600.0
"""Sound that no worker has seen for so long is gone with its machine."""
UNWRITTEN_TRACK: Final = "unwritten"
"""It stands in place of a track: all that a dead holder had heard of somebody and not written."""
_TURNS_AT_ONCE: Final = 200
NEAR_MS: Final = 500
"""A sound's place as two processes tell it differs by less than this."""
_COVERED_SHARE: Final = 0.5
"""A turn was heard again if other turns of its speaker cover so much of its time."""


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
        late_events = await self._store.waiting(session.meeting_id, _TURNS_AT_ONCE)
        if not late_events or session.stopped or not session.started:
            return 0
        meeting = session.manager.meeting
        before = len(meeting.utterances)
        for one in late_events:
            if not isinstance(one, UtteranceSpoken) or one.key not in meeting.keys:
                session.fold_now(self._as_folded(one))
        folded = len(meeting.utterances) - before
        if folded:
            log.info("late_words_folded", turns=folded)
            self._metrics.late_words("folded", folded)
        if not await session.recorder.settled(session.seq):
            return 0
        await self._store.taken(session.meeting_id, [late_key(one) for one in late_events])
        return len(late_events)

    async def take_all(self) -> None:
        """Fold all turns that wait. Raises `PortError`."""
        while await self.take():
            pass

    async def give_up(self) -> None:
        """Fold a gap for each stretch whose sound is gone, with its machine. Raises `PortError`."""
        for gone in await self._store.unseen_of(self._session.meeting_id, GONE_AFTER_S):
            if gone.track_id == UNWRITTEN_TRACK:
                self._session.fold_now(never_found(gone, self._session.manager.meeting, gone.end_ms))
            else:
                self._session.fold_now(lost(gone, "stt_timeout"))

    def _as_folded(self, late: LateEvent) -> LateEvent:
        """Give what is folded of a late event: that it is late, or that its words are there already."""
        meeting = self._session.manager.meeting
        if not isinstance(late, UtteranceSpoken):
            return late
        if not heard_again(meeting, late):
            return late.model_copy(update={"late": True})
        at_ms = late.start_ms  # nothing more was heard than is there under the other key
        return SpeechWordless(
            participant_id=late.speaker_id,
            start_ms=at_ms,
            end_ms=at_ms,
            track_id=late.track_id or "",
            track_end_ms=late.track_end_ms or 0,
            key=late.key,
        )


def unwritten(who: str, from_ms: int, until_ms: int) -> SpeechWaits:
    """Say that what a dead holder had heard of somebody waits to be found, pauses between words included."""
    return SpeechWaits(
        key=f"{who}:{UNWRITTEN_TRACK}@{from_ms}",
        participant_id=who,
        start_ms=from_ms,
        end_ms=until_ms,
        track_id=UNWRITTEN_TRACK,
        track_end_ms=0,
    )


def never_found(waits: SpeechWaits, meeting: Meeting, found_ms: int) -> GapNoted | SpeechWordless:
    """Say what became of `unwritten` sound of which only what begins at `found_ms` was found.

    What lies between the words on record and that is a gap: how much of it was speech nobody knows.
    """
    own = [
        u.end_ms for u in meeting.utterances if u.speaker_id == waits.participant_id and u.end_ms > u.start_ms
    ]
    start_ms, end_ms = max([waits.start_ms, *own]), min(waits.end_ms, found_ms)
    if end_ms - start_ms > NEAR_MS:
        return lost(waits, "takeover").model_copy(update={"start_ms": start_ms, "end_ms": end_ms})
    return SpeechWordless(
        participant_id=waits.participant_id,
        start_ms=start_ms,
        end_ms=start_ms,
        track_id=waits.track_id,
        track_end_ms=0,
        key=waits.key,
    )


def lost(waits: SpeechWaits, reason: GapReason) -> GapNoted:
    """Make the gap of a stretch that waited and will never be text."""
    return GapNoted(
        participant_id=waits.participant_id,
        start_ms=waits.start_ms,
        end_ms=waits.end_ms,
        reason=reason,
        track_id=waits.track_id,
        track_end_ms=waits.track_end_ms,
        key=waits.key,
    )


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
    return covered_ms >= _COVERED_SHARE * length_ms
