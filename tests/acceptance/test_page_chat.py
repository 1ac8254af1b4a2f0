"""The room's chat on the page tells two people of one name apart, as everything else on the page does."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import browser, scripted, shown

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

DRAWN: Final = """async () => {
  const [{ Chat }, { html, render }] = await Promise.all([import("/static/chat.js"), import("/static/vendor/preact-htm.js")]);
  const said = (identity, from, text) => ({ id: text, identity, from, text });
  const messages = [said("a", "Hana", "one"), said("b", "Hana", "two"), said("agent-x", "Moim", "three")];
  const names = new Map([["a", "Hana"], ["b", "Hana (2)"]]);
  render(html`<${Chat} chat=${{ messages, write: async () => {} }} names=${names} />`, document.body);
}"""


async def test_two_people_of_one_name_are_told_apart(browser: Browser) -> None:
    page, _ = await shown(browser, scripted("en"), path="/m/m/minutes")
    await page.evaluate(DRAWN)
    await expect(page.locator(".messages p")).to_have_text(["Hana one", "Hana (2) two", "Moim three"])
