"""The parts that the API's handlers work with, and how much of each kind of work is done at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from context.corpora.passage import Retriever
from context.ports import MeetingStore
from worker.audit import Audit, People
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.documents.library import Library
from worker.erasures import ErasureWishes
from worker.meeting.asking import Asker
from worker.meeting.correcting import Correcting
from worker.meeting.panels import Panels
from worker.messages import OrderStream
from worker.ports import Links, MeetingRegistry, Overviews, RoomToken
from worker.web.errors import RETRY_SOON, ApiError
from worker.web.following import Following
from worker.web.sessions import KeptSessions, Sessions
from worker.web.viewers import LinkStanding

EVENT_STREAM: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}
"""The headers of an answer that is a stream of server-sent events, past proxies that would buffer it."""


@dataclass(slots=True)
class Api:
    """The parts of one application, and the state that its requests share."""

    settings: Settings
    sessions: Sessions
    kept_sessions: KeptSessions
    meetings: MeetingRegistry
    store: MeetingStore
    answers: Asker
    summaries: Thinking
    corrections: Correcting
    erasures: ErasureWishes
    retriever: Retriever
    overviews: Overviews
    library: Library
    panels: Panels
    links: Links
    following: Following
    audit: Audit
    people: People
    room_token: RoomToken
    """Makes the tokens with which browsers join rooms."""
    orders: OrderStream | None = None
    """The streams by which live meetings are told who may be heard; None where there is no Redis."""
    stopping: bool = False
    """True from the moment that this process is to stop: streams to viewers end."""
    standing: LinkStanding = field(init=False)
    places: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    """How much may be under way at once, by the kind of work (see `place`)."""

    def __post_init__(self) -> None:
        self.standing = LinkStanding(self.kept_sessions)


API: Final = web.AppKey("api", Api)


def api_of(request: web.Request) -> Api:
    """Give the parts of the application that this request came to."""
    return request.app[API]


@asynccontextmanager
async def place(request: web.Request, what: str, at_once: int) -> AsyncIterator[None]:
    """Hold one of the application's `at_once` places for this kind of work within the block.

    `what` names the kind, in the plural (`questions`). Raises `ApiError` (429) where all places are taken.
    """
    free = api_of(request).places.setdefault(what, asyncio.Semaphore(at_once))
    if free.locked():
        mend = f"{at_once} {what} are under way, which is all that this process does at once: try again"
        raise ApiError(429, mend, headers=RETRY_SOON)
    async with free:
        yield
