"""`POST /livekit/webhook`: LiveKit tells that a room began or ended.

The signature is LiveKit's own: a JWT made with our API key and secret that holds the body's SHA-256. What
is not so signed is refused. What fails here for a while is answered with 503, and LiveKit sends it again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog
from aiohttp import web
from livekit import api
from livekit.protocol.webhook import WebhookEvent
from pydantic import SecretStr

from worker.adapters.livekit_dispatch import room_seen
from worker.fleet.room_wishes import RoomWishes
from worker.web.errors import ApiError
from worker.web.guard import errors_as_json
from worker.web.meetings import answered
from worker.web.whole_body import whole_body

log = structlog.get_logger(__name__)

HOOK_PREFIX: Final = "/livekit"
_LEEWAY: Final = timedelta(seconds=5)
"""By so much LiveKit's clock may differ from ours."""
_SEEN: Final = 10_000
"""Tokens that are remembered: each is good for five minutes."""
_LATEST_S: Final = 4_102_444_800
"""The year 2100: a room that began later did not."""


class WebhookPage:
    """The handler."""

    def __init__(
        self,
        wishes: RoomWishes,
        api_key: str,
        api_secret: SecretStr,
        *,
        on_wanted: Callable[[], object],
        on_refused: Callable[[str], None],
    ) -> None:
        verifier = api.TokenVerifier(api_key, api_secret.get_secret_value(), leeway=_LEEWAY)
        self._receiver = api.WebhookReceiver(verifier)
        self._wishes, self._on_wanted, self._on_refused = wishes, on_wanted, on_refused
        self._served: OrderedDict[str, None] = OrderedDict()
        """Tokens of events that were served. One that failed here is LiveKit's to send again."""

    async def receive(self, request: web.Request) -> web.Response:
        """One event. Of a token that was served, no second one: whoever caught it gets nothing by it."""
        event = await self._checked(request)
        given = _token(request)
        if given in self._served:
            raise ApiError(409, "this was told already: LiveKit signs each event anew", field="Authorization")
        await self._told(event)
        self._served[given] = None
        while len(self._served) > _SEEN:
            self._served.popitem(last=False)
        return answered({"received": event.event})

    async def _told(self, event: WebhookEvent) -> None:
        if not 0 <= event.room.creation_time <= _LATEST_S:
            raise ApiError(
                400, "a time in seconds since 1970", field="room.creationTime", value=event.room.creation_time
            )
        match event.event:
            case "room_started":
                if await self._wishes.seen([room_seen(event.room)]):
                    self._on_wanted()
            case "room_finished":
                await self._wishes.finished(event.room.name)
                self._on_wanted()

    async def _checked(self, request: web.Request) -> WebhookEvent:
        body = await whole_body(request)
        try:
            return self._receiver.receive(body.decode("utf-8"), _token(request))
        except Exception as error:  # noqa: BLE001
            # The library raises whatever its parsers do; none of it shows that LiveKit sent this.
            self._on_refused("webhook")
            log.warning("webhook_refused", error=type(error).__name__)
            raise ApiError(
                401, "this is not signed by LiveKit with our LIVEKIT_API_KEY", field="Authorization"
            ) from None


def _token(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ").strip()


def webhook(
    wishes: RoomWishes,
    api_key: str,
    api_secret: SecretStr,
    *,
    on_wanted: Callable[[], object] = lambda: None,
    on_request: Callable[[str, int], None] = lambda _route, _status: None,
    on_refused: Callable[[str], None] = lambda _via: None,
) -> web.Application:
    """To be mounted at `/livekit`."""
    page = WebhookPage(wishes, api_key, api_secret, on_wanted=on_wanted, on_refused=on_refused)
    app = web.Application(middlewares=[errors_as_json(on_request)])  # type: ignore[list-item] # as in `api`
    app.router.add_post("/webhook", page.receive)
    return app
