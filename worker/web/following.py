"""Meetings as they go on, for those who watch: a process reads a record once, however many viewers it has.

A watched meeting is folded in this process from the record's own events, so that what viewers see is what is
durable, each change under the number of the event that made it: whoever lost the connection goes on from the
last number of which they have all changes, without a hole, at this dispatcher or at another one. Redis only
says that there is something new; without it the record is looked at every second.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, Final, Protocol, Self
from zoneinfo import ZoneInfo

import structlog

from context.events import effects
from context.events.events import Corrected, MeetingOpened, ParticipantJoined
from context.events.privacy_events import ConsentTold, Erased, RecordingPaused, RecordingResumed
from context.export.document import (
    gap_fields,
    iso,
    off_record_rows,
    participant_rows,
    reply_fields,
    topic_row,
    utterance_fields,
)
from context.export.exchange_rows import exchange_rows
from context.export.guest_view import for_guests, reply_for_guests
from context.fold.meeting import Meeting
from context.ports import MeetingStore, PortError, RecordedEvent
from context.primitives.undated import dated
from worker.configuration.settings import Settings
from worker.ports import MeetingRow
from worker.record.restoring import document_of, read_with_seq

log = structlog.get_logger(__name__)

_LOOK_EVERY_S: Final = 1.0
_KEPT_CHANGES: Final = 2_000
"""How many changes are kept for viewers who come back; one who missed more gets the document again."""
_LEFT_S: Final = 30.0
"""How often it is looked whether a meeting still has viewers; without any it is followed no longer."""
_EVENTS_AT_ONCE: Final = 500
"""How many events are read from the record in one go."""
_PASSING_KINDS: Final = frozenset({"interim", "degraded", "doing", "title"})
_MAX_WAITING_CHANGES: Final = 100
"""How much of what passes waits for one viewer; a slower one misses the rest."""


class GrowingRecord(MeetingStore, Protocol):
    """A record of which each next event can be read."""

    async def events_after(self, meeting_id: str, seq: int, most: int) -> tuple[RecordedEvent, ...]:
        """Give at most `most` events behind number `seq`, in order. Raises `PortError`."""


class News(Protocol):
    """The stream by which a meeting's holder tells that there is something new."""

    async def pass_on(self, meeting_id: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Show something to who watches now, at any dispatcher. Raises `PortError`."""

    def watch(self, meeting_id: str) -> AsyncIterator[dict[str, Any] | None]:
        """Yield None for each event that is on record now, and what passes by without being recorded."""


Passing = bytes
"""The event of what is on no record: words under way (`interim`), parts that fail (`degraded`), what the
agent does with a question (`doing`), another title (`title`)."""


def event_of(kind: str, fields: Mapping[str, Any]) -> bytes:
    """Write a server-sent event, without an id."""
    # ASCII alone: what is no line break for JSON is one for some readers of events.
    return f"event: {kind}\ndata: {json.dumps(fields, allow_nan=False)}\n\n".encode()


@dataclass(frozen=True)
class Change:
    """A part of the meeting's document that is new, as one server-sent event shows it."""

    seq: int
    """The number of the event that made it, which may have made several."""
    kind: str
    """What it is of; `document`: everything anew, in the place of all that was shown before."""
    fields: Mapping[str, Any]
    """The fields of that part in the document (`context.export.document`)."""
    last: bool = True
    """Whether it is the last of its event; a viewer who leaves before it gets them all again."""

    @cached_property
    def event(self) -> bytes:
        """The change as a server-sent event, the last with its number: written once, however many look."""
        return self._written(self.fields)

    @cached_property
    def for_guests(self) -> bytes:
        """The event as it is for those who see this meeting alone (`context.export.guest_view`)."""
        match self.kind:
            case "document":
                return self._written(for_guests(self.fields))
            case "reply":
                return self._written(reply_for_guests(self.fields))
            case _:
                return self.event

    def _written(self, fields: Mapping[str, Any]) -> bytes:
        shown = event_of(self.kind, fields)
        return f"id: {self.seq}\n".encode() + shown if self.last else shown


class Followed:
    """One meeting that somebody watches: its fold, and what changed in it lately."""

    def __init__(self, row: MeetingRow, record: GrowingRecord, settings: Settings) -> None:
        self._row, self._record, self._settings = row, record, settings
        self._zone = ZoneInfo(settings.agent.time_zone)
        self._meeting = Meeting(row.id, settings.context)
        self._changes: deque[Change] = deque(maxlen=_KEPT_CHANGES)
        self._seq = 0
        self._from_seq = 0
        """The event up to which only the document is known, and not each change."""
        self._arrived = asyncio.Condition()
        self._passing: set[asyncio.Queue[Passing]] = set()
        self._nudged = asyncio.Event()
        self._given_up = False
        self.viewers = 0
        """How many blocks of `Following.watching` are open."""

    async def load(self) -> None:
        """Read the record so far; once, before all else. Raises `PortError`."""
        self._meeting, self._seq = await read_with_seq(self._record, self._row.id, self._settings.context)
        self._from_seq = self._seq

    async def follow(self) -> None:
        """Fold the events that are added to the record, until cancelled; outages are waited out."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY_S):
                    await self._nudged.wait()
            self._nudged.clear()
            try:
                while await self._look() == _EVENTS_AT_ONCE:
                    pass
            except PortError as error:
                log.warning("record_out_of_reach", meeting_id=self._row.id, error=str(error))

    async def listen(self, bus: News) -> None:
        """Hear from Redis what is new, and pass on what is on no record, until cancelled."""
        async for news in bus.watch(self._row.id):
            if news is None:
                self._nudged.set()
            elif (kind := news.get("kind")) in _PASSING_KINDS:
                self.pass_on(kind, {name: news[name] for name in news if name not in {"kind", "at"}})

    def pass_on(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Show those who look at this process what is on no record."""
        event = event_of(kind, fields)
        for queue in self._passing:
            with suppress(asyncio.QueueFull):  # who does not keep up misses some
                queue.put_nowait(event)

    @contextmanager
    def passing(self) -> Iterator[asyncio.Queue[Passing]]:
        """Give a queue that gets what passes while the block is open."""
        mine: asyncio.Queue[Passing] = asyncio.Queue(_MAX_WAITING_CHANGES)
        self._passing.add(mine)
        try:
            yield mine
        finally:
            self._passing.discard(mine)

    async def changes(self, after: int | None, row: MeetingRow) -> AsyncGenerator[Change, None]:
        """Give each change behind event number `after`, then each later one as it comes, until `give_up`.

        The document comes first where `after` is None or too long ago. `row` is the meeting as the registry
        has it now.
        """
        if after is not None and after > self._seq:  # another dispatcher was ahead of this one
            self._nudged.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY_S), self._arrived:
                    await self._arrived.wait_for(lambda: self._seq >= after)
        at = after
        while True:
            # With all places taken, others of the oldest number may have been dropped.
            oldest = self._from_seq if len(self._changes) < _KEPT_CHANGES else self._changes[0].seq
            if at is None or not oldest <= at <= self._seq:
                at = self._seq
                yield Change(at, "document", self._document(row))
            for change in [one for one in self._changes if one.seq > at]:
                if change.seq <= self._from_seq:  # its words may have been erased since: the document follows
                    break
                yield change
                at = change.seq
            async with self._arrived:
                while not self._goes_on_behind(at):
                    if self._given_up:
                        return
                    await self._arrived.wait()

    async def give_up(self) -> None:
        """End `changes` of everybody who has seen all: whoever comes again has the meeting followed anew."""
        self._given_up = True
        async with self._arrived:
            self._arrived.notify_all()

    def _goes_on_behind(self, seq: int) -> bool:
        return seq < self._from_seq or (len(self._changes) > 0 and self._changes[-1].seq > seq)

    def _document(self, row: MeetingRow) -> dict[str, Any]:
        """The document, with the present status: `row` was read when the viewer came.

        `ready` says that a worker has the meeting, and that nobody has come yet.
        """
        status = row.status
        if self._meeting.ended is not None:
            status = "ended"
        elif self._meeting.started_at is not None and status == "wanted":
            status = "live"
        shape = document_of(self._meeting, row.model_copy(update={"status": status}), self._settings)
        if (
            status in {"wanted", "live"}
            and self._meeting.opened is not None
            and self._meeting.started_at is None
        ):
            shape["meeting"]["ready"] = True
        return shape

    async def _look(self) -> int:
        """Fold the next events of the record; how many there were."""
        events = await self._record.events_after(self._row.id, self._seq, _EVENTS_AT_ONCE)
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
        before = len(self._meeting.attendance.people)
        shown = [
            change for effect in self._meeting.receive(recorded.event) if (change := self._shown(effect))
        ]
        spoken = any(kind == "utterance" for kind, _ in shown)
        if isinstance(recorded.event, MeetingOpened):
            shown.append(("status", {"status": "ready", "detail": "", "started_at": None}))
        if isinstance(recorded.event, RecordingPaused | RecordingResumed):
            shown.append(("off_the_record", {"rows": off_record_rows(self._meeting)}))
        if (
            spoken
            or len(self._meeting.attendance.people) != before
            or isinstance(recorded.event, Corrected | ConsentTold | ParticipantJoined)
        ):
            people = participant_rows(self._meeting)
            shown.append(("participants", {"participants": people, **exchange_rows(people)}))
        return [
            Change(recorded.seq, kind, fields, last=place == len(shown))
            for place, (kind, fields) in enumerate(shown, 1)
        ]

    def _shown(self, effect: effects.Effect) -> tuple[str, dict[str, Any]] | None:
        match effect:
            case effects.PublishUtterance(utterance=said):  # as it stands in the topic that it was put into
                placed = (
                    utterance for utterance in reversed(self._meeting.utterances) if utterance.id == said.id
                )
                return "utterance", utterance_fields(next(placed, said))
            case effects.PublishCorrected(utterance=said):
                return "utterance", utterance_fields(said)
            case effects.PublishTopic(segment=segment):
                return "topic", topic_row(self._meeting, segment, self._zone)
            case effects.PublishGap(gap=gap):
                return "gap", gap_fields(gap)
            case effects.PublishReply(reply=reply) if not reply.private:
                return "reply", reply_fields(reply)
            case effects.PublishStatus(status=status, detail=detail):
                began = iso(dated(self._meeting.started_at))
                named = {} if effect.name is None else {"name": effect.name}
                return "status", {"status": status, "detail": detail, **named, "started_at": began}
            case _:
                return None


