"""The API on a free port."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.fakes.registry import FakeRegistry
from tests.unit.web.server import TOKEN, FakeAnswers, FakeDocuments, FakeSummaries, Site
from worker.monitoring.health import HealthServer
from worker.monitoring.metrics import Metrics
from worker.web.api import API_PREFIX, api
from worker.web.ports import ApiParts


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    registry, answers, documents = FakeRegistry(), FakeAnswers(), FakeDocuments()
    summaries, metrics = FakeSummaries(), Metrics()
    app = api(
        ApiParts(registry, documents, answers, summaries),
        TOKEN,
        on_request=metrics.api_request,
        on_refused=metrics.command_refused,
    )
    health = HealthServer(metrics, lambda: ([], []), host="127.0.0.1", port=0, mounts={API_PREFIX: app})
    await health.start()
    async with aiohttp.ClientSession() as client:
        yield Site(registry, answers, documents, summaries, metrics, health, client)
    await health.stop()
