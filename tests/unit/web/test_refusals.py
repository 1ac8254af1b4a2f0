"""What is wrong in a request is named by its field, with a mend in our own words, and nothing comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.web.server import Site
from tests.unit.web.test_api import is_error
from tests.unit.web.test_correcting import UTTERANCE

MESSAGE = {"role": "user", "content": "x"}
WRONG: dict[tuple[str, str], list[tuple[dict[str, Any] | None, str]]] = {
    ("POST", "/v1/meetings"): [
        ({}, "room"),
        ({"title": "회의"}, "room"),
        ({"room": ""}, "room"),
        ({"room": "  "}, "room"),
        ({"room": "a\nb"}, "room"),
        ({"room": "x" * 257}, "room"),
        ({"room": "회" * 86}, "room"),
        ({"room": 7}, "room"),
        ({"room": "회의실", "raum": "x"}, "raum"),
        ({"room": "회의실", "\ud800": 1}, "body"),
        ({"room": "회의실", "meeting_id": "a\u0000"}, "meeting_id"),
    ],
    ("POST", "/v1/meetings/m-1/ask"): [
        ({}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": "가" * 5000}, "text"),
        ({"text": "왜?", "stream": "yes"}, "stream"),
        ({"text": "왜?", "by": "a\tb"}, "by"),
        ({"text": "왜?", "features": {"no_such_flag": "1"}}, "features"),
        ({"text": "/leave"}, "text"),
        ({"text": "/rate 0.2"}, "text"),
        ({"text": "왜?", "private": "yes"}, "private"),
        ({"text": "왜?", "last_minutes": 0}, "last_minutes"),
        ({"text": "왜?", "first_utterance": 9, "last_utterance": 3}, "last_utterance"),
    ],
    ("POST", "/v1/summarize"): [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role"),
        ({"messages": [{**MESSAGE, "mood": 1}]}, "messages.0.mood"),
        ({"messages": [{"role": "user", "content": "  "}]}, "messages"),
        ({"messages": [MESSAGE], "max_chars": 1}, "max_chars"),
        ({"messages": [MESSAGE], "model": "gpt"}, "model"),
    ],
    ("PATCH", "/v1/meetings/m-1"): [
        ({"by": "b", "fix": {**UTTERANCE, "text": ""}}, "fix.utterance.text"),
        ({"by": "b", "fix": {**UTTERANCE, "text": "x" * 20_001}}, "fix.utterance.text"),
        ({"by": "b", "fix": {**UTTERANCE, "utterance": "two"}}, "fix.utterance.utterance"),
        ({"by": "b", "fix": {**UTTERANCE, "of": "everything"}}, "fix"),
    ],
    ("POST", "/v1/meetings/m-1/erasures"): [
        ({"by": "b"}, "utterances"),
        ({"by": "b", "utterances": []}, "utterances"),
        ({"by": "b", "person": "a", "everything": True}, "utterances"),
        ({"by": "b", "utterances": [0]}, "utterances.0"),
        ({"by": "b", "utterances": ["3"]}, "utterances.0"),
        ({"by": "b", "person": " "}, "person"),
    ],
    ("POST", "/v1/meetings/m-1/links"): [
        ({"seconds": 1}, "seconds"),
        ({"seconds": 10**9}, "seconds"),
        ({"edit": "yes"}, "edit"),
        ({"for": "7d"}, "for"),
    ],
    ("GET", "/v1/meetings?offset=3"): [(None, "offset")],
    ("GET", "/v1/meetings?limit=1&limit=2"): [(None, "limit")],
    ("GET", "/v1/search"): [(None, "q")],
    ("GET", "/v1/search?q="): [(None, "q")],
    ("GET", "/v1/search?q=x&limit=0"): [(None, "limit")],
    ("GET", "/v1/search?q=x&z=1"): [(None, "z")],
}


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [(*address, body, field) for address, rows in WRONG.items() for body, field in rows],
)
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
        ("/v1/meetings", {"room": 5}, "must be a string"),
        ("/v1/meetings", {"room": ""}, "must hold text"),
        ("/v1/meetings", {"room": "회" * 86},
         "must have at most 256 bytes in UTF-8, LiveKit's limit: it has 258"),
        ("/v1/meetings/m-1/ask", {"text": "x", "stream": "maybe"}, "must be true or false"),
        ("/v1/meetings/m-1/ask", {"text": "x", "features": []}, "must be an object"),
        ("/v1/summarize", {"messages": "x"}, "must be a list"),
        ("/v1/summarize", {"messages": []}, "must hold at least 1"),
        ("/v1/summarize", {"messages": ["x"]}, "must be an object"),
        ("/v1/summarize", {"messages": [{**MESSAGE, "role": "robot"}]},
         "must be one of system, user, assistant, tool"),
        ("/v1/summarize", {"messages": [MESSAGE], "max_chars": 1}, "must be at least 40"),
        ("/v1/summarize", {"messages": [MESSAGE], "max_chars": 1.5}, "must be a whole number"),
        ("/v1/meetings?limit=0", None, "must be at least 1"),
        ("/v1/meetings?limit=1001", None, "must be at most 1000"),
        ("/v1/meetings?limit=abc", None, "must be a whole number"),
        ("/v1/meetings?limit=" + "9" * 5000, None, "must be a whole number, and a smaller one"),
        ("/v1/meetings?status=over", None, "must be one of wanted, live, ended, failed"),
    ],
)  # fmt: skip
async def test_its_mend_is_in_our_own_words(
    site: Site, path: str, body: dict[str, Any] | None, mend: str
) -> None:
    await site.hold("m-1")
    status, answer = await site.call("GET" if body is None else "POST", path, body)
    assert (status, answer["error"]["mend"]) == (400, mend)
