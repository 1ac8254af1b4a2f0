"""Asking the dispatcher of this machine, by its socket, what a command would else load for seconds to answer.

It needs the standard library alone, since a command that imports little is soon there.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from context.ports import Unavailable
from worker.configuration.settings import Settings
from worker.configuration.sockets import dispatcher_socket
from worker.errors import InputError

_SILENT_S: Final = 45.0
"""A dispatcher that says nothing for so long is given up; a stream has a sign of life every 10 s."""
_OURS_TO_MEND: Final = range(400, 429)


class NoDispatcher(Exception):
    """No dispatcher of these meetings runs on this machine, for this user."""


class _Local(HTTPConnection):
    """HTTP by a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("moim", timeout=_SILENT_S)
        self._path = path

    def connect(self) -> None:
        """Connect. Raises `NoDispatcher` where nobody listens, or somebody else's process does."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        try:
            if self._path.stat().st_uid != os.getuid():
                raise NoDispatcher
            self.sock.connect(str(self._path))
        except OSError as error:
            raise NoDispatcher from error


def asked(settings: Settings, meeting_id: str, question: Mapping[str, Any]) -> Iterator[str | dict[str, Any]]:
    """Put a question (`AskMeeting`) about a meeting: pieces of the answer's text, at last the whole reply.

    Raises `NoDispatcher` before the first piece, `InputError` for what the asker can mend, and `Unavailable`.
    """
    connection = _Local(dispatcher_socket(settings))
    body = json.dumps({**question, "stream": True}).encode()
    address = f"/v1/meetings/{quote(meeting_id, safe='')}/ask"
    try:
        connection.request("POST", address, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise _fault(response.status, json.loads(response.read()), meeting_id)
        yield from _pieces(response, meeting_id)
    except (OSError, HTTPException, ValueError) as error:
        raise Unavailable(
            f"the dispatcher on this machine broke off: {error or type(error).__name__}"
        ) from error
    finally:
        connection.close()


def _pieces(response: HTTPResponse, meeting_id: str) -> Iterator[str | dict[str, Any]]:
    """Read a streamed answer (`worker.web.ask_requests`)."""
    for line in response:
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line.removeprefix(b"data: "))
        if "error" in event:
            raise _fault(503, event, meeting_id)
        if "reply" in event:
            yield dict(event["reply"])
            return
        for choice in event.get("choices", ()):
            yield str(choice["delta"]["content"])
    raise Unavailable("the dispatcher on this machine broke off")


def _fault(status: int, body: Mapping[str, Any], meeting_id: str) -> Exception:
    """The error of a command for one of the API's."""
    mend = str(body["error"]["mend"])
    if status == 404:
        return InputError(f"there is no meeting {meeting_id!r}: `moim meetings` lists them")
    if status == 409:
        return InputError(
            f"nothing is on record of meeting {meeting_id!r}: `moim meetings` shows whether it is live"
        )
    return InputError(mend) if status in _OURS_TO_MEND else Unavailable(mend)
