"""Who may what: programs, people behind a proxy, guests by a link; and how often."""

from __future__ import annotations

import asyncio
import unicodedata
from typing import Any

import pytest
from multidict import CIMultiDict

from context.primitives.askers import is_nobodys, nobodys, shown_as
from tests.unit.worker.web.links import opened
from tests.unit.worker.web.server import TOKEN, Site
from worker.ports import Overview
from worker.web.viewer_quotas import ViewerQuota
from worker.web.viewers import SigningProxy, Viewer

CHANGES = ViewerQuota().changes
REPLY = {"text": "20일입니다.", "evidence": [1]}


@pytest.fixture(autouse=True)
async def meeting(site: Site) -> None:
    await site.registry.want("회의실", meeting_id="m-1")
    site.registry.record.meetings["m-1"].status = "live"
    site.answers.pieces = [REPLY]


def signed_in(site: Site, name: str) -> dict[str, str]:
    return {**site.own, "X-Forwarded-User": name}


async def ask(site: Site, headers: dict[str, str], **fields: Any) -> int:
    body = {"text": "출시일이 언제야?", **fields}
    return await site.status("POST", "/v1/meetings/m-1/ask", body, token=None, headers=headers)


async def test_whom_the_proxy_names_is_that_person_whatever_they_say(site: Site) -> None:
    headers = signed_in(site, "ben")
    status, viewer = await site.call("GET", "/v1/session", token=None, headers=headers)
    assert (status, viewer["person"], viewer["may_edit"]) == (200, "ben", True)
    assert await ask(site, headers, by="alice") == 200
    fix = {"of": "person", "person": "a", "name": "Alice", "was": "a"}
    body = {"by": "alice", "fix": fix}
    assert await site.status("PATCH", "/v1/meetings/m-1", body, token=None, headers=headers) == 202
    assert (site.answers.asked[0].by, site.corrections.seen[0].by) == ("ben", "ben (“alice”)")
    elsewhere = {**headers, "Origin": "https://elsewhere.example"}
    assert await site.status("PATCH", "/v1/meetings/m-1", body, token=None, headers=elsewhere) == 403


