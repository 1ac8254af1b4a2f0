"""The captions of a meeting on a second screen: two large lines, words while they are said, in both languages."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect

from tests.acceptance.page_alone import browser
from tests.acceptance.pages import demand_accessible, opened
from tests.acceptance.stack import Stack
from tests.acceptance.talks import EN, KO, address_of, talk_in, worker
from worker.bootstrap import streams

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.usefixtures("worker"),
]
__all__ = ["browser", "worker"]

TOLD: Final = {"ko": "종료", "en": "ended"}
CAPTIONS: Final = re.compile("Captions|자막")
"""In the title, once the meeting is there."""


async def under_way(stack: Stack, page: Page, meeting_id: str, text: str, firm: int = 0) -> None:
    """Have Ana say so much, as often as it takes: a dispatcher that begins to follow may have missed some."""
    fields = {"speaker": "ana", "segment_id": "s", "text": text, "firm": firm}
    async with streams.bus(stack.settings) as bus:
        for _ in range(20):
            await bus.pass_on(meeting_id, "interim", fields)
            with suppress(AssertionError):
                await expect(page.locator(".under-way")).to_have_text(f"Ana: {text}", timeout=1000)
                await expect(page.locator(".tentative")).to_have_text(text[firm:], timeout=1000)
                return
    raise AssertionError(f"{text!r} is not shown")


async def box(page: Page, of: str) -> dict[str, float]:
    found = await page.locator(of).bounding_box()
    assert found is not None
    return dict(found)


@pytest.mark.parametrize(("language", "lines"), [("ko", KO), ("en", EN)])
@pytest.mark.parametrize("path", ["/m/{id}/captions", "/meetings/{id}/captions"])
async def test_what_is_being_said_stands_in_two_large_lines(
    stack: Stack, browser: Browser, language: str, lines: tuple[str, ...], path: str
) -> None:
    talk = talk_in(stack)
    await talk.begin()
    await talk.say(lines[:1])
    address = address_of(stack).replace("/#", f"{path.format(id=talk.id)}#")
    page, problems = await opened(browser, address, language=language)
    captions = page.locator(".captions")
    await expect(page).to_have_title(CAPTIONS, timeout=30_000)
    await expect(captions).not_to_contain_text(lines[0])  # said before anybody looked
    for text, firm in ((lines[1][:12], 0), (lines[1], 12)):
        await under_way(stack, page, talk.id, text, firm)
    assert await page.locator(".under-way").get_attribute("aria-live") == "off"
    size = await captions.evaluate("(box) => parseFloat(getComputedStyle(box).fontSize)")
    assert size >= 32
    two_lines = await box(page, ".two-lines")
    assert two_lines["height"] == pytest.approx(2 * 1.35 * size, abs=2)
    assert two_lines["y"] + two_lines["height"] <= 800
    await demand_accessible(page)
    long = " ".join([lines[1]] * 6)
    await under_way(stack, page, talk.id, long)
    newest = await box(page, ".under-way")
    assert newest["height"] > two_lines["height"]
    assert newest["y"] + newest["height"] == pytest.approx(two_lines["y"] + two_lines["height"], abs=1), (
        "the newest words are those in sight"
    )
    await talk.say([lines[2]])
    await expect(page.locator("[role=log]")).to_contain_text(f"Ana: {lines[2]}", timeout=15_000)
    await expect(page.locator(".under-way")).to_have_count(0)
    await expect(page.locator("[role=log]")).not_to_contain_text(lines[2], timeout=15_000)
    await stack.moim("end", talk.id)
    await expect(page.locator(".told")).to_have_text(TOLD[language], timeout=30_000)
    assert problems == []


@pytest.mark.parametrize("asked", ["transparent", ""])
async def test_a_picture_mixer_gets_a_background_that_is_clear(
    stack: Stack, browser: Browser, asked: str
) -> None:
    talk = talk_in(stack)
    await talk.begin()
    await talk.say(EN[:1])
    query = f"?background={asked}" if asked else ""
    page, _ = await opened(browser, address_of(stack).replace("/#", f"/m/{talk.id}/captions{query}#"))
    await expect(page).to_have_title(CAPTIONS, timeout=30_000)
    assert page.url.endswith(f"/captions{query}"), "what was asked for stays when the token goes"
    grounds = await page.evaluate(
        "[document.documentElement, document.body].map((each) => getComputedStyle(each).backgroundColor)"
    )
    assert ("rgb(0, 0, 0)" in grounds) == (not asked)
    assert all(re.fullmatch(r"rgba\(0, 0, 0, 0\)|rgb\(0, 0, 0\)", ground) for ground in grounds)


async def test_who_may_not_see_the_meeting_sees_no_captions(stack: Stack, browser: Browser) -> None:
    talk = talk_in(stack)
    await talk.begin()
    await talk.say(EN[:1])
    address = address_of(stack).partition("#")[0]
    page, _ = await opened(browser, f"{address}m/{talk.id}/captions")
    await expect(page.get_by_label("Token")).to_be_visible(timeout=30_000)
    await expect(page.locator(".captions")).to_have_count(0)
    link = (await stack.moim("link", talk.id)).out
    path = re.findall(r"\S+#link=\S+", link)[0].partition("#")
    guest, _ = await opened(browser, f"{address.rstrip('/')}/m/{talk.id}/captions#{path[2]}")
    await expect(guest).to_have_title(CAPTIONS, timeout=30_000)
    other = talk_in(stack)
    await other.begin()
    await guest.goto(f"{address}m/{other.id}/captions")
    await expect(guest.locator(".captions .told")).to_contain_text(
        "no such", timeout=30_000, ignore_case=True
    )
