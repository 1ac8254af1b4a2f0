"""Where the Unix sockets of this machine's processes are: in MOIM_STATE_DIR, each under a name of its own."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Final

from worker.configuration.setting_values import hide_password
from worker.configuration.settings import Settings

_MAX_PATH_BYTES: Final = 100
"""A Unix socket's path may have about 108 bytes."""


def socket_path(settings: Settings, name: str) -> Path:
    """The socket `name`: in `state_dir`, or in a temporary folder where that path is too long."""
    path = settings.process.state_dir.absolute() / f"{name}.sock"
    if len(str(path)) <= _MAX_PATH_BYTES:
        return path
    return Path(tempfile.gettempdir()) / f"moim-{name}-{_digest(str(path))}.sock"


def dispatcher_socket(settings: Settings) -> Path:
    """The socket of a dispatcher that serves the tenant and the database of `settings`, of no others."""
    served = f"{hide_password(settings.database.url.get_secret_value())}\n{settings.process.tenant}"
    return socket_path(settings, f"dispatcher-{_digest(served)}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
