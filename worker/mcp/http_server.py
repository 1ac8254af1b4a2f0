"""MCP over Streamable HTTP: each request comes with a bearer token of its own, which is passed on to the API.

This server has no token, and keeps no session: who sends a request has the rights of the token in it,
whatever came before. Host and Origin are checked as the SDK offers it, so that no web page reaches it by a
name that it has pointed here.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Awaitable, Callable, Generator, Iterable, MutableMapping, Sequence
from contextlib import closing, contextmanager
from ipaddress import ip_address
from typing import Any, Final, cast

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from worker.errors import InputError
from worker.mcp.api_client import Fault
from worker.mcp.server import Context, MeetingServer
from worker.process.stop_signals import on_stop

PATH: Final = "/mcp"
_MOST_BYTES: Final = 256 * 1024
_MAX_REQUESTS: Final = 200
"""Requests under way, subscriptions among them; more are answered with 503."""
_STOPS_WITHIN_S: Final = 3
_MEND: Final = "send `Authorization: Bearer …` with the dispatcher's MOIM_API_TOKEN"
_LOCAL_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
_ADDRESS: Final = re.compile(r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):)?(?P<port>[0-9]{1,5})")
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


def address_of(text: str) -> tuple[str, int]:
    """Read `[HOST:]PORT`; without a host it is this machine alone. Raises `InputError`."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > 65_535:
        raise InputError(f"--http {text}: give a port, or HOST:PORT, such as 127.0.0.1:8091")
    return (found["host"] or _LOCAL_HOSTS[0]).strip("[]"), int(found["port"])


async def serve(
    url: str, address: tuple[str, int], names: Sequence[str], tell: Callable[[str], None]
) -> None:
    """Serve until SIGINT or SIGTERM. Raises `InputError` where it cannot listen there.

    `names`: under which it is reached beside the address: of a proxy in front, say. `tell` is called with its
    URL once it listens.
    """
    allowed = allowed_from(address[0], names)
    meetings = MeetingServer(url, _token_of, stays=False)
    app = meetings.server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=_MOST_BYTES,
        transport_security=allowed,
    )
    with closing(_listening(address)) as listening:
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        tell(f"http://{shown}:{port}{PATH}")
        server = _Server(
            uvicorn.Config(
                with_token(cast("_App", app)),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws="none",
                limit_concurrency=_MAX_REQUESTS,
                timeout_graceful_shutdown=_STOPS_WITHIN_S,
            )
        )
        with on_stop(server.stop):
            await server.serve(sockets=[listening])


class _Server(uvicorn.Server):
    """Stops by `stop`; signals are our own matter (`worker.process.stop_signals`)."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield

    def stop(self) -> None:
        """End all requests, and stop."""
        self.should_exit = True


def _listening(address: tuple[str, int]) -> socket.socket:
    host, port = address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(f"--http {host}:{port}: {error.strerror or error}") from error


def allowed_from(host: str, names: Sequence[str]) -> TransportSecuritySettings:
    """Give which Host and Origin a request may have, where `host` is listened at.

    Raises `InputError` where that is every address, and no name is told.
    """
    try:
        address = ip_address(host)
    except ValueError:
        local, everywhere = host == "localhost", False
    else:
        local, everywhere = address.is_loopback, address.is_unspecified
    here = [] if everywhere else [f"[{host}]" if ":" in host else host]
    served = [*(_LOCAL_HOSTS if local else here), *names]
    if not served:
        raise InputError(f"--http {host}: say by which name it is reached: --name mcp.example.com")
    hosts = [each for name in served for each in (name, f"{name}:*")]
    origins = [f"{scheme}://{each}" for each in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _token_of(context: Context) -> str:
    token = _token(context.request.scope["headers"]) if context.request is not None else None
    if token is None:
        raise Fault(_MEND)
    return token


def _token(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Give the bearer token of a request; None where there is none, or more than one."""
    told = [value for name, value in headers if name.lower() == b"authorization"]
    scheme, _, rest = (told[0] if len(told) == 1 else b"").partition(b" ")
    try:
        token = rest.decode().strip()
    except UnicodeDecodeError:
        return None
    return token if scheme.lower() == b"bearer" and token and token.isprintable() else None


def with_token(app: _App) -> _App:
    """Wrap an ASGI application: no request without a bearer token (401), and only POST (405).

    A GET would be a stream that stays open, on which nothing is ever sent, since no session is kept.
    """

    async def wrapped(scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
        elif _token(scope["headers"]) is None:
            await _refuse(send, 401, _MEND, (b"www-authenticate", b'Bearer realm="moim"'))
        elif scope["method"] != "POST":
            await _refuse(send, 405, "use POST", (b"allow", b"POST"))
        else:
            await app(scope, receive, send)

    return wrapped


async def _refuse(send: _Send, status: int, mend: str, header: tuple[bytes, bytes]) -> None:
    body = json.dumps({"error": mend}, ensure_ascii=False).encode()
    headers = [
        header,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # a body that nobody has read may follow
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
