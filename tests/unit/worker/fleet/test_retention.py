"""Words that were kept long enough: asked for once a minute, through an outage, and told in figures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from prometheus_client import CollectorRegistry

from context.ports import Unavailable
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside
from worker.erasures import ErasureBacklog
from worker.fleet.ended_meetings import DUE_EVERY_S, retain
from worker.monitoring.metrics import Metrics

pytestmark = in_virtual_time


class Kept:
    """Three meetings that are due, and a database that is away at first."""

    def __init__(self) -> None:
        self.due = ["m-1", "m-2", "m-3"]
        self.asked: list[str] = []
        self.away = True

    async def ask_for_due(self, days: int | None, limit: int) -> Sequence[str]:
        if self.away:
            raise Unavailable("the database is away")
        assert days == 30
        asked, self.due = self.due[:limit], self.due[limit:]
        self.asked += asked
        return asked

    async def standing(self, days: int | None) -> ErasureBacklog:
        return ErasureBacklog(due=len(self.due), waiting=len(self.asked), held=1, erased=7, oldest_s=12.5)


async def test_what_is_due_is_asked_for_and_told() -> None:
    kept, registry = Kept(), CollectorRegistry()
    async with beside(retain(kept, 30, Metrics(registry))):
        await asyncio.sleep(1)
        assert kept.asked == []
        kept.away = False
        await asyncio.sleep(DUE_EVERY_S)
        assert kept.asked == ["m-1", "m-2", "m-3"]
    told = {
        state: registry.get_sample_value("moim_erasures", {"state": state})
        for state in ("due", "waiting", "held", "erased")
    }
    assert told == {"due": 0, "waiting": 3, "held": 1, "erased": 7}
    assert registry.get_sample_value("moim_erasures_waiting_seconds") == 12.5
    assert registry.get_sample_value("moim_meetings_kept_long_enough_total") == 3
