"""MCP over Streamable HTTP: each request comes with a bearer token of its own, which is passed on to the API.

This server has no token, and keeps no session: who sends a request has the rights of the token in it,
whatever came before. Host and Origin are checked as the SDK offers it, so that no web page reaches it by a
name that it has pointed here.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable, Generator, MutableMapping, Sequence
from contextlib import closing, contextmanager
from ipaddress import ip_address
from typing import Any, Final, cast
from urllib.parse import urlsplit

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from worker.errors import InputError
from worker.mcp.api_client import Fault
from worker.mcp.server import Context, MeetingServer
from worker.process.signals import on_stop

PATH: Final = "/mcp"
_MOST_BYTES: Final = 256 * 1024
_MOST_AT_ONCE: Final = 200
"""Requests under way, subscriptions among them; more are answered with 503."""
_STOPS_WITHIN_S: Final = 3
_LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


def address_of(text: str) -> tuple[str, int]:
    """Read `[HOST:]PORT`; without a host it is this machine alone. Raises `InputError`."""
    host, _, port = text.rpartition(":")
    try:
        parts = urlsplit(f"//{host or _LOCAL[0]}:{port}")
        if parts.hostname and parts.port is not None and text == f"{host}:{port}".lstrip(":"):
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise InputError(f"--http {text}: give a port, or HOST:PORT, such as 127.0.0.1:8091")


async def serve(url: str, address: tuple[str, int], names: Sequence[str]) -> None:
    """Serve until SIGINT or SIGTERM. Raises `InputError` where it cannot listen there.

    `names`: under which it is reached beside the address: of a proxy in front, say.
    """
    allowed = _allowed(address[0], names)
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
        print(f"http://{shown}:{port}{PATH}", flush=True)  # noqa: T201 - where it is reached
        server = _Server(
            uvicorn.Config(
                with_token(cast("_App", app)),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws="none",
                limit_concurrency=_MOST_AT_ONCE,
                timeout_graceful_shutdown=_STOPS_WITHIN_S,
            )
        )
        with on_stop(server.stop):
            await server.serve(sockets=[listening])


class _Server(uvicorn.Server):
    """Stops by `stop`; signals are our own matter (`worker.process.signals`)."""

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


def _allowed(host: str, names: Sequence[str]) -> TransportSecuritySettings:
    """Give which Host and Origin a request may have. Raises `InputError` where none is known."""
    try:
        address = ip_address(host)
        local, known = address.is_loopback, not address.is_unspecified
    except ValueError:
        local = known = host == "localhost"
        known = True
    here = [f"[{host}]" if ":" in host else host] if known else []
    served = [*(_LOCAL if local else ()), *here, *names]
    if not served:
        raise InputError(f"--http {host}: say by which name it is reached: --name mcp.example.com")
    hosts = [each for name in served for each in (name, f"{name}:*")]
    origins = [f"{scheme}://{each}" for each in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _token_of(context: Context) -> str:
    token = _token(context.request.headers.getlist("Authorization") if context.request is not None else ())
    if token is None:
        raise Fault("send `Authorization: Bearer …` with the dispatcher's MOIM_API_TOKEN")
    return token


def _token(told: Sequence[str]) -> str | None:
    """Give the bearer token; None where there is none, or more than one."""
    if len(told) != 1:
        return None
    scheme, _, token = told[0].partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and token.isascii() and token.isprintable() and token else None


def with_token(app: _App) -> _App:
    """Wrap an ASGI application: a request without one bearer token is answered with 401."""
    refusal = json.dumps(
        {"error": "send `Authorization: Bearer …` with the dispatcher's MOIM_API_TOKEN"}
    ).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(refusal)).encode()),
        (b"www-authenticate", b'Bearer realm="moim"'),
        (b"connection", b"close"),  # a body that nobody has read may follow
    ]

    async def wrapped(scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "http":
            told = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
            if _token(told) is None:
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": refusal})
                return
        await app(scope, receive, send)

    return wrapped
