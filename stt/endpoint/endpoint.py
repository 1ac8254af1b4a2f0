"""An HTTP client for one endpoint with a model behind it: one base URL, one key, one pool of connections.

Whatever comes back is either given as it was read (`reply_reader.py`) or raised as a port's error
(`refusals.py`). There is no retry here: that is the caller's. A request has a deadline of its own, so that a
server which sends a byte now and then, or a comment, cannot hold anybody for ever.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from types import MappingProxyType
from typing import Any, Final

import httpx2

from context.ports import PortError
from stt.endpoint.certificates import trusted
from stt.endpoint.refusals import EndpointRefused, Named, error_in, retry_after_s, status_in
from stt.endpoint.reply_reader import Event, ReplyReader, UnreadableReply

OPENAI_URL: Final = "https://api.openai.com/v1"
DEADLINE_S: Final = 600.0
"""The most that a request may take; callers who wait for less give up earlier."""
READ_TIMEOUT_S: Final = 60.0
"""How long an endpoint may be silent: until it begins to answer, and between two pieces."""
_ERROR_BYTES: Final = 64 * 1024
_ERROR_S: Final = 1.0
"""So much of an error's body is read, and for so long: it may be endless."""
_LIMITS: Final = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)

Refusal = Callable[[int, bytes, float | None], PortError]
"""Makes an error of a status, what came with it, and the seconds that the server asks to wait."""


class Endpoint:
    """Asks one endpoint. `aclose` ends its connections."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        named: Named,
        *,
        read_timeout_s: float = READ_TIMEOUT_S,
        connect_timeout_s: float = 5.0,
        deadline_s: float = DEADLINE_S,
        headers: Callable[[], Mapping[str, str]] = lambda: MappingProxyType({}),
    ) -> None:
        """`read_timeout_s`: until it begins to answer, and between two pieces. `headers`: of each request."""
        self.named = named
        self._base_url, self._key = base_url.rstrip("/"), api_key
        self._deadline_s, self._headers = deadline_s, headers
        connect_s = min(connect_timeout_s, read_timeout_s)
        self._client = httpx2.AsyncClient(
            verify=trusted(),
            timeout=httpx2.Timeout(read_timeout_s, connect=connect_s),
            limits=_LIMITS,
            follow_redirects=True,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def answers(self, path: str, **request: Any) -> AsyncGenerator[Any]:
        """POST, and yield each value of the reply; an error that came under HTTP 200 is raised.

        The arguments are those of `events`. Raises `PortError`; closing the iterator closes the request.
        """
        async with aclosing(self.events(path, **request)) as events:
            async for event in events:
                error = event.data if event.name == "error" else error_in(event.data)
                if error is not None:
                    raise self.named.of_status(status_in(error), error)
                yield event.data

    async def events(
        self,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, str] | None = None,
        files: Mapping[str, tuple[str, bytes, str]] | None = None,
        stream: bool = False,
        refusal: Refusal | None = None,
    ) -> AsyncGenerator[Event]:
        """POST `body` as JSON, or `form` with `files`, and yield what comes, whole or in a stream.

        `stream`: whether the reply is asked for as a stream. `refusal`: for endpoints whose errors are not
        OpenAI's. Raises as `answers`.
        """
        until_s = asyncio.get_running_loop().time() + self._deadline_s
        with _Translating(self.named):
            request = self._request(path, body, form, files, stream=stream)
            async with self._opened(request, until_s, refusal or self.named.of_status) as response:
                reader = ReplyReader(response.headers.get("content-type", ""))
                async with aclosing(response.aiter_bytes()) as pieces:
                    while not reader.done and (piece := await _next(pieces, until_s)) is not None:
                        for event in reader.feed(piece):
                            yield event
                for event in () if reader.done else reader.finish():
                    yield event

    def _request(
        self,
        path: str,
        body: Mapping[str, Any] | None,
        form: Mapping[str, str] | None,
        files: Mapping[str, tuple[str, bytes, str]] | None,
        *,
        stream: bool,
    ) -> httpx2.Request:
        accept = "text/event-stream" if stream else "application/json"
        headers = {"User-Agent": "moim", "Accept": accept, **self._headers()}
        if self._key:  # local servers need none
            headers["Authorization"] = f"Bearer {self._key}"
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            # A lone surrogate in somebody's name must not keep the question from being asked.
            content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        return self._client.build_request(
            "POST",
            f"{self._base_url}/{path.lstrip('/')}",
            headers=headers,
            content=content,
            data=dict(form) if form is not None else None,
            files=dict(files) if files is not None else None,
        )

    @asynccontextmanager
    async def _opened(
        self, request: httpx2.Request, until_s: float, refusal: Refusal
    ) -> AsyncIterator[httpx2.Response]:
        async with asyncio.timeout_at(until_s):
            response = await self._client.send(request, stream=True)
        try:
            if not response.is_success:
                wait_s = retry_after_s(response.headers) if response.status_code == 429 else None
                raise refusal(response.status_code, await _beginning(response), wait_s)
            yield response
        finally:
            await response.aclose()


class _Translating:
    """Turns the HTTP client's errors into the port's."""

    def __init__(self, named: Named) -> None:
        self._named = named

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        named = self._named
        match error:
            case UnreadableReply():
                raise named.unreadable(str(error)) from error
            case httpx2.ConnectTimeout() | httpx2.ConnectError():
                raise named.unavailable(
                    f"can't be reached: {error}; check {named.settings}_BASE_URL"
                ) from error
            case httpx2.TimeoutException() | TimeoutError():
                raise named.unavailable("did not answer in time") from error
            case httpx2.DecodingError():
                raise named.unreadable("something that can't be unpacked") from error
            case httpx2.HTTPError():
                raise named.unavailable(f"broke off: {error}") from error
            case httpx2.InvalidURL():
                raise EndpointRefused(
                    f"{named.who} has no address: check {named.settings}_BASE_URL"
                ) from error
            case UnicodeEncodeError():  # of a header; it quotes what could not be sent
                raise EndpointRefused(f"{named.settings}_API_KEY has letters that no key has") from None
            case _:
                return


async def _next(pieces: AsyncIterator[bytes], until_s: float) -> bytes | None:
    async with asyncio.timeout_at(until_s):
        return await anext(pieces, None)


async def _beginning(response: httpx2.Response) -> bytes:
    """The first 64 KiB of an error's body, or what came of them in time."""
    got = bytearray()
    with suppress(httpx2.HTTPError, TimeoutError):
        async with asyncio.timeout(_ERROR_S):
            async for piece in response.aiter_bytes():
                got += piece
                if len(got) >= _ERROR_BYTES:
                    break
    return bytes(got)
