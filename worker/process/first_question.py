"""Loads, beside the work of a process, what its first question would else wait for.

LangGraph and the exact tokenizer take two seconds of a core and 200 MB. A worker has them from before its
first job (`worker.process.preload`); a dispatcher serves from its first moment on and loads them meanwhile.
"""

from __future__ import annotations

import asyncio
from importlib import import_module

from worker.bootstrap.language_models import tokenizer_of
from worker.configuration.settings import Settings


async def load(settings: Settings) -> None:
    """Load it in a thread: the loop goes on, if a little slower, until all is there."""
    await asyncio.to_thread(_load, settings)


def _load(settings: Settings) -> None:
    import_module("worker.agent.graph.graph")
    tokenizer_of(settings).count("모임")
