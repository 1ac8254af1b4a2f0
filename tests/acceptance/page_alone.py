"""Pages in Chromium out of one document, without a server behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.acceptance.browser import chromium, spoken
from tests.acceptance.test_unclear_figures import ROOT, Server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """One for all tests of a module."""
    async with chromium(spoken(tmp_path_factory.mktemp("sound") / "said.wav")) as browser:
        yield browser


async def shown(browser: Browser, told: dict[str, Any], **look: Any) -> tuple[Page, Server]:
    """The meeting's page, out of this document."""
    context = await browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **look})
    page = await context.new_page()
    server = Server(told)
    await page.route("**/*", server)
    await page.goto(f"{ROOT}/m/m")
    await expect(page.locator("#u-1")).to_be_attached(timeout=20_000)
    return page, server
