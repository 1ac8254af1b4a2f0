"""HTTP to CLOVA Studio: one question and its reply, or one question and its stream of events.

Nothing here knows what a question is about. No retry and no deadline: both belong to the caller.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final
from uuid import uuid4

import httpx2
from pydantic import SecretStr

from context.ports import PortError, Unavailable
from stt.providers.tls import http_client
from worker.adapters.clova_errors import OK, from_code, from_response, from_transport, status_of

_ERROR_BYTES: Final = 64 * 1024
"""As much of an error's body is read."""


class ClovaWire:
    """One base URL, one key, one pool of connections."""

    def __init__(self, *, base_url: str, api_key: SecretStr, read_timeout_s: float = 60.0) -> None:
        """`base_url`: with `/testapp` or `/serviceapp` behind it where the key is of the old kind."""
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = httpx2.Timeout(read_timeout_s, connect=5.0)
        self._client = http_client()

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def post(self, path: str, body: dict[str, Any], model: str) -> Any:
        """The `result` of a reply. Raises as the port."""
        try:
            async with self._client.stream("POST", self._url(path), **self._asking(body)) as response:
                if response.status_code != 200:
                    raise from_response(model, response, await _beginning(response))
                content = await response.aread()
        except httpx2.HTTPError as error:
            raise from_transport(model, error) from error
        reply = _object(content, model)
        code, message = status_of(reply)
        if code != OK:
            raise from_code(model, code, message)
        return reply.get("result")

    async def events(
        self, path: str, body: dict[str, Any], model: str
    ) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        """Name and data of each event of the reply. Closing the iterator closes the request."""
        options = self._asking(body, accept="text/event-stream")
        try:
            async with self._client.stream("POST", self._url(path), **options) as response:
                if response.status_code != 200:
                    raise from_response(model, response, await _beginning(response))
                kind = response.headers.get("content-type", "")
                if kind.partition(";")[0].strip().lower() != "text/event-stream":
                    raise _instead_of_events(model, await _beginning(response))
                async with aclosing(aiter(httpx2.EventSource(response))) as events:  # type: ignore[type-var]  # a generator
                    async for event in events:
                        yield event.event, _object(event.data, model)
        except httpx2.HTTPError as error:
            raise from_transport(model, error) from error

    def _url(self, path: str) -> str:
        return f"{self._base_url}{path}"

    def _asking(self, body: dict[str, Any], accept: str = "application/json") -> dict[str, Any]:
        headers = {
            "Authorization": f"Bearer {self._api_key.get_secret_value()}",
            "X-NCP-CLOVASTUDIO-REQUEST-ID": uuid4().hex,
            "Content-Type": "application/json",
            "Accept": accept,
        }
        # A lone surrogate in somebody's name must not keep the question from being asked.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        return {"content": content, "headers": headers, "timeout": self._timeout}


async def _beginning(response: httpx2.Response) -> bytes:
    """The start of a body, which may be endless."""
    got = bytearray()
    async for piece in response.aiter_bytes():
        got += piece
        if len(got) >= _ERROR_BYTES:
            break
    return bytes(got)


def _object(text: bytes | str, model: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Unavailable(f"{model} sent something unreadable: no JSON") from error
    if not isinstance(found, dict):
        raise Unavailable(f"{model} sent something unreadable: no JSON object")
    return found


def _instead_of_events(model: str, body: bytes) -> PortError:
    """HTTP 200 and no stream: an error in a plain reply, or a stranger's page."""
    code, message = status_of(_object(body, model))
    if code == OK or not code:
        return Unavailable(f"{model} sent no stream of events")
    return from_code(model, code, message)
