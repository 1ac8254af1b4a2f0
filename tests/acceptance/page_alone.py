"""Pages in Chromium out of one document, without a server behind them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, ViewportSize, expect

from context.events.effects import Summarise
from context.events.events import ClosingRequested, Event
from context.export.document import document
from context.fold.meeting import Meeting
from tests.acceptance.browser import chromium, spoken
from tests.pictures.__main__ import SCRIPTS, TITLES
from tests.unit.context.meetings import by_extraction, events_of, met
from tests.unit.context.meetings import spoken as said

ROOT: Final = "http://moim.test"
STATIC: Final = Path(__file__).parents[2] / "worker" / "web" / "static"
VIEWER: Final = {
    "may_edit": True, "may_join": False, "administrator": False, "meeting_id": None, "person": None,
    "kept_days": None, "identity": "a",
}  # fmt: skip


class Server:
    """Answers a page's requests out of one document, then `news`; `fixes` are the corrections that it was sent."""

    def __init__(self, told: dict[str, Any], news: str = "") -> None:
        self.told, self.news = told, news
        self.fixes: list[dict[str, Any]] = []

    async def __call__(self, route: Route) -> None:
        path = route.request.url.removeprefix(ROOT).partition("?")[0]
        if path.startswith("/static/"):
            await route.fulfill(path=STATIC / path.removeprefix("/static/"))
        elif path == "/v1/session":
            await route.fulfill(json=VIEWER)
        elif path.endswith("/events"):
            body = f"event: document\nid: 1\ndata: {json.dumps(self.told)}\n\n{self.news}"
            await route.fulfill(body=body, content_type="text/event-stream")
        elif path.endswith("/export"):
            await route.fulfill(json=self.told)
        elif route.request.method == "PATCH":
            self.fixes.append(route.request.post_data_json["fix"])
            await route.fulfill(json={})
        else:
            await route.fulfill(path=STATIC / "index.html")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """One for all tests of a module."""
    async with chromium(spoken(tmp_path_factory.mktemp("sound") / "said.wav")) as browser:
        yield browser


DESK: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}


def scripted(language: str) -> dict[str, Any]:
    """The document of a scripted meeting, with what came of it."""
    meeting = Meeting(language)
    events: list[Event] = [*events_of(SCRIPTS[language]), ClosingRequested(at_ms=10**6)]
    while events:
        for effect in meeting.receive(events.pop(0)):
            if isinstance(effect, Summarise):
                events.insert(0, by_extraction(effect))
    return document(meeting, title=TITLES[language], room="room", status="live")


def crowd(people: int) -> dict[str, Any]:
    """A meeting in which so many people speak, one after the other."""
    lines = (said(number, "안녕하세요. Hello.", speaker=f"p{number}") for number in range(1, people + 1))
    return document(met(*lines, summarise=False))


class Answers(Server):
    """Answers requests out of one document, and some in words of its own; `sent` are those that it was sent."""

    def __init__(self, told: dict[str, Any], own: dict[str, Any] | None = None) -> None:
        """`own`: answers by method and path, `GET /v1/meetings`; a list gives one after the other."""
        super().__init__(told)
        self.own = own or {}
        self.sent: list[tuple[str, Any]] = []

    async def __call__(self, route: Route) -> None:
        path = route.request.url.removeprefix(ROOT).partition("?")[0]
        asked = f"{route.request.method} {path}"
        if asked not in self.own:
            await super().__call__(route)
            return
        as_json = route.request.headers.get("content-type") == "application/json"
        self.sent.append((asked, route.request.post_data_json if as_json else None))
        told = self.own[asked]
        if isinstance(told, list):
            told = told.pop(0) if len(told) > 1 else told[0]
        await route.fulfill(json=told)


async def shown(
    browser: Browser,
    told: dict[str, Any],
    *,
    path: str = "/m/m",
    own: dict[str, Any] | None = None,
    **look: Any,
) -> tuple[Page, Answers]:
    """A page in a browser of its own, out of this document."""
    context = await browser.new_context(**{"viewport": DESK, "reduced_motion": "reduce", **look})
    page = await context.new_page()
    server = Answers(told, own)
    await page.route("**/*", server)
    await page.goto(f"{ROOT}{path}")
    await expect(page.locator("#main")).to_be_visible(timeout=20_000)
    return page, server
