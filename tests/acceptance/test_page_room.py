"""Somebody speaks into a real room by the page: they see that they are heard, and write in the room's chat."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import expect

from tests.acceptance.browser import chromium, spoken
from tests.acceptance.pages import demand_accessible, opened
from tests.acceptance.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.room, pytest.mark.speech]

_WAIT_MS: Final = 45_000
_LOUD: Final = "() => document.querySelector('.level')?.value > 0.02"


async def test_who_joins_sees_that_they_are_heard_and_writes_in_the_chat(
    stack: Stack, tmp_path: Path
) -> None:
    address = re.findall(r"http://\S+#token=\S+", stack.log.read_text("utf-8"))[0]
    async with chromium(spoken(tmp_path / "said.wav", after_s=120)) as browser:
        page, problems = await opened(browser, address)
        await page.get_by_label("Room").fill(f"page-room-{uuid.uuid4().hex[:6]}")
        await page.get_by_role("button", name="Start a meeting").click()
        status = page.locator(".bar .status")
        await expect(status).to_have_text("ready, nobody has joined yet", timeout=_WAIT_MS)
        other, faults = await opened(browser, f"{page.url}#{address.partition('#')[2]}", language="ko")
        await expect(other.locator(".bar .status")).to_have_text(
            "준비됨, 아직 아무도 들어오지 않음", timeout=_WAIT_MS
        )

        await page.get_by_label("Your name").fill("Alice Moreau")
        await page.get_by_role("button", name="Speak here").click()
        await page.wait_for_function(_LOUD, timeout=_WAIT_MS)
        await expect(status).to_have_text("live", timeout=_WAIT_MS)
        devices = page.get_by_label("Microphone", exact=True)
        names = await devices.locator("option").all_inner_texts()
        print(f"microphones to choose from: {names}")
        assert len(names) > 1
        await devices.select_option(index=1)
        await expect(page.get_by_text("This microphone cannot be used")).to_have_count(0)

        await other.get_by_label("이름").fill("김민지")
        await other.get_by_role("button", name="여기서 말하기").click()
        await expect(other.get_by_role("button", name="마이크 끄기")).to_be_visible(timeout=_WAIT_MS)
        await page.get_by_role("button", name="Chat").click()
        await page.get_by_label("Write to everybody in the room").fill("Hello <b>all</b>")
        await page.get_by_role("button", name="Send").click(timeout=2 * _WAIT_MS)
        await expect(page.locator(".messages")).to_contain_text(
            "Alice Moreau Hello <b>all</b>", timeout=_WAIT_MS
        )
        await other.get_by_role("button", name="채팅").click()
        await expect(other.locator(".messages")).to_contain_text(
            "Alice Moreau Hello <b>all</b>", timeout=_WAIT_MS
        )
        await demand_accessible(page)
        await demand_accessible(other)
        await other.get_by_label("방의 모두에게 쓰기").fill("/me no")
        await other.get_by_label("방의 모두에게 쓰기").press("Enter")
        await expect(page.locator(".people li", has=page.locator("b", has_text="김민지"))).to_contain_text(
            "not recorded, by wish", timeout=_WAIT_MS
        )
        await other.get_by_role("button", name="나가기").click()
        await expect(other.get_by_role("button", name="채팅")).to_have_count(0)
        await page.get_by_role("button", name="Leave").click()
        assert problems == faults == []
