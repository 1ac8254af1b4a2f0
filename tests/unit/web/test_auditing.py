"""Who did what over HTTP is in the audit log: what shows or changes words, by whom, and never what it says."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import aiohttp
import pytest

from tests.unit.cases import cases
from tests.unit.web.server import TOKEN, Site
from tests.unit.web.test_sharing import made, opened

ID = "m-1"


@pytest.fixture(autouse=True)
async def meeting(site: Site) -> None:
    await site.registry.want("회의실", meeting_id=ID)


async def log_of(site: Site) -> list[tuple[str, str, str | None]]:
    _, answer = await site.call("GET", "/v1/audit")
    return [(row["who"], row["action"], row["meeting_id"]) for row in reversed(answer["entries"])]


@cases
async def test_what_shows_or_changes_words_is_noted_without_them(
    method: str, path: str, body: dict[str, object] | None, action: str, site: Site
) -> None:
    status, answer = await site.call(method, path, body)
    assert status < 300, answer
    (row,) = await log_of(site)
    assert row[:2] == ("program", action)
    assert "예산" not in str(row)


async def test_who_watches_is_noted_as_they_begin(site: Site) -> None:
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        address = f"http://127.0.0.1:{site.port}/v1/meetings/{ID}/events"
        with suppress(TimeoutError):
            async with asyncio.timeout(1), client.get(address):
                assert await log_of(site) == [("program", "read", ID)]


async def test_a_guest_is_noted_by_their_link_and_who_is_refused_not_at_all(site: Site) -> None:
    link = await made(site, edit=False)
    _, theirs = await opened(site, link["path"])
    assert await site.status("PATCH", f"/v1/meetings/{ID}", {}, token=None, headers=theirs) == 403
    assert await site.status("GET", "/v1/audit", token=None, headers=theirs) == 403
    status, _ = await site.call("GET", f"/v1/meetings/{ID}", token=None, headers=theirs)
    assert status == 200
    made_it, read_it = await log_of(site)
    assert made_it == ("program", "link", ID)
    assert (read_it[0].startswith("link "), read_it[1]) == (True, "read")
