"""`GET /v1/search`: over all meetings and documents of the tenant, by words and by meaning."""

from __future__ import annotations

from typing import Any, Final

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from context.corpora.passage import Passage, Query, Retriever
from worker.web.bodies import read_query
from worker.web.meetings import answered
from worker.web.viewers import NOBODY, viewer_of

_TOKENS: Final = 20_000
"""More than the longest list of hits has."""


class SearchWish(BaseModel):
    """What is looked for, of a query string."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    q: str = Field(min_length=1, max_length=400, description="words, or a question")
    limit: int = Field(20, ge=1, le=50)


class SearchPage:
    """Handles searches over all meetings that the viewer may see."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the route."""
        router.add_get("/search", self.search)

    async def search(self, request: web.Request) -> web.Response:
        """Passages, the best first; `degraded` names what could not be looked at."""
        viewer_of(request).demand_all()
        wish = read_query(request, SearchWish)
        query = Query(text=wish.q, corpora=("earlier", "document"), asker=viewer_of(request).reads_as(NOBODY))
        found = await self._retriever.retrieve(query, k=wish.limit, budget_tokens=_TOKENS)
        hits = [_hit(passage) for passage in found.passages]
        return answered({"hits": hits, "degraded": list(found.degraded)})


def _hit(passage: Passage) -> dict[str, Any]:
    document = passage.corpus == "document"
    return {
        "kind": "document" if document else "meeting",
        "id": passage.source_id,
        "title": passage.title or passage.source_id,
        "text": passage.text,
        "topic": passage.topic,
        "speakers": list(passage.speakers),
        "first_utterance": passage.first,
        "last_utterance": passage.last,
        "page": passage.page,
        "said_at": passage.said_at.isoformat() if passage.said_at is not None else None,
    }
