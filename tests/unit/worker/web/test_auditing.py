"""Who did what over HTTP is in the audit log: what shows or changes words, by whom, and never what it says.

Without its row nothing is read out, and nothing is changed.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import aiohttp
import pytest

from context.ports import PortError, Refused, Unavailable
from tests.unit.cases import cases
from tests.unit.worker.web.links import made, opened
from tests.unit.worker.web.server import ID, TOKEN, Site
from worker.web.operations import OPERATIONS, Operation


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


@pytest.mark.parametrize(
    "operation", OPERATIONS, ids=lambda operation: f"{operation.method} {operation.path}"
)
def test_every_operation_has_a_row_or_a_reason_for_none(operation: Operation) -> None:
    assert bool(operation.audit) != bool(operation.no_audit)
    assert len(f"{operation.audit}_refused") <= 40, "the column holds no more"
    changes = operation.method != "get"
    assert operation.audit or not changes or operation.path in {"/v1/session", "/v1/summarize"}


BODIES: dict[str, object] = {
    "post /v1/meetings": {"room": "새 방"},
    "post /v1/meetings/{meeting_id}/ask": {"text": "예산은 얼마입니까?"},
    "post /v1/meetings/{meeting_id}/join": {"name": "민지"},
    "patch /v1/meetings/{meeting_id}": {
        "by": "민지",
        "fix": {"of": "person", "person": "a", "name": "A", "was": "a"},
    },
    "post /v1/meetings/{meeting_id}/consent": {"person": "ben", "agreed": False},
    "post /v1/meetings/{meeting_id}/erasures": {"by": "민지", "utterances": [1]},
    "post /v1/meetings/{meeting_id}/shown": {"by": "민지", "utterances": [1]},
    "post /v1/meetings/{meeting_id}/retention": {"held": True},
    "post /v1/erasures": {"by": "민지", "person": "ben"},
    "post /v1/meetings/{meeting_id}/links": {},
    "put /v1/meetings/{meeting_id}/rate": {"rate": 0.3},
    "put /v1/meetings/{meeting_id}/title": {"title": "출시 회의"},
    "post /v1/documents": b"text",
    "post /v1/recordings": b"Ben: hello\nMia: hi\n",
}
QUERIES = {
    "/v1/search": "?q=예산",
    "/v1/meetings/{meeting_id}/search": "?q=예산",
    "/v1/documents": "?name=a.txt",
    "/v1/recordings": "?name=a.txt",
}
AUDITED = [operation for operation in OPERATIONS if operation.audit]


@pytest.mark.parametrize("operation", AUDITED, ids=lambda operation: f"{operation.method} {operation.path}")
@pytest.mark.parametrize("mood", [Unavailable("Postgres is away"), Refused("no right to INSERT")], ids=repr)
async def test_without_its_row_nothing_is_read_out_and_nothing_done(
    operation: Operation, mood: PortError, site: Site
) -> None:
    await site.hold(ID)
    before = str(site)
    site.audit.mood = mood
    path = operation.path.replace("{meeting_id}", ID).replace("{person}", "ben")
    path = path.replace("{link_id}", "l-1").replace("{document_id}", "d-1")
    if operation.query is not None:
        path += QUERIES.get(operation.path, "")
    body = BODIES.get(f"{operation.method} {operation.path}", None if operation.method == "get" else {})
    for method in ("GET", "HEAD") if operation.method == "get" else (operation.method.upper(),):
        status, answer = await site.call(method, path, body)
        assert (status, "Retry-After" in site.headers) == (503, True), answer
        if method != "HEAD":
            assert answer["error"]["mend"].startswith("the audit log cannot be written")
    assert str(site) == before
    assert not site.audit.rows


async def test_a_stream_that_is_open_goes_on_without_the_log(site: Site) -> None:
    await site.hold(ID)
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        address = f"http://127.0.0.1:{site.port}/v1/meetings/{ID}/events"
        async with asyncio.timeout(5), client.get(address) as stream:
            assert (await stream.content.readline()).startswith(b"id:")
            site.audit.mood = Unavailable("Postgres is away")
            assert await site.status("GET", f"/v1/meetings/{ID}") == 503
            assert (await stream.content.readline()).startswith(b"event: document")
            assert not stream.content.at_eof()


async def test_head_of_a_stream_reads_nothing_out_and_is_noted(site: Site) -> None:
    await site.hold(ID)
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    head = f"HEAD /v1/meetings/{ID}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode())
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.partition(b"\r\n\r\n")[2] == b""
    assert [row[1] for row in await log_of(site)] == ["read"]


async def test_what_is_refused_after_its_row_has_a_second_one_that_says_so(site: Site) -> None:
    assert await site.status("GET", f"/v1/meetings/{ID}/export") == 409
    assert await site.status("POST", f"/v1/meetings/{ID}/end", {}) == 202
    assert await site.status("POST", f"/v1/meetings/{ID}/end", {}) == 409
    assert [row[1] for row in await log_of(site)] == ["export", "export_refused", "end", "end", "end_refused"]


async def test_what_is_wrong_or_nowhere_has_no_row(site: Site) -> None:
    assert await site.status("GET", "/v1/meetings/m-9/export") == 404
    assert await site.status("GET", f"/v1/meetings/{ID}/export?format=pdf") == 400
    assert await site.status("PUT", f"/v1/meetings/{ID}/rate", {"rate": 7}) == 400
    assert await log_of(site) == []


async def test_an_actor_is_found_by_the_name_in_the_log_and_by_the_id(site: Site) -> None:
    headers = {**site.own, "X-Forwarded-User": "minji"}
    assert await site.status("GET", f"/v1/meetings/{ID}", token=None, headers=headers) == 200
    assert await site.status("GET", f"/v1/meetings/{ID}") == 200
    for who, found in (("minji", ["user minji"]), ("user minji", ["user minji"]), ("program", ["program"])):
        _, answer = await site.call("GET", f"/v1/audit?who={who}")
        assert [row["who"] for row in answer["entries"] if row["action"] == "read"] == found
    _, answer = await site.call("GET", "/v1/audit?who=link minji")
    assert answer["entries"] == []


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


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"/v1/meetings/{ID}/retention", {"held": False}),
        ("POST", f"/v1/meetings/{ID}/retention", {"keep_days": 1}),
        ("POST", "/v1/erasures", {"by": "민지", "person": "ben"}),
        ("GET", "/v1/audit", None),
    ],
)
async def test_holds_keeping_erasing_everywhere_and_the_log_are_for_administrators(
    method: str, path: str, body: object, site: Site
) -> None:
    headers = {**site.own, "X-Forwarded-User": "ben"}
    status, answer = await site.call(method, path, body, token=None, headers=headers)
    assert (status, "administrators" in answer["error"]["mend"]) == (403, True)
    assert not site.audit.rows
    assert await site.status(method, path, body) < 300
