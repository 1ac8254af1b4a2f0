"""The API on a free port."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.fakes.addresses import LOOPBACK
from tests.fakes.links import FakeLinks
from tests.fakes.passages import FakePassages
from tests.fakes.sessions import FakeSessions
from tests.unit.worker.web.server import TOKEN, Site
from worker.bootstrap.rooms import room_token
from worker.configuration.settings import Settings
from worker.documents.library import Library
from worker.meeting.panels import Panels
from worker.monitoring.health import serving
from worker.web.api import API_PREFIX, api
from worker.web.backends import Api
from worker.web.following import Following
from worker.web.pages import page_routes
from worker.web.sessions import Sessions
from worker.web.viewer_quotas import ViewerQuota


class FakePeople:
    async def everything(self, person: str) -> dict[str, Any]:
        return {"person": person, "meetings": [], "utterances": [], "questions": [], "consents": []}

    async def meant(self, named: str) -> str:
        return named


ENVIRONMENT = {
    "MOIM_API_TOKEN": TOKEN,
    "MOIM_PAGES_USER_HEADER": "X-Forwarded-User",
    "MOIM_PAGES_PROXIES": "127.0.0.1",
    "MOIM_ADMINS": "root, 관리자",
    "MOIM_JOIN_URL": "ws://127.0.0.1:7880",
    "LIVEKIT_API_KEY": "key",
    "LIVEKIT_API_SECRET": "s" * 40,
}
SETTINGS = Settings.from_env(ENVIRONMENT)


@pytest.fixture(autouse=True)
def wrong_tokens_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong tokens are refused at once."""
    monkeypatch.setattr("worker.web.token_throttle.WRONG_S", 0.0)


@pytest.fixture
def settings() -> Settings:
    """The API's settings; a module that wants others has a fixture of this name."""
    return SETTINGS


@pytest.fixture
def quota() -> ViewerQuota:
    """What one viewer may have; a module that wants another has a fixture of this name."""
    return ViewerQuota()


@pytest.fixture
async def site(settings: Settings, quota: ViewerQuota) -> AsyncIterator[Site]:
    site = Site()
    links = FakeLinks(site.registry.record)
    kept = FakeSessions(site.registry.record, links)
    async with Following(site.store, settings) as following:
        parts = Api(
            settings=settings,
            sessions=Sessions(settings, kept, now=site.registry.record.clock.now_utc),
            kept_sessions=kept,
            meetings=site.registry,
            store=site.store,
            answers=site.answers,
            summaries=site.summaries,
            corrections=site.corrections,
            erasures=site.erasures,
            retriever=site.retriever,
            overviews=site.overviews,
            library=Library(site.library, FakePassages()),
            recordings=site.recordings,
            panels=Panels(site.store, settings, bus=site.rates),
            links=links,
            following=following,
            audit=site.audit,
            people=FakePeople(),
            room_token=room_token(settings),
            commands=site.rates,
            link_ended=site.link_ended,
            quota=quota,
        )
        site.parts = parts
        app = api(parts, on_request=site.metrics.api_request, on_refused=site.metrics.command_refused)
        mounts, pages = {API_PREFIX: app}, page_routes()
        async with (
            serving(site.metrics, lambda: ([], []), LOOPBACK, mounts=mounts, pages=pages) as site.port,
            aiohttp.ClientSession() as site.client,
        ):
            yield site
