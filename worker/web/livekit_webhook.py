"""`POST /livekit/webhook`: LiveKit tells that a room began or ended.

The signature is LiveKit's own: a JWT made with our API key and secret that holds the body's SHA-256. What
is not so signed is refused before its body is read. What fails here for a while is answered with 503, and
LiveKit sends it again, the same bytes with the same token.

A delivery counts once: whoever sends its bytes again changes nothing by it. It is known by its body, which
LiveKit makes different for every event, and remembered until its token has expired; after that the token
alone refuses it. Only a delivery that was carried out is remembered. Each process remembers for itself: where
several dispatchers run, somebody who listens on the way could have each of them carry it out once within the
token's five minutes. That does no harm: a room's beginning is believed once in its life by the record, and of
its end there is at most one look too many.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog
from aiohttp import web
from google.protobuf.json_format import Parse
from livekit import api
from livekit.protocol.webhook import WebhookEvent
from pydantic import SecretStr

from worker.clock import now_utc
from worker.fleet.room_requests import RoomRequests
from worker.names import room_fault
from worker.ports import RoomSeen
from worker.web.bodies import body_bytes
from worker.web.json_answers import ApiError, errors_as_json, json_response

log = structlog.get_logger(__name__)

HOOK_PREFIX: Final = "/livekit"
_LATE_S: Final = 10.0
"""How long a token is good after its end: clocks differ, and a delivery takes its time."""
_MAX_REMEMBERED_DELIVERIES: Final = 20_000
"""How many deliveries are remembered: 60 a second for five minutes, in 4 MB. The oldest goes first."""


class Deliveries:
    """Remembers which deliveries of the webhook this process has carried out."""

    def __init__(self, now_s: Callable[[], float], *, most: int = _MAX_REMEMBERED_DELIVERIES) -> None:
        """Remember the last `most`. `now_s` gives the seconds since 1970, by which tokens expire."""
        self._now_s, self._most = now_s, most
        self._served: dict[bytes, float] = {}
        """The moment until which each is remembered, by the SHA-256 of its body, as they came."""
        self._under_way: dict[bytes, asyncio.Event] = {}

    def __len__(self) -> int:
        return len(self._served)

    @asynccontextmanager
    async def once(self, digest: bytes, until_s: float) -> AsyncIterator[None]:
        """Carry out a delivery within the block; a copy waits for the first one's end.

        `digest` is the SHA-256 of its body. Unless the block fails, it is remembered until `until_s`. Raises
        `ApiError` (409) where it was carried out before.
        """
        while (other := self._under_way.get(digest)) is not None:
            await other.wait()
        if self._served.get(digest, 0.0) > self._now_s():
            raise ApiError(409, "this was told before, and has been carried out", field="body")
        over = self._under_way[digest] = asyncio.Event()
        try:
            yield
            self._remember(digest, until_s)
        finally:
            del self._under_way[digest]
            over.set()

    def _remember(self, digest: bytes, until_s: float) -> None:
        self._served.pop(digest, None)
        self._served[digest] = until_s
        now_s = self._now_s()
        while self._served:
            first = next(iter(self._served))
            if self._served[first] > now_s and len(self._served) <= self._most:
                return
            del self._served[first]


class WebhookPage:
    """Takes what LiveKit sends: a room that began may be wanted, and one that ended ends its meeting."""

    def __init__(
        self,
        room_requests: RoomRequests,
        api_key: str,
        api_secret: SecretStr,
        on_wanted: Callable[[], object],
        on_refused: Callable[[str], None],
    ) -> None:
        self._verifier = api.TokenVerifier(api_key, api_secret.get_secret_value())
        self._deliveries = Deliveries(_now_s)
        self._room_requests, self._on_wanted, self._on_refused = room_requests, on_wanted, on_refused

    async def receive(self, request: web.Request) -> web.Response:
        """Handle `POST /livekit/webhook`: take one event. Raises `ApiError` (400, 401, 409)."""
        digest, until_s = self._signed(request.headers.get("Authorization", ""))
        body = await body_bytes(request)
        if not hmac.compare_digest(hashlib.sha256(body).digest(), digest):
            raise self._refused("another body")
        async with self._deliveries.once(digest, until_s):
            event = _event_in(body)
            if event.event == "room_started" and await self._room_requests.seen([_room(event)]):
                self._on_wanted()
            elif event.event == "room_finished":
                await self._room_requests.finished(_room(event).name)
                self._on_wanted()
        return json_response({"received": event.event})

    def _signed(self, authorization: str) -> tuple[bytes, float]:
        """The SHA-256 that the body must have, and the time of day until which its token is good."""
        token = authorization.removeprefix("Bearer ").strip()
        try:
            digest = base64.b64decode(self._verifier.verify(token).sha256 or "", validate=True)
            # Found good with a minute's grace, so when it is over is looked at once more.
            payload = token.split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
            until_s = float(claims["exp"]) + _LATE_S
        except Exception as error:  # noqa: BLE001 - see below
            # The library raises whatever its parsers do; none of it shows that LiveKit sent this.
            raise self._refused(type(error).__name__) from None
        if not digest or until_s <= _now_s():
            raise self._refused("over" if digest else "of no body")
        return digest, until_s

    def _refused(self, why: str) -> ApiError:
        self._on_refused("webhook")
        log.warning("webhook_refused", error=why)
        return ApiError(401, "this is not signed by LiveKit with our LIVEKIT_API_KEY", field="Authorization")


def _now_s() -> float:
    return now_utc().timestamp()


def _event_in(body: bytes) -> WebhookEvent:
    try:
        event = Parse(body.decode("utf-8"), WebhookEvent(), ignore_unknown_fields=True)
    except Exception:  # noqa: BLE001 - as above: whoever signed it, it is no event
        event = WebhookEvent()
    if not event.event:
        raise ApiError(400, "send an event of LiveKit's webhook, as JSON", field="body")
    return event


def _room(event: WebhookEvent) -> RoomSeen:
    """The room that an event is about. Raises `ApiError` (400) where there can be none such."""
    if (fault := room_fault(event.room.name)) is not None:
        raise ApiError(400, fault, field="room.name", value=event.room.name)
    try:
        room = RoomSeen.of(
            event.room.name, created_ms=event.room.creation_time_ms, created_s=event.room.creation_time
        )
    except (ValueError, OverflowError, OSError):
        room = None
    if room is None or room.created_at.timestamp() < 0:
        created = event.room.creation_time_ms or event.room.creation_time
        raise ApiError(400, "must be a time since 1970", field="room.creationTime", value=created)
    return room


def webhook(
    room_requests: RoomRequests,
    api_key: str,
    api_secret: SecretStr,
    *,
    on_wanted: Callable[[], object] = lambda: None,
    on_request: Callable[[str, int], None] = lambda _route, _status: None,
    on_refused: Callable[[str], None] = lambda _via: None,
) -> web.Application:
    """Make the application that is mounted at `/livekit`.

    `on_wanted` is called when a meeting waits for a worker, or an open one is over; `on_request` with the
    route and the status of each answer; `on_refused` with `webhook` for each delivery that is not LiveKit's.
    """
    page = WebhookPage(room_requests, api_key, api_secret, on_wanted, on_refused)
    app = web.Application(middlewares=[errors_as_json(on_request)])
    app.router.add_post("/webhook", page.receive)
    return app
