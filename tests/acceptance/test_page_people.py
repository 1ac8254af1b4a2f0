"""Beside who spoke how much, a meeting's page says who answers whom, once a few questions were answered."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.async_api import Browser, ViewportSize, expect

from context.events.erasure_target import Target
from context.export.document import document
from tests.acceptance.page_alone import DESK, browser, scripted, shown
from tests.acceptance.pages import demand_accessible
from tests.unit.context.recorded_meetings import meeting_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

NARROW: Final[ViewportSize] = {"width": 360, "height": 800}
HEAD: Final = {
    "ko": ("누가 누구에게 답하나", ["누가 → 누구", "답변", "뒤이어 발언"], ["박준호 → 김민지", "4", "5"]),
    "en": (
        "Who answers whom",
        ["Who → whom", "answers", "right after"],
        ["Chloe Park → Ben Carter", "2", "4"],
    ),
}
ASKED: Final = {"ko": ("언제 합니까?", "월요일에 합니다."), "en": ("When is it?", "On Monday.")}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, NARROW], ids=["desk", "phone"])
async def test_who_answers_whom(browser: Browser, language: str, scheme: str, viewport: ViewportSize) -> None:
    look = {"locale": language, "color_scheme": scheme, "viewport": viewport}
    page, _ = await shown(browser, scripted(language), **look)
    caption, columns, first = HEAD[language]
    table = page.get_by_role("table", name=caption)
    await expect(table.get_by_role("columnheader")).to_have_text(columns)
    await expect(table.locator("tbody tr").first.locator("th, td")).to_have_text(first)
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    await demand_accessible(page)


def questions(language: str, answered: int) -> dict[str, Any]:
    """Ben and Hana answer what Ann asks, in turns."""
    question, answer = ASKED[language]
    lines = [
        line for n in range(answered) for line in (("ann", question), ("ben" if n % 2 else "hana", answer))
    ]
    return document(meeting_of(*lines).meeting)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_after_two_answers_there_is_nothing_to_tell(browser: Browser, language: str) -> None:
    for answered, tables in ((2, 0), (3, 1)):
        page, _ = await shown(browser, questions(language, answered), locale=language)
        await expect(page.locator(".people li")).to_have_count(3)
        await expect(page.locator(".exchanges")).to_have_count(tables)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_who_is_erased_is_not_in_it(browser: Browser, language: str) -> None:
    question, answer = ASKED[language]
    meeting = meeting_of(*(("ann", question), ("hana", answer), ("ann", question), ("ben", answer)) * 3)
    for erased, rows in (("", 2), ("ben", 1)):
        if erased:
            meeting.erase(Target(what="person", person=erased))
        page, _ = await shown(browser, document(meeting.meeting), path="/m/m/minutes", locale=language)
        await page.get_by_text({"ko": "참석자", "en": "People"}[language], exact=True).first.click()
        await expect(page.locator(".exchanges tbody tr")).to_have_count(rows)
        await expect(page.locator(".exchanges", has_text="BEN")).to_have_count(0 if erased else 1)
        await demand_accessible(page)


async def test_of_a_crowd_the_most_frequent_are_shown(browser: Browser) -> None:
    question, answer = ASKED["ko"]
    lines = [line for n in range(12) for line in (("ann", question), (f"p{n}", answer))]
    page, _ = await shown(browser, document(meeting_of(*lines).meeting), locale="ko")
    await expect(page.locator(".exchanges tbody tr")).to_have_count(8)
    await expect(page.locator(".exchanges + p")).to_have_text("그 밖에 4쌍")
