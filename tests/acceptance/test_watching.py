"""A page goes on showing its meeting: through a takeover and a restart, to several viewers, until its link ends."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from pathlib import Path
from typing import Final

import asyncpg
import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.page_alone import browser
from tests.acceptance.pages import opened
from tests.acceptance.stack import Stack
from tests.acceptance.talks import EN, KO, address_of, killed_in_the_end, shown, talk_in, watched, worker

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.usefixtures("worker"),
]
__all__ = ["browser", "worker"]

TERMS: Final = {KO: ("패이게이트", "페이게이트"), EN: ("pay gate", "PayGate")}


@pytest.mark.parametrize("lines", [KO, EN], ids=["ko", "en"])
async def test_a_term_put_right_by_one_is_seen_by_the_other_and_in_what_rests_on_it(
    stack: Stack, browser: Browser, lines: tuple[str, ...]
) -> None:
    heard, meant = TERMS[lines]
    it = await watched(stack, browser, lines)
    talk, page, other = it.talk, it.page, it.other
    await stack.moim("end", talk.id)
    task = other.locator(".came-of-it .statements li").filter(has_text=heard)
    await expect(task).to_be_visible(timeout=30_000)
    await page.get_by_role("button", name="Find and replace").click()
    await page.get_by_label("As it was heard").fill(heard)
    await page.get_by_label("As it is written").fill(meant)
    await page.get_by_role("button", name="Replace everywhere").click()
    for viewer in (page, other):
        await expect(viewer.locator(".line .words").nth(1)).to_contain_text(meant)
        await expect(viewer.locator(".came-of-it .statements li").filter(has_text=meant)).to_be_visible()
    document = await stack.document(talk.id)
    assert meant in document["utterances"][1]["text"]
    assert heard in document["utterances"][1]["heard"]
    assert any(meant in each["text"] for topic in document["topics"] for each in topic["pending"])


@pytest.mark.parametrize("lines", [KO, EN], ids=["ko", "en"])
async def test_a_line_that_one_erases_is_gone_for_the_other_and_from_what_rests_on_it(
    stack: Stack, browser: Browser, lines: tuple[str, ...]
) -> None:
    it = await watched(stack, browser, lines)
    talk, page, other = it.talk, it.page, it.other
    page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
    await page.locator(".line").nth(1).get_by_role("button", name=f"Erase: {lines[1]}").click()
    await expect(page.locator(".line").nth(1)).to_contain_text("erased", timeout=15_000)
    await expect(other.locator(".line").nth(1)).to_contain_text("삭제됨", timeout=15_000)
    await stack.moim("end", talk.id)
    await expect(other.locator(".came-of-it")).to_be_visible(timeout=30_000)
    document = await stack.document(talk.id)
    assert [each["text"] for each in document["utterances"]] == [lines[0], "", lines[2]]
    assert document["utterances"][1]["erased"] is True
    assert [(mark["by"], mark["utterances"]) for mark in document["erasures"]] == [("page (“Ana”)", [2])]
    assert lines[1][:8] not in await other.content()


async def test_off_the_record_shows_as_a_mark(stack: Stack, browser: Browser) -> None:
    it = await watched(stack, browser, KO)
    talk, page, other = it.talk, it.page, it.other
    await talk.command("/off 5m")
    await expect(page.get_by_text("Paused: nothing goes on the record")).to_be_visible(timeout=15_000)
    await expect(page.locator(".line", has_text="erased")).to_have_count(3, timeout=15_000)
    await talk.say(["비밀입니다. This is a secret."])
    await talk.command("/on")
    await talk.say([EN[0]])
    await expect(page.locator(".line", has_text=EN[0])).to_be_visible(timeout=15_000)
    for viewer, words, unit in (
        (page, ("Off the record", "Taken out"), " s"),
        (other, ("오프 더 레코드", "기록에서 삭제됨"), "초"),
    ):
        for mark in words:
            await expect(viewer.locator(".gap", has_text=mark)).to_contain_text(f"{unit} · Ana")
        await expect(viewer.locator(".banner", has_text="Paused")).to_have_count(0)
    await expect(page.locator(".status")).to_have_text("live")
    document = await stack.document(talk.id)
    (mark,) = document["off_the_record"]
    assert (mark["by"], mark["end_ms"] > mark["start_ms"]) == ("ana", True)
    assert "secret" not in json.dumps(document)
    assert it.problems == []


async def test_a_link_that_has_expired_shows_nothing_more(stack: Stack, browser: Browser) -> None:
    talk = talk_in(stack)
    await talk.begin()
    await talk.say(EN)
    base = address_of(stack).partition("/#")[0]
    path = (await stack.moim("link", talk.id)).out
    link = re.findall(r"/m/\S+?#link=[\w.~-]+", path)[0]
    guest, _ = await opened(browser, base + link)
    await expect(guest.locator(".line")).to_have_count(3, timeout=30_000)
    tried = "fetch(location.pathname.replace('/m/', '/v1/meetings/'), {method: 'PATCH', headers: {'Content-Type': 'application/json'}, body: '{}'}).then((answer) => answer.status)"
    assert await guest.evaluate(tried) == 403, "a viewer who tries to edit"
    database = await asyncpg.connect(stack.env["DATABASE_ADMIN_URL"])
    await database.execute("SELECT set_config('moim.tenant', 'default', false)")
    await database.execute("UPDATE moim.links SET expires_at = now() WHERE meeting_id = $1", talk.id)
    await database.close()
    await asyncio.sleep(2.5)  # standing is asked for every two seconds
    await talk.say(["This is for others."])
    await expect(guest.get_by_text("There is no such meeting.")).to_be_visible(timeout=20_000)
    assert "for others" not in await guest.content()
    late, _ = await opened(browser, base + link)
    await expect(late.locator("input[name=token]")).to_be_visible()


async def test_nothing_is_lost_or_doubled_through_a_takeover_and_a_restart(
    stack: Stack, browser: Browser, worker: asyncio.subprocess.Process, tmp_path: Path
) -> None:
    """The last of them: it kills the worker that held all the others' meetings."""
    talk = talk_in(stack)
    lines = [f"{KO[0]} {number}" if number % 2 else f"{EN[0]} {number}" for number in range(60)]
    await talk.begin()
    await talk.say(lines[:5])
    page, _ = await opened(browser, address_of(stack).replace("/#", f"/m/{talk.id}#"))
    await expect(page.locator(".line")).to_have_count(5, timeout=30_000)
    async with (
        killed_in_the_end(stack, "worker", "--text", MOIM_STATE_DIR=str(tmp_path / "two")),
        asyncio.TaskGroup() as speaking,
    ):
        speaking.create_task(talk.say(lines[5:], every_s=0.25))
        await asyncio.sleep(3)
        os.killpg(worker.pid, signal.SIGKILL)
        await expect(page.locator(".line").nth(29)).to_be_visible(timeout=60_000)
        dispatcher = stack.child("dispatcher")
        assert dispatcher is not None
        os.kill(dispatcher, signal.SIGKILL)
        await expect(page.get_by_text("Connection lost")).to_be_visible(timeout=10_000)
        await expect(page.locator(".line")).to_have_count(len(lines), timeout=60_000)
        await expect(page.get_by_text("Connection lost")).to_have_count(0)
    assert await shown(page) == lines
