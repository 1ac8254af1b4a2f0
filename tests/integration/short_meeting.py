"""A short meeting on the record."""

from __future__ import annotations

from datetime import UTC, datetime

from context.events import events
from context.ports import RecordedEvent
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.ports import Holder

STARTED = datetime(2026, 3, 2, 5, 0, tzinfo=UTC)
LINES = [
    ("minji", "김민지", "오늘은 출시일을 정하겠습니다."),
    ("junho", "박준호", "출시일은 11월 20일로 하겠습니다. 그렇게 결정하죠."),
    ("amy", "Amy", "And we decided to buy the second server next month."),
]


async def record(pool: PostgresPool, meeting_id: str, *, end: bool, track: str | None = None) -> int:
    """A short meeting on the record; the holder's epoch."""
    registry, leases = PostgresRegistry(pool), PostgresLeases(pool)
    await registry.want("회의실", meeting_id=meeting_id, title="주간 회의")
    epoch = await leases.acquire(meeting_id, Holder(host="here", worker_pid=1, job_pid=2), 60.0)
    assert epoch is not None
    happened: list[events.Event] = [
        events.MeetingOpened(meeting_id=meeting_id, room="회의실", title="주간 회의", language="ko"),
        events.MeetingStarted(at=STARTED),
    ]
    happened += [
        events.UtteranceSpoken(
            key=f"k{n}",
            speaker_id=who,
            speaker_name=name,
            text=text,
            start_ms=n * 5000,
            end_ms=n * 5000 + 4000,
            track_id=track,
            track_end_ms=None if track is None else n * 5000 + 4000,
        )
        for n, (who, name, text) in enumerate(LINES)
    ]
    if end:
        happened.append(events.MeetingEnded(at_ms=20_000, reason="everybody left"))
    recorded = [RecordedEvent(seq=n, event=event) for n, event in enumerate(happened, 1)]
    await PostgresStore(pool).append(meeting_id, epoch, recorded)
    await registry.mark_live(meeting_id, epoch, STARTED)
    if end:
        await registry.mark_ended(meeting_id, epoch, datetime(2026, 3, 2, 5, 0, 20, tzinfo=UTC))
    return epoch
