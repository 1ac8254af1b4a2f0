"""The process that jobs are forked from (Python's fork server), started early.

livekit-agents starts it when it needs its first process, after everything else; what it has to
import takes as long as what the worker itself imports. Started first, it imports at the same time,
and a worker that was killed is back seconds sooner.
"""

from __future__ import annotations

import os
import signal
from multiprocessing import forkserver
from typing import Final

from worker.process.fork_server_lifetime import PARENT

MODULES: Final = ("worker.process.fork_server_lifetime", "worker.process.preload")
"""Our modules for the fork server: the first ties it to its worker, the second makes the jobs' image."""
PRELOADED: Final = (
    *MODULES,
    "livekit.agents.ipc._preload",
    # Last: it freezes what was imported before it.
    "livekit.agents.ipc._preload_freeze",
)
"""What livekit-agents 1.8.9 would have the fork server import, given our `preload_modules`."""


def start_early() -> None:
    """Start the fork server, from the main thread: it ends when the thread that started it ends.

    A terminal's Ctrl-C is for the worker alone: the fork server ignores it from its start on, not only once
    it has imported everything; until then it would die with a traceback.
    """
    os.environ[PARENT] = str(os.getpid())  # noqa: TID251 - told to a child, not read from anybody
    forkserver.set_forkserver_preload(list(PRELOADED))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # that a child inherits
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)