class Following:
    """The meetings that somebody watches at this process; an async context manager, which ends them all."""

    def __init__(self, record: GrowingRecord, settings: Settings, bus: News | None = None) -> None:
        """Without a `bus` (no Redis) the record is looked at every second, and nothing else is passed on."""
        self._record, self._settings, self._bus = record, settings, bus
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
        """Stop following all meetings."""
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(kind, error, trace)

    @asynccontextmanager
    async def watching(self, row: MeetingRow) -> AsyncIterator[Followed]:
        """Follow a meeting while the block is open. Raises `PortError` where its record cannot be read."""
        async with self._opening:
            followed = self._followed.get(row.id)
            if followed is None:
                followed = Followed(row, self._record, self._settings)
                await followed.load()
                self._followed[row.id] = followed
                task = self._group.create_task(self._keep(row.id, followed), name=f"following-{row.id}")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            followed.viewers += 1
        try:
            yield followed
        finally:
            followed.viewers -= 1

    async def tell(self, meeting_id: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Show whoever watches a meeting what is on no record; without Redis, those at this process."""
        if self._bus is not None:
            with suppress(PortError):  # who looks again has it
                await self._bus.pass_on(meeting_id, kind, fields)
        elif (followed := self._followed.get(meeting_id)) is not None:
            followed.pass_on(kind, fields)

    async def _keep(self, meeting_id: str, followed: Followed) -> None:
        """Follow a meeting until it has no viewers. A fault is logged and ends its streams alone."""
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(followed.follow())]
                if self._bus is not None:
                    running.append(tasks.create_task(followed.listen(self._bus)))
                try:
                    while True:
                        await asyncio.sleep(_LEFT_S)
                        if not followed.viewers:
                            break
                finally:  # before the tasks have ended: whoever comes from now on has it followed anew
                    del self._followed[meeting_id]
                for task in running:
                    task.cancel()
        except* Exception:
            log.exception("meeting_not_followed", meeting_id=meeting_id)
            await followed.give_up()
