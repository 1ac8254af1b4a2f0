"""Where `moim mcp --http` listens, whom it lets in, and with which token."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import pytest

from worker.errors import InputError
from worker.mcp.http_server import address_of, allowed_from, with_token


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8091", ("127.0.0.1", 8091)),
        ("0", ("127.0.0.1", 0)),
        ("localhost:80", ("localhost", 80)),
        ("0.0.0.0:8091", ("0.0.0.0", 8091)),
        ("[::1]:8091", ("::1", 8091)),
    ],
)
def test_an_address_is_a_port_of_this_machine_or_of_a_host(text: str, address: tuple[str, int]) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize(
    "text", ["", "here", "65536", "::1:80", "http://a:80", "a:80/mcp", "a b:1", "-1", "٣"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="give a port"):
        address_of(text)


def test_hosts_and_origins_are_those_that_are_known() -> None:
    local = allowed_from("127.0.0.1", ())
    assert {"127.0.0.1:*", "localhost", "[::1]:*"} <= set(local.allowed_hosts)
    named = allowed_from("0.0.0.0", ("mcp.example.com",))
    assert named.allowed_hosts == ["mcp.example.com", "mcp.example.com:*"]
    assert "https://mcp.example.com" in named.allowed_origins
    assert allowed_from("10.0.0.5", ()).allowed_hosts == ["10.0.0.5", "10.0.0.5:*"]
    assert local.enable_dns_rebinding_protection
    for everywhere in ("0.0.0.0", "::"):
        with pytest.raises(InputError, match="--name"):
            allowed_from(everywhere, ())


@pytest.mark.parametrize(
    ("method", "authorization", "status"),
    [
        ("POST", [b"Bearer abc"], 200),
        ("POST", [b"bearer  abc "], 200),
        ("POST", ["Bearer 비밀-token".encode()], 200),
        ("POST", [], 401),
        ("POST", [b"Bearer"], 401),
        ("POST", [b"Bearer a", b"Bearer b"], 401),
        ("POST", [b"Basic abc"], 401),
        ("POST", [b"Bearer \xff"], 401),
        ("POST", [b"Bearer a\x00b"], 401),
        ("GET", [b"Bearer abc"], 405),
        ("DELETE", [b"Bearer abc"], 405),
    ],
)
async def test_a_request_needs_one_token(method: str, authorization: list[bytes], status: int) -> None:
    sent: list[MutableMapping[str, Any]] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> MutableMapping[str, Any]:
        raise AssertionError("nothing is read of what is refused")

    headers = [(b"authorization", value) for value in authorization]
    await with_token(app)({"type": "http", "method": method, "headers": headers}, receive, send)
    assert sent[0]["status"] == status
