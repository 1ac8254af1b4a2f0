"""A child process that lives and dies with this one, and what all embedded servers share.

On Linux the kernel sends the child a signal when its parent is gone, so that no server is left behind even
if this process is killed. The signal is tied to the *thread* that started the child, so servers are started
from the thread that runs the event loop, never from an executor.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worker.clock import monotonic_s
from worker.parent_death import death_signal_prefix, die_with_parent

_PORTS: Final = range(18_000, 32_000)
"""Below those that the system gives to outgoing connections, any of which may take a port that was found
free before a server listens on it."""
_PORTS_TRIED: Final = 200


class EmbeddedError(Exception):
    """An embedded server cannot run; the text says what, where and how to mend it."""


@dataclass(frozen=True, slots=True)
class Account:
    """The unprivileged user that a child runs as."""

    name: str
    uid: int
    gid: int


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """A port of the loopback interface, TCP by default, that nobody listens on right now.

    Raises `EmbeddedError` where none of those that are tried is free.
    """
    for _ in range(_PORTS_TRIED):
        port = secrets.choice(_PORTS)
        with socket.socket(socket.AF_INET, kind) as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise EmbeddedError(f"no port from {_PORTS.start} to {_PORTS.stop - 1} is free on 127.0.0.1")


def is_free(port: int) -> bool:
    """Whether nobody listens on this TCP port of the loopback interface right now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what lingers of a former run is nobody
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


class Child:
    """One child process, which is started at construction and writes its output to a log file."""

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        log_file: Path,
        parent_death_signal: signal.Signals,
        account: Account | None = None,
        environment: dict[str, str] | None = None,
        directory: Path = Path("/"),
    ) -> None:
        """`parent_death_signal` is sent to the child when this process is gone. Raises `OSError`.

        `account`: the user it runs as, None for ours; `environment`: all that it has besides PATH and LC_ALL.
        """
        parent_pid = os.getpid()

        def die_with_this_process() -> None:
            die_with_parent(parent_death_signal)
            if os.getppid() != parent_pid:  # the parent died between fork and prctl
                os._exit(1)

        prefix = death_signal_prefix(parent_death_signal)
        self.log_file = log_file
        self._log_start = log_file.stat().st_size if log_file.exists() else 0
        with log_file.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own wheel's binary, no shell
                [*prefix, *(str(part) for part in command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=directory,
                env={"LC_ALL": "C", "PATH": os.defpath, **(environment or {})},
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
                start_new_session=True,  # a Ctrl-C at the terminal is the parent's business
                preexec_fn=None if prefix else die_with_this_process,  # noqa: PLW1509 - one prctl
            )

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code (-N if signal N ended the child), or None while it runs."""
        return self._process.poll()

    def last_words(self, lines: int = 3) -> str:
        """The last `lines` lines of what the child wrote to its log, joined by " | "; may be empty."""
        with suppress(OSError):
            text = self.log_file.read_bytes()[self._log_start :].decode("utf-8", "replace").strip()
            return " | ".join(text.splitlines()[-lines:])
        return ""

    async def wait(self, timeout_s: float) -> int | None:
        """Wait until the child ends; its exit code, or None if it still runs after `timeout_s`."""
        deadline = monotonic_s() + timeout_s
        while (code := self._process.poll()) is None:
            if monotonic_s() >= deadline:
                return None
            await asyncio.sleep(0.01)  # polled: the child must not belong to one event loop
        return code

    async def stop(self, gentle: signal.Signals, timeout_s: float) -> None:
        """Send the child the signal `gentle`, and kill it if it has not ended after `timeout_s`."""
        with suppress(ProcessLookupError):
            self._process.send_signal(gentle)
        if await self.wait(timeout_s) is None:
            self._process.kill()
            await self.wait(timeout_s)


class EmbeddedServer:
    """What the embedded servers share: a child process, at most one at a time."""

    _child: Child | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, or None while it does not run."""
        return self._child.pid if self._child is not None and self._child.returncode is None else None

    async def _end(self, gentle: signal.Signals, timeout_s: float) -> None:
        if self._child is not None:
            await self._child.stop(gentle, timeout_s)
            self._child = None

    async def _until(self, answers: Callable[[], Awaitable[bool]], *, name: str, timeout_s: float) -> None:
        """Call `answers` until it gives True. Raises `EmbeddedError` if the child ends or time is up."""
        deadline = monotonic_s() + timeout_s
        while self._child is not None and monotonic_s() < deadline:
            if self._child.returncode is not None:
                raise EmbeddedError(f"{name} does not start: {self._child.last_words()}")
            if await answers():
                return
            await asyncio.sleep(0.01)
        await self._end(signal.SIGKILL, timeout_s)
        raise EmbeddedError(f"{name} did not answer within {timeout_s:.0f} s")


def write_private(path: Path, text: str) -> None:
    """Write a file that holds a secret: one that this call makes may be read by its owner alone."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def drawn_once(path: Path, draw: Callable[[], str]) -> str:
    """The secret in the private file `path`; at the first call `draw` makes it, and it is written there."""
    with suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8")
    drawn = draw()
    write_private(path, drawn)
    return drawn
