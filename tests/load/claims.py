"""What it costs Postgres to be asked what nobody holds: with so many meetings under way, and none of them due.

Every dispatcher asks twice a second, and so does every text worker that has a place left.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any, Final

import asyncpg

from tests.conftest import migrated_postgres, open_directory
from worker.adapters.postgres_leases import PostgresStandbys
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.clock import monotonic_s
from worker.fleet.dispatcher import LATE_S, RETRY_AFTER_S, STANDBY_AFTER_S

_TIMES: Final = 30
_WANTED: Final = """
INSERT INTO moim.meetings (tenant, id, room, status)
SELECT 'default', 'm-' || n, CASE WHEN $2 THEN NULL ELSE '회의실 ' || n END, 'live' FROM generate_series(1, $1) n;
"""
_HELD: Final = """
INSERT INTO moim.leases (tenant, meeting_id) SELECT tenant, id FROM moim.meetings ON CONFLICT DO NOTHING;
SELECT moim.acquire_lease(tenant, id, '{"host": "a", "worker_pid": 1, "job_pid": 2}', 3600) FROM moim.meetings;
VACUUM ANALYZE;
"""


async def claims(meetings: int) -> dict[str, float]:
    """Median milliseconds of each question, with so many meetings in rooms, then as many of text."""
    took: dict[str, float] = {"meetings": meetings}
    with open_directory() as directory:
        async with migrated_postgres(directory) as server:
            pool = PostgresPool(server.url)
            registry, standbys = PostgresRegistry(pool), PostgresStandbys(pool)
            for text in (False, True):
                await hold(server.admin_url, meetings, text=text)
                took[f"unheld_{'text' if text else 'rooms'}_ms"] = await _ms(
                    lambda text=text: registry.claim_unheld(limit=50, retry_after_s=RETRY_AFTER_S, text=text)  # type: ignore[misc]  # bound at once
                )
                if not text:
                    took["unguarded_ms"] = await _ms(
                        lambda: standbys.claim_unguarded(
                            limit=50, retry_after_s=STANDBY_AFTER_S, every=False, late_s=LATE_S
                        )
                    )
            await pool.aclose()
    return took


async def hold(admin_url: str, meetings: int, *, text: bool) -> None:
    """So many live meetings, each with a holder for the next hour."""
    owner = await asyncpg.connect(admin_url)
    try:
        await owner.execute("TRUNCATE moim.meetings CASCADE")
        await owner.execute(_WANTED, meetings, text)
        for statement in _HELD.strip().split("\n"):
            await owner.execute(statement)
    finally:
        await owner.close()


async def _ms(ask: Callable[[], Awaitable[Any]]) -> float:
    """Nothing may be due: then it is the look alone that is measured."""
    took = []
    for _ in range(_TIMES):
        began_s = monotonic_s()
        assert not list(await ask())
        took.append(1000 * (monotonic_s() - began_s))
    return round(median(took), 1)
