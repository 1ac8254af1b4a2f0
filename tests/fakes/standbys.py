"""Who stands by for whom, in memory: `Standbys`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from context.ports import Fenced
from tests.fakes.record import LONG_AGO, MeetingRecord, Record
from tests.fakes.registry import FakeRegistry
from worker.ports import Holder, Unguarded

_ELSEWHERE_AFTER_S = 30


class FakeStandbys:
    """The second jobs of the meetings of one record."""

    def __init__(self, record: Record) -> None:
        self.record = record

    async def claim_unguarded(
        self, *, limit: int, retry_after_s: float, every: bool, late_s: float = 0.0
    ) -> Sequence[Unguarded]:
        self.record.demand_available()
        now = self.record.clock.now
        found: list[Unguarded] = []
        for m in sorted(self.record.meetings.values(), key=lambda m: m.next_standby_at):
            sought, standing = m.successor_sought_until > now, m.standby_until > now
            if m.status != "live" or m.room is None or m.expires_at <= now or len(found) == limit:
                continue
            wanted = every or m.standby_wanted or sought
            late = m.expires_at <= now + timedelta(seconds=late_s) and not m.takeover_wait(now)
            if not (wanted or late):
                continue
            together = standing and _same_worker(m.standby, m.holder)
            if standing and not together:
                continue
            wait_s = _ELSEWHERE_AFTER_S if standing and not (sought or late) else 0
            if m.next_standby_at != LONG_AGO and m.next_standby_at > now - timedelta(seconds=wait_s):
                continue
            apart = wanted and (sought or m.standby_tries % 2 == 0 or together)
            m.next_standby_at = now + timedelta(seconds=retry_after_s)
            m.standby_tries += 1
            row = FakeRegistry(self.record)._row(m)  # one record, two doors
            row = row.model_copy(update={"standby": None})
            found.append(Unguarded(row=row, apart=apart, relief=not wanted))
        return found

    async def note(self, meeting_id: str, who: Holder, ttl_s: float) -> bool:
        self.record.demand_available()
        m = self.record.meetings.get(meeting_id)
        now = self.record.clock.now
        if m is None or not m.open:
            return False
        better = _same_worker(m.standby, m.holder) and not _same_worker(who, m.holder)
        if m.standby_until > now and m.standby != who and not better:
            return False
        m.standby, m.standby_until, m.standby_tries = who, now + timedelta(seconds=ttl_s), 0
        return True

    async def drop(self, meeting_id: str, who: Holder) -> None:
        m = self._meeting(meeting_id)
        if m is not None and m.standby == who and m.standby_until > self.record.clock.now:
            m.standby_until = m.next_standby_at = LONG_AGO

    async def want(self, meeting_id: str) -> None:
        m = self._meeting(meeting_id)
        if m is not None and m.open:
            m.standby_wanted = True

    async def seek_successor(self, meeting_id: str, epoch: int, ttl_s: float) -> None:
        m = self._meeting(meeting_id)
        if m is None or m.epoch != epoch:
            raise Fenced.of(meeting_id, epoch)
        now = self.record.clock.now
        if m.successor_sought_until <= now:
            m.next_standby_at = LONG_AGO
        m.successor_sought_until = now + timedelta(seconds=ttl_s)

    async def successor_found(self, meeting_id: str) -> None:
        m = self._meeting(meeting_id)
        if m is not None:
            m.successor_sought_until = LONG_AGO

    def _meeting(self, meeting_id: str) -> MeetingRecord | None:
        self.record.demand_available()
        return self.record.meetings.get(meeting_id)


def _same_worker(one: Holder | None, other: Holder | None) -> bool:
    return one is not None and other is not None and one.same_worker(other)
