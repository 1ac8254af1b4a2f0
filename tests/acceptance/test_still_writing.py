"""A meeting that is over and whose last words are still being written says so, and how much is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import expect

from context.events.events import MeetingEnded, SpeechWaits
from context.export.document import document
from tests.acceptance.browser import chromium, spoken
from tests.acceptance.page_alone import ROOT, Server
from tests.acceptance.pages import demand_accessible
from tests.languages import BOTH
from tests.unit.context.meetings import met
from tests.unit.context.meetings import spoken as said

pytestmark = [pytest.mark.browser]

LINES: Final = {
    "ko": ("출시일은 금요일입니다.", "아직 받아쓰는 중입니다. 남은 발언 {}."),
    "en": ("We ship on Friday.", "Still writing, {} of speech left."),
}
WAITS: Final = (
    SpeechWaits(
        key="ben@20000",
        participant_id="ben",
        start_ms=20_000,
        end_ms=150_000,
        track_id="TR_ben",
        track_end_ms=151_000,
    ),
    MeetingEnded(at_ms=160_000, reason="everybody left"),
)


def told(waiting_ms: int) -> str:
    """What the page is told while the words come."""
    return f"event: status\nid: 2\ndata: {json.dumps({'status': 'waiting', 'detail': str(waiting_ms)})}\n\n"


@BOTH
@pytest.mark.parametrize("width", [1280, 375])
async def test_the_banner_counts_down_and_goes(language: str, width: int, tmp_path: Path) -> None:
    line, banner = LINES[language]
    meeting = met(said(1, line), *WAITS, summarise=False)
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        context = await browser.new_context(locale=language, viewport={"width": width, "height": 700})
        for news, left in [("", "02:10"), (told(65_000), "01:05"), (told(0), "")]:
            page = await context.new_page()
            await page.route("**/*", Server(document(meeting), news))
            await page.goto(f"{ROOT}/m/m")
            await expect(page.locator("#u-1")).to_contain_text(line)
            shown = page.get_by_role("status").filter(has_text=banner.format(left))
            await expect(shown).to_have_count(1 if left else 0)
            if left:
                await expect(shown).to_be_in_viewport(ratio=1)
                await demand_accessible(page)
            await page.screenshot(path=tmp_path / f"{left or 'done'}.png".replace(":", ""))
            await page.close()
