"""A file is dropped or chosen on the home page; how far it is, what is wrong with it, and where its minutes are."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Browser, FilePayload, Route, expect

from tests.acceptance.page_alone import PHONE, ROOT, browser, crowd, shown
from tests.acceptance.pages import demand_accessible, dropped

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
__all__ = ["browser"]

BOUNDS: Final = {
    "sound": [".wav", ".mp3"], "transcripts": [".vtt", ".txt"], "engine": "whisper",
    "largest_mb": 1, "largest_transcript_mb": 0.5, "longest_hours": 6,
}  # fmt: skip
FILE: Final[FilePayload] = {"name": "주간 회의.vtt", "mimeType": "text/vtt", "buffer": b"WEBVTT"}


def row(**more: Any) -> dict[str, Any]:
    return {
        "meeting_id": "m-1", "name": "주간 회의.vtt", "kind": "sound", "bytes": 9, "total": 3_600_000, "done": 0,
        "state": "waiting", "fault": None, "fault_value": None, "added_at": "2026-11-29T10:00:00Z", **more,
    }  # fmt: skip


def listed(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"recordings": [*rows], **BOUNDS}


READ: Final = {
    "id": "m-1", "title": "주간 회의", "room": None, "status": "wanted", "holder": None, "started_at": None,
}  # fmt: skip
"""The meeting as it stands in the list until the reader of its file has loaded what it reads with."""


def answers(*lists: dict[str, Any]) -> dict[str, Any]:
    return {
        "GET /v1/meetings": {"meetings": [READ], "next": None},
        "GET /v1/documents": {"documents": []},
        "GET /v1/recordings": list(lists),
        "POST /v1/recordings": {"meeting_id": "m-1", "name": "주간 회의.vtt", "kind": "sound"},
        "GET /v1/meetings/m-1": {"id": "m-1", "status": "ended", "started_at": None},
    }


TOLD: Final = {
    "ko": ("워커를 기다리는 중", "읽는 중: 12:30 / 01:00:00", "진행 중", "회의록"),
    "en": ("Waits for a worker", "Being read: 12:30 / 01:00:00", "live", "Minutes"),
}
CHOOSE: Final = {
    "ko": ("녹음·대화록 선택", "문서 선택"),
    "en": ("Choose recordings or transcripts", "Choose documents"),
}
BROUGHT: Final[list[FilePayload]] = [
    {"name": "call.wav", "mimeType": "audio/wav", "buffer": bytes(1_200_000)},
    {"name": "전체 대화.TXT", "mimeType": "text/plain", "buffer": b"a" * 600_000},
    {"name": "tool.exe", "mimeType": "", "buffer": b"MZ"},
    {"name": "none.vtt", "mimeType": "text/vtt", "buffer": b""},
]
WRONG: Final = {
    "ko": (
        ["call.wav: 크기가 1.2 MB입니다. 1MB까지", "전체 대화.TXT: 크기가 0.6 MB입니다. 0.5MB까지", "tool.exe: .exe 형식은", "none.vtt: 빈 파일"],
        "old.mp3: 들을 수 있는 소리가 없습니다", "녹음은 1MB, 6시간까지, 대화록은 0.5MB까지",
    ),
    "en": (
        ["call.wav: It has 1.2 MB, at most 1 MB.", "전체 대화.TXT: It has 0.6 MB, at most 0.5 MB.", "tool.exe: .exe is no kind", "none.vtt: The file is empty."],
        "old.mp3: There is no sound in it that can be decoded", "at most 1 MB and 6 h, a transcript 0.5 MB",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_from_the_file_to_its_minutes(browser: Browser, language: str) -> None:
    """It is chosen by keys alone, with a button in the reader's language."""
    page, server = await shown(browser, crowd(1), path="/", own=answers(listed()), locale=language)
    chooser = asyncio.ensure_future(page.wait_for_event("filechooser"))
    await page.get_by_role("textbox").nth(1).focus()
    for _ in range(2):  # past the button that starts a meeting
        await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name=CHOOSE[language][0])).to_be_focused()
    await demand_accessible(page)
    server.own["GET /v1/recordings"] = listed(row())
    await page.keyboard.press("Enter")
    await (await chooser).set_files([FILE])
    waits, read, live, minutes = TOLD[language]
    await expect(page.locator(".recordings")).to_contain_text(waits)
    server.own["GET /v1/recordings"] = listed(row(state="reading", done=750_000))
    await expect(page.locator(".recordings")).to_contain_text(read)
    await expect(page.locator(".recordings progress")).to_have_attribute("value", "750000")
    await expect(page.locator(".status")).to_have_text(read)
    await demand_accessible(page)
    server.own["GET /v1/meetings"] = {
        "meetings": [{**READ, "status": "live", "holder": "worker"}],
        "next": None,
    }
    server.own["GET /v1/recordings"] = listed()
    await expect(page.locator(".status")).to_have_text(live)
    link = page.locator(".recordings a[href='/m/m-1/minutes']")
    await expect(link).to_have_text(minutes)
    await demand_accessible(page)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_what_is_wrong_is_one_line_in_the_readers_language(browser: Browser, language: str) -> None:
    failed = row(name="old.mp3", state="failed", fault="no_sound", fault_value="")
    page, server = await shown(
        browser, crowd(1), path="/", own=answers(listed(failed)), locale=language, viewport=PHONE
    )
    wrong, none, bounds = WRONG[language]
    for told in (none, bounds):
        await expect(page.locator(".recordings")).to_contain_text(told)
    await page.locator(".recordings input[type=file]").set_input_files(BROUGHT)
    await expect(page.get_by_role("alert")).to_contain_text(wrong)
    assert "POST /v1/recordings" not in [asked for asked, _ in server.sent], "nothing is sent in vain"
    await demand_accessible(page)
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_the_browsers_own_words_for_a_file_are_not_shown(browser: Browser, language: str) -> None:
    """It has them in its own language. Each button opens one chooser, and so does the field around it."""
    page, _ = await shown(browser, crowd(1), path="/", own=answers(listed()), locale=language)
    opened: list[bool] = []
    page.on("filechooser", lambda chooser: opened.append(chooser.is_multiple()))
    for number, name in enumerate(CHOOSE[language]):
        drop = page.locator(".drop").nth(number)
        await expect(drop.locator("input")).to_be_hidden()
        for where in (page.get_by_role("button", name=name, exact=True), drop.locator("span").first):
            async with page.expect_file_chooser():
                await where.click()
    assert opened == [True] * 4


