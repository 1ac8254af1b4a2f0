"""How long a final takes to the page, what many viewers cost, and how soon a long meeting is there."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from time import time
from typing import Any, Final

import aiohttp
import psutil
from playwright.async_api import Browser, Page

from tests.acceptance.browser import chromium, spoken
from tests.bench.figures import Figure, percentile
from tests.pictures.__main__ import Stage, stage
from worker.adapters.redis_bus import RedisBus
from worker.bootstrap import streams
from worker.bootstrap.database import database
from worker.messages import SegmentMessage

_FINALS: Final = 60
_VIEWERS: Final = 500
_MEETINGS: Final = 200
_LINES: Final = 3_000
_EVERY_S: Final = 0.5
_MS: Final = 1000.0
_STATIC: Final = Path(__file__).parents[2] / "worker" / "web" / "static"
_SEEN: Final = """
  window.seen = {};
  new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes) {
      if (node.id?.startsWith?.("u-")) requestAnimationFrame(() => (window.seen[node.id] = Date.now()));
    }
  }).observe(document.body, { childList: true, subtree: true });
"""


async def pages() -> list[Figure]:
    """All of them, on one `moim dev`."""
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        async with stage(folder) as it, chromium(spoken(folder / "said.wav")) as browser:
            return [
                *_weight(),
                *await _to_the_page(it, browser),
                *await _long(it, browser),
                *await _many_viewers(it),
                *await _many_meetings(it),
            ]


def _weight() -> list[Figure]:
    files = [
        each
        for each in _STATIC.rglob("*")
        if each.suffix in {".html", ".js", ".css", ".svg"} and each.name != "livekit-client.js"
    ]
    size = sum(each.stat().st_size for each in files) / 1024
    return [Figure("page weight before livekit-client", size, "KB", goal=150)]


async def _say(bus: RedisBus, meeting_id: str, number: int) -> None:
    await bus.send_segment(
        meeting_id,
        SegmentMessage(
            id=f"s{number}", speaker=f"p{number % 5}", name=f"Speaker {number % 5}",
            text=f"We talk about item {number} of the plan, and what it costs.",
            start_ms=number * 3_600, end_ms=number * 3_600 + 3_000,
        ),
    )  # fmt: skip


async def _want(it: Stage, *ids: str) -> None:
    async with database(it.settings) as tables:
        for id_ in ids:
            await tables.registry.want(None, meeting_id=id_)


async def _recorded(bus: RedisBus, meeting_id: str, count: int) -> dict[int, float]:
    """When each of `count` finals was told to be on the record, by number, in ms since 1970."""
    told: dict[int, float] = {}
    async for _, event in bus.follow(meeting_id):
        if event["kind"] == "utterance":
            told[event["id"]] = time() * _MS
            if len(told) == count:
                break
    return told


async def _signed_in(it: Stage, browser: Browser) -> Page:
    """A page whose browser has its session: who goes on before that is asked for the token."""
    page = await (await browser.new_context(viewport={"width": 1280, "height": 800})).new_page()
    async with page.expect_response("**/v1/session"):
        await page.goto(it.address)
    return page


async def _to_the_page(it: Stage, browser: Browser) -> list[Figure]:
    await _want(it, "to-the-page")
    page = await _signed_in(it, browser)
    async with streams.bus(it.settings) as bus:
        await _say(bus, "to-the-page", 0)
        following = asyncio.ensure_future(_recorded(bus, "to-the-page", _FINALS))
        await page.goto(it.page("/m/to-the-page"))
        await page.locator(".line").first.wait_for()
        await page.evaluate(_SEEN)
        for number in range(1, _FINALS):
            await _say(bus, "to-the-page", number)
            await asyncio.sleep(0.2)
        told = await following
        await page.locator(f"#u-{_FINALS}").wait_for()
        await asyncio.sleep(0.5)
    seen = await page.evaluate("window.seen")
    late = [seen[f"u-{number}"] - at for number, at in told.items() if f"u-{number}" in seen]
    return [
        Figure("final on the record to drawn on the page, p95", percentile(late, 0.95), "ms", goal=200),
        Figure("  the same, median", percentile(late, 0.5), "ms", note=f"{len(late)} finals"),
    ]


async def _long(it: Stage, browser: Browser) -> list[Figure]:
    await _want(it, "long")
    async with streams.bus(it.settings) as bus:
        following = asyncio.ensure_future(_recorded(bus, "long", _LINES))
        for number in range(_LINES):
            await _say(bus, "long", number)
        await following
    page = await _signed_in(it, browser)
    took = []
    for _ in range(5):
        began = time()
        await page.goto(it.page("/m/long"))
        await page.locator(".line").first.wait_for()
        took.append((time() - began) * _MS)
    # Scrolled by steps: at each, is there something to read in the middle of the view?
    blank = await page.evaluate(
        """async () => {
          const box = document.querySelector(".transcript"), { left, top, width, height } = box.getBoundingClientRect();
          let blank = 0;
          for (let at = 0; at < 100; at++) {
            box.scrollTop = (box.scrollHeight * at) / 100;
            await new Promise((done) => requestAnimationFrame(done));
            const points = [0.3, 0.45, 0.5, 0.55, 0.7].map((share) => document.elementFromPoint(left + 120, top + height * share));
            blank += !points.some((found) => found?.closest(".line"));
          }
          return blank;
        }"""
    )
    return [
        Figure(f"a meeting of {_LINES} utterances is shown, worst of 5", max(took), "ms", goal=1000),
        Figure("  views without a line while it is scrolled, of 100", blank, "", goal=0),
    ]


@asynccontextmanager
async def _watched(
    client: aiohttp.ClientSession, address: str, take: Callable[[bytes, float], None]
) -> AsyncIterator[None]:
    """Somebody watches until the block ends; `take` gets each line of data and when it came."""

    async def read() -> None:
        timeout = aiohttp.ClientTimeout(total=None)
        async with client.get(address, timeout=timeout) as answer:
            async for line in answer.content:
                if line.startswith(b"data: "):
                    take(line, time() * _MS)

    reading = asyncio.ensure_future(read())
    try:
        yield
    finally:
        reading.cancel()
        with suppress(asyncio.CancelledError, aiohttp.ClientError):
            await reading


def _resident_mb(words: str) -> float:
    for each in psutil.process_iter(["cmdline", "memory_info"]):
        if words in " ".join(each.info["cmdline"] or ()):
            return float(each.info["memory_info"].rss) / 2**20
    return 0.0


async def _client(it: Stage) -> aiohttp.ClientSession:
    """Signed in, with as many connections as it wants."""
    client = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.CookieJar(unsafe=True), read_bufsize=2**22
    )
    token = it.address.partition("#token=")[2]
    async with client.post(it.page("/v1/session"), json={"token": token}) as answer:
        assert answer.status == 200
    return client


async def _many_viewers(it: Stage) -> list[Figure]:
    await _want(it, "watched")
    client = await _client(it)
    came: list[tuple[str, float]] = []

    def take(line: bytes, at: float) -> None:
        if b'"text"' in line[:200] and b'"utterances"' not in line[:4000]:
            came.append((json.loads(line[6:])["text"], at))

    before_mb = _resident_mb("worker dispatcher")
    async with client, streams.bus(it.settings) as bus, AsyncExitStack() as viewers:
        await _say(bus, "watched", 0)
        await asyncio.sleep(2)
        for _ in range(_VIEWERS):
            await viewers.enter_async_context(_watched(client, it.page("/v1/meetings/watched/events"), take))
            await asyncio.sleep(0.005)
        await asyncio.sleep(5)
        each_mb = (_resident_mb("worker dispatcher") - before_mb) / _VIEWERS
        following = asyncio.ensure_future(_texts(bus, "watched", 20))
        for number in range(1, 21):
            await _say(bus, "watched", number)
            await asyncio.sleep(_EVERY_S)
        told = await following
        await asyncio.sleep(2)
    late = [at - told[text] for text, at in came if text in told]
    bare = await _bare()
    return [
        Figure(
            f"{_VIEWERS} viewers of one meeting: lag, p95",
            percentile(late, 0.95),
            "ms",
            goal=500,
            baseline="aiohttp that sends a line to all and knows nothing",
            baseline_value=bare,
            note=f"{len(late)} of {20 * _VIEWERS} came",
        ),
        Figure("  memory of a viewer", each_mb * 1024, "KB"),
    ]


async def _texts(bus: RedisBus, meeting_id: str, count: int) -> dict[str, float]:
    """When each final was told, by its text; the first one was there before."""
    told: dict[str, float] = {}
    async for _, event in bus.follow(meeting_id, "$"):
        if event["kind"] == "utterance":
            told[event["text"]] = time() * _MS
            if len(told) == count:
                break
    return told


async def _bare() -> float:
    """The baseline's lag, p95, in ms."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.bench.bare_sse", str(port))
    base = f"http://127.0.0.1:{port}"
    late: list[float] = []
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
            while True:
                with suppress(aiohttp.ClientError):
                    await client.post(f"{base}/send", data=b"0")
                    break
                await asyncio.sleep(0.1)
            async with AsyncExitStack() as viewers:
                for _ in range(_VIEWERS):
                    await viewers.enter_async_context(
                        _watched(client, f"{base}/events", lambda line, at: late.append(at - float(line[6:])))
                    )
                await asyncio.sleep(3)
                late.clear()
                for _ in range(20):
                    await client.post(f"{base}/send", data=str(time() * _MS).encode())
                    await asyncio.sleep(_EVERY_S)
    finally:
        process.terminate()
        await process.wait()
    return percentile(late, 0.95)


