"""Meetings in text beside the stack, the worker that holds them, and pages that show them."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.acceptance.pages import opened
from tests.acceptance.stack import Stack
from worker.bootstrap import streams
from worker.bootstrap.database import database
from worker.configuration.settings import Settings, child_environment
from worker.messages import AskMessage, SegmentMessage

KO: Final = (
    "출시일은 십이월 이십이일로 결정하겠습니다.",
    "패이게이트 연동은 제가 금요일까지 하겠습니다.",
    "좋습니다.",
)
EN: Final = ("We decided to ship on the 22nd.", "I will connect pay gate by Friday.", "Good.")


class Talk:
    """A meeting in text, and somebody who speaks in it."""

    def __init__(self, settings: Settings, id_: str) -> None:
        self.settings, self.id, self.said = settings, id_, 0

    async def begin(self) -> None:
        async with database(self.settings) as tables:
            await tables.registry.want(None, meeting_id=self.id, title=self.id)

    async def say(self, lines: Sequence[str], *, every_s: float = 0.0) -> None:
        async with streams.bus(self.settings) as bus:
            for text in lines:
                start_ms = self.said * 2000
                await bus.send_segment(
                    self.id,
                    SegmentMessage(
                        id=f"s{self.said}", speaker="ana", name="Ana", text=text, start_ms=start_ms,
                        end_ms=start_ms + 1500,
                    ),
                )  # fmt: skip
                self.said += 1
                await asyncio.sleep(every_s)

    async def command(self, text: str) -> None:
        async with streams.bus(self.settings) as bus:
            await bus.ask(self.id, AskMessage(id=f"o{uuid.uuid4().hex[:6]}", by="ana", text=text))
            await asyncio.sleep(0.5)  # it comes by a stream of its own


@asynccontextmanager
async def killed_in_the_end(
    stack: Stack, *arguments: str, **more: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """`moim ARGUMENTS` beside the stack; nobody says goodbye to it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "worker", *arguments),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        env=child_environment({**stack.env, "MOIM_HTTP_PORT": "0", **more}),
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def address_of(stack: Stack) -> str:
    """The address of the pages, with what signs in."""
    return str(re.findall(r"http://\S+#token=\S+", stack.log.read_text("utf-8"))[0])


def talk_in(stack: Stack) -> Talk:
    return Talk(Settings.from_env(stack.env), f"m-{uuid.uuid4().hex[:6]}")


async def shown(page: Page) -> list[str]:
    """The words of each line."""
    return [
        re.sub(r"\s*✎\s*☆\s*✕$", "", text) for text in await page.locator(".line .words").all_inner_texts()
    ]


@dataclass
class Watched:
    """A meeting of some lines, and two who look at it: Ana, whose page is in English, and somebody in Korean."""

    talk: Talk
    page: Page
    other: Page
    problems: list[str]


async def watched(stack: Stack, browser: Browser, lines: Sequence[str]) -> Watched:
    talk = talk_in(stack)
    await talk.begin()
    await talk.say(lines)
    address = address_of(stack).replace("/#", f"/m/{talk.id}#")
    page, problems = await opened(browser, address)
    other, _ = await opened(browser, address, language="ko")
    await page.evaluate("localStorage.setItem('moim.name', 'Ana')")
    await expect(page.locator(".line")).to_have_count(len(lines), timeout=30_000)
    return Watched(talk, page, other, problems)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worker(
    stack: Stack, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Holds all these meetings, until the last test kills it."""
    state = str(tmp_path_factory.mktemp("state"))
    async with killed_in_the_end(stack, "worker", "--text", MOIM_STATE_DIR=state) as process:
        yield process
