"""`python -m stt.engine --socket PATH`: one local speech model for the whole machine.

Started by an `EngineSupervisor`, or by hand. One engine per socket: a file lock beside it says
who that is. It ends on SIGTERM (after what is under way), and when its parent dies. On stdout it
writes one line of JSON: `{"ready": true, "model": …}` once the socket listens, or `{"error": …}`.

Exit codes: 0 stopped, 2 wrong configuration (no such model), 70 the model hung, 75 another engine
holds this socket.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import fcntl
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from stt.engine.server import EngineServer, Recogniser
from stt.engine.serving import say, serve_until_told
from stt.segment import EngineFailed

EXIT_WRONG: Final = 2
EXIT_TAKEN: Final = 75

_NICENESS: Final = 10
_PR_SET_PDEATHSIG: Final = 1
_MAX_SOCKET_PATH: Final = 107


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    options = _parse(arguments)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    os.nice(_NICENESS)  # live sound and the record come first
    if options.parent:
        die_with(options.parent)
    socket_path = Path(options.socket).absolute()
    try:
        lock = only_one(socket_path)
        recogniser = _load(options)
    except BlockingIOError:
        return _fail(f"another engine holds {socket_path}", EXIT_TAKEN, aloud=not options.parent)
    except EngineFailed as error:
        return _fail(str(error), EXIT_WRONG, aloud=not options.parent)
    with lock:
        socket_path.unlink(missing_ok=True)  # a dead engine's: the lock says that none lives
        return asyncio.run(_serve(recogniser, socket_path, options))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m stt.engine", description=__doc__)
    parser.add_argument("--socket", required=True, help="path of the Unix socket")
    parser.add_argument("--model", default="auto", help="a folder, `auto`, or a name of the hub")
    parser.add_argument("--cache", default=".cache", help="where models are kept")
    parser.add_argument("--workers", type=int, default=2, help="utterances at once, one core each")
    parser.add_argument("--queue", type=int, default=32, help="requests that may wait")
    parser.add_argument("--parent", type=int, default=0, help="end when this process does")
    return parser.parse_args(arguments)


def _load(options: argparse.Namespace) -> Recogniser:
    from stt.providers.whisper import resolve

    weights = resolve(options.model, Path(options.cache))
    try:
        from stt.providers.whisper import Whisper

        return Whisper(weights.path, name=weights.name, workers=options.workers)
    except ImportError as error:
        raise EngineFailed(
            f"local speech needs faster-whisper ({error}); install moim[whisper] or moim[offline]"
        ) from error
    except (RuntimeError, ValueError, OSError) as error:
        raise EngineFailed(f"the model in {weights.path} can't be loaded: {error}") from error


def only_one(socket_path: Path) -> BinaryIO:
    """The lock of the one engine on this socket. Raises `BlockingIOError` where another one lives."""
    if len(os.fsencode(socket_path)) > _MAX_SOCKET_PATH:
        raise EngineFailed(
            f"{socket_path} is too long for a socket (at most {_MAX_SOCKET_PATH} bytes); choose a shorter one"
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
    """Have the kernel send SIGTERM when the parent is gone, by whatever death."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before we asked
        sys.exit(0)


async def _serve(recogniser: Recogniser, socket_path: Path, options: argparse.Namespace) -> int:
    server = EngineServer(recogniser, socket_path, workers=options.workers, queue_limit=options.queue)
    return await serve_until_told(server, recogniser.name)


def _fail(reason: str, code: int, *, aloud: bool) -> int:
    say(error=reason)
    if aloud:  # a supervisor reads stdout and says it in its own way
        sys.stderr.write(reason + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
