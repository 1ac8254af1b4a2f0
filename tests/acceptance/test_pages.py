"""The newcomer's first minute on the pages, with a WAV file for a voice; and somebody who came by a link."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import expect

from tests.acceptance.browser import DECISION, GREETING, chromium, spoken
from tests.acceptance.lines import heard_in
from tests.acceptance.pages import demand_accessible, opened
from tests.acceptance.stack import Stack
from worker.clock import monotonic_s

pytestmark = [pytest.mark.browser, pytest.mark.room, pytest.mark.speech]

RIGHT: Final = "We decided to add a second server this week. <b>Really</b>"
TITLE: Final = 'Weekly <img src=x onerror="alert(1)">'


async def test_the_first_minute(stack: Stack, tmp_path: Path) -> None:
    address = re.findall(r"http://\S+#token=\S+", stack.log.read_text("utf-8"))[0]
    async with chromium(spoken(tmp_path / "said.wav", after_s=60)) as browser:
        page, problems = await opened(browser, address)
        await page.get_by_label("Room").fill(f"first-minute-{uuid.uuid4().hex[:6]}")
        await page.get_by_label("Title").fill(TITLE)
        await expect(page.get_by_text("Speech is recognised here by the small model")).to_be_visible()
        await demand_accessible(page)
        await page.get_by_role("button", name="Got it").click()
        await page.get_by_role("button", name="Start a meeting").click()
        await page.get_by_label("Your name").fill("Alice Moreau")
        await page.get_by_role("button", name="Speak here").click()
        began_s = monotonic_s()
        lines = page.locator(".line .words")
        await expect(lines).to_have_count(2, timeout=60_000)
        await expect(page.get_by_role("button", name="Got it")).to_have_count(0)
        print(f"both lines shown {monotonic_s() - began_s:.1f} s after `Speak here`")
        texts = await lines.all_inner_texts()
        assert heard_in(GREETING, texts) == heard_in(DECISION, texts) == 1, texts
        await expect(page.locator(".people b")).to_have_text(["Alice Moreau"])
        await expect(page.get_by_role("heading", name="Weekly")).to_be_visible()

        await page.get_by_role("textbox", name="Ask").fill("What did Alice say about the search latency?")
        await page.get_by_role("button", name="Ask", exact=True).click()
        quote = page.locator(".turn .chip").first
        await quote.click(timeout=30_000)
        await expect(page.locator(".line.marked")).to_have_count(1)
        await demand_accessible(page)

        await page.get_by_role("button", name="Share").click()
        await page.get_by_role("button", name="Copy a link to look").click()
        link = await page.locator("#share input[readonly]").input_value()
        await page.keyboard.press("Escape")
        guest, faults = await opened(browser, link, language="ko")
        await expect(guest.locator(".line .words")).to_have_count(2)
        await expect(guest.get_by_role("heading", name="결정")).to_be_visible()
        await expect(guest.get_by_role("button", name="회의 끝내기")).to_have_count(0)
        await expect(guest.get_by_role("button", name="확인", exact=True)).to_have_count(0)
        assert await guest.evaluate("fetch('/v1/meetings').then((answer) => answer.status)") == 403
        await demand_accessible(guest)

        await page.locator(".line").nth(1).hover()
        await page.get_by_role("button", name="Edit: What Alice Moreau said").nth(1).click()
        field = page.locator(".line textarea")
        await field.fill(RIGHT)
        await field.press("Enter")
        for viewer in (page, guest):
            await expect(viewer.locator(".line .words").nth(1)).to_contain_text(RIGHT)
            await expect(viewer.locator(".line .corrected")).to_have_count(1)
        await expect(guest.locator(".pencil")).to_have_count(0)
        await expect(page.get_by_text("Moim listens to this meeting")).to_be_visible()
        await page.get_by_role("button", name="Do not record me", exact=True).click()
        await expect(page.locator(".people")).to_contain_text("not recorded, by wish", timeout=15_000)
        await expect(guest.locator(".people")).to_contain_text("본인 요청으로", timeout=15_000)
        await demand_accessible(page)
        await page.get_by_role("button", name="Do not record me, and delete what I said").click()
        for viewer, gone in ((page, "erased"), (guest, "삭제됨")):
            await expect(viewer.locator(".line .words")).to_have_text([gone, gone], timeout=15_000)
        await page.get_by_role("button", name="Mute", exact=True).click()
        await page.get_by_role("button", name="Leave").click()
        await page.get_by_role("button", name="Speak here").click()
        # Who comes back is heard again, and the page says so.
        await expect(page.get_by_role("button", name="Mute", exact=True)).to_be_visible(timeout=15_000)
        await page.get_by_role("button", name="Leave").click()
        await page.goto(page.url.partition("#")[0] + "/minutes")
        await expect(page.get_by_role("heading", name="Weekly")).to_be_visible()
        await demand_accessible(page)
        assert problems == faults == []
