"""Searching on the pages: nothing found is said, a hit is shown from its line, and clicked it goes there."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.acceptance.browser import chromium, spoken
from tests.acceptance.pages import demand_accessible, opened
from tests.acceptance.stack import Stack
from tests.acceptance.talks import address_of

pytestmark = [pytest.mark.browser]

FILLER = 400
KOREAN = "고무 단추는 너무 비싸서 플라스틱으로 바꿉시다."
ENGLISH = "The rubber buttons cost four euros, so let's take plastic ones."


async def recorded(stack: Stack, tmp_path: Path) -> str:
    """An ended meeting of some hundred lines; the two that are looked for are far down."""
    meeting_id = f"buttons-{uuid.uuid4().hex[:6]}"
    # Passages that are alike are shown once: those of another test's meeting are not.
    lines = [f"하나: {meeting_id}의 {place}번 안건은 넘어갑니다." for place in range(FILLER)]
    lines[FILLER - 60 : FILLER - 60] = [f"민지: {KOREAN}", f"Alice: {ENGLISH}"]
    path = tmp_path / f"{meeting_id}.txt"
    path.write_text("\n".join(lines), "utf-8")
    await stack.moim("replay", str(path), "--record", "--date", "2026-03-02")
    return meeting_id


async def search(page: Page, text: str) -> None:
    box = page.get_by_role("searchbox")
    await box.fill(text)
    await box.press("Enter")


async def demand_in_sight(page: Page, words: str) -> None:
    marked = page.locator(".line.marked")
    await expect(marked).to_contain_text(words)
    await expect(marked).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("language", "nothing", "looked_for"),
    [
        ("ko", "“zzzzqqq”에 대한 검색 결과가 없습니다.", ("단추", ["단추"], KOREAN)),
        ("en", "Nothing found for “zzzzqqq”.", ("rubber button", ["rubber", "buttons"], ENGLISH)),
    ],
)
async def test_a_hit_is_one_and_leads_to_its_line(
    stack: Stack, tmp_path: Path, language: str, nothing: str, looked_for: tuple[str, list[str], str]
) -> None:
    query, marks, line = looked_for
    meeting_id = await recorded(stack, tmp_path)
    async with chromium(spoken(tmp_path / "said.wav")) as browser:
        page, problems = await opened(browser, address_of(stack), language=language)
        await search(page, "zzzzqqq")
        await expect(page.get_by_text(nothing)).to_be_visible()
        await expect(page.locator(".found")).to_have_count(0)
        await search(page, query)
        hit = page.locator(".found a", has_text=meeting_id).first
        await expect(hit.locator(".passage")).to_contain_text(line)
        assert (await hit.locator("mark").all_inner_texts())[: len(marks)] == marks
        assert line in (await hit.locator(".passage").inner_text()).split("\n")[0]
        await demand_accessible(page)
        await hit.click()
        await demand_in_sight(page, line)
        await page.goto(page.url.partition("#")[0])
        await search(page, query)
        await page.locator(".found button").first.click()
        await demand_in_sight(page, line)
        await demand_accessible(page)
        assert problems == []


async def test_a_command_is_answered_by_the_dispatcher_beside_it(stack: Stack, tmp_path: Path) -> None:
    meeting_id = await recorded(stack, tmp_path)
    ran = await stack.moim("ask", meeting_id, "What do the rubber buttons cost?")
    assert ENGLISH in ran.out
    assert ran.err == "", "where no dispatcher is found, a warning says so"
