"""The API on a free port."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from context.config import ContextConfig
from context.export.document import document
from context.meeting import Meeting
from tests.fakes.audit import FakeAudit
from tests.fakes.erasures import FakeErasures
from tests.fakes.links import FakeLinks
from tests.fakes.passages import FakePassages
from tests.unit.web.server import TOKEN, Site
from worker.configuration.settings import Settings
from worker.documents.library import Library
from worker.meeting.panels import Panels
from worker.monitoring.health import HealthServer
from worker.ports import MeetingRow
from worker.web.api import API_PREFIX, api
from worker.web.backends import ApiParts
from worker.web.following import Following
from worker.web.pages import page_routes
from worker.web.viewers import Sessions, SigningProxy


class FakePeople:
    async def everything(self, person: str) -> dict[str, Any]:
        return {"person": person, "meetings": [], "utterances": [], "questions": [], "consents": []}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    async with Following(site.store, ContextConfig(), described_alone) as following:
        app = api(
            ApiParts(
                site.registry,
                site.documents,
                site.answers,
                site.summaries,
                site.corrections,
                FakeErasures(),
                site.retriever,
                site.overviews,
                Library(site.library, FakePassages()),
                Panels(site.store, Settings.from_env({}), bus=site.rates),
                FakeLinks(site.registry.record),
                following,
                admission,
                FakeAudit(),
                FakePeople(),
                site.rates,
                "ws://127.0.0.1:7880",
            ),
            Sessions(
                TOKEN,
                proxy=SigningProxy("X-Forwarded-User", ["127.0.0.1"]),
                now=site.registry.record.clock.now_utc,
            ),
            on_request=site.metrics.api_request,
            on_refused=site.metrics.command_refused,
        )
        health = HealthServer(
            site.metrics,
            lambda: ([], []),
            host="127.0.0.1",
            port=0,
            mounts={API_PREFIX: app},
            pages=page_routes(),
        )
        await health.start()
        async with aiohttp.ClientSession() as client:
            site.health, site.client = health, client
            yield site
        await health.stop()


def described_alone(meeting: Meeting, row: MeetingRow) -> dict[str, Any]:
    return document(meeting, title=row.title, room=row.room, status=row.status)


def admission(room: str, identity: str, name: str) -> str:
    return f"token of {name} ({identity}) for {room}"
