"""Wrong tokens are slowed, hold nothing, and shut nobody out who has the right one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import islice

import aiohttp
import pytest

from tests.unit.worker.web.links import opened
from tests.unit.worker.web.server import TOKEN, Site


async def sign_in(site: Site, token: str) -> int:
    return await site.status("POST", "/v1/session", {"token": token}, token=None, headers=site.own)


async def bearer(site: Site, token: str) -> int:
    return await site.status("GET", "/v1/meetings", token=token)


@pytest.fixture
def second_over(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Until it is set, the second that a wrong token is kept waiting lasts."""
    over = asyncio.Event()

    async def sleep(_delay_s: float) -> None:
        await over.wait()

    monkeypatch.setattr("worker.web.token_throttle.sleep", sleep)
    return over


async def first_answers(asked: list[asyncio.Task[int]], number: int) -> list[int]:
    """The first `number` answers, with the others still waiting."""
    answers = [await each for each in islice(asyncio.as_completed(asked), number)]
    assert sum(not each.done() for each in asked) == len(asked) - number
    return answers


@pytest.mark.parametrize("door", [sign_in, bearer])
async def test_of_a_flood_of_wrong_ones_four_wait_and_the_right_one_passes(
    site: Site, door: Callable[[Site, str], Awaitable[int]], second_over: asyncio.Event
) -> None:
    await site.registry.want("회의실", meeting_id="m-1")
    _, link = await site.call("POST", "/v1/meetings/m-1/links", {})
    flood = [asyncio.ensure_future(door(site, f"wrong-{number}")) for number in range(300)]
    assert await first_answers(flood, 296) == [429] * 296
    assert await sign_in(site, TOKEN) == 200
    assert await bearer(site, TOKEN) == 200
    assert (await opened(site, link["path"]))[0] == 200
    assert sum(not each.done() for each in flood) == 4
    second_over.set()
    assert Counter(await asyncio.gather(*flood)) == {401: 4, 429: 296}


async def test_what_is_too_many_is_told_when_to_come_again(site: Site, second_over: asyncio.Event) -> None:
    same = [asyncio.ensure_future(bearer(site, "wrong")) for _ in range(3)]
    assert await first_answers(same, 1) == [429]
    status, answer = await site.call("GET", "/v1/meetings", token="wrong")
    assert status == 429
    assert int(site.headers["Retry-After"]) > 0
    assert "the right one is let in at any time" in answer["error"]["mend"]
    second_over.set()
    assert sorted(await asyncio.gather(*same)) == [401, 401, 429]
    assert await bearer(site, "wrong") == 401, "and nothing of it is kept"


async def test_a_guess_that_is_given_up_frees_its_place(site: Site, second_over: asyncio.Event) -> None:
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
        second_over.set()
        assert await bearer(site, TOKEN) == 200
        second_over.clear()
    second_over.set()
    assert await bearer(site, "wrong") == 401
