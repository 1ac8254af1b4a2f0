"""A shared engine's process from its loaded model to its end: says that it is ready, stops when told."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from typing import Any, Final, Protocol

EXIT_STUCK: Final = 70


class EngineStuck(Exception):
    """A model did not come back: the process is of no more use."""


class Server(Protocol):
    """What serves a model on a socket."""

    ready: asyncio.Event

    async def serve(self) -> None:
        """Serve until `stop`. Raises `EngineStuck`."""
        ...

    def stop(self) -> None:
        """Finish what is under way."""
        ...


async def serve_until_told(server: Server, model: str) -> int:
    """The exit code. On stdout one line of JSON once the socket listens; SIGTERM and SIGINT end it."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    try:
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(server.serve())
            await server.ready.wait()
            try:
                say(ready=True, model=model)
            except BrokenPipeError:  # whoever started us went away meanwhile: nobody will ask for anything
                server.stop()
            await serving
    except* EngineStuck as stuck:
        logging.getLogger(__name__).critical("engine_stuck: %s", stuck.exceptions[0])
        os._exit(EXIT_STUCK)  # a hung thread can't be waited for
    return 0


def say(**facts: Any) -> None:
    """One line of JSON for whoever started the process."""
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    sys.stdout.flush()
