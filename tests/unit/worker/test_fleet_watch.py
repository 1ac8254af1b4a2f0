"""A full fleet is told to whoever looks: `/readyz` names how many wait, and stays ready."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from tests.fakes.virtual_time import in_virtual_time
from worker.fleet.fleet_watch import FleetWatch
from worker.monitoring.metrics import Metrics

pytestmark = in_virtual_time


@dataclass
class Waiting:
    found: tuple[int, float]

    async def waiting(self) -> tuple[int, float]:
        return self.found


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ((0, 0.0), []),
        ((3, 4.0), []),
        ((1, 20.0), ["1 meeting waits for a worker, the longest for 20 s: is the fleet full?"]),
        ((42, 314.0), ["42 meetings wait for a worker, the longest for 314 s: is the fleet full?"]),
    ],
)
async def test_who_waits_longer_than_finding_a_worker_takes_is_told(
    found: tuple[int, float], told: list[str]
) -> None:
    watch = FleetWatch(Waiting(found), Metrics())
    assert watch.degraded() == []
    watching = asyncio.ensure_future(watch.run())
    await asyncio.sleep(1)
    assert (watch.problems(), watch.degraded()) == ([], told)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
