"""The HTTP API of a dispatcher as an MCP server uses it: it reads and asks, with one bearer token.

Whoever has the token has its rights, and no others: each request is checked, counted and noted by the API.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final
from urllib.parse import quote

import aiohttp

from worker.configuration.setting_values import hide_password
from worker.errors import why_unreached

_READ_WITHIN_S: Final = 60.0
_ANSWERED_WITHIN_S: Final = 300.0
_SILENT_S: Final = 45.0
"""A stream that says nothing for so long is given up; it has a sign of life every 10 s."""
_MOST_BYTES: Final = 64 * 1024 * 1024
_TRIES: Final = 4
"""How often a read is sent that the API puts off: agents ask for several things at once."""
_LONGEST_WAIT_S: Final = 5.0
_KEPT_LINE_CHARS: Final = 64
"""How much is kept of a line of a stream whose end is not there yet: more than an id has."""


class Fault(Exception):
    """Something is not given; the text says what, where and how to mend it, without secrets."""

    def __init__(self, text: str, *, lasting: bool = True) -> None:
        """Say what is wrong; `lasting`: it is no use to send the same again."""
        super().__init__(text)
        self.lasting = lasting


class ApiClient:
    """Sends requests to one dispatcher's API, in the name of whoever has the token."""

    def __init__(self, session: aiohttp.ClientSession, url: str, token: str) -> None:
        """`url` is the address of the dispatcher (MOIM_API_URL), with or without `/v1` behind it."""
        self._session = session
        self._url = url.rstrip("/").removesuffix("/v1")
        self._headers = {"Authorization": f"Bearer {token}"}

    async def read(self, path: str, **wanted: object) -> dict[str, Any]:
        """GET a path of the API with these parameters, None left out. Raises `Fault`."""
        query = {name: str(value) for name, value in wanted.items() if value is not None}
        for tried in range(1, _TRIES + 1):
            async with self._sent("GET", path, _READ_WITHIN_S, params=query) as answer:
                wait_s = _wait_s(answer)
                if wait_s is None or tried == _TRIES:
                    return await self._read(answer)
            await asyncio.sleep(wait_s)
        raise AssertionError

    async def ask(self, meeting_id: str, question: Mapping[str, Any]) -> dict[str, Any]:
        """Put a question (`AskMeeting`) about a meeting; give the whole reply. Raises `Fault`."""
        path = f"{meeting_path(meeting_id)}/ask"
        async with self._sent("POST", path, _ANSWERED_WITHIN_S, json=dict(question)) as answer:
            return await self._read(answer)

    @asynccontextmanager
    async def watching(self, meeting_id: str, after: int | None) -> AsyncIterator[AsyncGenerator[int, None]]:
        """Give the number of each event that changes a meeting, behind number `after`, as it comes.

        Without `after` the first number is that of the last change so far. It ends where the dispatcher
        stops. Raises `Fault`.
        """
        sent = {} if after is None else {"Last-Event-ID": str(after)}
        path = f"{meeting_path(meeting_id)}/events"
        async with self._sent("GET", path, None, headers=self._headers | sent) as answer:
            if answer.status != 200 or answer.content_type != "text/event-stream":
                await self._read(answer)
                raise self._stranger()
            async with aclosing(self._numbers(answer)) as numbers:
                yield numbers

    async def _numbers(self, answer: aiohttp.ClientResponse) -> AsyncGenerator[int, None]:
        begun = b""
        try:
            async for chunk in answer.content.iter_any():
                *lines, rest = (begun + chunk).split(b"\n")
                begun = rest[:_KEPT_LINE_CHARS]  # a document is one line of megabytes
                for line in lines:
                    if line.startswith(b"id: ") and (number := line[4:].strip()).isdigit():
                        yield int(number)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise self._unreached(error) from error

    @asynccontextmanager
    async def _sent(
        self, method: str, path: str, within_s: float | None, **more: Any
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        timeout = aiohttp.ClientTimeout(total=within_s, sock_read=_SILENT_S if within_s is None else None)
        sent = {"headers": self._headers, "allow_redirects": False, "timeout": timeout, **more}
        try:
            async with self._session.request(method, self._url + path, **sent) as answer:
                yield answer
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise self._unreached(error) from error

    async def _read(self, answer: aiohttp.ClientResponse) -> dict[str, Any]:
        """Read an answer of JSON. Raises `Fault` for an error, and for what is no answer of the API."""
        body = bytearray()
        async for chunk in answer.content.iter_any():
            body += chunk
            if len(body) > _MOST_BYTES:
                raise self._stranger()
        try:
            read = json.loads(body)
        except (ValueError, RecursionError):
            read = None
        if answer.status in {200, 201, 202} and isinstance(read, dict):
            return read
        error = read.get("error") if isinstance(read, dict) else None
        if not isinstance(error, dict) or not isinstance(error.get("mend"), str):
            raise self._stranger()
        raise self._refused(answer, error)

    def _refused(self, answer: aiohttp.ClientResponse, error: Mapping[str, Any]) -> Fault:
        field, mend = error.get("field"), error["mend"]
        if answer.status == 401:
            return Fault(f"the dispatcher at {self._shown} refuses this token: send its MOIM_API_TOKEN")
        if answer.status == 404 and field in {"meeting_id", "after"}:
            return Fault(f"there is no meeting {error.get('value')!r}: `list_meetings` names them")
        wait = answer.headers.get("Retry-After")
        again = f" (in {wait} s)" if wait is not None and wait.isdigit() else ""
        told = f"{field}: {mend}" if field else mend
        return Fault(told + again, lasting=answer.status < 429)

    def _stranger(self) -> Fault:
        return Fault(f"what answers at {self._shown} is not Moim's API: is MOIM_API_URL right?")

    def _unreached(self, error: BaseException) -> Fault:
        why = hide_password(why_unreached(error))
        return Fault(f"the dispatcher at {self._shown} (MOIM_API_URL) is out of reach: {why}", lasting=False)

    @property
    def _shown(self) -> str:
        return hide_password(self._url)


def meeting_path(meeting_id: str) -> str:
    """Give the path of a meeting. Raises `Fault` for what would be a path of something else."""
    if meeting_id in {"", ".", ".."}:
        raise Fault(f"there is no meeting {meeting_id!r}: `list_meetings` names them")
    return f"/v1/meetings/{quote(meeting_id, safe='')}"


def _wait_s(answer: aiohttp.ClientResponse) -> float | None:
    """Tell how long the API says to wait; None where it does not, or too long."""
    wait = answer.headers.get("Retry-After", "")
    if answer.status not in {429, 503} or not (wait.isascii() and wait.isdigit()):
        return None
    return float(wait) if int(wait) <= _LONGEST_WAIT_S else None
