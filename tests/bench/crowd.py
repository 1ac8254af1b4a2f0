"""`python -m tests.bench.crowd ROOM QUIET SECONDS`: many open microphones, in a process of their own.

Two people read out the lines of both sample meetings in turn, and now and then at once; everybody else's microphone
is open and gives a quiet room's noise. One JSON object per line on stdout: `{"began_s", "bare"}` (the bare job's pid),
then each line as it will be played (`Said`). The server and its keys come by environment, as a worker's.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from array import array
from random import Random
from typing import Final, NamedTuple

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from tests.bench.interims import spoken
from tests.bench.live import IN_THE_ROOM, bare_in, moim_in
from tests.fakes.players import Stage

BEGAN: Final = "began_s"
TALKING: Final = 2
_NOISE: Final = 12
"""The noise's largest sample, of 32,767: a quiet room."""
_LEAD_S: Final = 3.0
_PAUSE_S: Final = (2.0, 5.0)
_AT_A_TIME: Final = 10
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
    env = os.environ
    dice = Random(quiet)
    noise = bytearray(
        array("h", (dice.randint(-_NOISE, _NOISE) for _ in range(SAMPLE_RATE_HZ * 30))).tobytes()
    )
    noise *= int(seconds / 30) + 2
    lines = await asyncio.to_thread(spoken)
    async with Stage(env["LIVEKIT_URL"], env["LIVEKIT_API_KEY"], env["LIVEKIT_API_SECRET"], room) as stage:
        talking = [stage.player(f"talker-{number}", sound=bytes(noise)) for number in range(TALKING)]
        for number in range(quiet):
            stage.player(f"quiet-{number}").sound = noise  # one noise for all: nothing is put on it
        said, free_s, number = [], [_LEAD_S] * TALKING, 0
        while min(free_s) < seconds - _TAIL_S - 10:
            who = free_s.index(min(free_s))
            line = lines[number % len(lines)]
            talking[who].say(line.pcm, free_s[who])
            said.append(Said(talking[who].identity, number % len(lines), free_s[who]))
            free_s[who] += len(line.pcm) / BYTES_PER_MS / 1000 + dice.uniform(*_PAUSE_S)
            number += 1
        players = [*stage.players.values()]
        for first in range(0, len(players), _AT_A_TIME):
            await asyncio.gather(*(player.join() for player in players[first : first + _AT_A_TIME]))
        print(IN_THE_ROOM, flush=True)
        await moim_in(talking[0])
        bare = await bare_in(talking[0])
        stage.begin()
        print(json.dumps({BEGAN: stage.started_s, "bare": bare}), flush=True)
        for each in said:
            print(json.dumps(each._asdict()), flush=True)
        await stage.until(seconds)
        await asyncio.Event().wait()  # until it is told to go


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
