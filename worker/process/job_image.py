"""The state that each job process starts with: settings read, logging set up, a meeting rehearsed.

`make` is called in the fork server (`worker.process.preload`), after all imports. A job's memory is
what it writes: every page that is only read stays shared with its siblings. So all that is the same for each
meeting of a worker is done here, once, before the first fork. In other processes nobody calls it, and
`settings()` reads the environment.
"""

from __future__ import annotations

import os
from pathlib import Path

import structlog

from context.config import ConfigError
from worker.configuration.settings import Settings
from worker.monitoring import telemetry
from worker.process.rehearsal import rehearse

log = structlog.get_logger(__name__)

_settings: Settings | None = None


def settings() -> Settings:
    """Return this process's settings: those of the fork server that it comes from, else read now."""
    return _settings if _settings is not None else Settings.load()


def make() -> None:
    """Make this process the image of jobs. What fails here is left for each job to do and to report."""
    global _settings  # noqa: PLW0603 - an image is a process's one state by nature
    try:
        _settings = Settings.load()
    except ConfigError:
        return
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            telemetry.configure(_settings, stream=nowhere)
            rehearse(_settings)
    except Exception as error:  # noqa: BLE001 - whatever it was, jobs work without it, only larger
        telemetry.configure(_settings)
        log.warning("rehearsal_failed", error=repr(error))
    telemetry.configure(_settings)
