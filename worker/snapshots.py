"""A meeting's state, saved now and then: a faster way to what the record says anyway."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from context.manager import ContextManager
from context.ports import MeetingStore, PortError, Snapshot
from worker.recorder import Recorder

log = structlog.get_logger(__name__)

_RECORDS_PER_SNAPSHOT: Final = 6
"""The record is in step at every event. A snapshot saves a restore a millisecond for each utterance, and
costs seven of its own (and 200 KB) after an hour of talk: not one for each turn."""
_TICK_S: Final = 1.0


class Snapshots:
    """Saves one meeting's. `run` does so when one is due."""

    def __init__(
        self,
        manager: ContextManager,
        recorder: Recorder,
        store: MeetingStore | None,
        epoch: int,
        *,
        last_seq: int,
        seq: Callable[[], int],
        shown_up_to: Callable[[int], Awaitable[None]],
    ) -> None:
        """`seq`: the last folded event; `shown_up_to` waits for its showing. No store: none is saved."""
        self._manager, self._recorder, self._store, self._epoch = manager, recorder, store, epoch
        self._seq, self._shown_up_to = seq, shown_up_to
        self._saved_seq, self._saved_utterances = last_seq, self._utterances()

    async def run(self) -> None:
        """Save one when enough was said, or time went by, since the last."""
        config = self._manager.config
        patience_s = config.db_sync_interval_seconds * _RECORDS_PER_SNAPSHOT
        waited_s = 0.0
        while True:
            await asyncio.sleep(_TICK_S)
            waited_s += _TICK_S
            fresh = self._utterances() - self._saved_utterances
            due = waited_s >= patience_s or fresh >= config.db_sync_utterance_threshold
            if due and self._seq() > self._saved_seq and not self._recorder.away:
                waited_s = 0.0
                await self.save()

    async def save(self) -> None:
        """Save the present state, where there is anything new in it."""
        if self._store is None or self._seq() == self._saved_seq:
            return
        # JSON by its making: to validate it would take longer than to make it.
        snapshot = Snapshot.model_construct(seq=self._seq(), state=self._manager.meeting.snapshot())
        utterances = self._utterances()
        try:
            if not await self._recorder.settled(snapshot.seq):
                return
            await self._shown_up_to(snapshot.seq)
            await self._store.save_snapshot(self._manager.meeting_id, self._epoch, snapshot)
        except PortError as error:
            # A snapshot is only a faster way to the same state.
            log.warning("snapshot_failed", error=str(error))
            return
        self._saved_seq, self._saved_utterances = snapshot.seq, utterances

    def _utterances(self) -> int:
        return len(self._manager.meeting.utterances)
