"""A file is dropped or chosen on the home page; how far it is, what is wrong with it, and where its minutes are."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.async_api import Browser, FilePayload, expect

from tests.acceptance.page_alone import PHONE, browser, shown
from tests.acceptance.test_page_colours import crowd
from tests.acceptance.test_pages import demand_accessible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(180),
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

BOUNDS: Final = {"largest_mb": 1, "longest_hours": 6.0}
FILE: Final[FilePayload] = {"name": "주간 회의.vtt", "mimeType": "text/vtt", "buffer": b"WEBVTT"}
LARGE: Final[FilePayload] = {"name": "call.wav", "mimeType": "audio/wav", "buffer": bytes(1_200_000)}


def row(**more: Any) -> dict[str, Any]:
    return {
        "meeting_id": "m-1", "name": "주간 회의.vtt", "kind": "sound", "bytes": 9, "total": 3_600_000, "done": 0,
        "state": "waiting", "fault": None, "fault_value": None, "added_at": "2026-11-29T10:00:00Z", **more,
    }  # fmt: skip


def listed(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"recordings": [*rows], **BOUNDS}


def answers(*lists: dict[str, Any]) -> dict[str, Any]:
    return {
        "GET /v1/meetings": {"meetings": [], "next": None},
        "GET /v1/documents": {"documents": []},
        "GET /v1/recordings": list(lists),
        "POST /v1/recordings": {"meeting_id": "m-1", "name": "주간 회의.vtt", "kind": "sound"},
        "GET /v1/meetings/m-1": {"id": "m-1", "status": "ended", "started_at": None},
    }


TOLD: Final = {
    "ko": ("워커를 기다리는 중", "읽는 중: 12:30 / 01:00:00", "회의록"),
    "en": ("Waits for a worker", "Being read: 12:30 / 01:00:00", "Minutes"),
}
WRONG: Final = {
    "ko": ("call.wav: 크기가 1.2 MB입니다. 1MB까지", "old.mp3: 들을 수 있는 소리가 없습니다"),
    "en": ("call.wav: It has 1.2 MB, at most 1 MB.", "old.mp3: There is no sound in it that can be decoded"),
}


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_from_the_file_to_its_minutes(browser: Browser, language: str) -> None:
    """It is chosen by keys alone: the field is reached with Tab, as any other."""
    lists = (
        listed(),
        listed(row()),
        listed(row(state="reading", done=750_000)),
        listed(row(state="reading", done=750_000)),
        listed(),
    )
    page, _ = await shown(browser, crowd(1), path="/", own=answers(*lists), locale=language)
    field = page.locator(".recordings input[type=file]")
    await field.focus()
    assert await field.evaluate("(each) => each === document.activeElement")
    await field.set_input_files([FILE])
    waits, read, minutes = TOLD[language]
    await expect(page.locator(".recordings")).to_contain_text(waits)
    await expect(page.locator(".recordings")).to_contain_text(read)
    await expect(page.locator(".recordings progress")).to_have_attribute("value", "750000")
    await demand_accessible(page)
    link = page.locator(".recordings a[href='/m/m-1/minutes']")
    await expect(link).to_have_text(minutes)
    await demand_accessible(page)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_what_is_wrong_is_one_line_in_the_readers_language(browser: Browser, language: str) -> None:
    failed = row(name="old.mp3", state="failed", fault="no_sound", fault_value="")
    page, _ = await shown(
        browser, crowd(1), path="/", own=answers(listed(failed)), locale=language, viewport=PHONE
    )
    large, none = WRONG[language]
    await expect(page.locator(".recordings")).to_contain_text(none)
    await page.locator(".recordings input[type=file]").set_input_files([LARGE])
    await expect(page.get_by_role("alert")).to_contain_text(large)
    await demand_accessible(page)
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")


async def test_a_file_that_is_dropped_is_sent(browser: Browser) -> None:
    page, server = await shown(browser, crowd(1), path="/", own=answers(listed(), listed(row())), locale="en")
    await page.locator(".recordings .drop").evaluate(
        """(zone) => {
            const files = new DataTransfer();
            files.items.add(new File(["WEBVTT"], "a.vtt"));
            for (const kind of ["dragover", "drop"])
                zone.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
        }"""
    )
    await expect(page.locator(".recordings")).to_contain_text("Waits for a worker")
    assert "POST /v1/recordings" in [asked for asked, _ in server.sent]
