"""A meeting's state, saved now and then: a faster way to what the record says anyway.

The first of a holder has everything; those that follow bring only the topics that changed since the last.
So an hour of talk costs the eighth hour no more than the first. After one that failed everything goes once
more: nobody knows what became of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from context.manager import ContextManager
from context.models import TopicSegment
from context.ports import Fenced, PortError, Refused, Snapshot
from context.snapshot import changes
from worker.record.recorder import Recorder

log = structlog.get_logger(__name__)

_TICK_S: Final = 1.0


class Snapshots:
    """Saves one meeting's. `run` does so when one is due."""

    def __init__(
        self,
        manager: ContextManager,
        recorder: Recorder,
        *,
        seq: Callable[[], int],
        shown_up_to: Callable[[int], Awaitable[None]],
    ) -> None:
        """`seq`: the last folded event; `shown_up_to` waits for its showing."""
        self._manager, self._recorder = manager, recorder
        self._seq, self._shown_up_to = seq, shown_up_to
        self._saved_seq, self._saved_utterances = recorder.committed, self._utterances()
        self._saving = asyncio.Lock()
        """One at a time: each builds on the one before."""
        self._base: tuple[int, list[TopicSegment]] | None = None
        """What the next one builds on: the number of the last one that was saved, and its topics."""

    async def run(self) -> None:
        """Save one when enough was said, or time went by, since the last."""
        config = self._manager.config
        patience_s = config.db_sync_interval_seconds
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
        if not self._recorder.keeps:
            return
        async with self._saving:
            if self._seq() != self._saved_seq:
                await self._save()

    async def _save(self) -> None:
        try:
            await self._save_now()
        except PortError as error:
            log.warning("snapshot_failed", error=str(error))
        except Exception:
            # A snapshot is only a faster way to the same state: no fault in it may end the meeting.
            log.exception("snapshot_failed")

    async def _save_now(self) -> None:
        snapshot, topics = self._taken()
        utterances = self._utterances()
        if not await self._recorder.settled(snapshot.seq):
            return
        await self._shown_up_to(snapshot.seq)
        self._base = None  # unless it is known to have been saved
        await self._keep(snapshot, topics)
        self._base = snapshot.seq, topics
        self._saved_seq, self._saved_utterances = snapshot.seq, utterances

    async def _keep(self, snapshot: Snapshot, topics: Sequence[TopicSegment]) -> None:
        try:
            await self._recorder.save(snapshot)
        except Fenced:
            raise
        except Refused:
            if snapshot.since is None:
                raise
            # What it builds on is gone: a crash of the database took it back.
            complete = snapshot.model_copy(update={"topics": changes(topics), "since": None})
            await self._recorder.save(complete)

    def _taken(self) -> tuple[Snapshot, list[TopicSegment]]:
        """The present state, and all topics as they are in it."""
        since, saved = self._base or (None, [])
        meeting = self._manager.meeting
        state, topics = meeting.snapshot(topics=False), list(meeting.segments)
        # JSON by its making: to validate it would take longer than to make it.
        snapshot = Snapshot.model_construct(
            seq=self._seq(), state=state, topics=changes(topics, saved), since=since
        )
        return snapshot, topics

    def _utterances(self) -> int:
        return len(self._manager.meeting.utterances)
