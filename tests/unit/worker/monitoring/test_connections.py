"""Connections have places: whoever says nothing loses his, and a flood of the idle keeps nobody out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from tests.fakes.waiting import until
from worker.monitoring.connections import BoundedSite, Connections, most_connections


@asynccontextmanager
async def served(
    *, most: int = 8, idle_s: float = 0.3, body_s: float = 0.3
) -> AsyncIterator[tuple[int, Connections]]:
    async def read(request: web.Request) -> web.Response:
        return web.Response(text=str(len(await request.read())))

    async def slow(_: web.Request) -> web.Response:
        await asyncio.sleep(3 * idle_s)
        return web.Response(text="slow")

    connections = Connections(most, idle_s=idle_s, body_s=body_s)
    app = web.Application(middlewares=[connections.middleware])  # type: ignore[list-item]  # a stand-in
    app.router.add_post("/", read)
    app.router.add_get("/slow", slow)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await BoundedSite(runner, "127.0.0.1", 0, connections).start()
    try:
        yield int(runner.addresses[0][1]), connections
    finally:
        await runner.cleanup()
    assert len(connections) == 0, "nobody keeps a place"


@pytest.mark.parametrize("sent", [b"", b"G", b"GET /slow HTTP/1.1\r\nHost: x\r\n", b"\r\n" * 20])
async def test_a_head_that_does_not_come_costs_its_place(sent: bytes) -> None:
    async with served() as (port, connections):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        await until(lambda: len(connections) == 1)
        assert await asyncio.wait_for(reader.read(), 3) == b""
        await until(lambda: len(connections) == 0)
        writer.close()


async def test_a_body_that_does_not_come_is_a_408() -> None:
    async with served() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
        assert (await asyncio.wait_for(reader.readline(), 3)).startswith(b"HTTP/1.1 408")
        writer.close()


async def test_who_is_worked_for_keeps_his_place_however_long_it_takes() -> None:
    async with served() as (port, _), aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client:
        async with client.get("/slow") as answer:
            assert await answer.text() == "slow"
        async with client.post("/", data=b"x" * 5000) as answer:
            assert await answer.text() == "5000"


async def test_a_flood_of_the_idle_keeps_nobody_out() -> None:
    async with served(most=8, idle_s=5.0) as (port, connections):
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(40)]
        await until(lambda: len(connections) == 8)
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client:
            for _ in range(20):
                async with client.post("/", data=b"abc", headers={"Connection": "close"}) as answer:
                    assert await answer.text() == "3"
        assert connections.refused == 0
        for _, writer in idle:
            writer.close()


async def test_with_all_places_busy_the_newcomer_goes() -> None:
    async with (
        served(most=2, idle_s=0.5) as (port, connections),
        aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client,
    ):
        busy = [asyncio.ensure_future(client.get("/slow")) for _ in range(2)]
        await asyncio.sleep(0.2)
        with pytest.raises((aiohttp.ClientError, ConnectionError)):
            await client.post("/", data=b"")
        assert connections.refused >= 1
        assert [(await each).status for each in busy] == [200, 200]


def test_descriptors_are_left_for_the_rest() -> None:
    assert 16 <= most_connections(1_000_000) <= 65_536 - 256
    assert most_connections(100) == 100
