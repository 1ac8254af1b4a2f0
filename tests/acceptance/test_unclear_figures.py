"""A figure that was not heard clearly is marked on the pages, in both languages, and can be put right there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page, expect

from context.export.document import document
from context.models import Statement, Summary
from tests.acceptance.browser import chromium, spoken
from tests.acceptance.page_alone import ROOT, Server
from tests.acceptance.pages import demand_accessible
from tests.fakes.waiting import until
from tests.languages import BOTH
from tests.unit.context.meetings import met, newer
from tests.unit.context.meetings import spoken as said

pytestmark = [pytest.mark.browser]

LINES: Final = {
    "ko": ("출시일은 12월 12일로 결정하겠습니다. 👍", "12일로", "12일로 (숫자 불확실)"),
    "en": ("👍 We decided to ship on December 12th.", "12th", "12th (figure unclear)"),
}


def meeting_of(language: str) -> dict[str, Any]:
    """A document with an unclear figure in a line, and in the decision made of it; another figure is sure."""
    text, word, _ = LINES[language]
    start = text.index(word)
    unclear = said(2, text, doubtful=((start, start + len(word)),))
    meeting = met(
        said(1, {"ko": "서버는 3대입니다.", "en": "There are 3 servers."}[language]), unclear, summarise=False
    )
    decided = Statement(text=text, evidence=(2,), status="decided")
    meeting.receive(newer(meeting.segments[0], Summary(text="…", decisions=(decided,))))
    return document(meeting)


async def opened(browser: Browser, language: str, path: str, **how: Any) -> tuple[Page, Server]:
    context = await browser.new_context(locale=language, viewport={"width": 1280, "height": 700}, **how)
    page = await context.new_page()
    server = Server(meeting_of(language))
    await page.route("**/*", server)
    await page.goto(f"{ROOT}{path}")
    return page, server


@BOTH
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_is_marked_in_the_line_and_in_the_decision(
    language: str, scheme: Any, tmp_path: Path
) -> None:
    _, word, heard = LINES[language]
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        page, _ = await opened(browser, language, "/m/m", color_scheme=scheme)
        await expect(page.locator("#u-2 .unclear")).to_have_text(heard)
        await expect(page.locator(".came-of-it .unclear")).to_have_text(heard)
        await expect(page.locator(".unclear")).to_have_count(2)
        assert word in str(await page.locator("#u-2 .unclear").inner_text())
        assert await page.locator("#u-2 .unclear").get_attribute("title")
        await demand_accessible(page)


@BOTH
async def test_the_minutes_mark_it_on_paper_too(language: str, tmp_path: Path) -> None:
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        page, _ = await opened(browser, language, "/m/m/minutes")
        await page.emulate_media(media="print")
        marks = page.locator("main .unclear")
        await expect(marks).to_have_text([*[LINES[language][2]] * 2, ""])
        await expect(marks.last.locator("..")).to_contain_text({"ko": "또렷이", "en": "not heard"}[language])
        line = await marks.first.evaluate("each => getComputedStyle(each).textDecorationLine")
        assert line == "underline"


@BOTH
async def test_enter_without_a_change_says_that_it_is_right(language: str, tmp_path: Path) -> None:
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        page, server = await opened(browser, language, "/m/m")
        await page.evaluate("localStorage.setItem('moim.name', 'Hana')")
        for number, sent in ((1, 0), (2, 1)):
            await page.locator(f"#u-{number} .pencil").first.click(force=True)
            await page.locator(f"#u-{number} textarea").press("Enter")
            await expect(page.locator(f"#u-{number} textarea")).to_have_count(0)
            await until(lambda sent=sent: len(server.fixes) >= sent)
            assert len(server.fixes) == sent, "what was heard well is not sent unchanged"
        (fix,) = server.fixes
        assert (fix["utterance"], fix["text"]) == (2, LINES[language][0])
        await page.locator("#u-2 .pencil").first.click(force=True)
        await page.locator("#u-2 textarea").blur()
        await asyncio.sleep(0.1)
        assert len(server.fixes) == 1, "who only looks says nothing"


async def test_enter_right_after_a_line_was_opened_closes_it(tmp_path: Path) -> None:
    """Also before the page has drawn the field: an effect of it comes later."""
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        page, _ = await opened(browser, "en", "/m/m")
        await expect(page.locator("#u-1 .pencil").first).to_be_attached()
        await page.evaluate(
            """async () => {
                document.querySelector("#u-1 .pencil").click();
                while (!document.querySelector("#u-1 textarea")) await Promise.resolve();
                const press = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
                document.querySelector("#u-1 textarea").dispatchEvent(press);
            }"""
        )
        await expect(page.locator("#u-1 textarea")).to_have_count(0, timeout=5_000)
