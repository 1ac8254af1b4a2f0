"""Documents come in, are listed and go, each for those alone who may read it."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

from tests.fakes.passages import FakePassages
from tests.unit.cases import cases
from tests.unit.worker.web.server import Site
from worker.clock import now_utc
from worker.documents.document_reading import read_bytes
from worker.documents.library import DocumentRow, Library

BEN = {"X-Forwarded-User": "ben"}


async def as_person(site: Site, method: str, path: str, **more: Any) -> tuple[int, Any]:
    """Somebody whom the proxy has signed in."""
    headers = {**BEN, "Origin": f"http://127.0.0.1:{site.port}"}
    return await site.call(method, path, token=None, headers=headers, **more)


async def keep(site: Site, id_: str, *readers: str) -> None:
    row = DocumentRow(
        id=id_, title=id_, origin=f"upload:{id_}.md", kind="markdown", digest=id_, bytes=1, passages=1,
        access=readers, added_at=datetime(2026, 1, 5, tzinfo=UTC),
    )  # fmt: skip
    await site.library.keep(row)


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("계획.md", "# 출시 계획\n\n출시일은 11월 20일입니다.", "출시 계획"),
        ("plan.txt", "We ship on the 20th.", "plan"),
    ],
)
async def test_a_file_is_read_listed_replaced_and_removed(
    site: Site, name: str, text: str, title: str
) -> None:
    for replaced in (False, True):
        status, added = await site.call("POST", "/v1/documents", text.encode(), params={"name": name})
        assert (status, added["title"], added["replaced"]) == (201, title, replaced)
        assert "origin" not in added
    status, listed = await site.call("GET", "/v1/documents")
    assert [row["id"] for row in listed["documents"]] == [added["id"]]
    assert await site.status("DELETE", f"/v1/documents/{added['id']}") == 200
    assert await site.status("DELETE", f"/v1/documents/{added['id']}") == 404


@cases
async def test_what_cannot_be_read_is_told(name: str, body: str, field: str, site: Site) -> None:
    status, answer = await site.call("POST", "/v1/documents", body.encode(), params={"name": name})
    assert (status, answer["error"]["field"]) == (400, field)
    assert site.library.rows == {}


async def test_a_file_that_is_too_large_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.web.document_requests.LARGEST_BYTES", 1000)
    status, answer = await site.call("POST", "/v1/documents", b"x" * 2000, params={"name": "a.txt"})
    assert (status, answer["error"]["field"]) == (413, "body")


async def test_what_is_for_others_is_not_there(site: Site) -> None:
    await keep(site, "open")
    await keep(site, "for-ben", "ben")
    await keep(site, "for-alice", "alice")
    _, listed = await as_person(site, "GET", "/v1/documents")
    assert {row["id"] for row in listed["documents"]} == {"open", "for-ben"}
    assert (await as_person(site, "DELETE", "/v1/documents/for-alice"))[0] == 404
    status, _ = await as_person(site, "POST", "/v1/documents", body=b"x", params={"name": "for-alice.md"})
    assert status == 403
    assert set(site.library.rows) == {"open", "for-ben", "for-alice"}
    _, listed = await site.call("GET", "/v1/documents")
    assert len(listed["documents"]) == 3, "whoever has the API's token"


@pytest.mark.parametrize("text", ["# 인수 계획\n\n두꺼비은행을 인수합니다.", "# Plan\n\nWe buy Toad Bank."])
async def test_the_same_bytes_of_somebody_else_are_another_document(site: Site, text: str) -> None:
    private = DocumentRow(
        id="d-private", title="인수 계획", origin="/srv/plan.md", kind="markdown",
        digest=sha256(text.encode()).hexdigest(), bytes=1, passages=1, access=("alice",),
        added_at=datetime(2026, 1, 5, tzinfo=UTC),
    )  # fmt: skip
    await site.library.keep(private)
    for replaced in (False, True):
        params = {"name": "bens.md"}
        status, added = await as_person(site, "POST", "/v1/documents", body=text.encode(), params=params)
        assert (status, added["replaced"], added["access"]) == (201, replaced, [])
        assert added["id"] != private.id
    assert site.library.rows[private.id] == private
    _, listed = await as_person(site, "GET", "/v1/documents")
    assert [row["id"] for row in listed["documents"]] == [added["id"]]


async def test_a_new_document_has_no_id_of_another_that_was_moved_from_its_path(site: Site) -> None:
    library, read = Library(site.library, FakePassages()), await read_bytes("a.md", b"# One\n\nwords of one")
    first = (await library.add(read, "/a.md", now_utc(), access=("alice",))).document
    moved = await library.add(read, "/b.md", now_utc(), moves=True)
    assert (moved.document.id, moved.document.access, moved.replaced) == (first.id, ("alice",), True)
    other = await library.add(
        await read_bytes("a.md", b"# Two\n\nother words"), "/a.md", now_utc(), moves=True
    )
    assert not other.replaced
    assert other.document.id != first.id
    uploaded = await library.add(read, "upload:a.md", now_utc())
    again = await library.add(read, "/c.md", now_utc(), moves=True)
    assert again.document.id == first.id, "and not the one that somebody has uploaded"
    assert set(site.library.rows) == {first.id, other.document.id, uploaded.document.id}
