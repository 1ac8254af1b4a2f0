"""What is wrong in a request is named by its field, with a mend in our own words, and nothing comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.cases import beside
from tests.unit.web.server import Site
from tests.unit.web.test_api import is_error
from tests.unit.web.test_correcting import UTTERANCE

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
