"""The directory through which prometheus_client adds up the metrics of several processes.

prometheus_client looks for `PROMETHEUS_MULTIPROC_DIR` once, when it is imported. So this module
must not import it, and `own_directory` must run before anything does.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from worker.configuration.settings import export, exported

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX: Final = "moim-metrics-"


def own_directory() -> Path:
    """Make a new directory for this process and its children; it is removed when this process ends.

    An inherited directory is not used: two workers that share one would wipe each other's metrics. Raises
    `RuntimeError` where prometheus_client was imported before.
    """
    if "prometheus_client" in sys.modules:
        raise RuntimeError("prometheus_client was imported before its directory was set")
    _sweep()
    path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    export(VARIABLE, str(path))
    atexit.register(_remove, path, os.getpid())
    return path


def directory() -> Path | None:
    """Give the directory in use, or None where this process keeps its metrics to itself."""
    value = exported(VARIABLE)
    return Path(value) if value else None


def _sweep() -> None:
    """Remove what killed workers of ours left behind."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        number = path.name.removeprefix(_PREFIX).partition("-")[0]
        if not number.isdecimal() or path.stat().st_uid != os.getuid():
            continue
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            shutil.rmtree(path, ignore_errors=True)
        except PermissionError:
            continue


def _remove(path: Path, owner: int) -> None:
    # Forked children inherit the exit hook, not the directory.
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
