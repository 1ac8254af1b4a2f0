"""Wrong tokens are slowed, hold nothing, and shut nobody out who has the right one."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from tests.unit.web.server import TOKEN, Site
from tests.unit.web.test_sharing import opened


async def sign_in(site: Site, token: str) -> int:
    return await site.status("POST", "/v1/session", {"token": token}, token=None, headers=site.own)


async def bearer(site: Site, token: str) -> int:
    return await site.status("GET", "/v1/meetings", token=token)


async def _tried(door: Callable[[Site, str], Awaitable[int]], site: Site, number: int) -> int:
    return await door(site, f"wrong-{number}")


@pytest.mark.parametrize("door", [sign_in, bearer])
async def test_a_flood_of_wrong_ones_is_slowed_and_the_right_one_passes_at_once(
    site: Site, door: Callable[[Site, str], Awaitable[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.web.guesses.WRONG_S", 2.0)
    await site.registry.want("회의실", meeting_id="m-1")
    _, link = await site.call("POST", "/v1/meetings/m-1/links", {})
    flood = [asyncio.ensure_future(_tried(door, site, n)) for n in range(300)]
    await asyncio.sleep(0.5)
    began_s = time.monotonic()
    assert await sign_in(site, TOKEN) == 200
    assert await bearer(site, TOKEN) == 200
    assert (await opened(site, link["path"]))[0] == 200
    assert time.monotonic() - began_s < 1
    assert Counter(await asyncio.gather(*flood)) == {401: 4, 429: 296}


async def test_what_is_too_many_is_told_when_to_come_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.web.guesses.WRONG_S", 1.0)
    same = [asyncio.ensure_future(bearer(site, "wrong")) for _ in range(3)]
    await asyncio.sleep(0.3)
    status, answer = await site.call("GET", "/v1/meetings", token="wrong")
    assert status == 429
    assert int(site.headers["Retry-After"]) > 0
    assert "the right one is let in at any time" in answer["error"]["mend"]
    assert sorted(await asyncio.gather(*same)) == [401, 401, 429]
    assert await bearer(site, "wrong") == 401, "and nothing of it is kept"


async def test_a_guess_that_is_given_up_frees_its_place(site: Site) -> None:
    url = f"http://127.0.0.1:{site.port}/v1/meetings"
    for _ in range(3):
        for number in range(4):
            with pytest.raises(TimeoutError):
                async with site.client.get(
                    url,
                    headers={"Authorization": f"Bearer wrong-{number}"},
                    timeout=aiohttp.ClientTimeout(total=0.02),
                ):
                    pass
        await asyncio.sleep(1.1)
    assert await bearer(site, "wrong") == 401
