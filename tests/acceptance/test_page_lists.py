"""The list of meetings says in the reader's language why nothing came of one."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import browser, crowd, shown
from tests.acceptance.pages import demand_accessible
from worker.ports import MeetingRow

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

OVER: Final[dict[str, Any]] = {"status": "ended", "ended_at": "2026-11-29T10:00:00Z"}
ROWS: Final = (
    MeetingRow(id="a", room="a", **OVER),
    MeetingRow(id="b", room=None, **OVER),
    MeetingRow(id="c", room="c", status="wanted", full="host: 4 meetings"),
    MeetingRow(id="d", room="d", status="wanted", crashes=3),
    MeetingRow(id="e", room="e", status="live", takeovers=2),
    MeetingRow(id="f", room="f", status="failed", failure="disk full"),
)
TOLD: Final = {
    "ko": [
        "아무도 참석하지 않음",
        "발언 없음",
        "한도에 이르러",
        "시작하자마자",
        "자주 교체되어",
        "기록하지 못함: disk full",
    ],
    "en": [
        "nobody came",
        "nothing was said",
        "at their limit",
        "as soon as they began",
        "taken over",
        "could not be kept: disk full",
    ],
}


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_why_nothing_came_of_it(browser: Browser, language: str) -> None:
    own = {
        "GET /v1/meetings": {"meetings": [row.shown() for row in ROWS], "next": None},
        "GET /v1/documents": {"documents": []},
    }
    page, _ = await shown(browser, crowd(1), path="/", own=own, locale=language)
    for row, told in zip(ROWS, TOLD[language], strict=True):
        await expect(page.locator(f"a[href='/m/{row.id}']")).to_contain_text(told)
    if language == "ko":
        for row in ROWS[:5]:
            await expect(page.locator(f"a[href='/m/{row.id}']")).not_to_contain_text(row.reason or "")
    await demand_accessible(page)
