"""Everything that was said and added, found from one box."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from context.corpora.passage import Passage
from tests.unit.web.server import Site

SAID = Passage(
    corpus="earlier", source_id="m-1", position=0, text="민지: 출시일은 11월 20일입니다.", title="출시 회의",
    first=3, last=5, said_at=datetime(2026, 1, 5, 9, 0, tzinfo=UTC), topic="출시일", speakers=("민지",),
)  # fmt: skip
PAGE = Passage(
    corpus="document", source_id="d-1", position=2, text="Server: 300 dollars", title="Prices", page=4
)


async def test_hits_name_their_meeting_and_their_line_or_their_page(site: Site) -> None:
    site.retriever.passages = [SAID, PAGE]
    status, found = await site.call("GET", "/v1/search?q=출시일")
    assert (status, found["degraded"]) == (200, [])
    meeting, document = found["hits"]
    assert (meeting["kind"], meeting["id"], meeting["first_utterance"]) == ("meeting", "m-1", 3)
    assert (document["kind"], document["title"], document["page"]) == ("document", "Prices", 4)
    assert [query.text for query in site.retriever.asked] == ["출시일"]
    assert len((await site.call("GET", "/v1/search?q=x&limit=1"))[1]["hits"]) == 1


@pytest.mark.parametrize(
    ("query", "field"), [("", "q"), ("q=", "q"), ("q=x&limit=0", "limit"), ("q=x&z=1", "z")]
)
async def test_a_wrong_wish_is_named(site: Site, query: str, field: str) -> None:
    status, answer = await site.call("GET", f"/v1/search?{query}")
    assert (status, answer["error"]["field"]) == (400, field)
    assert site.retriever.asked == []
