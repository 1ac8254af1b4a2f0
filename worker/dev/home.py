"""The directory of one `moim dev`: what is there next time, and who may use it now."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worker.embedded.livekit import drawn_keys
from worker.errors import InputError


class Home:
    """The directories and files of one `moim dev`, all of them inside `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    @property
    def logs(self) -> Path:
        """Give the directory with one log for each part."""
        return self.root / "logs"

    @property
    def state(self) -> Path:
        """`MOIM_STATE_DIR` of the worker: its spool, its engine's socket."""
        return self.root / "state"

    def part(self, name: str) -> Path:
        """Where a server keeps its data."""
        return self.root / name

    def livekit_keys(self) -> tuple[str, str]:
        """API key and secret: drawn at the first start, the same ever after."""
        kept = self.root / "livekit-keys.json"
        with suppress(FileNotFoundError):
            found = json.loads(kept.read_text(encoding="utf-8"))
            return str(found["api_key"]), str(found["api_secret"])
        key, secret = drawn_keys()
        descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"api_key": key, "api_secret": secret}, file)
        return key, secret

    def pages_token(self) -> str:
        """What one signs in with on the pages: drawn at the first start, the same ever after."""
        kept = self.root / "pages-token"
        with suppress(FileNotFoundError):
            return kept.read_text(encoding="ascii")
        token = secrets.token_urlsafe(24)
        descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(token)
        return token

    def show_log(self, name: str, real: Path) -> None:
        """Let a log that a server keeps elsewhere be found among the others."""
        link = self.logs / f"{name}.log"
        link.unlink(missing_ok=True)
        link.symlink_to(real)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else uses this directory within the block. Raises `InputError` where somebody does."""
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            self.state.mkdir(parents=True, exist_ok=True)
            lock = (self.root / "lock").open("w")
        except OSError as error:
            raise InputError(f"--data {self.root} cannot be used: {error.strerror or error}") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"another `moim dev` uses {self.root}: stop that one, or give another --data DIR"
                ) from None
            yield
