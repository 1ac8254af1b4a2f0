"""What the in-memory store, leases and registry share: as the three Postgres adapters share a database."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import SecretStr

from context.ports import Fenced, Unavailable
from worker.ports import Holder, MeetingStatus

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass
class HandClock:
    """A clock that moves only by hand."""

    now: datetime = START

    def now_utc(self) -> datetime:
        return self.now

    def monotonic_s(self) -> float:
        return (self.now - START).total_seconds()

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class LoopedClock(HandClock):
    """A clock that goes with the running loop's, which in a virtual loop jumps."""

    def __init__(self) -> None:
        self._zero_s = asyncio.get_running_loop().time()

    @property
    def now(self) -> datetime:  # type: ignore[override]  # moved by the loop, not by hand
        return START + timedelta(seconds=asyncio.get_running_loop().time() - self._zero_s)


@dataclass
class StoredEvent:
    """A row of the events table: the payload as JSON text, as it would lie on disk."""

    version: int
    payload: str


@dataclass
class MeetingRecord:
    """All that is kept of one meeting."""

    id: str
    room: str | None
    title: str | None
    status: MeetingStatus = "wanted"
    started_at: datetime | None = None
    ended_at: datetime | None = None
    failure: str | None = None
    end_requested: bool = False
    key: SecretStr | None = None
    due_at: datetime = LONG_AGO
    dispatches: int = 0
    dispatched_epoch: int = -1
    dispatch_open: bool = False
    dispatched_at: datetime | None = None
    crashes: int = 0
    takeovers: int = 0
    taken_over_at: datetime = LONG_AGO
    epoch: int = 0
    holder: Holder | None = None
    expires_at: datetime = LONG_AGO
    unwritten: dict[str, int] = field(default_factory=dict)
    standby: Holder | None = None
    standby_until: datetime = LONG_AGO
    standby_wanted: bool = False
    successor_sought_until: datetime = LONG_AGO
    next_standby_at: datetime = LONG_AGO
    standby_tries: int = 0
    events: list[StoredEvent] = field(default_factory=list)
    snapshot: tuple[int, str] | None = None

    def takeovers_lately(self, now: datetime) -> int:
        """`moim.takeovers_lately`."""
        return self.takeovers if self.taken_over_at > now - timedelta(minutes=5) else 0

    def takeover_wait(self, now: datetime) -> timedelta:
        """`moim.takeover_wait`."""
        lately = self.takeovers_lately(now)
        return timedelta(seconds=0 if lately < 2 else min(20, 5 * 2 ** (lately - 2)))

    def taken_over_later(self, now: datetime) -> bool:
        """`moim.taken_over_later`."""
        return self.holder is not None and self.expires_at + self.takeover_wait(now) > now

    @property
    def open(self) -> bool:
        return self.status in {"wanted", "live"}


class Record:
    """All meetings. `available = False` makes every door of it raise `Unavailable`."""

    def __init__(self, clock: HandClock | None = None) -> None:
        self.clock = clock or HandClock()
        self.meetings: dict[str, MeetingRecord] = {}
        self.full: dict[str, tuple[str, datetime]] = {}
        """Worker → its host and why it is full, and until when that is believed."""
        self.available = True

    def demand_available(self) -> None:
        if not self.available:
            raise Unavailable("the record is away")

    def held(self, meeting_id: str, epoch: int) -> MeetingRecord:
        """The meeting, if `epoch` is its present one."""
        self.demand_available()
        meeting = self.meetings.get(meeting_id)
        if meeting is None or epoch <= 0 or meeting.epoch != epoch:
            raise Fenced.of(meeting_id, epoch)
        return meeting

    def open_meeting(self, meeting_id: str = "m-test", room: str | None = None) -> int:
        """A meeting with somebody's lease on it: its epoch. For tests that only need a record."""
        meeting = self.meetings.setdefault(meeting_id, MeetingRecord(meeting_id, room, None))
        meeting.epoch += 1
        meeting.holder = Holder(host="test", worker_pid=1, job_pid=meeting.epoch)
        meeting.expires_at = self.clock.now + timedelta(days=1)
        return meeting.epoch


def as_stored(value: Any) -> str:
    """JSON text; NUL and lone surrogates, which a database cannot hold, become U+FFFD."""
    from worker.adapters.postgres_store import storable_json

    return json.dumps(json.loads(storable_json(value)), ensure_ascii=False)
