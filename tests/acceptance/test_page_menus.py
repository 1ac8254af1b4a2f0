"""The menus of a meeting's page, "Share" and "Find and replace": they close as menus do, and say what is so."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import ROOT, browser, scripted, shown

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

LINK: Final = {"id": "5c1d09ab", "path": "/m/m#link=secret", "may_edit": False}
LINKS: Final[dict[str, Any]] = {"GET /v1/meetings/m/links": {"links": []}, "POST /v1/meetings/m/links": LINK}


@pytest.mark.parametrize("name", ["Share", "Find and replace"])
async def test_a_menu_closes_by_escape_and_by_a_click_beside_it(browser: Browser, name: str) -> None:
    page, _ = await shown(browser, scripted("en"), own=LINKS, locale="en-US")
    menu = page.locator(f"#{'share' if name == 'Share' else 'replace'}")
    button = page.get_by_role("button", name=name)
    await button.click()
    await expect(menu).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(menu).to_be_hidden()
    await button.click()
    await expect(menu).to_be_visible()
    await page.locator(".came-of-it h2").last.click()
    await expect(menu).to_be_hidden()


async def test_a_link_is_not_said_to_be_copied_where_a_page_has_no_clipboard(browser: Browser) -> None:
    """Browsers give it to pages that come over https or from the same machine, and to no others."""
    page, _ = await shown(browser, scripted("en"), own=LINKS, locale="en-US")
    await page.get_by_role("button", name="Share").click()
    await page.get_by_role("button", name="Copy a link to look").click()
    await expect(page.get_by_label("Copy this link")).to_have_value(f"{ROOT}/m/m#link=secret")
    await page.goto(f"{ROOT}/m/m/minutes")
    await expect(page.get_by_role("button", name="Print", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Copy as Markdown")).to_have_count(0)
