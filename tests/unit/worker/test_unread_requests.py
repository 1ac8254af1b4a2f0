"""Whoever does not speak HTTP fills no log with tracebacks; a fault of ours keeps its own."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Iterator

import pytest
from aiohttp import web

from worker.configuration.settings import Settings
from worker.monitoring import telemetry
from worker.monitoring.connections import BoundedSite, Connections


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before, level, written = list(root.handlers), root.level, io.StringIO()
    telemetry.configure(Settings.from_env({"MOIM_LOG_FORMAT": "json"}), stream=written)
    yield written
    root.handlers[:] = before
    root.setLevel(level)


async def answered(port: int, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    answer = await reader.read()
    writer.close()
    return answer


async def test_what_is_no_http_is_a_line_and_at_most_twenty_a_minute(log: io.StringIO) -> None:
    async def broken(_: web.Request) -> web.Response:
        raise LookupError("ours")

    app = web.Application()
    app.router.add_get("/broken", broken)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await BoundedSite(runner, "127.0.0.1", 0, Connections(9)).start()
    port = int(runner.addresses[0][1])
    for number in range(50):
        answer = await answered(port, b"GET /%d HTTP/9.9\r\n\r\n" % number)
        assert answer.startswith((b"HTTP/1.0 400", b"HTTP/1.1 400"))
    said = log.getvalue()
    assert "Traceback" not in said
    assert said.count("http_unreadable") == 20
    await answered(port, b"GET /broken HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert "LookupError: ours" in log.getvalue()
    await runner.cleanup()
