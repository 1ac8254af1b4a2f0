"""Leases in memory: `LeaseStore`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from context.ports import Fenced, Refused
from tests.fakes.record import Record
from worker.ports import Holder, Renewal


class FakeLeases:
    """The right to write a meeting, by the record's hand-moved clock."""

    def __init__(self, record: Record | None = None) -> None:
        self.record = record or Record()

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        if meeting is None:
            raise Refused(f"there is no meeting {meeting_id!r}")
        now = self.record.clock.now
        if not meeting.open or (meeting.expires_at > now and meeting.holder != holder):
            return None
        if meeting.holder not in {None, holder}:
            if meeting.taken_over_later(now):
                return None
            meeting.takeovers, meeting.taken_over_at = meeting.takeovers_lately(now) + 1, now
        meeting.epoch += 1
        meeting.holder, meeting.expires_at = holder, now + timedelta(seconds=ttl_s)
        return meeting.epoch

    async def reopen(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        if meeting is None:
            raise Refused(f"there is no meeting {meeting_id!r}")
        now = self.record.clock.now
        if meeting.status != "ended" or meeting.expires_at > now:
            return None
        meeting.epoch += 1
        meeting.holder, meeting.expires_at = holder, now + timedelta(seconds=ttl_s)
        return meeting.epoch

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        if meeting is None or meeting.epoch != epoch:
            raise Fenced.of(meeting_id, epoch)
        meeting.expires_at = self.record.clock.now + timedelta(seconds=ttl_s)
        if unwritten is not None:
            meeting.unwritten = dict(unwritten)
        return Renewal(end_requested=meeting.end_requested)

    async def release(self, meeting_id: str, epoch: int) -> None:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        if meeting is not None and meeting.epoch == epoch:
            meeting.expires_at = meeting.due_at = self.record.clock.now - timedelta(seconds=1)
            meeting.holder = None
