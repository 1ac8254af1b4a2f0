"""Whoever is not let in is told in their language what to do, also the guest of a link that has ended."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.async_api import Browser, Route, expect

from tests.acceptance.page_alone import ROOT, Answers, browser, scripted
from tests.acceptance.pages import demand_accessible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

REFUSED: Final = {"error": {"field": "token", "value": None, "mend": "in English"}}


@pytest.mark.parametrize(
    ("language", "of_links", "of_tokens"),
    [
        ("en", "it has ended or was withdrawn", "That is not the token"),
        ("ko", "만료되었거나 취소된 링크", "맞는 토큰이 아닙니다"),
    ],
)
async def test_who_is_not_let_in_is_told_why(
    browser: Browser, language: str, of_links: str, of_tokens: str
) -> None:
    server = Answers(scripted(language))

    async def refusing(route: Route) -> None:
        if route.request.url.startswith(f"{ROOT}/v1/session"):
            await route.fulfill(status=401, json=REFUSED)
        else:
            await server(route)

    context = await browser.new_context(locale=language)
    page = await context.new_page()
    await page.route("**/*", refusing)
    await page.goto(f"{ROOT}/m/m#link=withdrawn")
    await expect(page.locator("main")).to_contain_text(of_links, timeout=20_000)
    await page.locator("input[name=token]").fill("wrong")
    await page.locator("input[name=token]").press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text(of_tokens)
    await demand_accessible(page)
