"""Sessions of browsers: they end, nobody guesses one, and a browser is one person in a meeting."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import timedelta
from typing import Any

import pytest

from context.primitives.guest_identity import browser_of, guest_identity, page_identity
from tests.fakes.links import FakeLinks
from tests.fakes.record import Record
from tests.fakes.sessions import FakeSessions
from tests.unit.worker.web.links import opened
from tests.unit.worker.web.server import ID, TOKEN, Site
from worker.configuration.settings import Settings
from worker.links import Link
from worker.web.session_validity import SessionValidity
from worker.web.sessions import SESSION, Begun, Sessions
from worker.web.viewers import COOKIE

PAGES = "of-the-pages-0123456789abcdef"


@pytest.fixture(autouse=True)
async def meetings(site: Site) -> None:
    for meeting_id in (ID, "m-2"):
        await site.registry.want(f"회의실 {meeting_id}", meeting_id=meeting_id)
        site.registry.record.meetings[meeting_id].status = "live"


async def signed_in(site: Site, browser: dict[str, str] | None = None, **wish: str) -> dict[str, str]:
    """What a browser sends that has signed in, by the API's token where `wish` names nothing else."""
    had = browser or site.own
    body = wish or {"token": TOKEN}
    assert await site.status("POST", "/v1/session", body, token=None, headers=had) == 200
    kept = site.headers["Set-Cookie"]
    return {"Cookie": f"{COOKIE}={kept.split('=', 1)[1].split(';')[0]}", **site.own}


async def joined(site: Site, browser: dict[str, str], name: str = "김민지", meeting_id: str = ID) -> str:
    path, headers = f"/v1/meetings/{meeting_id}/join", browser
    status, way = await site.call("POST", path, {"name": name}, token=None, headers=headers)
    assert status == 200, way
    identity: str = way["identity"]
    return identity


async def link_of(site: Site, **wish: Any) -> dict[str, Any]:
    _, link = await site.call("POST", f"/v1/meetings/{ID}/links", {"edit": True, **wish})
    made: dict[str, Any] = link
    return made


async def test_who_has_signed_out_is_out_at_once_and_nobody_else(site: Site) -> None:
    mine, others = await signed_in(site), await signed_in(site)
    assert await site.status("GET", "/v1/meetings", token=None, headers=mine) == 200
    assert await site.status("DELETE", "/v1/session", token=None, headers=mine) == 200
    assert await site.status("GET", "/v1/meetings", token=None, headers=mine) == 401
    assert await site.status("GET", "/v1/meetings", token=None, headers=others) == 200


async def test_another_dispatcher_refuses_who_signed_out_within_two_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = House()
    begun = await house.sessions().begin("api")
    elsewhere, standing = house.sessions(), SessionValidity(house.kept)
    now_s = 0.0
    monkeypatch.setattr("worker.web.session_validity.monotonic_s", lambda: now_s)

    async def let_in() -> bool:
        viewer = await elsewhere.viewer(begun.cookie)
        return viewer is not None and await standing.of(viewer)

    assert [await let_in() for _ in range(5)] == [True] * 5
    assert house.kept.looked == 1, "it is remembered"
    await house.sessions().end(begun.cookie)
    now_s = 2.0
    assert not await let_in()