@pytest.mark.parametrize("named", ["", " ", "x" * 300, "a\u00adb".encode().decode("latin-1")])
async def test_a_name_that_is_none_signs_nobody_in(site: Site, named: str) -> None:
    headers = {"X-Forwarded-User": named}
    assert await site.status("GET", "/v1/session", token=None, headers=headers) == 401


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (b"Cookie: moim_session=\xff", 401),
        (b'Cookie: moim_session="\xff.\xff.\xff"', 401),
        (b"Origin: http://[", 403),
        (b"Origin: \xff://", 403),
    ],
)
async def test_a_header_of_nonsense_is_refused_and_no_fault_of_ours(
    site: Site, header: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    body = b'{"token": "x"}'
    head = (
        b"GET" if status == 401 else b"POST",
        b" /v1/session HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n",
        b"%s\r\nContent-Length: %d\r\n\r\n" % (header, len(body)),
    )
    writer.write(b"".join(head) + body)
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert "api_failed" not in caplog.text


class _Request:
    def __init__(self, remote: str | None) -> None:
        self.remote, self.headers = remote, CIMultiDict({"X-User": "ben"})


@pytest.mark.parametrize(
    ("remote", "person"), [("10.1.2.3", "ben"), ("10.2.0.1", None), ("::1", None), (None, None)]
)
def test_the_header_counts_from_the_proxy_alone(remote: str | None, person: str | None) -> None:
    assert SigningProxy("X-User", ["10.1.0.0/16"]).person(_Request(remote)) == person  # type: ignore[arg-type]  # a stand-in
    assert SigningProxy().person(_Request(remote)) is None  # type: ignore[arg-type]  # a stand-in


async def test_who_may_only_look_asks_for_themselves_and_about_this_meeting_alone(site: Site) -> None:
    _, link = await site.call("POST", "/v1/meetings/m-1/links", {})
    _, theirs = await opened(site, link["path"])
    assert await ask(site, theirs, by="alice", features={"include_evidence": "1"}) == 200
    (question,) = site.answers.asked
    assert is_nobodys(question.by)
    assert question.private
    assert question.features["include_evidence"] == "0", "nothing of other meetings and documents"


async def test_who_is_no_participant_asks_as_nobody_whatever_they_call_themselves(site: Site) -> None:
    _, link = await site.call("POST", "/v1/meetings/m-1/links", {"edit": True})
    _, guest = await opened(site, link["path"])
    await site.call("POST", "/v1/session", {"token": TOKEN}, token=None, headers=site.own)
    session = {"Cookie": site.headers["Set-Cookie"].split(";")[0], **site.own}
    for headers in (guest, session):
        for name in ("minji", "김민지", "http", "program"):
            assert await ask(site, headers, by=name) == 200
    assert await ask(site, {"Authorization": f"Bearer {TOKEN}"}) == 200
    asked = [question.by for question in site.answers.asked]
    assert all(map(is_nobodys, asked))
    assert shown_as(asked[0]) == f"link {link['id']} (“minji”)", (
        "as they were authenticated, and what they claim"
    )
    assert shown_as(asked[-1]) == "program"


def test_sessions_of_one_link_are_told_apart() -> None:
    one, other = (Viewer("m-1", link_id="l1", session_id=id_).reads_as("Kim") for id_ in ("s1", "s2"))
    assert one != other
    assert shown_as(one) == shown_as(other) == "link l1 (“Kim”)"


async def test_a_program_is_believed_whose_question_it_asks_and_a_user_is_their_own(site: Site) -> None:
    assert await ask(site, {"Authorization": f"Bearer {TOKEN}"}, by="minji") == 200
    assert await ask(site, signed_in(site, "ben"), by="alice") == 200
    assert [question.by for question in site.answers.asked] == ["minji", "ben"]


async def test_a_program_that_gives_the_way_it_asks_by_as_a_name_asks_as_nobody(site: Site) -> None:
    assert await ask(site, {"Authorization": f"Bearer {TOKEN}"}, by="http") == 200
    assert [question.by for question in site.answers.asked] == [nobodys("http")]


async def test_who_asks_too_often_waits_and_programs_do_not(site: Site) -> None:
    headers = signed_in(site, "ben")
    statuses = [await ask(site, headers) for _ in range(CHANGES + 1)]
    assert statuses[:-1] == [200] * CHANGES
    assert statuses[-1] == 429
    assert int(site.headers["Retry-After"]) > 0
    assert await site.status("GET", "/v1/meetings", token=None, headers=headers) == 200, "they still look"
    assert await ask(site, signed_in(site, "alice")) == 200
    assert await site.status("POST", "/v1/meetings/m-1/ask", {"text": "왜?"}) == 200


async def test_the_list_tells_of_each_meeting_what_came_of_it(site: Site) -> None:
    site.overviews.told["m-1"] = Overview(
        people=("김민지", "Ben"), length_ms=60_000, topics=("출시",), decisions=("20일에 출시합니다.",)
    )
    _, listed = await site.call("GET", "/v1/meetings?overview=true")
    (row,) = listed["meetings"]
    assert (row["people"], row["length_ms"]) == (["김민지", "Ben"], 60_000)
    assert row["decisions"] == ["20일에 출시합니다."]
    _, listed = await site.call("GET", "/v1/meetings")
    assert "people" not in listed["meetings"][0]


async def test_the_agents_thread_and_budget_are_shown_and_its_rate_is_set(site: Site) -> None:
    status, thread = await site.call("GET", "/v1/meetings/m-1/thread")
    assert (status, thread["summary_history"], thread["compression_rate"]) == (200, [], 0.3)
    status, budget = await site.call("GET", "/v1/meetings/m-1/budget")
    assert (status, budget["compression_mode"]) == (200, False)
    assert budget["used"] + budget["remaining"] == budget["total_budget"]
    assert sum(budget["per_agent"].values()) == budget["used"]
    assert await site.status("PUT", "/v1/meetings/m-1/rate", {"rate": 0.2, "by": "민지"}) == 202
    assert [(each.text, each.by) for each in site.rates.asked] == [("/rate 0.2", "민지")]
    status, answer = await site.call("PUT", "/v1/meetings/m-1/rate", {"rate": 0.9})
    assert (status, answer["error"]["field"]) == (400, "rate")
    site.registry.record.meetings["m-1"].status = "ended"
    assert await site.status("PUT", "/v1/meetings/m-1/rate", {"rate": 0.2}) == 409


@pytest.mark.parametrize("named", [["ben", "root"], ["ben", "ben"], ["ben, root"], ["ben,"], ["", "root"]])
async def test_a_header_that_names_more_than_one_signs_nobody_in(site: Site, named: list[str]) -> None:
    headers = CIMultiDict([("X-Forwarded-User", each) for each in named])
    url = f"http://127.0.0.1:{site.port}/v1/session"
    async with site.client.get(url, headers=headers) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["field"] == "X-Forwarded-User"


@pytest.mark.parametrize(
    ("named", "administrator"),
    [
        ("root", True),
        ("관리자", True),
        (unicodedata.normalize("NFD", "관리자"), True),
        ("Root", False),
        ("root2", False),
        ("ro  root", False),
    ],
)
async def test_administrators_are_those_who_are_named_exactly(
    site: Site, named: str, administrator: bool
) -> None:
    _, viewer = await site.call("GET", "/v1/session", token=None, headers=signed_in(site, named))
    assert viewer["administrator"] is administrator
    _, viewer = await site.call("GET", "/v1/session")
    assert viewer["administrator"] is True, "the API's token"


async def test_a_name_that_looks_like_anothers_signs_nobody_in(site: Site) -> None:
    assert await site.status("GET", "/v1/session", token=None, headers=signed_in(site, "root\u3164")) == 401


async def test_nobody_reads_what_was_for_somebody_who_is_erased(site: Site) -> None:
    """`(erased)` stands in their place in the lists of who may read a document (`moim.ask_erasure`)."""
    assert await ask(site, signed_in(site, "(erased)")) == 200
    assert site.answers.asked[0].by == "user (erased)"


@pytest.mark.parametrize("named", ["http", "program", "page", "operator", "link l1"])
async def test_who_is_called_like_something_else_is_told_apart_and_has_no_other_right(
    site: Site, named: str
) -> None:
    headers = signed_in(site, named)
    assert await site.status("GET", "/v1/audit", token=None, headers=headers) == 403
    assert await ask(site, headers) == 200
    assert site.answers.asked[0].by == ("user http" if named == "http" else named)
    fix = {"of": "person", "person": "a", "name": "Alice", "was": "a"}
    body = {"by": named, "fix": fix}
    assert await site.status("PATCH", "/v1/meetings/m-1", body, token=None, headers=headers) == 202
    assert site.corrections.seen[0].by == f"user {named}"
    status, found = await site.call("GET", f"/v1/audit?who=user%20{named}")
    assert status == 200
    assert {each["who"] for each in found["entries"]} == {f"user {named}"}
