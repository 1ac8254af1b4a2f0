"""The engine's process with a scripted recogniser instead of a model: `python -m tests.fakes.engine_process`.

The model's name says how it behaves: `well`, `wrong` (no such model), `crash` (dies while loading),
`halt` (stops while loading, but not a second time on the same socket),
`slow` (computes for two and a half seconds before it answers).
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import stt.engine.__main__ as process
from stt.engine.speech_server import Recogniser
from stt.segment import EngineFailed, Segment
from stt.spoken_language import FIRST_SHARES, Shares
from tests.fakes.recogniser import ScriptedRecogniser


def _load(options: argparse.Namespace) -> Recogniser:
    if options.model == "wrong":
        raise EngineFailed("STT_MODEL=wrong: no such model")
    if options.model == "crash":
        os._exit(9)
    if options.model == "halt":
        halted = Path(f"{options.socket}.halted")
        if not halted.exists():
            halted.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)
    return Slow() if options.model == "slow" else ScriptedRecogniser()


class Slow(ScriptedRecogniser):
    """Computes for long, and in Python, so that no other thread has the interpreter for itself."""

    def recognise(
        self, pcm: bytes, language: str, expected: Shares = FIRST_SHARES, terms: Sequence[str] = ()
    ) -> list[Segment]:
        """Answer as its base does, later."""
        until_s = time.monotonic() + 2.5
        while time.monotonic() < until_s:
            pass
        return super().recognise(pcm, language, expected, terms)


if __name__ == "__main__":
    process._load = _load
    sys.exit(process.main())
