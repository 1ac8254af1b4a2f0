"""A real LiveKit server on loopback ports of its own, for `moim dev`, the demo and the tests."""

from __future__ import annotations

import json
import secrets
import signal
import socket
from pathlib import Path
from typing import Any, Final

import aiohttp

from worker.embedded.child import Child, EmbeddedError, EmbeddedServer, free_port, write_private

_START_TIMEOUT_S: Final = 60.0
_STOP_TIMEOUT_S: Final = 2.0
"""Short, because the server would wait for everybody to leave the rooms, and has nothing to save."""


class LiveKitServer(EmbeddedServer):
    """A LiveKit server on loopback that runs `binary`, with its configuration and log in `data_dir`.

    `api_key` and `api_secret` are drawn at construction unless `keys` gives them. The ports stay the same
    over a restart.
    """

    def __init__(
        self,
        binary: Path,
        data_dir: Path,
        *,
        port: int = 0,
        keys: tuple[str, str] | None = None,
        webhook: str = "",
    ) -> None:
        """`port`: 0 for any free one. `webhook`: the URL to which it POSTs what happens in rooms, signed."""
        self._webhook = webhook
        self._binary, self._home = binary.resolve(), data_dir.absolute()
        self._port, self._tcp_port, self._udp_port = port, 0, 0
        self.api_key, self.api_secret = keys or drawn_keys()

    @property
    def url(self) -> str:
        """The address for `LIVEKIT_URL`. Raises `EmbeddedError` before the first start."""
        if not self._port:
            raise EmbeddedError("the LiveKit server has not been started")
        return f"ws://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Start the server if it does not run, and wait until it answers. Raises `EmbeddedError`."""
        if self.pid is not None:
            return
        self._home.mkdir(parents=True, exist_ok=True)
        self._port = self._port or free_port()
        self._tcp_port = self._tcp_port or free_port()
        self._udp_port = self._udp_port or free_port(socket.SOCK_DGRAM)
        self._child = Child(
            [self._binary, "--config", self._configuration()],
            log_file=self._home / "livekit.log",
            parent_death_signal=signal.SIGKILL,
        )
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=1)) as client:

            async def answers() -> bool:
                try:
                    async with client.get(f"http://127.0.0.1:{self._port}/") as response:
                        return response.status == 200
                except (aiohttp.ClientError, TimeoutError):
                    return False

            await self._until(answers, name="the LiveKit server", timeout_s=_START_TIMEOUT_S)

    async def stop(self) -> None:
        """Stop the server; participants are disconnected."""
        await self._end(signal.SIGTERM, _STOP_TIMEOUT_S)

    async def restart(self) -> None:
        """Kill the server, as a crash would, and start it again on the same ports."""
        await self._end(signal.SIGKILL, _STOP_TIMEOUT_S)
        await self.start()

    def _configuration(self) -> Path:
        """Write the configuration (JSON is YAML) to a private file, since it holds the secret; its path."""
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
        if self._webhook:
            settings["webhook"] = {"api_key": self.api_key, "urls": [self._webhook]}
        path = self._home / "livekit.yaml"
        write_private(path, json.dumps(settings, indent=1))
        return path


def drawn_keys() -> tuple[str, str]:
    """A new API key and its secret."""
    return f"moim{secrets.token_hex(4)}", secrets.token_hex(24)
