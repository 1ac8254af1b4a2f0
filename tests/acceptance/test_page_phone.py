"""On a phone: what came of it first, one line to ask, nothing wider than the screen."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import PHONE, browser, scripted, shown
from tests.acceptance.pages import demand_accessible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

_WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("width", [320, 390])
async def test_what_came_of_it_comes_before_the_transcript(
    browser: Browser, language: str, width: int
) -> None:
    look = {"viewport": {**PHONE, "width": width}, "locale": language}
    page, _ = await shown(browser, scripted(language), **look)
    await expect(page.locator("#u-1")).to_be_attached()
    tops = [
        await page.locator(of).evaluate("(each) => each.getBoundingClientRect().top + scrollY")
        for of in (".outcome", ".transcript", ".topics", ".people")
    ]
    assert tops == sorted(tops)
    assert not await page.evaluate(_WIDE)
    box = await page.locator(".asking").bounding_box()
    assert box is not None
    print(f"{width} px, {language}: the box to ask is {box['height']:.0f} of {PHONE['height']} px high")
    assert box["height"] < 60
    assert box["y"] + box["height"] == pytest.approx(PHONE["height"], abs=1), "always in sight"
    await demand_accessible(page)
    await page.get_by_role(
        "button", name={"ko": "다른 질문 방법", "en": "More ways to ask"}[language]
    ).click()
    await expect(page.locator(".asking .chip").first).to_be_visible()
    await expect(page.locator(".asking select")).to_be_visible()
    assert not await page.evaluate(_WIDE)
    await demand_accessible(page)


@pytest.mark.parametrize("path", ["/", "/m/m/minutes", "/m/m/agent"])
async def test_no_other_page_is_wider_than_the_screen(browser: Browser, path: str) -> None:
    row = {"id": "m" * 60, "room": "r" * 60, "title": None, "status": "wanted", "people": ["Ana" * 40]}
    own = {
        "GET /v1/meetings": {"meetings": [row], "next": None},
        "GET /v1/documents": {"documents": []},
    }
    page, _ = await shown(browser, scripted("ko"), path=path, own=own, viewport=PHONE)
    await page.wait_for_timeout(300)
    assert not await page.evaluate(_WIDE)
