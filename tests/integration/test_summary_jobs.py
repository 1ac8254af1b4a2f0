"""A summary job is a row: under way, completed or failed, one at a time, and no failure hides a success."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest

from context.events.events import Event, MeetingStarted
from context.events.topic_events import SummaryFailed
from context.ports import RecordedEvent
from tests.contracts.events import NINE, spoken
from tests.contracts.world import World
from tests.integration.summary_jobs import begun, done
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry

pytestmark = pytest.mark.postgres


def failed(version: int, topic: str = "t1") -> SummaryFailed:
    return SummaryFailed(topic_id=topic, version=version, error="TimeoutError: 60 s")


class Record:
    """A meeting whose events are appended one by one, and its summary rows."""

    def __init__(self, world: World, owner: asyncpg.Connection) -> None:
        self._world, self._owner = world, owner
        self._seq = 0
        self.epoch = 0

    async def add(self, events: Sequence[Event]) -> None:
        for event in events:
            self._seq += 1
            await self._world.store.append("m-1", self.epoch, [RecordedEvent(seq=self._seq, event=event)])

    async def rows(self, relation: str = "summaries") -> list[dict[str, Any]]:
        found = await self._owner.fetch(
            f"SELECT * FROM moim.{relation} WHERE meeting_id = 'm-1' ORDER BY topic_id, version"
        )
        return [dict(row) for row in found]


@pytest.fixture
async def record(world: World, owner: asyncpg.Connection) -> Record:
    record = Record(world, owner)
    record.epoch = await world.hold()
    await record.add([MeetingStarted(at=NINE), *(spoken(n, "한 줄") for n in range(1, 4))])
    return record


async def test_a_job_is_under_way_then_completed_with_its_counts(record: Record) -> None:
    await record.add([begun(1, 25)])
    (row,) = await record.rows()
    assert (row["status"], row["text"], row["content"], row["ended_at"]) == ("IN_PROGRESS", None, None, None)
    assert (row["covered_until"], row["turns"], row["source_tokens"]) == (25, 25, 400)
    # Two readings of a float of seconds: a microsecond may lie between.
    assert (row["deadline_at"] - row["started_at"]).total_seconds() == pytest.approx(60, abs=1e-5)
    await record.add([done(1, 25, "요약")])
    (row,) = await record.rows()
    assert (row["status"], row["text"], row["text_tokens"], row["turns"]) == ("COMPLETED", "요약", 12, 25)
    assert row["ended_at"] >= row["started_at"]


async def test_a_failure_hides_no_success_and_is_no_summary(record: Record) -> None:
    await record.add([begun(1, 25), done(1, 25, "The first."), begun(2, 50), failed(2)])
    first, second = await record.rows()
    assert (first["status"], second["status"]) == ("COMPLETED", "FAILED")
    assert (second["text"], second["content"]) == (None, None)
    assert [row["text"] for row in await record.rows("current_summaries")] == ["The first."]
    await record.add([begun(2, 55)])
    _, again = await record.rows()
    assert (again["status"], again["error"], again["covered_until"]) == ("IN_PROGRESS", None, 55)
    assert [row["version"] for row in await record.rows("current_summaries")] == [1]
    await record.add([done(2, 55, "The second.")])
    assert [row["text"] for row in await record.rows("current_summaries")] == ["The second."]


async def test_after_a_takeover_the_stale_job_is_started_again_as_the_same_row(record: Record) -> None:
    await record.add([begun(1, 25)])
    (stale,) = await record.rows()
    await record.add([begun(1, 25)])
    (again,) = await record.rows()
    assert again["status"] == "IN_PROGRESS"
    assert again["started_at"] > stale["started_at"]
    await record.add([done(1, 25, "요약"), failed(1), begun(1, 25), done(1, 25, "zu spät")])
    (row,) = await record.rows()
    assert (row["status"], row["text"]) == ("COMPLETED", "요약")


async def test_one_job_at_a_time_per_topic(record: Record, owner: asyncpg.Connection) -> None:
    await record.add([begun(1, 25), begun(1, 30, topic="t2"), begun(2, 50)])
    rows = await record.rows()
    assert [(row["topic_id"], row["version"], row["status"]) for row in rows] == [
        ("t1", 1, "FAILED"),
        ("t1", 2, "IN_PROGRESS"),
        ("t2", 1, "IN_PROGRESS"),
    ]
    with pytest.raises(asyncpg.UniqueViolationError):
        await owner.execute(
            "UPDATE moim.summaries SET status = 'IN_PROGRESS', error = NULL WHERE topic_id = 't1'"
        )
    for wrong in ("text = 'error: 500'", "content = '{}'"):
        with pytest.raises(asyncpg.CheckViolationError):
            await owner.execute(f"UPDATE moim.summaries SET {wrong} WHERE topic_id = 't1' AND version = 1")


async def test_jobs_of_a_worker_of_before_appear_when_they_come_back(record: Record) -> None:
    await record.add([done(1, 25, "요약"), failed(2)])
    first, second = await record.rows()
    assert (first["status"], first["started_at"], second["status"]) == ("COMPLETED", None, "FAILED")


async def test_a_draft_that_nobody_waits_for_is_found_when_its_meeting_is_over(
    record: Record, pool: PostgresPool, owner: asyncpg.Connection
) -> None:
    registry = PostgresRegistry(pool)

    await record.add([begun(1, 3), begun(1, 3, topic="t2")])
    await owner.execute("UPDATE moim.summaries SET deadline_at = clock_timestamp()")
    assert await registry.late_drafts(9) == [], "its holder is at work"
    await registry.mark_ended("m-1", record.epoch, datetime.now(UTC))
    await PostgresLeases(pool).release("m-1", record.epoch)
    assert await registry.late_drafts(9) == ["m-1"]
    await owner.execute("UPDATE moim.summaries SET deadline_at = clock_timestamp() + interval '1 minute'")
    assert await registry.late_drafts(9) == [], "somebody is at it"
    await owner.execute("UPDATE moim.summaries SET deadline_at = clock_timestamp()")
    await owner.execute(
        "UPDATE moim.meetings SET ended_at = clock_timestamp() - interval '61 minutes',"
        " created_at = clock_timestamp() - interval '62 minutes'"
    )
    assert await registry.late_drafts(9) == [], "nobody waits for its minutes any more"
