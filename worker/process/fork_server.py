"""The process that jobs are forked from, started early.

livekit-agents starts it when it needs its first process, after everything else; what it has to
import takes as long as what the worker itself imports. Begun first, both go on at the same time,
and a worker that was killed is back seconds sooner.
"""

from __future__ import annotations

import os
import signal
from multiprocessing import forkserver
from typing import Final

from worker.process import tied

MODULES: Final = ("worker.process.tied", "worker.process.preload")
"""Ours: first that it goes with its worker, then what jobs are born with, which takes seconds."""
PRELOADED: Final = (
    *MODULES,
    "livekit.agents.ipc._preload",
    # Last: it freezes what was imported before it.
    "livekit.agents.ipc._preload_freeze",
)
"""What livekit-agents 1.8.9 would have it import, given our `preload_modules`."""


def start_early() -> None:
    """Start it. From the main thread: it goes when the thread that started it goes.

    A terminal's Ctrl-C is for the worker alone: the fork server ignores it from its birth on, not only once
    it has imported everything; until then it would die with a traceback.
    """
    os.environ[tied.PARENT] = str(os.getpid())  # noqa: TID251 - told to a child, not read from anybody
    forkserver.set_forkserver_preload(list(PRELOADED))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # that a child inherits
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)