async def test_files_that_are_dropped_are_sent_one_after_the_other(browser: Browser, tmp_path: Path) -> None:
    """Also those of a second drop, and one that was brought already."""
    one, other = tmp_path / "a.vtt", tmp_path / "회의.txt"
    for path in (one, other):
        path.write_text("Hana: hello", "utf-8")
    page, _ = await shown(browser, crowd(1), path="/", own=answers(listed()), locale="en")
    sent: list[str] = []
    first = asyncio.Event()

    async def hold(route: Route) -> None:
        sent.append(parse_qs(urlsplit(route.request.url).query)["name"][0])
        await first.wait()
        await route.fallback()

    await page.route("**/v1/recordings?name=*", hold)
    await dropped(page, one, other)
    await dropped(page, one)
    await expect(page.locator(".recordings .card")).to_have_text(
        ["a.vttSending", "회의.txtIs sent next", "a.vttIs sent next"]
    )
    assert sent == ["a.vtt"]
    await demand_accessible(page)
    first.set()
    await expect(page.locator(".recordings progress")).to_have_count(0, timeout=30_000)
    assert sent == ["a.vtt", "회의.txt", "a.vtt"]


@pytest.mark.parametrize("section", [".recordings", "section:last-of-type"])
async def test_what_is_no_file_is_told_and_what_misses_the_fields_is_not_opened(
    browser: Browser, tmp_path: Path, section: str
) -> None:
    page, server = await shown(browser, crowd(1), path="/", own=answers(listed()), locale="en")
    (tmp_path / "회의들").mkdir()
    (tmp_path / "a.vtt").write_text("WEBVTT")
    zone = f"{section} .drop"
    await page.locator(zone).scroll_into_view_if_needed()
    await dropped(page, text="hello", on=zone)
    await expect(page.locator(section)).to_contain_text("That is no file.")
    await dropped(page, tmp_path / "회의들", on=zone)
    await expect(page.locator(section)).to_contain_text("회의들: It is a folder.")
    await dropped(page, tmp_path / "a.vtt", on="h1")
    await page.wait_for_timeout(300)
    assert len(page.context.pages) == 1, "it is not opened beside the page"
    assert page.url == f"{ROOT}/"
    assert not [asked for asked, _ in server.sent if asked.startswith("POST")]
