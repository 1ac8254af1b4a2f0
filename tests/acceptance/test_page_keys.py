"""A meeting's page by keys, in both keyboards; bookmarks stay in this browser; a title is changed in place."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import browser, scripted, shown
from tests.acceptance.pages import demand_accessible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

KEYS: Final = {"en": "jjjkeb", "ko": "ㅓㅓㅓㅏㄷㅠ"}
_TYPE: Final = """(key) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))"""


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_lines_are_gone_through_edited_and_kept_by_keys(browser: Browser, language: str) -> None:
    page, server = await shown(browser, scripted(language), locale=language)
    await expect(page.locator("#u-4")).to_be_attached()
    await page.locator(".transcript").evaluate("(box) => (box.scrollTop = 0)")
    *steps, edit, keep = KEYS[language]
    for key in steps:
        await page.evaluate(_TYPE, key)
    marked = page.locator(".line.marked")
    await expect(marked).to_have_attribute("id", "u-2")
    await page.evaluate(_TYPE, keep)
    star = marked.locator(".star")
    await expect(star).to_have_attribute("aria-pressed", "true")
    words = (await marked.locator(".words").inner_text()).split("\n")[0]
    await expect(page.locator(".bookmarks li")).to_have_count(1)
    await page.evaluate(_TYPE, edit)
    field = marked.locator("textarea")
    await expect(field).to_be_focused()
    await page.keyboard.type("jk/?")  # in a field, a key writes
    await page.keyboard.press("Escape")
    await expect(marked).to_have_attribute("id", "u-2")
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await demand_accessible(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_be_hidden()
    await page.keyboard.press("/")
    await expect(page.locator("input[name=question]")).to_be_focused()
    await page.reload()
    await expect(page.locator(".bookmarks li")).to_contain_text(words[:8])
    await demand_accessible(page)
    stored = await page.evaluate("JSON.stringify(localStorage)")
    assert words[:8] not in stored, "a bookmark holds no word of its line"
    await page.locator("#u-2 .star").click(force=True)
    await expect(page.locator(".bookmarks")).to_have_count(0)
    assert not server.fixes


async def test_who_does_not_want_keys_turns_them_off(browser: Browser) -> None:
    page, _ = await shown(browser, scripted("en"), locale="en")
    await page.get_by_role("button", name="Keys", exact=True).click()
    await page.get_by_label("Keys work").uncheck()
    await page.get_by_role("button", name="Close", exact=True).click()
    await page.keyboard.press("j")
    await page.keyboard.press("/")
    await expect(page.locator(".line.marked")).to_have_count(0)
    await expect(page.locator("input[name=question]")).not_to_be_focused()


@pytest.mark.parametrize(("language", "title"), [("ko", "새 회의 제목 <b>"), ("en", "Another title <b>")])
async def test_a_meeting_is_renamed_in_place(browser: Browser, language: str, title: str) -> None:
    own = {"PUT /v1/meetings/m/title": {}}
    page, server = await shown(browser, scripted(language), own=own, locale=language)
    await page.locator("h1 .pencil").click(force=True)
    field = page.locator("h1 textarea")
    await field.fill(title)
    await demand_accessible(page)
    await field.press("Enter")
    await expect(field).to_have_count(0)
    assert server.sent == [("PUT /v1/meetings/m/title", {"title": title})]


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_link_has_an_end_and_is_withdrawn(browser: Browser, language: str) -> None:
    link = {"id": "l1", "meeting_id": "m", "may_edit": True, "expires_at": "2027-01-05T10:00:00Z"}
    own = {
        "GET /v1/meetings/m/links": {"links": [link]},
        "POST /v1/meetings/m/links": {**link, "path": "/m/m#link=secret"},
        "DELETE /v1/meetings/m/links/l1": {"withdrawn": "l1"},
    }
    page, server = await shown(browser, scripted(language), own=own, locale=language)
    words = {
        "ko": ("공유", "링크 유효 기간", "30일", "편집·발언용 링크 복사", "취소: 편집·발언용"),
        "en": ("Share", "The link works for", "30 days", "Copy a link to edit", "Withdraw: to edit"),
    }[language]
    await page.get_by_role("button", name=words[0], exact=True).click()
    await page.get_by_label(words[1]).select_option(label=words[2])
    await page.get_by_role("button", name=words[3]).click()
    await expect(page.locator("#share input[readonly]")).to_have_value("http://moim.test/m/m#link=secret")
    await demand_accessible(page)
    await page.get_by_role("button", name=words[4]).click()
    await expect(page.locator("#share input[readonly]")).to_have_count(0)
    asked = [each for each in server.sent if not each[0].startswith("GET")]
    assert asked == [
        ("POST /v1/meetings/m/links", {"edit": True, "seconds": 30 * 86_400}),
        ("DELETE /v1/meetings/m/links/l1", None),
    ]
