"""The live meetings as resources: what stands in their description is for a model to read."""

from __future__ import annotations

from typing import Any, cast

import pytest

from worker.mcp.api_client import ApiClient
from worker.mcp.resources import live_ones


class Meetings:
    def __init__(self, started_at: str | None) -> None:
        self._started_at = started_at

    async def read(self, _path: str, **_query: object) -> dict[str, Any]:
        return {"meetings": [{"id": "회의-1", "started_at": self._started_at}], "next": None}


@pytest.mark.parametrize(
    ("started_at", "begins"),
    [
        ("2026-03-02T10:00:00Z", "A live meeting, since 2026-03-02T10:00:00Z: "),
        (None, "A live meeting: "),
    ],
)
async def test_when_it_began_is_said_where_that_is_known(started_at: str | None, begins: str) -> None:
    (found,) = (await live_ones(cast("ApiClient", Meetings(started_at)), None)).resources
    assert (found.description or "").startswith(begins)
