"""A page in a browser session of its own, files that are dropped on it, and whether everybody can use it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, ConsoleMessage, Page

from tests.acceptance.browser import npm_file

AXE: Final = ("axe-core@4.10.3", "axe.min.js")


async def opened(browser: Browser, address: str, *, language: str = "en") -> tuple[Page, list[str]]:
    """A page in a session of its own, and what went wrong on it."""
    context = await browser.new_context(locale=language, viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
    page.on("console", lambda said: problems.append(said.text) if _is_fault(said) else None)
    await page.goto(address)
    return page, problems


def _is_fault(said: ConsoleMessage) -> bool:
    """What the browser says of a request that is refused is none."""
    return said.type == "error" and not re.search(r"status of 40[13]", said.text)


async def demand_accessible(page: Page) -> None:
    """axe-core finds nothing. It is evaluated by the debugger: the page's own policy lets no script in."""
    await page.evaluate(npm_file(*AXE).read_text("utf-8"))
    found = await page.evaluate("axe.run()")
    faults = [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]
    assert faults == [], faults


async def dropped(page: Page, *paths: Path, text: str = "", on: str = ".recordings .drop") -> None:
    """Drop files of this machine, or a text, as somebody does it with a mouse."""
    box = await page.locator(on).bounding_box()
    assert box is not None
    items = [{"mimeType": "text/plain", "data": text}] if text else []
    data = {"items": items, "files": [*map(str, paths)], "dragOperationsMask": 1}
    mouse = await page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        await mouse.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})
