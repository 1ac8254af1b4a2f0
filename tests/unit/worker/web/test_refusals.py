"""What is wrong in a request is named by its field, with a mend in our own words, and nothing comes of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.cases import beside
from tests.unit.worker.web.fixes import UTTERANCE
from tests.unit.worker.web.server import TOKEN, Site, is_error

LONG = [
    ("POST", "/v1/meetings", {"room": "x" * 257}, "room"),
    ("POST", "/v1/meetings", {"room": "회" * 86}, "room"),
    ("POST", "/v1/meetings", {"room": "회의실", "\ud800": 1}, "body"),
    ("POST", "/v1/meetings/m-1/ask", {"text": "가" * 5000}, "text"),
    (
        "PATCH",
        "/v1/meetings/m-1",
        {"by": "b", "fix": {**UTTERANCE, "text": "x" * 20_001}},
        "fix.utterance.text",
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "field"), [*beside(__file__)["WRONG"], *LONG])
async def test_it_is_named_and_nothing_comes_of_it(
    site: Site, method: str, path: str, body: dict[str, Any] | None, field: str
) -> None:
    await site.hold("m-1")
    status, answer = await site.call(method, path, body)
    assert status == 400
    assert is_error(answer)
    assert answer["error"]["field"] == field
    assert [row.id for row in await site.registry.list_all()] == ["m-1"]
    done = [*site.answers.asked, *site.summaries.seen, *site.corrections.seen, *site.retriever.asked]
    assert done == []


@pytest.mark.parametrize(
    ("path", "body", "mend"),
    [
        *beside(__file__)["MENDS"],
        (
            "/v1/meetings",
            {"room": "회" * 86},
            "must have at most 256 bytes in UTF-8, LiveKit's limit: it has 258",
        ),
        ("/v1/meetings?limit=" + "9" * 5000, None, "must be a whole number, and a smaller one"),
    ],
)
async def test_its_mend_is_in_our_own_words(
    site: Site, path: str, body: dict[str, Any] | None, mend: str
) -> None:
    await site.hold("m-1")
    status, answer = await site.call("GET" if body is None else "POST", path, body)
    assert (status, answer["error"]["mend"]) == (400, mend)


@pytest.mark.parametrize("dots", [".", "..", " .. ", "%2e%2e", "%2E."])
@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/meetings", {"room": None}, "room"),
        ("/v1/meetings", {"room": "r", "meeting_id": None}, "meeting_id"),
        ("/v1/meetings/m-1/consent", {"person": None, "agreed": True}, "person"),
        ("/v1/meetings/m-1/erasures", {"by": "a", "person": None}, "person"),
        ("/v1/erasures", {"by": "a", "person": None}, "person"),
    ],
)
async def test_a_name_that_an_address_would_take_for_a_folder_is_none(
    site: Site, dots: str, path: str, body: dict[str, Any], field: str
) -> None:
    await site.hold("m-1")
    sent = {name: dots if value is None else value for name, value in body.items()}
    status, answer = await site.call("POST", path, sent)
    assert (status, answer["error"]["field"]) == (400, field)
    assert answer["error"]["mend"].startswith("must not be ")


@pytest.mark.parametrize(
    "dots", [".", "..", "%2e", "%2e%2e", "%2E%2E", "%252e%252e", "..%2f..", "%2e%2e%2fm-1"]
)
@pytest.mark.parametrize("rest", ["", "/export", "/thread", "/end", "/links/x"])
async def test_dots_in_an_address_lead_nowhere(site: Site, dots: str, rest: str) -> None:
    await site.hold("m-1")
    for place in (f"/v1/meetings/{dots}{rest}", f"/v1/people/{dots}{rest}", f"/v1/erasures/{dots}{rest}"):
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        lines = (f"GET {place} HTTP/1.1", "Host: x", f"Authorization: Bearer {TOKEN}", "Connection: close")
        writer.write("\r\n".join([*lines, "", ""]).encode())
        answer = (await reader.read()).decode()
        writer.close()
        status = int(answer.split(" ", 2)[1])
        nobody = '"meetings": [], "utterances": []' in answer  # whose id has a slash
        assert status in {400, 404, 405} or nobody, (place, answer)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/meetings", 200),
        ("HEAD", "/v1/meetings/m-1", 200),
        ("GET", "/v1/openapi.json", 200),
        ("GET", "/v1/meetings/m-9", 404),
        ("GET", "/v1/no/such/address", 404),
        ("PUT", "/v1/meetings", 405),
        ("POST", "/v1/meetings", 415),
        ("GET", "/v1/meetings/m-1/events", 200),
    ],
)
@pytest.mark.parametrize("token", [TOKEN, None])
async def test_no_answer_is_stored_anywhere_or_taken_for_another_type(
    site: Site, method: str, path: str, status: int, token: str | None
) -> None:
    await site.hold("m-1")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"http://127.0.0.1:{site.port}{path}"
    async with site.client.request(method, url, headers=headers) as answer:
        assert answer.status == (status if token else 401)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
