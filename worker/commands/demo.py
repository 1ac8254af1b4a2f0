"""Four people speak for not quite three minutes in a real LiveKit room on this machine; Moim hears them,
keeps the record, answers two questions in the chat and writes the minutes. Everything is embedded: no
network, no account. Where there is no LiveKit server, the meeting is played from its files instead.

Examples:
    make demo                 builds the LiveKit server first, once
    moim demo
    moim demo --plain         lines instead of the live picture
    moim demo > minutes.md    the minutes into a file; the picture stays on the terminal
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from rich.console import Console

from context.ports import Unavailable
from worker.configuration.settings import Settings, child_environment
from worker.demo.show import AS_SCRIPTED, CUES, Performed, perform, sound_folder
from worker.demo.view import LiveView, PlainView, View
from worker.embedded import livekit_server
from worker.errors import DONE, FAILED, one_line
from worker.minutes.minutes_writing import demand_template, minutes
from worker.monitoring import telemetry
from worker.process.stop_signals import on_stop

_DEADLINE_S: Final = 290.0
_FIRST_WORDS: Final = (
    "What you see is heard by Whisper `base`, packaged with Moim and run on this machine: it takes\n"
    "most plain sentences right, and now and then a name, a number or a Korean ending wrong."
)
_NEXT_STEPS: Final = (
    "Next: `make dev` keeps all of this running; then `.venv/bin/moim --env-file .cache/dev/env dispatch "
    "my-room` brings Moim into a room of yours, and `.venv/bin/moim replay FILE` reads a recording.\n"
    "The text above is what the packaged Whisper `base` hears. A larger model behind an endpoint, or CLOVA\n"
    "Speech, hears better: docs/how-to/engines.md."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--plain", action="store_true", help="lines instead of the live picture")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Play the meeting; print its minutes, and what to try next. Exit 1 if a question got no answer."""
    folder = sound_folder()
    # Logs would break the picture: warnings of the child processes come as lines of the demo instead.
    process = settings.process.model_copy(update={"log_level": "error"})
    telemetry.configure(settings.model_copy(update={"process": process}))
    print(_FIRST_WORDS, file=sys.stderr)
    binary = livekit_server.find(settings)
    if binary is None:
        return _from_files(folder)
    console = Console(stderr=True)
    view: View = PlainView(console) if args.plain or not console.is_terminal else LiveView(console)
    return asyncio.run(_perform(settings, binary, view))


async def _perform(settings: Settings, binary: Path, view: View) -> int:
    await demand_template(settings)
    stop = asyncio.Event()
    with on_stop(stop.set):
        async with asyncio.TaskGroup() as tasks:
            with view:
                playing = tasks.create_task(_in_time(settings, binary, view))
                stopping = tasks.create_task(stop.wait())
                await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
                stopping.cancel()
                playing.cancel()
                await asyncio.wait({playing})
        if playing.cancelled():
            print("moim demo: stopped", file=sys.stderr)
            return FAILED
    performed = playing.result()
    zone = ZoneInfo(settings.agent.time_zone)
    print(await minutes(performed.document, settings, transcript=False, zone=zone))
    for question in performed.unanswered:
        print(f"moim demo: no answer came to {question!r}", file=sys.stderr)
    print(_NEXT_STEPS)
    return FAILED if performed.unanswered else DONE


async def _in_time(settings: Settings, binary: Path, view: View) -> Performed:
    try:
        async with asyncio.timeout(_DEADLINE_S):
            return await perform(settings, binary, view)
    except* TimeoutError as group:
        words = one_line(group).removeprefix("TimeoutError").lstrip(": ")
        stuck = words or f"not over after {_DEADLINE_S:g} s"
        raise Unavailable(
            f"the demo got stuck: {stuck}: {advice(os.getloadavg()[0], os.cpu_count() or 1)}"
        ) from group


def advice(load: float, cores: int) -> str:
    """What to try if the demo gets stuck. `load`: the load average of the last minute, for `cores` cores."""
    if load <= 2 * cores:
        return "`MOIM_LOG_LEVEL=debug make demo` tells more"
    return f"this machine is busy ({load:.0f} programs want its {cores} cores): try again when it is quieter"


def _from_files(folder: Path) -> int:
    """Play the meeting's files without a room, by `moim replay`; its exit code. Raises `Unavailable`."""
    print(
        "moim demo: no LiveKit server on this machine and none could be built (`make livekit` says why, "
        "MOIM_LIVEKIT_SERVER names one): no room, the meeting is played from its files",
        file=sys.stderr,
        flush=True,
    )
    command = [sys.executable, "-m", "worker", "replay", str(folder)]
    for cue in CUES:
        command += ["--ask", cue.text]
    environment = child_environment(AS_SCRIPTED)
    try:
        done = subprocess.run(command, env=environment, timeout=_DEADLINE_S, check=False)  # noqa: S603 - ourselves
    except subprocess.TimeoutExpired:
        raise Unavailable(f"the replay was not over after {_DEADLINE_S:g} s: is the machine busy?") from None
    if done.returncode == DONE:
        print(f"\n{_NEXT_STEPS}")
    return done.returncode
