"""What one viewer may have of a process: at once and in a time, alone and with those who could be the same person."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
import pytest

from tests.unit.worker.web.conftest import ENVIRONMENT
from tests.unit.worker.web.links import opened
from tests.unit.worker.web.server import TOKEN, Site
from worker.configuration.settings import Settings
from worker.web.addresses import place_of
from worker.web.viewer_quotas import ViewerQuota
from worker.web.viewers import COOKIE

REPLY = {"text": "20일입니다.", "evidence": [1]}
WISH = {"text": "출시일이 언제야?"}
ASK = "/v1/meetings/m-1/ask"


@pytest.fixture(params=["direct", "proxied"])
def settings(request: pytest.FixtureRequest) -> Settings:
    proxies = {"direct": "10.0.0.1", "proxied": "127.0.0.1"}[request.param]
    return Settings.from_env({**ENVIRONMENT, "MOIM_PAGES_PROXIES": proxies})


@pytest.fixture
def quota() -> ViewerQuota:
    return ViewerQuota(streams=3, together=2, changes=20, documents_mb=1)


@pytest.fixture(autouse=True)
async def meeting(site: Site) -> None:
    await site.hold("m-1")
    site.answers.pieces = [REPLY]


async def link(site: Site, *, edit: bool = True) -> str:
    _, made = await site.call("POST", "/v1/meetings/m-1/links", {"edit": edit})
    path: str = made["path"]
    return path


async def guest(site: Site, path: str) -> dict[str, str]:
    status, headers = await opened(site, path)
    assert status == 200
    return headers


async def signed_in(site: Site) -> dict[str, str]:
    status, _ = await site.call("POST", "/v1/session", {"token": TOKEN}, token=None, headers=site.own)
    assert status == 200
    kept = site.headers["Set-Cookie"].split("=", 1)[1].split(";")[0]
    return {"Cookie": f"{COOKIE}={kept}", **site.own}


@asynccontextmanager
async def asking(site: Site, *who: dict[str, str]) -> AsyncIterator[None]:
    """Each of them has a question under way, whose answer does not come."""
    come = site.answers.wait = asyncio.Event()
    before = len(site.answers.asked)
    running = [asyncio.ensure_future(site.call("POST", ASK, WISH, token=None, headers=each)) for each in who]
    async with asyncio.timeout(10):
        while len(site.answers.asked) < before + len(who):
            await asyncio.sleep(0.01)
    yield
    come.set()
    assert {status for status, _ in await asyncio.gather(*running)} == {200}


async def refused(site: Site, headers: dict[str, str], said: str) -> None:
    status, answer = await site.call("POST", ASK, WISH, token=None, headers=headers)
    assert status == 429
    assert said in answer["error"]["mend"]
    assert int(site.headers["Retry-After"]) > 0


async def test_one_guest_has_a_share_of_the_questions_and_the_others_ask_on(site: Site) -> None:
    path = await link(site)
    alice, other = await guest(site, path), await guest(site, await link(site))
    async with asking(site, *[alice] * 4):
        await refused(site, alice, "you have 4 questions under way, which is your share")
        async with asking(site, other):
            assert len(site.answers.asked) == 5
    assert await site.status("POST", ASK, WISH, token=None, headers=alice) == 200


async def test_signing_in_again_by_the_same_link_doubles_nothing(site: Site) -> None:
    path = await link(site)
    again = [await guest(site, path) for _ in range(3)]
    another = await guest(site, await link(site))
    async with asking(site, *[each for each in again for _ in range(4)][:8]):
        await refused(site, again[2], "the guests of this link have 8 questions under way together")
        async with asking(site, another):
            pass


async def test_whoever_signs_in_again_with_the_token_doubles_it_up_to_half_of_the_places(site: Site) -> None:
    people = [await signed_in(site) for _ in range(5)]
    async with asking(site, *[each for each in people for _ in range(4)][:16]):
        await refused(
            site, people[4], "those who come from your address have 16 questions under way together"
        )
        assert await site.status("GET", "/v1/meetings", token=None, headers=people[4]) == 200
        waiting = asyncio.ensure_future(site.call("POST", ASK, WISH))
        await asyncio.sleep(0.05)
        assert not waiting.done(), "programs have the process's places"
    assert (await waiting)[0] == 200


async def test_the_right_token_makes_no_more_sessions_in_a_minute_than_its_share(
    site: Site, settings: Settings
) -> None:
    most = 20 if settings.pages.proxies == ("10.0.0.1",) else 40
    link_to = await link(site)
    mine = await signed_in(site)
    body = {"token": TOKEN}
    statuses = [
        await site.status("POST", "/v1/session", body, token=None, headers=site.own) for _ in range(most)
    ]
    assert statuses == [200] * (most - 1) + [429]
    assert int(site.headers["Retry-After"]) > 0
    assert await site.status("GET", "/v1/meetings", token=None, headers=mine) == 200
    assert await site.status("GET", "/v1/meetings") == 200, "programs sign nobody in"
    await guest(site, link_to)


@pytest.mark.parametrize(
    ("remote", "place"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "192.0.2.7"),
        (None, ""),
    ],
)
def test_all_of_one_line_are_counted_as_one(remote: str | None, place: str) -> None:
    assert place_of(remote) == place


async def test_a_link_has_so_many_streams_however_many_sessions(site: Site) -> None:
    path = await link(site)
    url = f"http://127.0.0.1:{site.port}/v1/meetings/m-1/events"
    async with AsyncExitStack() as stack:

        async def watching(headers: dict[str, str]) -> int:
            answer = await stack.enter_async_context(site.client.get(url, headers=headers))
            return answer.status

        one, two, three = [await guest(site, path) for _ in range(3)]
        assert [await watching(one) for _ in range(4)] == [200, 200, 200, 429]
        assert [await watching(two) for _ in range(4)] == [200, 200, 200, 429]
        assert await watching(three) == 429
        assert await watching(await guest(site, await link(site))) == 200
    async with asyncio.timeout(10):  # they have left, and their places with them
        while await _status(site, url, three) != 200:
            await asyncio.sleep(0.1)


async def _status(site: Site, url: str, headers: dict[str, str]) -> int:
    async with site.client.get(url, headers=headers) as answer:
        return answer.status


async def test_changes_of_a_link_add_up(site: Site) -> None:
    path = await link(site)
    one, two, three = [await guest(site, path) for _ in range(3)]

    async def changed(headers: dict[str, str]) -> list[int]:
        return [await site.status("POST", ASK, WISH, token=None, headers=headers) for _ in range(21)]

    assert await changed(one) == [200] * 20 + [429]
    assert await changed(two) == [200] * 20 + [429]
    assert await changed(three) == [429] * 21
    assert await site.status("GET", "/v1/meetings/m-1", token=None, headers=three) == 200


@pytest.mark.parametrize("how", ["as it is", "chunked"])
async def test_documents_are_counted_by_their_bytes(site: Site, how: str) -> None:
    headers = {**await signed_in(site), "Content-Type": "application/octet-stream"}

    async def upload(size: int) -> int:
        data: Any = b"x " * (size // 2)
        if how == "chunked":
            whole = data

            async def data() -> AsyncIterator[bytes]:
                yield whole

            data = data()
        url = f"http://127.0.0.1:{site.port}/v1/documents?name=a.txt"
        async with site.client.post(url, data=data, headers=headers) as answer:
            return answer.status

    assert [await upload(400_000) for _ in range(3)] == [201, 201, 429]
    assert await site.status("POST", "/v1/documents", b"x", params={"name": "b.txt"}) == 201


async def test_two_documents_of_one_viewer_are_not_read_at_once(site: Site) -> None:
    headers = {**await signed_in(site), "Content-Type": "application/octet-stream"}
    url = f"http://127.0.0.1:{site.port}/v1/documents?name=a.md"

    async def upload() -> int:
        async with (
            aiohttp.ClientSession() as client,
            client.post(url, data=b"- a\n" * 50_000, headers=headers) as a,
        ):
            return a.status

    assert sorted(await asyncio.gather(upload(), upload())) == [201, 429]
