"""What a user is told of a server that cannot be reached, by the clients' real errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import asyncpg
import pytest
from redis.asyncio import Redis

from worker.errors import why_unreached


async def by_http(port: int) -> object:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/") as answer:
        return answer.status


async def by_postgres(port: int) -> object:
    return await asyncpg.connect(f"postgresql://a:b@127.0.0.1:{port}/x", timeout=10)


async def by_redis(port: int) -> object:
    async with Redis.from_url(f"redis://127.0.0.1:{port}") as client:
        return await client.info()


CLIENTS = pytest.mark.parametrize("client", [by_http, by_postgres, by_redis])
Client = Callable[[int], Awaitable[object]]


@asynccontextmanager
async def hanging_up() -> AsyncIterator[int]:
    """A server that speaks with nobody."""

    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@CLIENTS
async def test_where_nothing_listens_that_is_said(client: Client) -> None:
    async with hanging_up() as port:
        pass  # closed again: its port is nobody's
    with pytest.raises(Exception) as told:
        await client(port)
    assert why_unreached(told.value).startswith("nothing listens there")


@CLIENTS
async def test_a_server_that_hangs_up_may_be_another(client: Client) -> None:
    async with hanging_up() as port:
        with pytest.raises(Exception) as told:
            await client(port)
    assert why_unreached(told.value).startswith("it hung up")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError("Multiple exceptions: [Errno 111] Connect call failed"), "nothing listens"),
        (ConnectionError("Error -2 connecting to nowhere:6379. Name or service not known."), "no such host"),
        (TimeoutError(), "no answer in time"),
        (OSError("something else"), "something else"),
        (OSError(), "OSError"),
    ],
)
def test_the_number_in_the_text_is_enough(error: Exception, told: str) -> None:
    assert told in why_unreached(error)
    wrapped = RuntimeError("cannot go on")
    wrapped.__cause__ = error
    assert why_unreached(wrapped) == (why_unreached(error) if ":" in why_unreached(error) else "cannot go on")
