"""Postgres without TLS is found out before a connection is made ready for it; nothing else changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from worker.adapters.postgres_pool import speaks_no_tls

_SSL_REQUEST = bytes.fromhex("0000000804d2162f")


@asynccontextmanager
async def _server(answer: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Its address, and what it was asked."""
    asked: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read(64))
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"postgresql://moim:secret@127.0.0.1:{port}/moim", asked


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGSSLMODE", "PGSSLNEGOTIATION", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("answer", "none"), [(b"N", True), (b"S", False), (b"E", False), (b"", False)])
async def test_only_a_plain_no_counts(answer: bytes, none: bool) -> None:
    async with _server(answer) as (url, asked):
        assert await speaks_no_tls(url) is none
        assert asked == [_SSL_REQUEST]


@pytest.mark.parametrize("option", ["sslmode=require", "sslmode=prefer", "host=elsewhere", "service=moim"])
async def test_what_the_address_settles_is_not_asked(option: str) -> None:
    async with _server(b"N") as (url, asked):
        assert not await speaks_no_tls(f"{url}?{option}")
        assert asked == []


async def test_what_the_environment_settles_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    async with _server(b"N") as (url, asked):
        assert not await speaks_no_tls(url)
        assert asked == []


@pytest.mark.parametrize(
    "url", ["postgresql:///moim", "postgresql://a:1,b:2/moim", "postgresql://127.0.0.1:1/moim"]
)
async def test_who_cannot_be_asked_is_left_to_the_library(url: str) -> None:
    assert not await speaks_no_tls(url)
