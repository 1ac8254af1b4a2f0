"""Files that are dropped on the home page become meetings: a real dispatcher keeps them, a real worker reads them."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.acceptance.browser import DECISION, GREETING, chromium, spoken
from tests.acceptance.lines import heard_in
from tests.acceptance.pages import demand_accessible, dropped, opened
from tests.acceptance.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.room, pytest.mark.speech]

SUBTITLES = """1
00:00:01,000 --> 00:00:03,000
민지: 예산은 삼백만 원으로 결정했습니다.

2
00:00:04,000 --> 00:00:06,000
하나: 제가 금요일까지 공유하겠습니다.
"""


async def test_from_the_drop_to_the_minutes(stack: Stack, tmp_path: Path) -> None:
    address = re.findall(r"http://\S+#token=\S+", stack.log.read_text("utf-8"))[0]
    own = uuid.uuid4().hex[:6]
    text, sound = tmp_path / f"주간 회의 {own}.srt", spoken(tmp_path / f"call {own}.wav", after_s=1)
    text.write_text(SUBTITLES, "utf-8")
    async with chromium(sound) as browser:
        page, problems = await opened(browser, address)
        files = page.locator(".recordings")
        bounds = "A recording has at most 300 MB and 6 h, a transcript 16 MB."
        await expect(files).to_contain_text(bounds, timeout=20_000)
        await dropped(page, text, sound)
        heard = files.locator(".card", has_text=sound.name)
        await expect(heard).to_contain_text(re.compile(r"Being read: .*/ 00:\d\d"), timeout=120_000)
        for file in (text, sound):
            card = files.locator(".card", has_text=file.name)
            await expect(card.get_by_role("link", name="Minutes")).to_be_visible(timeout=120_000)
        await demand_accessible(page)

        await page.get_by_role("searchbox").fill("예산 삼백만 원")
        await page.get_by_role("button", name="Search", exact=True).click()
        await expect(page.get_by_text("예산은 삼백만 원으로 결정했습니다.").first).to_be_visible()

        await files.locator(".card", has_text=text.name).get_by_role("link", name="Minutes").click()
        await expect(page.get_by_role("heading", name=text.stem)).to_be_visible()
        await expect(page.get_by_text("예산은 삼백만 원으로 결정했습니다.").first).to_be_visible()
        await page.go_back()
        await page.locator("a.card", has_text=sound.stem).click()
        lines = page.locator(".line .words")
        await expect(lines).to_have_count(2)
        texts = await lines.all_inner_texts()
        assert heard_in(GREETING, texts) == heard_in(DECISION, texts) == 1, texts
        assert problems == []