async def _many_meetings(it: Stage) -> list[Figure]:
    ids = [f"m-{number}" for number in range(_MEETINGS)]
    await _want(it, *ids)
    client = await _client(it)
    came: dict[tuple[str, str], float] = {}
    told: dict[tuple[str, str], float] = {}

    def take(id_: str) -> Callable[[bytes, float], None]:
        def keep(line: bytes, at: float) -> None:
            fields: dict[str, Any] = json.loads(line[6:])
            if "text" in fields and "speaker" in fields:
                came[id_, fields["text"]] = at

        return keep

    async with client, streams.bus(it.settings) as bus:
        for id_ in ids:
            await _say(bus, id_, 0)
        await asyncio.sleep(15)

        async def listen(id_: str) -> None:
            async for _, event in bus.follow(id_, "$"):
                if event["kind"] == "utterance":
                    told[id_, event["text"]] = time() * _MS

        before_mb = _resident_mb("worker dispatcher")
        async with AsyncExitStack() as viewers:
            for id_ in ids:
                await viewers.enter_async_context(
                    _watched(client, it.page(f"/v1/meetings/{id_}/events"), take(id_))
                )
                await asyncio.sleep(0.02)
            await asyncio.sleep(10)
            each_mb = (_resident_mb("worker dispatcher") - before_mb) / _MEETINGS
            listening = [asyncio.ensure_future(listen(id_)) for id_ in ids]
            await asyncio.sleep(1)
            for number in range(1, 4):
                for id_ in ids:
                    await _say(bus, id_, number)
                    await asyncio.sleep(0.02)
            await asyncio.sleep(5)
            for each in listening:
                each.cancel()
            await asyncio.gather(*listening, return_exceptions=True)
    late = [came[key] - at for key, at in told.items() if key in came]
    return [
        Figure(
            f"{_MEETINGS} live meetings with a viewer each: lag, p95",
            percentile(late, 0.95),
            "ms",
            goal=500,
            note=f"{len(late)} of {len(told)} came; 50 lines a second",
        ),
        Figure("  memory of a meeting that is watched", each_mb, "MB"),
    ]
