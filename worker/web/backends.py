"""The parts that the API's handlers work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from context.corpora.passage import Retriever
from context.ports import MeetingStore
from worker.audit_log import Audit, People
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.documents.library import Library
from worker.erasures import ErasureRequests
from worker.links import Links
from worker.meeting.asker import Asker
from worker.meeting.correcting import Correcting
from worker.meeting.panels import Panels
from worker.messages import CommandStream
from worker.ports import MeetingRegistry, Overviews, RoomToken
from worker.recordings.recording_store import Recordings
from worker.web.following import Following
from worker.web.session_validity import SessionValidity
from worker.web.sessions import KeptSessions, Sessions
from worker.web.token_throttle import TokenThrottle
from worker.web.viewer_quotas import ViewerQuota, ViewerQuotas

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
    erasures: ErasureRequests
    retriever: Retriever
    overviews: Overviews
    library: Library
    recordings: Recordings
    panels: Panels
    links: Links
    following: Following
    audit: Audit
    people: People
    room_token: RoomToken
    """Makes the tokens with which browsers join rooms."""
    commands: CommandStream | None = None
    """The streams by which live meetings are told who may be heard; None where there is no Redis."""
    link_ended: Callable[[], object] = lambda: None
    """Called once a link is withdrawn: its guests are to leave the meeting's room, too."""
    stopping: bool = False
    """True from the moment that this process is to stop: streams to viewers end."""
    quota: ViewerQuota = field(default_factory=ViewerQuota)
    """What of this process one viewer may have."""
    session_validity: SessionValidity = field(init=False)
    quotas: ViewerQuotas = field(init=False)
    """How much of this process each viewer has."""
    token_throttle: TokenThrottle = field(default_factory=TokenThrottle)

    def __post_init__(self) -> None:
        self.session_validity, self.quotas = (
            SessionValidity(self.kept_sessions),
            ViewerQuotas(self.settings, self.quota),
        )


API: Final = web.AppKey("api", Api)


def api_of(request: web.Request) -> Api:
    """Give the parts of the application that this request came to."""
    return request.app[API]
