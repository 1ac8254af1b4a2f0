"""`python -m tests.bench.crowd ROOM QUIET SECONDS`: many open microphones, in processes of their own.

Two people read out the lines of both sample meetings in turn, and now and then at once; everybody else's microphone
is open and gives a quiet room's noise. Those who are quiet live in a second process that gives way to the talkers:
where the machine is at its limit, what is said reaches the room whole all the same. One JSON object per line on
stdout: `{"began_s", "bare", "quiet"}` (the pids of the bare job and of the quiet), then each line as it will be played
(`Said`). The server and its keys come by environment, as a worker's.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from array import array
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Final, NamedTuple

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from tests.bench.interims import spoken
from tests.bench.live import IN_THE_ROOM, bare_in, moim_in
from tests.fakes.players import Stage
from worker.parent_death import die_with_parent

BEGAN: Final = "began_s"
_QUIET: Final = "quiet"
TALKING: Final = 2
_NOISE: Final = 12
"""The noise's largest sample, of 32,767: a quiet room."""
_LEAD_S: Final = 3.0
_PAUSE_S: Final = (2.0, 5.0)
_AT_A_TIME: Final = 10
_GIVES_WAY: Final = 19
"""Niceness of the process of those who are quiet."""
_TAIL_S: Final = 6.0
"""At the end nobody begins a line any more."""


class Said(NamedTuple):
    """A line as it is played; times in seconds of the play."""

    speaker: str
    line: int
    """Its number among the lines of both meetings in turn."""
    at_s: float


async def play(room: str, quiet: int, seconds: float) -> None:
    """Enter with everybody, and begin once Moim and the bare job are there."""
    dice = Random(quiet)
    sound = noise(dice, seconds)
    lines = await asyncio.to_thread(spoken)
    async with _stage(room) as stage, AsyncExitStack() as stack:
        talking = [stage.player(f"talker-{number}", sound=bytes(sound)) for number in range(TALKING)]
        said, free_s, number = [], [_LEAD_S] * TALKING, 0
        while min(free_s) < seconds - _TAIL_S - 10:
            who = free_s.index(min(free_s))
            line = lines[number % len(lines)]
            talking[who].say(line.pcm, free_s[who])
            said.append(Said(talking[who].identity, number % len(lines), free_s[who]))
            free_s[who] += len(line.pcm) / BYTES_PER_MS / 1000 + dice.uniform(*_PAUSE_S)
            number += 1
        await asyncio.gather(*(player.join() for player in talking))
        print(IN_THE_ROOM, flush=True)
        await moim_in(talking[0])
        bare = await bare_in(talking[0])
        # Behind them: a worker on a machine at its limit takes no meeting any more.
        quiet_pid = await stack.enter_async_context(_quiet(room, quiet, seconds))
        stage.begin()
        print(json.dumps({BEGAN: stage.started_s, "bare": bare, "quiet": quiet_pid}), flush=True)
        for each in said:
            print(json.dumps(each._asdict()), flush=True)
        await stage.until(seconds)
        await asyncio.Event().wait()  # until it is told to go


async def be_quiet(room: str, quiet: int, seconds: float) -> None:
    """Enter with those who say nothing, and leave their microphones open."""
    os.nice(_GIVES_WAY)
    sound = noise(Random(quiet), seconds)
    async with _stage(room) as stage:
        for number in range(quiet):
            stage.player(f"quiet-{number}").sound = sound  # one noise for all: nothing is put on it
        players = [*stage.players.values()]
        for first in range(0, quiet, _AT_A_TIME):
            await asyncio.gather(*(player.join() for player in players[first : first + _AT_A_TIME]))
        stage.begin()
        print(IN_THE_ROOM, flush=True)
        await asyncio.Event().wait()


@asynccontextmanager
async def _quiet(room: str, quiet: int, seconds: float) -> AsyncIterator[int]:
    """The process of those who are quiet, once all are in the room; its pid."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.crowd", room, str(quiet), str(seconds), _QUIET),
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=lambda: die_with_parent(signal.SIGKILL),
    )
    assert child.stdout is not None
    try:
        while IN_THE_ROOM not in (await child.stdout.readline()).decode():
            assert child.returncode is None
        yield child.pid
    finally:
        child.kill()
        await child.wait()


def _stage(room: str) -> Stage:
    env = os.environ
    return Stage(env["LIVEKIT_URL"], env["LIVEKIT_API_KEY"], env["LIVEKIT_API_SECRET"], room)


def noise(dice: Random, seconds: float) -> bytearray:
    """The sound of a quiet room for longer than the play lasts."""
    half_a_minute = array("h", (dice.randint(-_NOISE, _NOISE) for _ in range(SAMPLE_RATE_HZ * 30)))
    return bytearray(half_a_minute.tobytes()) * (int(seconds / 30) + 2)


if __name__ == "__main__":
    part = be_quiet if sys.argv[4:] == [_QUIET] else play
    asyncio.run(part(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
