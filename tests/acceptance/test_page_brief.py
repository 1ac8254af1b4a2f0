"""The first lines of a meeting's page of minutes stand in the order of the minutes that are written."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from context.export.document import document
from context.export.minutes import to_markdown
from context.models import Statement, Summary
from tests.acceptance.page_alone import browser, shown
from tests.unit.context.meetings import met, newer, spoken

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

DECIDED = (
    "The door stays open.",
    "We like the red one.",
    "We pay forty euros on Friday.",
    "It costs nine euros.",
)


async def test_what_weighs_most_stands_first_as_in_the_minutes(browser: Browser) -> None:
    meeting = met(*(spoken(n, text) for n, text in enumerate(DECIDED, 1)), summarise=False)
    decided = tuple(
        Statement(text=text, evidence=(n,), status="decided") for n, text in enumerate(DECIDED, 1)
    )
    meeting.receive(newer(meeting.segments[0], Summary(text="…", decisions=decided)))
    told = document(meeting)
    page, _ = await shown(browser, told, path="/m/m/minutes")
    line = page.locator(".brief li").first
    await expect(line).to_contain_text(DECIDED[2].rstrip("."))
    on_page, written = await line.inner_text(), to_markdown(told, "en", transcript=False).split("\n## ")[0]
    for text in (on_page, written):
        places = [text.index(DECIDED[number].rstrip(".")) for number in (2, 3, 0, 1)]
        assert places == sorted(places)
