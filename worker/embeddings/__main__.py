"""`python -m worker.embeddings --socket PATH`: one local embedding model for the whole machine.

It is run as `python -m stt.engine` is, by the same supervisor; there is one model and one worker,
whatever `--model` and `--workers` say.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from stt.engine.serving import engine_parser, run_engine
from stt.segment import EngineFailed
from worker.embeddings.e5_file import WeightsMissing
from worker.embeddings.e5_models import TextModel, load
from worker.embeddings.embedding_server import EmbeddingServer

_FIRST_TEXT: Final = "모임 Moim"
"""Encoded before anybody asks: the first text of a process takes four times as long as the next one."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop; return the exit code."""
    options = engine_parser("python -m worker.embeddings", workers=1, queue=64).parse_args(arguments)
    return run_engine(
        options,
        lambda: _load(Path(options.cache)),
        lambda model, path: EmbeddingServer(model, path, queue_limit=options.queue),
    )


def _load(cache: Path) -> TextModel:
    try:
        model = load(cache)
    except (WeightsMissing, OSError) as error:
        raise EngineFailed(str(error)) from error
    model.encode([_FIRST_TEXT], query=True)
    return model


if __name__ == "__main__":
    sys.exit(main())
