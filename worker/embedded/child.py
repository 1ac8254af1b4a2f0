"""A server that lives and dies with this process.

The kernel sends the child a signal when its parent is gone (Linux), so that even a SIGKILL of
ours leaves no server behind. The signal follows the *thread* that started the child, so servers
are started from the thread that runs the event loop, never from an executor.

What the embedded servers share: one child, its process id, its end, the wait until it answers.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worker.clock import monotonic_s
from worker.process.signals import die_with_parent, tying_command


class EmbeddedError(Exception):
    """An embedded server cannot run; the text says what, where and how to mend it."""


@dataclass(frozen=True, slots=True)
class Account:
    """The unprivileged user that a child runs as."""

    name: str
    uid: int
    gid: int


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """A port of the loopback interface, TCP by default, that nobody listens on right now."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Child:
    """One child process, started at construction, its output in a log file."""

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
        parent_pid = os.getpid()

        def tie_to_parent() -> None:
            die_with_parent(parent_death_signal)
            if os.getppid() != parent_pid:  # the parent died between fork and prctl
                os._exit(1)

        tying = tying_command(parent_death_signal)
        self.log_file = log_file
        self._log_start = log_file.stat().st_size if log_file.exists() else 0
        with log_file.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own wheel's binary, no shell
                [*tying, *(str(part) for part in command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=directory,
                env={"LC_ALL": "C", "PATH": os.defpath, **(environment or {})},
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
                start_new_session=True,  # a Ctrl-C at the terminal is the parent's business
                preexec_fn=None if tying else tie_to_parent,  # noqa: PLW1509 - one prctl
            )

    @property
    def pid(self) -> int:
        """Give its process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended, or None while it runs."""
        return self._process.poll()

    def last_words(self, lines: int = 3) -> str:
        """The end of what it wrote to its log, for error messages."""
        with suppress(OSError):
            text = self.log_file.read_bytes()[self._log_start :].decode("utf-8", "replace").strip()
            return " | ".join(text.splitlines()[-lines:])
        return ""

    async def wait(self, timeout_s: float) -> int | None:
        """Wait for its end; None when it still runs after `timeout_s`."""
        deadline = monotonic_s() + timeout_s
        while (code := self._process.poll()) is None:
            if monotonic_s() >= deadline:
                return None
            await asyncio.sleep(0.01)  # polled: the child must not belong to one event loop
        return code

    async def stop(self, gentle: signal.Signals, timeout_s: float) -> None:
        """Ask it to end with `gentle`; after `timeout_s` it is killed."""
        with suppress(ProcessLookupError):
            self._process.send_signal(gentle)
        if await self.wait(timeout_s) is None:
            self._process.kill()
            await self.wait(timeout_s)


class EmbeddedServer:
    """A server of ours: at most one child at a time."""

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
        """Ask again and again until it `answers`. Raises `EmbeddedError` where it ends or stays silent."""
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
    """Write a file that only we may read: it holds a secret."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def drawn_once(path: Path, draw: Callable[[], str]) -> str:
    """A secret that `draw` makes at the first start; `path`, which only we may read, keeps it ever after."""
    with suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8")
    drawn = draw()
    write_private(path, drawn)
    return drawn
