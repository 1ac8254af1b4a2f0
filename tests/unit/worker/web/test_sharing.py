"""A link lets in to its meeting alone, for its time, to look or to edit."""

from __future__ import annotations

import random

import pytest

from tests.unit.cases import beside
from tests.unit.worker.web.links import made, opened
from tests.unit.worker.web.server import ID, Site
from worker.web.viewers import COOKIE


@pytest.fixture(autouse=True)
async def meetings(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.web.session_validity._ASKED_FOR_S", 0.0)
    for meeting_id in (ID, "m-2"):
        await site.registry.want(f"회의실 {meeting_id}", meeting_id=meeting_id)


async def test_it_shows_its_meeting_and_no_other(site: Site) -> None:
    link = await made(site)
    assert link["path"].startswith(f"/m/{ID}#link=")
    status, theirs = await opened(site, link["path"])
    assert status == 200
    status, viewer = await site.call("GET", "/v1/session", token=None, headers=theirs)
    assert (viewer["meeting_id"], viewer["may_edit"]) == (ID, False)
    assert await site.status("GET", f"/v1/meetings/{ID}", token=None, headers=theirs) == 200
    for wanted in (404, 403):  # of another meeting; of others than the one
        for method, address, body in beside(__file__)[f"{wanted}"]:
            status = await site.status(method, address, body, token=None, headers=theirs)
            assert status == wanted, address
    assert (
        await site.status("DELETE", f"/v1/meetings/{ID}/links/{link['id']}", token=None, headers=theirs)
    ) == 403


async def test_while_the_record_is_away_a_guests_stream_ends_and_holds_no_error(site: Site) -> None:
    _, theirs = await opened(site, (await made(site))["path"])
    url = f"http://127.0.0.1:{site.port}/v1/meetings/{ID}/events"
    async with site.client.get(url, headers=theirs) as answer:
        assert answer.status == 200
        assert (await answer.content.readuntil(b"\n\n")).startswith(b"id: 0\nevent: document\n")
        site.registry.record.available = False
        assert await answer.content.read() == b""


async def test_who_may_edit_may_end_it(site: Site) -> None:
    _, theirs = await opened(site, (await made(site, edit=True))["path"])
    assert await site.status("POST", f"/v1/meetings/{ID}/end", token=None, headers=theirs) == 202


async def test_withdrawn_it_opens_nothing_also_for_who_is_in(site: Site) -> None:
    link = await made(site)
    _, theirs = await opened(site, link["path"])
    _, listed = await site.call("GET", f"/v1/meetings/{ID}/links")
    assert [each["id"] for each in listed["links"]] == [link["id"]]
    assert "path" not in listed["links"][0]
    assert await site.status("DELETE", f"/v1/meetings/{ID}/links/{link['id']}") == 200
    assert await site.status("GET", f"/v1/meetings/{ID}", token=None, headers=theirs) == 401
    assert (await opened(site, link["path"]))[0] == 401
    assert await site.status("DELETE", f"/v1/meetings/{ID}/links/{link['id']}") == 404


@pytest.mark.parametrize("secret", ["x", "secret-of-l2", "비밀"])
async def test_a_guess_opens_nothing(site: Site, secret: str) -> None:
    await made(site)
    assert (await opened(site, f"/m/{ID}#link={secret}"))[0] == 401


async def test_links_and_cookies_that_are_guessed_or_altered_let_nobody_in(site: Site) -> None:
    link = await made(site)
    secret = link["path"].partition("#link=")[2]
    _, theirs = await opened(site, link["path"])
    cookie, dice = theirs["Cookie"], random.Random(18)
    for number in range(50):
        place = dice.randrange(len(secret))
        altered = secret[:place] + dice.choice("abcdefgh0123456789-_") + secret[place + 1 :]
        for guess in {altered, secret[:place], f"{secret}{number}"} - {secret}:
            wish = {"link": guess}
            status = await site.status("POST", "/v1/session", wish, token=None, headers=site.own)
            assert status in {400, 401, 429}
        at = dice.randrange(len(COOKIE) + 1, len(cookie) - 1)  # the last letter may carry bits nobody reads
        forged = {"Cookie": cookie[:at] + ("A" if cookie[at] != "A" else "B") + cookie[at + 1 :]}
        assert await site.status("GET", f"/v1/meetings/{ID}", token=None, headers=forged) == 401


async def test_once_it_is_withdrawn_whoever_removes_guests_is_told(site: Site) -> None:
    link = await made(site, edit=True)
    assert await site.status("DELETE", f"/v1/meetings/{ID}/links/nosuch") == 404
    assert site.links_ended == 0
    assert await site.status("DELETE", f"/v1/meetings/{ID}/links/{link['id']}") == 200
    assert site.links_ended == 1
