"""Free ports: none that an outgoing connection may take before a server listens on it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from worker.embedded import child
from worker.embedded.child import EmbeddedError, free_port

KINDS = pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])


@KINDS
def test_a_free_port_can_be_listened_on(kind: socket.SocketKind) -> None:
    port = free_port(kind)
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", port))
        assert taken.getsockname()[1] == port


@KINDS
def test_it_is_none_of_those_of_outgoing_connections(kind: socket.SocketKind) -> None:
    given = Path("/proc/sys/net/ipv4/ip_local_port_range")
    first = int(given.read_text("ascii").split()[0]) if given.exists() else 32_768
    assert all(port < first for port in (free_port(kind) for _ in range(50)))


def test_a_port_that_is_taken_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.setattr(child, "_PORTS", range(port, port + 1))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with pytest.raises(EmbeddedError, match=str(port)):
            free_port()
    assert free_port() == port
