"""Meetings as they go on, for those who watch: each one's record is read once here, however many look.

A watched meeting is folded in this process from the record's own events, so that what viewers see is what is
durable, each change under the number of the event that made it: whoever lost the connection goes on from the
last number without a hole and without a repeat, at this dispatcher or at another one. Redis only says that
there is something new; without it the record is looked at every second.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, tzinfo
from types import TracebackType
from typing import Any, Final, Protocol, Self

import structlog

from context import effects
from context.config import ContextConfig
from context.decided import ConsentTold, Erased
from context.events import Corrected, RecordingPaused, RecordingResumed
from context.export.document import (
    gap_fields,
    iso,
    off_record_rows,
    participant_rows,
    reply_fields,
    topic_row,
    utterance_fields,
)
from context.meeting import Meeting
from context.models import Utterance
from context.ports import PortError, RecordedEvent, StoredMeeting
from worker.ports import MeetingRow
from worker.record.restoring import rebuilt

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 1.0
_KEPT: Final = 2_000
"""Changes that are kept for those who come back; who was away for longer gets the document again."""
_LEFT_S: Final = 30.0
"""So long a meeting that nobody watches any more is followed on."""
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that viewers are shown."""

    seq: int
    """The event that made it. Several changes may have one number: they are shown together or not at all."""
    kind: str
    """`utterance`, `topic`, `gap`, `reply`, `status`, `participants`, or `document`: all anew."""
    fields: Mapping[str, Any]


class FollowedRecord(Protocol):
    """Reads a meeting's events from the record as they come."""

    async def load(self, meeting_id: str) -> StoredMeeting | None:
        """Everything on record. Raises `PortError`."""
        ...

    async def events_after(self, meeting_id: str, seq: int, most: int) -> Sequence[RecordedEvent]:
        """What came behind `seq`. Raises `PortError`."""
        ...


Describe = Callable[[Meeting, MeetingRow], dict[str, Any]]
"""A meeting's document."""
PASSING: Final = frozenset({"interim", "degraded"})
_PASSING_KEPT: Final = 100
Nudges = Callable[[str], AsyncIterator[Mapping[str, Any] | None]]
"""Of a meeting: one item whenever there may be something new. Never ends."""


