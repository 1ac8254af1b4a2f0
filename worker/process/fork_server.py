"""The process that jobs are forked from, started early.

livekit-agents starts it when it needs its first process, after everything else; what it has to
import takes as long as what the worker itself imports. Begun first, both go on at the same time,
and a worker that was killed is back seconds sooner.
"""

from __future__ import annotations

from multiprocessing import forkserver
from typing import Final

MODULES: Final = ("worker.process.preload_names", "worker.process.preload", "worker.process.preload_image")
"""Ours: the names in what jobs run, what they import, what they are born with."""
PRELOADED: Final = (
    *MODULES,
    "livekit.agents.ipc._preload",
    # Last: it freezes what was imported before it.
    "livekit.agents.ipc._preload_freeze",
)
"""What livekit-agents 1.8.9 would have it import, given our `preload_modules`."""


def start_early() -> None:
    """Start it. From the main thread: it goes when the thread that started it goes."""
    forkserver.set_forkserver_preload(list(PRELOADED))
    forkserver.ensure_running()
