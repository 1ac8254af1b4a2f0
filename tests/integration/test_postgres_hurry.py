"""A worker that has come makes due what was dispatched while there was none."""

from __future__ import annotations

import pytest

from tests.contracts.world import HOLDER
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry

pytestmark = pytest.mark.postgres


async def test_what_nobody_holds_is_due_at_once(pool: PostgresPool) -> None:
    registry, leases = PostgresRegistry(pool), PostgresLeases(pool)
    waiting, held, over = [await registry.want(room) for room in ("waiting", "held", "over")]
    assert len(await registry.claim_unheld(limit=9, retry_after_s=60)) == 3
    await leases.acquire(held.id, HOLDER, 60)
    await registry.request_end(over.id)
    assert await registry.claim_unheld(limit=9, retry_after_s=60) == [], "claimed a moment ago"
    await registry.hurry()
    assert [row.id for row in await registry.claim_unheld(limit=9, retry_after_s=60)] == [waiting.id]
