"""Postgres, Valkey, LiveKit server, schema, dispatcher and one worker as child processes on loopback, each
started again when it dies. Says each second what it is starting, prints one line when the worker has
registered, then stays until Ctrl-C. The pages keep their port.
Settings such as STT_ENGINE, LLM_* and MOIM_WAKE_WORDS reach the worker.

Examples:
    moim dev                              data in .cache/dev, addresses in .cache/dev/env
    moim dev --env-file /tmp/moim.env     addresses in a file of your choice
    moim --env-file .cache/dev/env dispatch standup     from another terminal
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any, Final

from context.config import ConfigError
from context.ports import Unavailable
from worker.clock import monotonic_s
from worker.configuration.settings import Settings, given
from worker.dev.home import Home, clear_env_file, write_env_file
from worker.dev.stack import Stack
from worker.embedded import livekit_server
from worker.errors import DONE
from worker.monitoring import telemetry
from worker.process.stop_signals import on_stop

_SAY_EVERY_S: Final = 1.0
_DATA: Final = Path(".cache/dev")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--env-file",
        type=Path,
        metavar="FILE",
        help="where to write the addresses, once the worker has registered; default: DIR/env",
    )
    parser.add_argument(
        "--data", type=Path, default=_DATA, metavar="DIR", help=f"data and logs; default: {_DATA}"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Start everything, write the env file, and stay until SIGINT or SIGTERM."""
    quiet = settings.process
    if not quiet.debug:  # this process's own log beside what it says to people: only what went wrong
        quiet = quiet.model_copy(update={"log_level": "warning"})
    telemetry.configure(settings.model_copy(update={"process": quiet}))
    return asyncio.run(_dev(args, settings))


def _livekit_binary(settings: Settings) -> Path:
    named = settings.process.livekit_server
    if (binary := livekit_server.find(settings)) is not None:
        return binary
    if named is not None:
        raise ConfigError(f"MOIM_LIVEKIT_SERVER={str(named)!r} is no program that runs")
    raise Unavailable(
        "no LiveKit server on this machine: run `make dev`, which builds one first, "
        "or set MOIM_LIVEKIT_SERVER to a livekit-server binary"
    )


async def _dev(args: argparse.Namespace, settings: Settings) -> int:
    home = Home(args.data)
    written: Path = args.env_file or home.root / "env"
    if args.env_file is not None:
        clear_env_file(args.env_file)
    stop = asyncio.Event()
    with on_stop(stop.set):
        binary = await asyncio.to_thread(_livekit_binary, settings)
        async with Stack(home, binary, settings, _say) as stack, asyncio.TaskGroup() as tasks:
            clear_env_file(written)
            starting = tasks.create_task(stack.start())
            stopping = tasks.create_task(stop.wait())
            ends = {starting, stopping}
            began_s = monotonic_s()
            done: set[asyncio.Task[Any]] = set()
            while not done:
                done, _ = await asyncio.wait(ends, timeout=_SAY_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    _say(f"starting {', '.join(stack.starting)} … {monotonic_s() - began_s:.0f} s")
            if starting.done() and starting.exception() is None:
                write_env_file(written, {**given(), **stack.environment()})
                _say(f"meetings to look at and to speak in: {stack.pages}")
                print(
                    f"moim dev: ready, LiveKit at {stack.environment()['LIVEKIT_URL']}, "
                    f"addresses in {written}, logs in {home.logs}; Ctrl-C stops it",
                    flush=True,
                )
                await stop.wait()
                clear_env_file(written)  # nothing will be there any more
            starting.cancel()
            stopping.cancel()
    return DONE


def _say(line: str) -> None:
    print(f"moim dev: {line}", file=sys.stderr, flush=True)
