"""Whether a folder that a setting names can be written, told in one line before anything needs it."""

from __future__ import annotations

from pathlib import Path

from context.config import ConfigError
from worker.configuration.settings import Settings


def demand_state_folder(settings: Settings) -> None:
    """Make the folder of spools, sockets and status files where it is missing, and write into it.

    Raises `ConfigError` where it cannot be written.
    """
    demand_writable("MOIM_STATE_DIR", settings.process.state_dir)


def demand_writable(variable: str, folder: Path) -> None:
    """Make `folder` where it is missing, and write into it. Raises `ConfigError`, naming the variable."""
    probe = folder / ".moim-check"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"moim")
        probe.unlink(missing_ok=True)  # another process may try it at the same moment
    except OSError as error:
        raise ConfigError(
            f"{variable}={str(folder)!r} cannot be written: {error.strerror}; name another folder,"
            " or give it to the user whom Moim runs as"
        ) from error
