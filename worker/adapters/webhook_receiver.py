"""`Receiver` over HTTP: the webhook that transcripts are pushed to."""

from __future__ import annotations

from typing import Final, Self

import aiohttp

from worker.clock import Clock
from worker.errors import why_unreached
from worker.push.queue import PushAnswer, TranscriptSegmentRequest, headers

DEADLINE_S: Final = 10.0
_SHOWN_BYTES: Final = 200


class WebhookReceiver:
    """`Receiver` that POSTs signed bodies to one URL, within the block that it is entered for (`async with`).

    Connections are kept between posts. Redirects are not followed: a signed body goes to that URL alone.
    """

    def __init__(self, url: str, secret: str, *, clock: Clock, deadline_s: float = DEADLINE_S) -> None:
        self._url, self._secret, self._clock = url, secret, clock
        self._deadline_s = deadline_s
        self._session: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
        """Make the HTTP session; nothing is connected yet."""
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._deadline_s))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self._session.close()

    async def post(self, request: TranscriptSegmentRequest) -> PushAnswer:
        """See `Receiver.post`."""
        return await self._post(request.body(), request.id, request.kind)

    async def ping(self) -> PushAnswer:
        """POST a signed body of kind `ping`, to find out whether the receiver takes our signature."""
        return await self._post(b'{"version":1,"id":"ping","kind":"ping"}', "ping", "ping")

    async def _post(self, body: bytes, push_id: str, kind: str) -> PushAnswer:
        signed = headers(self._secret, body, sent_at=self._clock.now_utc(), push_id=push_id, kind=kind)
        try:
            async with self._session.post(
                self._url, data=body, headers=signed, allow_redirects=False
            ) as response:
                if response.ok and response.status < 300:
                    return PushAnswer(response.status)
                body_text = (await response.content.read(_SHOWN_BYTES)).decode(errors="replace")
                if kind != "ping":  # it may say our words back: they would stay in the log and in the queue
                    body_text = response.reason or ""
                error = f"{response.status} {' '.join(body_text.split())}".strip()
                wait = response.headers.get("Retry-After", "")  # in seconds; with a date it is for browsers
                wait_s = float(wait) if wait.isascii() and wait.isdigit() else None
                return PushAnswer(response.status, error=error, retry_after_s=wait_s)
        except TimeoutError:
            return PushAnswer(None, error=f"no answer within {self._deadline_s:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as broken:
            return PushAnswer(None, error=why_unreached(broken)[:_SHOWN_BYTES])
