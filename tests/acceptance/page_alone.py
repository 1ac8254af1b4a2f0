"""Pages in Chromium out of one document, without a server behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, ViewportSize, expect

from context.effects import Summarise
from context.events import ClosingRequested, Event
from context.export.document import document
from context.meeting import Meeting
from tests.acceptance.browser import chromium, spoken
from tests.acceptance.test_unclear_figures import ROOT, Server
from tests.pictures.__main__ import SCRIPTS, TITLES
from tests.unit.context.meetings import by_extraction, events_of


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
