"""What people say, type, upload or call themselves is text on the page: nothing runs, no link is made."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import aiohttp
import pytest
from playwright.async_api import Page, expect

from context.text import one_line
from tests.acceptance.browser import chromium, spoken
from tests.acceptance.stack import Stack
from tests.acceptance.test_pages import opened
from tests.acceptance.test_watching import Talk, address_of, killed_in_the_end, shown, talk_in
from worker.bootstrap import streams
from worker.bootstrap.database import database
from worker.messages import SegmentMessage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

RUN: Final = "window.pwned=1"
PAYLOADS: Final = (
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<body onpageshow={RUN}>",
    f"<details open ontoggle={RUN}>열기",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}>",
    f"<math><mi xlink:href=javascript:{RUN}>회의",
    f"<a href=javascript:{RUN}>안건</a>",
    f"[회의록](javascript:{RUN})",
    f"![x](https://evil.example/?{RUN})",
    "[click me](https://evil.example)",
    "<https://evil.example>",
    "https://evil.example/meeting",
    f"`${{{RUN}}}`",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"${{{RUN}}}",
    f"</textarea><script>{RUN}</script>",
    f"\"'><script>{RUN}</script>",
    f"&lt;script&gt;{RUN}&lt;/script&gt; &#60;b&#62;",
    "<form action=https://evil.example><button>확인</button></form>",
    f"<style>@import 'https://evil.example';</style><link rel=stylesheet href=https://evil.example onload={RUN}>",
    "__proto__",
    "\u202e<b>거꾸로</b>\u202c",
)


async def demand_inert(page: Page, *shown: str) -> None:
    """Nothing ran, nothing leads away; what was said is there to read."""
    for text in shown:
        await expect(page.get_by_text(text, exact=False).first).to_be_visible(timeout=20_000)
    found = await page.evaluate(
        """() => ({
          pwned: window.pwned ?? null,
          away: [...document.querySelectorAll("[href], [src], [action]")]
            .map((each) => each.href?.baseVal ?? each.href ?? each.src ?? each.action)
            .filter((address) => new URL(address, location).origin !== location.origin),
          foreign: document.querySelectorAll(
            "#app script, #app iframe, #app video, #app math, #app style, #app link, #app img:not([src='/static/moim.svg'])"
          ).length,
        })"""
    )
    assert found == {"pwned": None, "away": [], "foreign": 0}


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
