"""The data directory of a `moim dev`, which one process uses at a time, and the env file that it writes.

The env file says where the parts are, as `NAME=value` lines.
"""

from __future__ import annotations

import fcntl
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from worker.embedded.child import drawn_once, free_port, is_free, write_private
from worker.embedded.livekit import drawn_keys
from worker.errors import InputError


class Home:
    """The directories and files of one `moim dev`, all of them inside `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    @property
    def logs(self) -> Path:
        """The directory that holds one log for each part."""
        return self.root / "logs"

    @property
    def state(self) -> Path:
        """`MOIM_STATE_DIR` of the worker, which keeps its spool and its engine's socket there."""
        return self.root / "state"

    def part(self, name: str) -> Path:
        """The directory in which the server `name` keeps its data."""
        return self.root / name

    def livekit_keys(self) -> tuple[str, str]:
        """LiveKit's API key and its secret, drawn at the first start and kept in a private file."""

        def draw() -> str:
            api_key, api_secret = drawn_keys()
            return json.dumps({"api_key": api_key, "api_secret": api_secret})

        keys = json.loads(drawn_once(self.root / "livekit-keys.json", draw))
        return str(keys["api_key"]), str(keys["api_secret"])

    def pages_token(self) -> str:
        """The token with which people sign in on the pages, drawn at the first start and kept."""
        return drawn_once(self.root / "pages-token", lambda: secrets.token_urlsafe(24))

    def pages_port(self) -> int:
        """The port of the pages, drawn at the first start and kept, so that their address stays the same.

        While somebody else listens on it, another one is given for this time.
        """
        port = int(drawn_once(self.root / "pages-port", lambda: str(free_port())))
        return port if is_free(port) else free_port()

    def show_log(self, name: str, real: Path) -> None:
        """Link the log `real`, which a server keeps elsewhere, into `logs` as `{name}.log`."""
        link = self.logs / f"{name}.log"
        link.unlink(missing_ok=True)
        link.symlink_to(real)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the directory for the length of the block. Raises `InputError` if another process has it."""
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


_PLAIN_VALUE = re.compile(r"[\w@%+=:,./~\[\]-]*", re.ASCII)


def clear_env_file(path: Path) -> None:
    """Remove the env file of an earlier run, so that a program that waits for the file sees a fresh one.

    Raises `InputError` if the file is not of `moim dev` (the user's own `.env`, say) or cannot be written; a
    device (/dev/null) is no file, and must stay.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"--env-file {path} is no file: `moim dev` writes its addresses there, so name one")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not path.absolute().parent.is_dir():
            raise InputError(f"--env-file {path}: there is no directory {path.absolute().parent}") from None
        return
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--env-file {path} cannot be written: {error}") from error
    ours = "MOIM_STATE_DIR=" in text and "LIVEKIT_URL=ws://127.0.0.1:" in text
    if text.strip() and not ours:
        raise InputError(
            f"--env-file {path} exists and is not of `moim dev`, which writes this file: name another"
        )
    path.unlink()


def write_env_file(path: Path, values: Mapping[str, str]) -> None:
    """Write `values` as lines `NAME=value` in one step: nobody ever reads half a file.

    Only the owner may read it, because it holds secrets. A shell that sources it reads the same values as
    python-dotenv, but for one with ' or a backslash beside a `$` or backtick: that fits python-dotenv alone.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    write_private(partial, "".join(f"{name}={_quoted(value)}\n" for name, value in values.items()))
    partial.replace(path)


def _quoted(value: str) -> str:
    if _PLAIN_VALUE.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\")
    if "$" in value or "`" in value:  # a shell would expand these in double quotes
        return "'" + escaped.replace("'", "\\'") + "'"
    return '"' + escaped.replace('"', '\\"') + '"'
