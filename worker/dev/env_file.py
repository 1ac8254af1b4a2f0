"""The file in which `moim dev` says where its parts are: `NAME=value` lines, written in one piece."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from worker.errors import InputError

_PLAIN = re.compile(r"[\w@%+=:,./~\[\]-]*", re.ASCII)


def clear(path: Path) -> None:
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


def write(path: Path, values: Mapping[str, str]) -> None:
    """Write it, readable by its owner alone, since it holds secrets; readers never see half of it."""
    text = "".join(f"{name}={_quoted(value)}\n" for name, value in values.items())
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    partial.replace(path)


def _quoted(value: str) -> str:
    """Plain where that is safe for a shell, `source` and python-dotenv; single quotes elsewhere."""
    if _PLAIN.fullmatch(value):
        return value
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