async def test_a_session_ends_with_its_link_and_each_guest_has_their_own(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.web.session_validity._ASKED_FOR_S", 0.0)
    link = await link_of(site)
    (_, one), (_, two) = [await opened(site, link["path"]) for _ in range(2)]
    path = f"/v1/meetings/{ID}"
    assert await site.status("DELETE", "/v1/session", token=None, headers=one) == 200
    assert await site.status("GET", path, token=None, headers=one) == 401
    assert await site.status("GET", path, token=None, headers=two) == 200
    assert await site.status("DELETE", f"{path}/links/{link['id']}") == 200
    assert await site.status("GET", path, token=None, headers=two) == 401


async def test_no_key_is_derived_from_a_token(site: Site) -> None:
    mine = await signed_in(site)
    signed, _, signature = mine["Cookie"].partition("=")[2].rpartition(".")
    for guess in (TOKEN, PAGES, ""):
        for key in (guess.encode(), hashlib.sha256(b"moim session\0" + guess.encode()).digest()):
            forged = hmac.new(key, signed.encode(), hashlib.sha256).digest()
            assert base64.urlsafe_b64encode(forged).rstrip(b"=").decode() != signature


class House:
    """Dispatchers over one database."""

    def __init__(self) -> None:
        self.record = Record()
        self.kept = FakeSessions(self.record, FakeLinks(self.record))

    def sessions(self, host: str = "10.0.0.5", **settings: str) -> Sessions:
        tokens = {"MOIM_API_TOKEN": TOKEN, "MOIM_PAGES_TOKEN": PAGES, "MOIM_HTTP_HOST": host}
        now = self.record.clock.now_utc
        return Sessions(Settings.from_env({**tokens, **settings}), self.kept, now=now)


async def test_any_dispatcher_takes_what_another_gave_until_the_token_is_changed() -> None:
    house = House()
    begun = {kind: await house.sessions().begin(kind) for kind in ("api", "pages")}
    assert all([await house.sessions().viewer(each.cookie) for each in begun.values()])
    changed = house.sessions(MOIM_PAGES_TOKEN="another-one-of-the-pages-01234")
    assert await changed.viewer(begun["pages"].cookie) is None
    assert await changed.viewer(begun["api"].cookie) is not None
    unset = house.sessions(MOIM_PAGES_TOKEN="")
    assert await unset.viewer(begun["pages"].cookie) is None
    house.record.clock.advance(SESSION.total_seconds())
    assert await house.sessions().viewer(begun["api"].cookie) is None


async def test_administrators_are_the_apis_token_and_on_loopback_the_pages() -> None:
    house = House()
    public = {"MOIM_PAGES_URL": "https://moim.example.com"}
    proxied = {"MOIM_PAGES_PROXIES": "127.0.0.1", "MOIM_PAGES_USER_HEADER": "X-User"}
    for sessions, pages_too in (
        (house.sessions(), False),
        (house.sessions("127.0.0.1"), True),
        (house.sessions("127.0.0.1", **public), False),
        (house.sessions("127.0.0.1", **proxied), False),
    ):
        by_api, by_pages = await sessions.begin("api"), await sessions.begin("pages")
        assert (by_api.viewer.administrator, by_pages.viewer.administrator) == (True, pages_too)
        assert [house.kept.rows[each.viewer.session_id].administrator for each in (by_api, by_pages)] == [
            True,
            pages_too,
        ]
    on_loopback = await house.sessions("127.0.0.1").begin("pages")
    elsewhere = await house.sessions().viewer(on_loopback.cookie)
    assert elsewhere is not None
    assert not elsewhere.administrator, "the process was moved off loopback since"


async def test_a_guest_is_no_administrator_and_is_in_for_as_long_as_the_link_at_most() -> None:
    house = House()
    now = house.record.clock.now_utc()
    link = Link(id="l1", meeting_id=ID, may_edit=True, made_at=now, expires_at=now + timedelta(hours=1))
    begun: Begun = await house.sessions("127.0.0.1").begin("link", link)
    assert house.kept.rows[begun.viewer.session_id].expires_at == link.expires_at
    assert not begun.viewer.administrator
    assert (begun.viewer.meeting_id, begun.viewer.link_id) == (ID, "l1")


async def test_a_browser_is_one_person_in_a_meeting_over_reloads_and_signing_in_again(site: Site) -> None:
    mine = await signed_in(site)
    first = await joined(site, mine)
    assert await joined(site, mine, "다른 이름") == first
    again = await signed_in(site, mine)
    assert again != mine
    assert await joined(site, again) == first
    assert await site.status("GET", "/v1/meetings", token=None, headers=mine) == 401, "one session each"
    _, session = await site.call("GET", f"/v1/session?meeting_id={ID}", token=None, headers=again)
    assert session["identity"] == first
    _, session = await site.call("GET", "/v1/session", token=None, headers=again)
    assert session["identity"] is None
    assert await joined(site, again, meeting_id="m-2") != first, "nobody follows them from one to another"
    assert await joined(site, await signed_in(site)) != first, "another browser is another person"


async def test_a_browser_is_one_person_in_a_meeting_by_whichever_link_it_comes(site: Site) -> None:
    links = [await link_of(site, seconds=60), await link_of(site)]
    first, second = (each["path"].partition("#link=")[2] for each in links)
    mine = await signed_in(site, link=first)
    kept_s = int(site.headers["Set-Cookie"].partition("Max-Age=")[2].partition(";")[0])
    assert kept_s == SESSION.total_seconds(), "the link ends sooner, but not who they are"
    mark = browser_of(await joined(site, mine))
    assert mark is not None
    site.registry.record.clock.advance(3600)
    assert await site.status("GET", f"/v1/meetings/{ID}", token=None, headers=mine) == 401
    mine = await signed_in(site, mine, link=second)
    identity = await joined(site, mine)
    assert identity == guest_identity(links[1]["id"], mark), "what they may do follows from the newer link"
    assert await site.status("DELETE", f"/v1/meetings/{ID}/links/{links[1]['id']}") == 200
    mine = await signed_in(site, mine)
    assert await joined(site, mine) == page_identity(mark)
    stranger = await joined(site, await signed_in(site))
    assert browser_of(stranger) != mark


async def test_who_signs_out_leaves_nobody_their_identity(site: Site) -> None:
    mine = await signed_in(site)
    first = await joined(site, mine)
    assert await site.status("DELETE", "/v1/session", token=None, headers=mine) == 200
    assert await joined(site, await signed_in(site, mine)) != first


async def test_a_guest_is_known_by_link_and_browser(site: Site) -> None:
    link = await link_of(site)
    secret = link["path"].partition("#link=")[2]
    one, two = await signed_in(site, link=secret), await signed_in(site, link=secret)
    identities = [await joined(site, each) for each in (one, two)]
    assert len(set(identities)) == 2
    assert all(each.startswith(f"guest-{link['id']}-") for each in identities)
    again = await signed_in(site, one, link=secret)
    assert await joined(site, again) == identities[0]


async def test_whom_a_proxy_names_joins_by_their_name_unless_others_are_given_it(site: Site) -> None:
    for name, identity in (
        ("ben", "ben"),
        ("http", "user http"),
        ("cli", "user cli"),
        ("web-0123456789abcdef", "user web-0123456789abcdef"),
        ("guest-l1-0123456789abcdef", "user guest-l1-0123456789abcdef"),
        ("agent-AJ_x", "user agent-AJ_x"),
        ("user http", "user user http"),
        ("guest-house", "guest-house"),
    ):
        assert await joined(site, {**site.own, "X-Forwarded-User": name}) == identity


async def test_people_tell_consent_and_see_what_is_kept_for_themselves_alone(site: Site) -> None:
    secret = (await link_of(site))["path"].partition("#link=")[2]
    guest, other = await signed_in(site, link=secret), await signed_in(site, link=secret)
    person = await signed_in(site)
    for browser in (guest, person):
        me = await joined(site, browser)
        for who, status in ((me, 202), (await joined(site, other), 403), ("ben", 403)):
            body = {"person": who, "agreed": False}
            path = f"/v1/meetings/{ID}/consent"
            assert await site.status("POST", path, body, token=None, headers=browser) == status
            path = f"/v1/people/{who}?meeting_id={ID}"
            expected = 200 if status == 202 else 403
            assert await site.status("GET", path, token=None, headers=browser) == expected
    told = site.rates.asked
    assert [(each.how, each.by) for each in told] == [("page", None)] * 2  # type: ignore[attr-defined]  # consent


async def test_a_guest_is_nobody_in_another_meeting(site: Site) -> None:
    secret = (await link_of(site))["path"].partition("#link=")[2]
    guest = await signed_in(site, link=secret)
    _, session = await site.call("GET", "/v1/session?meeting_id=m-2", token=None, headers=guest)
    assert session["identity"] is None


@pytest.mark.parametrize(
    "name",
    ["Moim", "moim", "ＭＯＩＭ", "M\u043eim", "Mo\u200bim", "모임", "모 임", "모임!", "Moim (standby)"],
)
async def test_nobody_joins_under_the_agents_name(site: Site, name: str) -> None:
    mine = await signed_in(site)
    path = f"/v1/meetings/{ID}/join"
    status, refused = await site.call("POST", path, {"name": name}, token=None, headers=mine)
    assert (status, refused["error"]["field"]) == (400, "name")
    assert await site.status("POST", path, {"name": name}) == 400, "nor does a program have anybody do so"


@pytest.mark.parametrize("name", ["김민지", "Moimi", "모임장", "관리자"])
async def test_everybody_else_joins_under_the_name_that_they_give(site: Site, name: str) -> None:
    assert (await joined(site, await signed_in(site), name)).startswith("web-")
