"""Minutes in a form of one's own on the page: what is shown, copied and printed is that form, and words stay text."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, Route, expect

from context.export.minutes import to_markdown
from tests.acceptance.browser import chromium, spoken
from tests.acceptance.page_alone import ROOT, STATIC, VIEWER
from tests.acceptance.pages import demand_accessible
from tests.acceptance.payloads import PAYLOADS, demand_inert
from worker.configuration.settings import Settings
from worker.minutes.minutes_writing import minutes, sample

pytestmark = [pytest.mark.browser]

FORMAL: Final = Path(__file__).parents[2] / "docs/minutes-templates/formal.md.j2"


async def opened(browser: Browser, markdown: str) -> Page:
    context = await browser.new_context(locale="en", permissions=["clipboard-read", "clipboard-write"])
    page = await context.new_page()

    async def serve(route: Route) -> None:
        address = route.request.url.removeprefix(ROOT)
        path, _, query = address.partition("?")
        if path.startswith("/static/"):
            await route.fulfill(path=STATIC / path.removeprefix("/static/"))
        elif path == "/v1/session":
            await route.fulfill(json={**VIEWER, "own_minutes": True})
        elif path.endswith("/export"):
            assert query == "format=md", "the page needs nothing else"
            await route.fulfill(body=markdown, content_type="text/markdown; charset=utf-8")
        else:
            await route.fulfill(path=STATIC / "index.html")

    await page.route("**/*", serve)
    await page.goto(f"{ROOT}/m/m/minutes")
    return page


async def test_the_page_shows_and_prints_the_form(tmp_path: Path) -> None:
    markdown = await minutes(sample("full.json"), Settings.from_env({"MOIM_MINUTES_TEMPLATE": str(FORMAL)}))
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        page = await opened(browser, markdown)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Minutes: Release 2.0: weekly")
        for medium in ("screen", "print"):
            await page.emulate_media(media="screen" if medium == "screen" else "print")
            tasks = page.locator("table").last
            await expect(tasks.locator("th")).to_have_text(["Task", "Owner", "Due", "Status"])
            await expect(tasks.locator("tbody tr").first.locator("td")).to_have_text(
                ["Update the release notes.", "Ben C. Carter", "2026-03-06", "open"]
            )
            await expect(page.locator("main s")).to_contain_text("We ship on 20")
        assert "\\" not in await page.locator("main").inner_text()
        await page.emulate_media(media="screen")
        await demand_accessible(page)


async def test_words_in_it_are_text_and_so_is_our_own_form_should_it_fail(tmp_path: Path) -> None:
    document = sample("full.json")
    document["participants"][1]["name"] = PAYLOADS[1]
    for said, payload in zip(document["utterances"], PAYLOADS, strict=False):
        said["text"] = payload
    for topic, payload in zip(document["topics"], PAYLOADS[8:], strict=False):
        topic["name"] = payload
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        page = await opened(browser, to_markdown(document, own_form_failed=True))
        await expect(page.locator("main em").first).to_contain_text(
            "The form that these minutes should have failed"
        )
        await expect(page.get_by_role("heading", name="Participants")).to_be_visible()
        await demand_inert(page, PAYLOADS[0], PAYLOADS[8])
