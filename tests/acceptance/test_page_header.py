"""The header of a meeting's page: one line on a desk, a title of two on a phone, however long it is."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import DESK, PHONE, browser, scripted, shown
from tests.acceptance.pages import demand_accessible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

LONG: Final = {
    "ko": "상반기 신규 서비스 출시 준비와 마케팅 예산, 고객 지원 인력 배치를 다루는 주간 정기 회의",
    "en": "The weekly meeting on the release of the new service, its budget, and who supports its customers",
}
STATES: Final[tuple[dict[str, Any], ...]] = (
    {"status": "live", "duration_ms": 4 * 3_600_000, "room": "room"},
    {"status": "live", "duration_ms": 0, "room": "room", "ready": True},
)
"""Under way for hours, with every button; and with the longest word for its state."""


@pytest.mark.parametrize("state", STATES, ids=["under way", "ready"])
@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_long_title_gives_way(browser: Browser, language: str, state: dict[str, Any]) -> None:
    told = scripted(language)
    told["meeting"] |= {**state, "title": LONG[language]}
    page, _ = await shown(browser, told, locale=language, viewport=DESK)
    title = page.locator(".bar h1 span").first
    await expect(title).to_have_text(LONG[language])
    await expect(title).to_have_attribute("title", LONG[language])
    box = await title.bounding_box()
    assert box is not None
    places = await page.locator(".bar > :not(.grow)").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect()).filter((each) => each.height)"
    )
    middles = [each["y"] + each["height"] / 2 for each in places]
    print(
        f"{language}: the title has {box['width']:.0f} of 1280 px, middles {min(middles):.0f}-{max(middles):.0f}"
    )
    assert max(middles) - min(middles) < 2, "one line"
    assert max(each["height"] for each in places) < 44, "nothing in it has two"
    assert max(each["x"] + each["width"] for each in places) <= 1280
    assert box["width"] > 100, "some of it can be read"
    await demand_accessible(page)
    await page.locator(".bar .pencil").click(force=True)
    field = page.locator(".bar textarea")
    await expect(field).to_be_focused()
    await expect(field).to_have_value(LONG[language])
    await page.keyboard.press("Escape")
    await page.set_viewport_size({**PHONE, "width": 360})
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    small = await title.bounding_box()
    assert small is not None
    line_px = await title.evaluate("(each) => parseFloat(getComputedStyle(each).fontSize) * 1.8")
    assert line_px < small["height"] < 2 * line_px, "two lines of it"