class Followed:
    """One meeting, its fold and what changed in it lately."""

    def __init__(
        self,
        row: MeetingRow,
        record: FollowedRecord,
        config: ContextConfig,
        describe: Describe,
        zone: tzinfo = UTC,
    ) -> None:
        self._row, self._record, self._config, self._describe = row, record, config, describe
        self._zone = zone
        self._meeting = Meeting(row.id, config)
        self._changes: deque[Change] = deque(maxlen=_KEPT)
        self._seq = 0
        self._from_seq = 0
        """Up to here the changes are not known one by one."""
        self._arrived = asyncio.Condition()
        self._passing: set[asyncio.Queue[tuple[str, Mapping[str, Any]]]] = set()
        self.viewers = 0
        self.nudged = asyncio.Event()

    @contextmanager
    def passing(self) -> Iterator[asyncio.Queue[tuple[str, Mapping[str, Any]]]]:
        """What passes while somebody is in this block: words under way, what is degraded. On no record."""
        mine: asyncio.Queue[tuple[str, Mapping[str, Any]]] = asyncio.Queue(_PASSING_KEPT)
        self._passing.add(mine)
        try:
            yield mine
        finally:
            self._passing.discard(mine)

    def pass_on(self, kind: str, fields: Mapping[str, Any]) -> None:
        """To everybody who watches; who does not keep up misses some."""
        for queue in self._passing:
            with suppress(asyncio.QueueFull):
                queue.put_nowait((kind, fields))

    async def load(self) -> None:
        """Read the record. Raises `PortError`."""
        stored = await self._record.load(self._row.id)
        self._meeting, self._seq = await asyncio.to_thread(rebuilt, stored, self._row.id, self._config)
        self._from_seq = self._seq

    async def follow(self) -> None:
        """Fold what comes; never returns."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self.nudged.wait()
            self.nudged.clear()
            try:
                while await self._look() == _AT_ONCE:
                    pass
            except PortError as error:
                log.warning("record_out_of_reach", meeting_id=self._row.id, error=str(error))

    async def changes(self, after: int | None, row: MeetingRow) -> AsyncGenerator[Change, None]:
        """All changes behind event `after`, and every later one; None: the document first. Never ends.

        `row`: the meeting as the registry has it now.
        """
        at = after
        if at is not None and at > self._seq:  # another dispatcher was ahead of this one
            await self._caught_up(at)
        while True:
            if at is None or at < self._oldest() or at > self._seq:
                at = self._seq
                yield Change(at, "document", self._describe(self._meeting, self._as_it_is(row)))
            fresh = [change for change in self._changes if change.seq > at]
            for change in fresh:
                yield change
            at = fresh[-1].seq if fresh else at
            async with self._arrived:
                if not self._changes or self._changes[-1].seq <= at:
                    await self._arrived.wait()

    def _as_it_is(self, row: MeetingRow) -> MeetingRow:
        """The row with the status of now: the registry was asked when the viewer came."""
        if self._meeting.ended is not None:
            return row.model_copy(update={"status": "ended"})
        if self._meeting.started_at is not None and row.status == "wanted":
            return row.model_copy(update={"status": "live"})
        return row

    async def _caught_up(self, seq: int) -> None:
        self.nudged.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_EVERY_S), self._arrived:
                await self._arrived.wait_for(lambda: self._seq >= seq)

    def _oldest(self) -> int:
        """From this number on every change is known."""
        if len(self._changes) < _KEPT:
            return self._from_seq
        return self._changes[0].seq  # others of the same number may have been dropped

    async def _look(self) -> int:
        events = await self._record.events_after(self._row.id, self._seq, _AT_ONCE)
        for recorded in events:
            changes = self._folded(recorded)
            if isinstance(recorded.event, Erased):  # nobody is shown what was before: all of it anew
                self._changes.clear()
                self._from_seq = recorded.seq
            else:
                self._changes.extend(changes)
            self._seq = recorded.seq
        if events:
            async with self._arrived:
                self._arrived.notify_all()
        return len(events)

    def _folded(self, recorded: RecordedEvent) -> list[Change]:
        people = self._meeting.attendance.people
        before = len(people)
        found: list[Change] = []
        spoken = False
        for effect in self._meeting.receive(recorded.event):
            shown = self._shown(effect)
            if shown is not None:
                found.append(Change(recorded.seq, *shown))
                spoken = spoken or shown[0] == "utterance"
        if isinstance(recorded.event, RecordingPaused | RecordingResumed):
            found.append(Change(recorded.seq, "off_the_record", {"rows": off_record_rows(self._meeting)}))
        if spoken or len(people) != before or isinstance(recorded.event, Corrected | ConsentTold):
            found.append(
                Change(recorded.seq, "participants", {"participants": participant_rows(self._meeting)})
            )
        return found

    def _shown(self, effect: effects.Effect) -> tuple[str, dict[str, Any]] | None:
        match effect:
            case effects.PublishUtterance(utterance=said):
                return "utterance", utterance_fields(self._as_placed(said))
            case effects.PublishCorrected(utterance=said):
                return "utterance", utterance_fields(said)
            case effects.PublishTopic(segment=segment):
                return "topic", topic_row(self._meeting, segment, self._zone)
            case effects.PublishGap(gap=gap):
                return "gap", gap_fields(gap)
            case effects.PublishReply(reply=reply) if not reply.private:
                return "reply", reply_fields(reply)
            case effects.PublishStatus(status=status, detail=detail):
                began = iso(self._meeting.started_at)
                return "status", {"status": status, "detail": detail, "started_at": began}
            case _:
                return None

    def _as_placed(self, said: Utterance) -> Utterance:
        """With the topic that the fold has put it into."""
        return next((each for each in reversed(self._meeting.utterances) if each.id == said.id), said)


class Following:
    """The meetings that somebody watches at this process; an async context manager."""

    def __init__(
        self,
        record: FollowedRecord,
        config: ContextConfig,
        describe: Describe,
        nudges: Nudges | None = None,
        zone: tzinfo = UTC,
    ) -> None:
        """`nudges`: None where there is no Redis. `zone`: in which "tomorrow" means a day."""
        self._record, self._config, self._describe, self._nudges = record, config, describe, nudges
        self._zone = zone
        self._followed: dict[str, Followed] = {}
        self._opening = asyncio.Lock()
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Follow nothing any more."""
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(kind, error, trace)

    @asynccontextmanager
    async def watching(self, row: MeetingRow) -> AsyncIterator[Followed]:
        """The meeting, followed as long as somebody is in this block. Raises `PortError`."""
        async with self._opening:
            followed = self._followed.get(row.id)
            if followed is None:
                followed = await self._opened(row)
            followed.viewers += 1
        try:
            yield followed
        finally:
            followed.viewers -= 1

    async def _opened(self, row: MeetingRow) -> Followed:
        followed = Followed(row, self._record, self._config, self._describe, self._zone)
        await followed.load()
        self._followed[row.id] = followed
        task = self._group.create_task(self._keep(row.id, followed), name=f"following-{row.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return followed

    async def _keep(self, meeting_id: str, followed: Followed) -> None:
        """Until nobody has looked for a while."""
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(followed.follow())]
                if self._nudges is not None:
                    running.append(tasks.create_task(self._nudge(meeting_id, followed)))
                while True:
                    await asyncio.sleep(_LEFT_S)
                    if not followed.viewers:
                        break
                for task in running:
                    task.cancel()
        finally:
            self._followed.pop(meeting_id, None)

    async def _nudge(self, meeting_id: str, followed: Followed) -> None:
        assert self._nudges is not None
        async for passing in self._nudges(meeting_id):
            if passing is None:
                followed.nudged.set()
            elif (kind := passing.get("kind")) in PASSING:
                followed.pass_on(
                    kind, {name: passing[name] for name in passing if name not in {"kind", "at"}}
                )
