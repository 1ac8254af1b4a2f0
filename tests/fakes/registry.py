"""The list of meetings in memory: `MeetingRegistry`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import SecretStr

from context.ports import Fenced, Refused
from context.primitives.undated import dated
from tests.fakes.record import LONG_AGO, MeetingRecord, Record
from worker.names import key_fault, name_fault, room_fault
from worker.ports import Holder, MeetingRow, MeetingStatus, Taken


class FakeRegistry:
    """Which meetings are wanted, live, ended."""

    def __init__(self, record: Record | None = None) -> None:
        self.record = record or Record()
        self._numbers = itertools.count(1)
        self._wishes: dict[str, str] = {}

    async def want(
        self,
        room: str | None,
        *,
        meeting_id: str | None = None,
        title: str | None = None,
        request_id: str | None = None,
        key: SecretStr | None = None,
    ) -> MeetingRow:
        self.record.demand_available()
        for name, value in (("meeting id", meeting_id), ("room", room), ("title", title)):
            if value is not None and (fault := name_fault(value)) is not None:
                raise Refused(f"{name} {value!r}: {fault}")
        if room is not None and (fault := room_fault(room)) is not None:
            raise Refused(f"room {room!r}: {fault}")
        meeting = self.record.meetings.get(self._wishes.get(request_id or "", meeting_id or ""))
        if meeting is None and room is not None:
            meeting = next((m for m in self.record.meetings.values() if m.open and m.room == room), None)
        if meeting is None:
            meeting = MeetingRecord(meeting_id or f"m-{next(self._numbers):012}", room, title)
            self.record.meetings[meeting.id] = meeting
        if request_id is not None:
            self._wishes.setdefault(request_id, meeting.id)
        if not meeting.open:
            raise Taken(f"meeting {meeting.id!r} is over and is never opened again")
        if meeting.id == meeting_id and meeting.room != room:
            raise Taken(f"meeting {meeting.id!r} takes place elsewhere")
        if key is not None:
            if room is None or request_id is not None or key_fault(key.get_secret_value()) is not None:
                raise Refused("no key of a room")
            meeting.key = key
        return self._row(meeting, one=True)

    async def get(self, meeting_id: str) -> MeetingRow | None:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        return self._row(meeting, one=True) if meeting else None

    async def list_all(self) -> list[MeetingRow]:
        self.record.demand_available()
        return [self._row(m) for m in reversed(self.record.meetings.values())]

    async def list_page(
        self, *, limit: int, statuses: Sequence[MeetingStatus] = (), after: str | None = None
    ) -> list[MeetingRow]:
        rows = await self.list_all()
        behind = [row.id for row in rows].index(after) + 1 if after in self.record.meetings else 0
        if after is not None and not behind:
            return []
        return [row for row in rows[behind:] if not statuses or row.status in statuses][:limit]

    async def mark_live(self, meeting_id: str, epoch: int, started_at: datetime | None) -> None:
        meeting = self.record.held(meeting_id, epoch)
        if not meeting.open:
            raise Fenced(f"meeting {meeting_id!r} is over")
        meeting.status = "live"
        meeting.started_at = meeting.started_at or dated(started_at)

    async def mark_ended(
        self, meeting_id: str, epoch: int, ended_at: datetime, failure: str | None = None
    ) -> None:
        meeting = self.record.held(meeting_id, epoch)
        if meeting.open:
            meeting.status = "failed" if failure else "ended"
            meeting.ended_at, meeting.failure = dated(ended_at), failure

    async def rename(self, meeting_id: str, title: str) -> bool:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        if meeting is None:
            return False
        meeting.title = title
        return True

    async def request_end(self, meeting_id: str) -> bool:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        if meeting is None or not meeting.open:
            return False
        now = self.record.clock.now
        meeting.end_requested, meeting.due_at = True, now
        if meeting.status == "wanted" and meeting.expires_at <= now:
            meeting.status, meeting.ended_at = "ended", now
        return True

    async def claim_unheld(
        self, *, limit: int, retry_after_s: float, text: bool = False
    ) -> Sequence[MeetingRow]:
        self.record.demand_available()
        now = self.record.clock.now
        due = [
            m
            for m in self.record.meetings.values()
            if m.open
            and (m.due_at <= now or m.dispatched_epoch < m.epoch)
            and m.expires_at <= now - timedelta(seconds=2.5 if _guarded(m, now) else 0)
            and (m.room is None) == text
            and _waited_for(m, now)
            and not m.taken_over_later(now)
        ]
        claimed = sorted(due, key=lambda m: m.due_at)[:limit]
        for meeting in claimed:
            if meeting.dispatched_epoch != meeting.epoch:
                meeting.dispatches, meeting.dispatched_epoch = 0, meeting.epoch
                late = timedelta(seconds=5 if meeting.holder is None else 10)
                died = meeting.dispatched_at is not None and meeting.expires_at < meeting.dispatched_at + late
                meeting.crashes = meeting.crashes + 1 if died else 0
            meeting.due_at = now + timedelta(seconds=retry_after_s)
        return [self._row(m).model_copy(update={"dispatches": m.dispatches}) for m in claimed]

    async def note_dispatch(self, meeting_id: str, retry_after_s: float) -> None:
        self.record.demand_available()
        m, now = self.record.meetings[meeting_id], self.record.clock.now
        m.dispatches, m.dispatch_open, m.dispatched_at = m.dispatches + 1, True, now
        if m.due_at > now:
            m.due_at = now + timedelta(seconds=retry_after_s)

    async def claim_finished(
        self, *, limit: int, retry_after_s: float, grace_s: float
    ) -> Sequence[MeetingRow]:
        self.record.demand_available()
        now = self.record.clock.now
        due = [
            m
            for m in self.record.meetings.values()
            if not m.open and m.dispatch_open and m.due_at <= now
            and (m.expires_at == LONG_AGO or m.expires_at <= now - timedelta(seconds=grace_s))
        ][:limit]  # fmt: skip
        for meeting in due:
            meeting.due_at = now + timedelta(seconds=retry_after_s)
        return [self._row(m) for m in due]

    async def note_withdrawn(self, meeting_id: str) -> None:
        self.record.demand_available()
        self.record.meetings[meeting_id].dispatch_open = False

    async def newest_in_rooms(self, rooms: Sequence[str]) -> dict[str, MeetingRow]:
        self.record.demand_available()
        return {m.room: self._row(m) for m in self.record.meetings.values() if m.room in rooms and m.room}

    async def hurry(self, room: str | None = None) -> None:
        self.record.demand_available()
        now = self.record.clock.now
        for m in self.record.meetings.values():
            waits = m.due_at > now or m.crashes or m.takeovers
            if m.open and m.room and waits and m.expires_at <= now and room in {None, m.room}:
                m.due_at, m.dispatches, m.crashes, m.takeovers = now, 0, 0, 0

    async def note_full(self, worker: Holder, cause: str, ttl_s: float) -> None:
        self.record.demand_available()
        until = self.record.clock.now + timedelta(seconds=ttl_s if cause else 0)
        self.record.full[f"{worker.host}/{worker.worker_pid}"] = f"{worker.host}: {cause}", until

    async def offer(self, places: int) -> None:
        self.record.demand_available()
        now = self.record.clock.now
        waiting = [
            m
            for m in self.record.meetings.values()
            if m.open and m.room and m.expires_at <= now < m.due_at and m.crashes < 3
            and m.dispatched_at is not None and m.due_at > m.dispatched_at + timedelta(seconds=2)
        ]  # fmt: skip
        for m in sorted(waiting, key=lambda m: m.expires_at)[:places]:
            assert m.dispatched_at is not None
            m.due_at = max(now, m.dispatched_at + timedelta(seconds=2))

    def _full(self, now: datetime) -> str | None:
        return "; ".join(why for _, (why, until) in sorted(self.record.full.items()) if until > now) or None

    def _row(self, m: MeetingRecord, *, one: bool = False) -> MeetingRow:
        now = self.record.clock.now
        return MeetingRow(
            id=m.id,
            room=m.room,
            title=m.title,
            status=m.status,
            started_at=m.started_at,
            ended_at=m.ended_at,
            epoch=m.epoch,
            holder=m.holder if m.expires_at > now else None,
            standby=m.standby if m.standby_until > now and m.standby != m.holder else None,
            failure=m.failure,
            crashes=m.crashes,
            takeovers=m.takeovers_lately(now),
            full=self._full(now) if m.open and m.expires_at <= now else None,
            let_go=one and m.epoch > 0 and m.holder is None,
            lease_over_s=(now - m.expires_at).total_seconds() if one and m.epoch else None,
            unwritten=m.unwritten if one else {},
        )


class FakeRoomKeys:
    """The keys of encrypted rooms."""

    def __init__(self, record: Record) -> None:
        self.record = record

    async def of(self, meeting_id: str) -> SecretStr | None:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        return meeting.key if meeting is not None and meeting.open else None


def _waited_for(m: MeetingRecord, now: datetime) -> bool:
    """`moim.crash_wait`, without its chance."""
    if m.crashes < 3 or m.dispatched_at is None:
        return True
    return m.dispatched_at + timedelta(seconds=min(25, 5 * 2 ** (m.crashes - 3))) <= now


def _guarded(m: MeetingRecord, now: datetime) -> bool:
    """Somebody stands by who did not die with the holder."""
    together = m.standby is not None and m.holder is not None and m.standby.same_worker(m.holder)
    return m.standby_until > now and not together
