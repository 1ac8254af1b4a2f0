"""The first signal asks, the second insists: seen from outside, on a real process."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
SCRIPT = """
    import asyncio, sys
    import structlog
    from worker.process.stop_signals import on_stop

    async def main():
        stop = asyncio.Event()
        with on_stop(stop.set):
            print("ready", flush=True)
            await stop.wait()
            print("asked", flush=True)
            await asyncio.sleep(PATIENCE)
        print("done", flush=True)

    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    asyncio.run(main())
"""


def process(patience_s: float) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT).replace("PATIENCE", str(patience_s))],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    )
    assert child.stdout.readline() == "ready\n"
    return child


@pytest.mark.parametrize(
    "numbers",
    [[signal.SIGINT], [signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]],
    ids=["interrupt", "terminate", "one wish delivered twice"],
)
def test_the_first_signal_lets_it_finish(numbers: list[signal.Signals]) -> None:
    child = process(0.1)
    for number in numbers:
        child.send_signal(number)
    out, _ = child.communicate(timeout=20)
    assert (out, child.returncode) == ("asked\ndone\n", 0)


def test_the_second_ends_it_at_once() -> None:
    child = process(60.0)
    child.send_signal(signal.SIGTERM)
    assert child.stdout.readline() == "asked\n"
    time.sleep(0.6)  # a person's second signal, not the echo of the first
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=20)
    assert (out, child.returncode) == ("", 1)
