"""Imported by the fork server before all else: names in what jobs run, and loggers, made side by side.

A name is one object in the whole process, made by whoever needs it first; the counts of those that
jobs look up change in each job. See `worker.process.layout`.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Final

JOB_CODE: Final = Path(__file__).with_name("job_code.txt")
"""One function a line: its file, its qualified name, and the names in it that no line above has. The line of
`LOGGERS` has none: its names are those of the loggers there are."""
LOGGERS: Final = "(loggers)"


def _names() -> list[str]:
    try:
        lines = JOB_CODE.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found: list[str] = []
    for file, qualified, names in (line.split("\t") for line in lines):
        if file == LOGGERS:
            for name in names.split():
                logging.getLogger(name)
        # A coroutine holds its qualified name, a function made in a function its module's too.
        found += map(sys.intern, (_module(file), qualified, *names.split()))
    return found


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


NAMES: Final = _names()
"""Held, so that they stay where they are. Loggers lie side by side for the same reason: whenever a level is
set, and livekit-agents sets dozens in each job, `logging` goes through all loggers there are."""

if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    # Behind the names, and before the seconds of imports that follow: a worker that is refused at its start
    # (a wrong key) leaves no fork server that goes on importing and has its say much later.
    from worker.process.parent_death import die_with_parent

    die_with_parent()
