"""`POST /livekit/webhook`: LiveKit tells that a room began or ended.

The signature is LiveKit's own: a JWT made with our API key and secret that holds the body's SHA-256. What
is not so signed is refused. What fails here for a while is answered with 503, and LiveKit sends it again.
"""

from __future__ import annotations

from collections.abc import Callable
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

log = structlog.get_logger(__name__)

HOOK_PREFIX: Final = "/livekit"


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
        verifier = api.TokenVerifier(api_key, api_secret.get_secret_value())
        self._receiver = api.WebhookReceiver(verifier)
        self._wishes, self._on_wanted, self._on_refused = wishes, on_wanted, on_refused

    async def receive(self, request: web.Request) -> web.Response:
        """One event."""
        event = await self._checked(request)
        match event.event:
            case "room_started":
                if await self._wishes.seen([room_seen(event.room)]):
                    self._on_wanted()
            case "room_finished":
                await self._wishes.finished(event.room.name)
                self._on_wanted()
        return answered({"received": event.event})

    async def _checked(self, request: web.Request) -> WebhookEvent:
        body = await request.read()
        given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        try:
            return self._receiver.receive(body.decode("utf-8"), given)
        except Exception as error:  # noqa: BLE001
            # The library raises whatever its parsers do; none of it shows that LiveKit sent this.
            self._on_refused("webhook")
            log.warning("webhook_refused", error=type(error).__name__)
            raise ApiError(
                401, "this is not signed by LiveKit with our LIVEKIT_API_KEY", field="Authorization"
            ) from None


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
