"""What people say, type, upload or call themselves is text on the page: nothing runs, no link is made."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest
from playwright.async_api import expect

from context.primitives.text import one_line
from tests.acceptance.browser import chromium, spoken
from tests.acceptance.pages import opened
from tests.acceptance.payloads import PAYLOADS, demand_inert
from tests.acceptance.stack import Stack
from tests.acceptance.talks import Talk, address_of, killed_in_the_end, shown, talk_in
from worker.bootstrap import streams
from worker.bootstrap.database import database
from worker.messages import SegmentMessage

pytestmark = [pytest.mark.browser]


async def test_nothing_runs_and_no_link_is_made(stack: Stack, tmp_path: Path) -> None:
    talk = talk_in(stack)
    address = address_of(stack)
    async with (
        chromium(spoken(tmp_path / "said.wav")) as browser,
        killed_in_the_end(stack, "worker", "--text", MOIM_STATE_DIR=str(tmp_path / "one")),
    ):
        await speak(talk)
        page, problems = await opened(browser, address)
        await fill(stack, address, talk)
        await page.reload()
        await expect(page.locator(".cards").last.locator("li")).to_have_count(len(PAYLOADS), timeout=20_000)
        await demand_inert(page, "click me", PAYLOADS[0])
        await page.get_by_role("searchbox").fill("window pwned script")
        await page.get_by_role("button", name="Search", exact=True).click()
        await demand_inert(page)
        meeting, faults = await opened(browser, address.replace("/#", f"/m/{talk.id}#"))
        await expect(meeting.locator(".line")).to_have_count(len(PAYLOADS) + 1, timeout=20_000)
        said = await shown(meeting)
        assert said[1:] == [one_line(each) for each in PAYLOADS]
        for payload in PAYLOADS[:4]:  # as many as one may have under way
            await meeting.get_by_role("textbox", name="Ask").fill(payload)
            await meeting.get_by_role("textbox", name="Ask").press("Enter")
        await expect(meeting.locator(".turn")).to_have_count(4)
        await meeting.wait_for_timeout(2_000)
        await demand_inert(meeting)
        for part in ("minutes", "agent"):
            await meeting.goto(meeting.url.partition("#")[0].removesuffix("/minutes") + f"/{part}")
            await expect(meeting.locator("main#main")).to_be_visible()
            await meeting.wait_for_timeout(500)
            await demand_inert(meeting)
        assert problems == faults == []


async def speak(talk: Talk) -> None:
    """Each payload is said by somebody who is called so."""
    await talk.begin()
    await talk.say(["The budget is decided."])
    async with streams.bus(talk.settings) as bus:
        for number, payload in enumerate(PAYLOADS, 1):
            await bus.send_segment(
                talk.id,
                SegmentMessage(
                    id=f"x{number}", speaker=f"p{number}", name=payload, text=payload,
                    start_ms=number * 2000 + 10_000, end_ms=number * 2000 + 11_500,
                ),
            )  # fmt: skip


async def fill(stack: Stack, address: str, talk: Talk) -> None:
    """Meetings and documents that are called so."""
    async with database(talk.settings) as tables:
        for number, payload in enumerate(PAYLOADS):
            await tables.registry.want(None, meeting_id=f"{talk.id}-{number}", title=payload)
    base, _, token = address.partition("/#token=")
    headers = {"Origin": base}
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, headers=headers) as client:
        await client.post(f"{base}/v1/session", json={"token": token})
        for number, payload in enumerate(PAYLOADS):
            params = {"name": f"{number}.md"}
            body = f"# {payload}\n\n{payload}".encode()
            async with client.post(f"{base}/v1/documents", params=params, data=body) as answer:
                assert answer.status == 201, await answer.text()
