"""The Unix socket at which a dispatcher answers the commands of its machine, by a part of `/v1`.

Theory of operation. A command that answered by itself would load for seconds what a dispatcher has in memory.
The socket is in MOIM_STATE_DIR, and the system lets nobody open it but the user whom the dispatcher runs as,
and root: whoever may read the same settings, and so the database. Its name holds which database and tenant
are served, so that a command meets no other meetings than it means. Who calls is known by the system, too,
and stands in the audit log as the operator.

Where several dispatchers run on one machine, the newest has the socket. Where it cannot be made, commands do
their work themselves.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import structlog
from aiohttp import web

from worker.audit_log import login
from worker.web.json_answers import Handler
from worker.web.viewers import VIEWER, Viewer

log = structlog.get_logger(__name__)

LOCAL_PREFIX: Final = "/v1"
_OTHERS_RIGHTS: Final = 0o177
"""The rights of a file that nobody has who is not its owner."""
_PEER: Final = struct.Struct("iII")
"""What the system tells of the process at the other end: its id, its user's, its group's."""


@web.middleware
async def operators(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let each request in as one of the operator whose process sends it."""
    assert request.transport is not None, "a request that is handled has a connection"
    request[VIEWER] = Viewer(operator=login(_user_of(request.transport.get_extra_info("socket"))))
    return await handler(request)


def _user_of(connection: Any) -> int:
    """The id of the user whose process is at the other end; where no system tells it, it can only be ours."""
    asked = getattr(socket, "SO_PEERCRED", None)  # Linux
    if asked is None:
        return os.getuid()
    _, user, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, asked, _PEER.size))
    return int(user)


@asynccontextmanager
async def commands_socket(app: web.Application, path: Path) -> AsyncIterator[None]:
    """Serve `app` to commands at the socket `path` while the block runs; log it where that cannot be."""
    try:
        listening, number = _bound(path)
    except OSError as error:
        log.warning("no_socket_for_commands", path=str(path), error=error.strerror or str(error))
        yield
        return
    whole = web.Application()
    whole.add_subapp(LOCAL_PREFIX, app)
    runner = web.AppRunner(whole, access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        yield
    finally:
        _removed(path, number)
        await runner.cleanup()
        listening.close()


def _removed(path: Path, number: int) -> None:
    """Remove the socket's file, unless it has another number: it is a newer dispatcher's then."""
    with suppress(OSError):
        if path.stat().st_ino == number:
            path.unlink()


def _bound(path: Path) -> tuple[socket.socket, int]:
    """A socket at `path`, in place of the one that is there, and its file's number.

    Nobody else may open it, from its first moment on. Raises `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX)
    before = os.umask(_OTHERS_RIGHTS)
    try:
        bound.bind(str(path))
    except OSError:
        bound.close()
        raise
    finally:
        os.umask(before)
    return bound, path.stat().st_ino
