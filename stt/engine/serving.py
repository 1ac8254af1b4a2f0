"""The main function of an engine: a process with a model that a whole machine shares.

There is one engine per socket; it holds a file lock beside it. It ends on SIGTERM, after the requests that
are being worked on, and when its parent dies. On stdout it writes one line of JSON: `{"ready": true,
"model": …}` once the socket listens, or `{"error": …}`.

Exit codes: 0 stopped, 2 wrong configuration (no such model), 70 the model hung, 75 another engine
holds this socket.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import fcntl
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from stt.engine.engine_server import EngineStuck, ModelServer
from stt.segment import EngineFailed

EXIT_WRONG: Final = 2
EXIT_STUCK: Final = 70
EXIT_TAKEN: Final = 75

_NICENESS: Final = 10
_PR_SET_PDEATHSIG: Final = 1
_MAX_PATH_BYTES: Final = 107

M = TypeVar("M")


def engine_parser(program: str, *, workers: int, queue: int) -> argparse.ArgumentParser:
    """Make the parser of an engine's arguments; `workers` and `queue` are their defaults."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument("--socket", required=True, help="path of the Unix socket")
    parser.add_argument("--model", default="auto", help="a folder, `auto`, or a name of the hub")
    parser.add_argument("--cache", default=".cache", help="where models are kept")
    parser.add_argument("--workers", type=int, default=workers, help="requests at once, one core each")
    parser.add_argument("--queue", type=int, default=queue, help="requests that may wait")
    parser.add_argument("--parent", type=int, default=0, help="end when this process does")
    return parser


def run_engine(
    options: argparse.Namespace, load: Callable[[], M], server: Callable[[M, Path], ModelServer]
) -> int:
    """Load a model, serve it until told to stop, return the exit code. `load` raises `EngineFailed`."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    os.nice(_NICENESS)  # live sound and the record come first
    if options.parent:
        die_with(options.parent)
    socket_path = Path(options.socket).absolute()
    try:
        lock = lock_socket(socket_path)
        model = load()
    except BlockingIOError:
        return _fail(f"another engine holds {socket_path}", EXIT_TAKEN, aloud=not options.parent)
    except EngineFailed as error:
        return _fail(str(error), EXIT_WRONG, aloud=not options.parent)
    with lock:
        socket_path.unlink(missing_ok=True)  # a dead engine's: the lock says that none lives
        return asyncio.run(_serve(server, model, socket_path))


def lock_socket(socket_path: Path) -> BinaryIO:
    """Take the lock of the engine on this socket; it holds until the file is closed.

    Raises `BlockingIOError` where another engine has it, `EngineFailed` where the path can't be used.
    """
    if len(os.fsencode(socket_path)) > _MAX_PATH_BYTES:
        raise EngineFailed(
            f"{socket_path} is too long for a socket (at most {_MAX_PATH_BYTES} bytes); choose a shorter one"
        )
    try:
        socket_path.parent.mkdir(parents=True, exist_ok=True)
        lock = socket_path.with_name(socket_path.name + ".lock").open("ab")
    except OSError as error:
        raise EngineFailed(f"{socket_path}: {error.strerror}; choose a place that can be written") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise
    return lock


def die_with(parent: int) -> None:
    """Have the kernel send us SIGTERM when the process `parent` is gone, by whatever death."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before we asked
        sys.exit(0)


async def _serve(make: Callable[[M, Path], ModelServer], model: M, socket_path: Path) -> int:
    server = make(model, socket_path)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    try:
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(server.serve())
            await server.ready.wait()
            try:
                _say(ready=True, model=server.name)
            except BrokenPipeError:  # whoever started us went away meanwhile: nobody will ask for anything
                server.stop()
            await serving
    except* EngineStuck as stuck:
        logging.getLogger(__name__).critical("engine_stuck: %s", stuck.exceptions[0])
        os._exit(EXIT_STUCK)  # a hung thread can't be waited for
    return 0


def _fail(reason: str, code: int, *, aloud: bool) -> int:
    _say(error=reason)
    if aloud:  # a supervisor reads stdout and says it in its own way
        sys.stderr.write(reason + "\n")
    return code


def _say(**facts: Any) -> None:
    """One line of JSON for whoever started the process."""
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    sys.stdout.flush()
