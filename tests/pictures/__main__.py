"""Take them: two scripted meetings in `moim dev`, looked at in Chromium on a desk, a phone, dark, on paper."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, Page, ViewportSize, expect

from tests.acceptance.browser import chromium, spoken
from worker.bootstrap import streams
from worker.bootstrap.database import database
from worker.configuration.settings import Settings
from worker.messages import AskMessage, SegmentMessage

ROOT: Final = Path(__file__).parents[2]
SCRIPTS: Final = {"ko": "ko-release-planning", "en": "en-sprint-review"}
TITLES: Final = {"ko": "주간 출시 회의", "en": "Sprint review"}
QUESTIONS: Final = {
    "ko": "마케팅 예산은 얼마로 확정됐어?",
    "en": "What did we decide about the Excel export?",
}
DESK: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 375, "height": 780}
_READY_S: Final = 180


@dataclass(frozen=True, slots=True)
class Stage:
    """A running `moim dev`."""

    address: str
    """The address of the pages, with what signs in."""
    settings: Settings

    def page(self, path: str) -> str:
        return self.address.split("/#", maxsplit=1)[0] + path


@asynccontextmanager
async def program(log: Path, *arguments: str) -> AsyncIterator[None]:
    """A command of Moim's, until the block ends."""
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "worker", *arguments),
            cwd=ROOT,
            stdout=out,
            stderr=out,
            env={**os.environ, "MOIM_HTTP_PORT": "0"},
        )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def stage(folder: Path) -> AsyncIterator[Stage]:
    """All of Moim and its services, and a host of meetings in text, until the block ends."""
    env_file, log = folder / "dev.env", folder / "dev.log"
    async with program(log, "dev", "--data", str(folder / "data"), "--env-file", str(env_file)):
        async with asyncio.timeout(_READY_S):
            while "moim dev: ready" not in (told := log.read_text("utf-8")):
                await asyncio.sleep(0.2)
        found = re.search(r"http://\S+#token=\S+", told)
        assert found is not None, told
        async with program(folder / "text.log", "worker", "--text", "--env-file", str(env_file)):
            yield Stage(found[0], Settings.load(env_file))


async def hold(it: Stage, language: str) -> str:
    """Let a scripted meeting take place in text; its id. It is live still."""
    script: dict[str, Any] = json.loads(
        (ROOT / "tests/data/meetings" / f"{SCRIPTS[language]}.json").read_text("utf-8")
    )
    names = {id_: person["name"] for id_, person in script["participants"].items()}
    id_ = SCRIPTS[language]
    async with database(it.settings) as tables, streams.bus(it.settings) as bus:
        await tables.registry.want(None, meeting_id=id_, title=TITLES[language])
        for number, line in enumerate(script["lines"]):
            await bus.send_segment(
                id_,
                SegmentMessage(
                    id=f"s{number}",
                    speaker=line["speaker"],
                    name=names.get(line["speaker"]),
                    text=line["text"],
                    start_ms=round(line["start_s"] * 1000),
                    end_ms=round(line["end_s"] * 1000),
                ),
            )
        async for _, event in bus.follow(id_):
            if event["kind"] == "utterance" and event["text"] == script["lines"][-1]["text"]:
                break
        await bus.ask(id_, AskMessage(id="q-1", by=script["lines"][0]["speaker"], text=QUESTIONS[language]))
    return id_


async def over(it: Stage, id_: str) -> None:
    """End a meeting, and return when its record is complete."""
    async with database(it.settings) as tables, asyncio.timeout(_READY_S):
        await tables.registry.request_end(id_)
        while (row := await tables.registry.get(id_)) is None or row.status != "ended":
            await asyncio.sleep(0.2)


async def opened(browser: Browser, it: Stage, language: str, **look: Any) -> Page:
    """A page that is signed in."""
    context = await browser.new_context(locale={"ko": "ko-KR", "en": "en-US"}[language], **look)
    page = await context.new_page()
    await page.goto(it.address)
    await expect(page.locator(".cards li").first).to_be_visible(timeout=20_000)
    return page


async def take(browser: Browser, it: Stage, language: str, id_: str, folder: Path) -> list[Path]:
    """All pictures in English; in Korean the one that the Korean README shows."""
    taken: list[Path] = []

    async def keep(page: Page, name: str, *, whole: bool = False) -> None:
        await page.wait_for_timeout(400)
        taken.append(folder / f"{name}-{language}.png")
        await page.screenshot(path=taken[-1], full_page=whole)

    for name, look in (("meeting", {"viewport": DESK}), ("dark", {"viewport": DESK, "color_scheme": "dark"})):
        page = await opened(browser, it, language, **look)
        if name == "meeting" and language == "en":
            await keep(page, "home")
        await page.goto(it.page(f"/m/{id_}"))
        await expect(page.locator(".statements li").first).to_be_visible(timeout=20_000)
        await page.locator("input[name=question]").fill(QUESTIONS[language])
        await page.locator("input[name=question]").press("Enter")
        await expect(page.locator(".quotes .chip").first).to_be_visible(timeout=20_000)
        await keep(page, name)
        if language == "ko":
            await over(it, id_)
            return taken
    page = await opened(browser, it, language, viewport=PHONE, device_scale_factor=2)
    await page.goto(it.page(f"/m/{id_}"))
    await expect(page.locator(".line").first).to_be_visible(timeout=20_000)
    await keep(page, "phone")
    await over(it, id_)
    page = await opened(browser, it, language, viewport={"width": 794, "height": 1123})  # A4 at 96 dpi
    await page.goto(it.page(f"/m/{id_}/minutes"))
    await expect(page.locator(".statements li").first).to_be_visible(timeout=20_000)
    await page.emulate_media(media="print")
    await keep(page, "print", whole=True)
    return taken


async def main(folder: Path) -> None:
    """Take all of them into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept:
        print("pictures: starting moim dev …", flush=True)
        async with stage(Path(kept)) as it, chromium(spoken(Path(kept) / "said.wav")) as browser:
            for language in SCRIPTS:
                print(f"pictures: the meeting {SCRIPTS[language]} …", flush=True)
                id_ = await hold(it, language)
                for path in await take(browser, it, language, id_, folder):
                    print(f"pictures: {path.name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "docs" / "pictures", help="a folder")
    asyncio.run(main(parser.parse_args().into))
