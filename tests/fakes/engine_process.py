"""The engine's process with a scripted recogniser instead of a model: `python -m tests.fakes.engine_process`.

The model's name says how it behaves: `well`, `wrong` (no such model), `crash` (dies while loading).
"""

from __future__ import annotations

import argparse
import os
import sys

import stt.engine.__main__ as process
from stt.engine.server import Recogniser
from stt.segment import EngineFailed
from tests.fakes.recogniser import ScriptedRecogniser


def _load(options: argparse.Namespace) -> Recogniser:
    if options.model == "wrong":
        raise EngineFailed("STT_MODEL=wrong: no such model")
    if options.model == "crash":
        os._exit(9)
    return ScriptedRecogniser()


if __name__ == "__main__":
    process._load = _load
    sys.exit(process.main())
