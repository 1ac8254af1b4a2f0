"""No two people of one meeting have one colour on its page, in light and dark, and each is read well."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import browser, crowd, shown
from tests.acceptance.pages import demand_accessible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]

__all__ = ["browser"]

CROWD: Final = 24
_RGB: Final = """(each) => {
  const paper = new OffscreenCanvas(1, 1).getContext("2d");
  paper.fillStyle = getComputedStyle(each).color;
  paper.fillRect(0, 0, 1, 1);
  return [...paper.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_two_have_one_colour(browser: Browser, scheme: str) -> None:
    page, _ = await shown(browser, crowd(CROWD), color_scheme=scheme)
    names = page.locator(".transcript .speaker")
    await expect(names).to_have_count(CROWD)
    colours = [await names.nth(place).evaluate(_RGB) for place in range(CROWD)]
    apart = min(
        sum(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in combinations(colours, 2)
    )
    print(f"{CROWD} people, {scheme}: the two nearest colours differ by {apart} of 765")
    assert apart >= 8
    eight = min(sum(abs(a - b) for a, b in zip(*two, strict=True)) for two in combinations(colours[:8], 2))
    print(f"of the first eight: {eight}")
    assert eight >= 24
    people = [await page.locator(".people .speaker").nth(place).evaluate(_RGB) for place in range(CROWD)]
    assert people == colours, "the same in the list of people"
    await demand_accessible(page)
