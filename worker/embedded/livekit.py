"""A real LiveKit server on loopback ports of its own, for `moim dev`, the demo and the tests."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import socket
from pathlib import Path
from typing import Any, Final

import aiohttp

from worker.clock import monotonic_s
from worker.embedded.child import Child, EmbeddedError, free_port

_START_TIMEOUT_S: Final = 20.0
_STOP_TIMEOUT_S: Final = 2.0
"""It waits for everybody to leave before it stops by itself, and has nothing to save."""


class LiveKitServer:
    """One server from `binary`, its configuration and log in `data_dir`.

    `api_key` and `api_secret` are drawn at construction unless they are given; the ports stay the
    same over a restart.
    """

    def __init__(
        self, binary: Path, data_dir: Path, *, port: int = 0, keys: tuple[str, str] | None = None
    ) -> None:
        self._binary, self._home = binary.resolve(), data_dir.absolute()
        self._port, self._tcp_port, self._udp_port = port, 0, 0
        self._child: Child | None = None
        self.api_key, self.api_secret = keys or drawn_keys()

    @property
    def pid(self) -> int | None:
        """The server's process id, or None while it does not run."""
        running = self._child is not None and self._child.returncode is None
        return self._child.pid if running and self._child else None

    @property
    def url(self) -> str:
        """`LIVEKIT_URL`."""
        if not self._port:
            raise EmbeddedError("the LiveKit server has not been started")
        return f"ws://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Start it and wait until it answers. Raises `EmbeddedError`."""
        if self.pid is not None:
            return
        self._home.mkdir(parents=True, exist_ok=True)
        self._port = self._port or free_port()
        self._tcp_port = self._tcp_port or free_port()
        self._udp_port = self._udp_port or _free_udp_port()
        self._child = Child(
            [self._binary, "--config", self._configuration()],
            log_file=self._home / "livekit.log",
            parent_death_signal=signal.SIGKILL,
        )
        await self._answers()

    async def stop(self) -> None:
        """Stop it; who is in a room is thrown out."""
        if self._child is not None:
            await self._child.stop(signal.SIGTERM, _STOP_TIMEOUT_S)
            self._child = None

    async def kill(self) -> None:
        """End it as a crash would."""
        if self._child is not None:
            await self._child.stop(signal.SIGKILL, _STOP_TIMEOUT_S)
            self._child = None

    async def restart(self) -> None:
        """Crash it and start it again on the same ports."""
        await self.kill()
        await self.start()

    def _configuration(self) -> Path:
        """A file only we may read: it holds the secret. JSON is YAML."""
        settings: dict[str, Any] = {
            "port": self._port,
            "bind_addresses": ["127.0.0.1"],
            "keys": {self.api_key: self.api_secret},
            "rtc": {
                "tcp_port": self._tcp_port,
                "udp_port": self._udp_port,
                "use_external_ip": False,
                "node_ip": "127.0.0.1",
                # Without it the UDP side does not listen on the loopback interface.
                "enable_loopback_candidate": True,
                "interfaces": {"includes": ["lo"]},
            },
            "logging": {"level": "info"},
        }
        path = self._home / "livekit.yaml"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(settings, file, indent=1)
        return path

    async def _answers(self) -> None:
        deadline = monotonic_s() + _START_TIMEOUT_S
        assert self._child is not None
        address = f"http://127.0.0.1:{self._port}/"
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=1)) as client:
            while monotonic_s() < deadline:
                if self._child.returncode is not None:
                    raise EmbeddedError(f"the LiveKit server does not start: {self._child.last_words()}")
                try:
                    async with client.get(address) as response:
                        if response.status == 200:
                            return
                except (aiohttp.ClientError, TimeoutError):
                    pass
                await asyncio.sleep(0.02)
        await self.kill()
        raise EmbeddedError(f"the LiveKit server did not answer within {_START_TIMEOUT_S:.0f} s")


def drawn_keys() -> tuple[str, str]:
    """A new API key and its secret."""
    return f"moim{secrets.token_hex(4)}", secrets.token_hex(24)


def _free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
