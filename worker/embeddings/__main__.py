"""`python -m worker.embeddings --socket PATH`: one local embedding model for the whole machine.

As `python -m stt.engine`, and started by the same supervisor: one engine per socket, ends on SIGTERM and
with its parent, says on stdout `{"ready": true, "model": …}` or `{"error": …}`, same exit codes.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from stt.engine.__main__ import EXIT_TAKEN, EXIT_WRONG, die_with, only_one
from stt.engine.serving import say, serve_until_told
from stt.segment import EngineFailed
from worker.embeddings.e5_file import WeightsMissing
from worker.embeddings.e5_models import TextModel, load
from worker.embeddings.server import EmbeddingServer

_NICENESS: Final = 10


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
        model = load(Path(options.cache))
    except BlockingIOError:
        return _fail(f"another engine holds {socket_path}", EXIT_TAKEN)
    except (EngineFailed, WeightsMissing, OSError) as error:
        return _fail(str(error), EXIT_WRONG)
    with lock:
        socket_path.unlink(missing_ok=True)  # a dead engine's: the lock says that none lives
        return asyncio.run(_serve(model, socket_path, options.queue))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m worker.embeddings", description=__doc__)
    parser.add_argument("--socket", required=True, help="path of the Unix socket")
    parser.add_argument("--cache", default=".cache", help="where the converted model is kept")
    parser.add_argument("--queue", type=int, default=64, help="requests of a kind that may wait")
    parser.add_argument("--parent", type=int, default=0, help="end when this process does")
    parser.add_argument("--model", default="auto", help="there is one; for the supervisor's sake")
    parser.add_argument("--workers", type=int, default=1, help="there is one; for the supervisor's sake")
    return parser.parse_args(arguments)


async def _serve(model: TextModel, socket_path: Path, queue_limit: int) -> int:
    server = EmbeddingServer(model, socket_path, queue_limit=queue_limit)
    return await serve_until_told(server, model.name)


def _fail(reason: str, code: int) -> int:
    say(error=reason)
    return code


if __name__ == "__main__":
    sys.exit(main())
