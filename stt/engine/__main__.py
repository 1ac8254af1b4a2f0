"""`python -m stt.engine --socket PATH`: one local speech model for the whole machine.

Started by an `EngineSupervisor`, or by hand; `stt.engine.serving` tells how it lives and ends.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from stt.engine.serving import engine_parser, run_engine
from stt.engine.speech_server import EngineServer, Recogniser
from stt.segment import EngineFailed


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the local speech model until told to stop; returns the exit code of `stt.engine.serving`."""
    parser = engine_parser("python -m stt.engine", workers=2, queue=32)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or auto")
    parser.add_argument("--compute-type", default="auto", help="of CTranslate2, or auto")
    options = parser.parse_args(arguments)

    def server(recogniser: Recogniser, socket_path: Path) -> EngineServer:
        return EngineServer(recogniser, socket_path, workers=options.workers, queue_limit=options.queue)

    return run_engine(options, lambda: _load(options), server)


def _load(options: argparse.Namespace) -> Recogniser:
    from stt.providers.whisper import Whisper
    from stt.providers.whisper_device import chosen, demand_computing
    from stt.providers.whisper_weights import resolve

    try:
        placement = chosen(options.device, options.compute_type)
        weights = resolve(options.model, Path(options.cache))
        recogniser = Whisper(weights.path, name=weights.name, workers=options.workers, placement=placement)
        demand_computing(recogniser, placement)
    except ImportError as error:
        raise EngineFailed(
            f"local speech needs faster-whisper ({error}); install moim[whisper] or moim[offline]"
        ) from error
    except (RuntimeError, ValueError, OSError) as error:
        raise EngineFailed(
            f"the model in {weights.path} can't be loaded on the {placement.device}: {error}"
        ) from error
    return recogniser


if __name__ == "__main__":
    sys.exit(main())
