"""The directory of one `moim dev`: what is there next time, and who may use it now.

The file in which `moim dev` says where its parts are: `NAME=value` lines, written in one piece.
"""

from __future__ import annotations

import fcntl
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from worker.embedded.child import drawn_once, write_private
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

        def draw() -> str:
            return json.dumps(dict(zip(("api_key", "api_secret"), drawn_keys(), strict=True)))

        kept = json.loads(drawn_once(self.root / "livekit-keys.json", draw))
        return str(kept["api_key"]), str(kept["api_secret"])

    def pages_token(self) -> str:
        """What one signs in with on the pages: drawn at the first start, the same ever after."""
        return drawn_once(self.root / "pages-token", lambda: secrets.token_urlsafe(24))

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


_PLAIN = re.compile(r"[\w@%+=:,./~\[\]-]*", re.ASCII)


def clear_env_file(path: Path) -> None:
    """Remove what an earlier run left, so that whoever waits for the file sees a fresh one.

    Raises `InputError` where the file is something else, such as the user's own `.env`.
    """
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
    """Write it, readable by its owner alone, since it holds secrets; readers never see half of it.

    A value is plain where that is safe for a shell, `source` and python-dotenv; in single quotes elsewhere.
    """
    lines: list[str] = []
    for name, value in values.items():
        quoted = "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        lines.append(f"{name}={value if _PLAIN.fullmatch(value) else quoted}\n")
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    write_private(partial, "".join(lines))
    partial.replace(path)
