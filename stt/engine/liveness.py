"""Whether the engine on a socket still answers, and its end where it does not.

A silent engine is asked for its figures, which its event loop gives, whatever its model is busy with in other
threads. One that leaves several such questions in a row unanswered could give nobody a result either: it is
hung, stopped, or waits for something that never comes. No signal that it could put off ends it, so it is
killed. One that is not listening yet cannot be asked; it works as long as it takes CPU time.

Processes are found by their arguments, so that whoever looks after a socket can end an engine that somebody
else has started and left behind, and never ends anything else.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stt.engine.protocol import encode


@dataclass(frozen=True, slots=True)
class Silence:
    """How long an engine may be silent: `times` in a row for `ask_every_s`, the first before it is asked.

    They are counted one by one, so that an engine is not blamed for a moment in which its supervisor slept.
    """

    ask_every_s: float = 5.0
    times: int = 4
    loading_s: float = 60.0
    """How long one that does not listen yet may take no CPU time."""


async def answers_until_closed(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    silence: Silence,
    on_answer: Callable[[], object],
) -> bool:
    """Stay connected to an engine as long as it answers. True: it closed; False: it is hung.

    `on_answer` is called at each sign of life; the first is its greeting, which nobody has to ask for.
    """
    silences = 0
    while silences < silence.times:
        try:
            async with asyncio.timeout(silence.ask_every_s):
                if not await reader.read(4096):
                    return True
        except TimeoutError:
            silences += 1
            if silences == 1:
                writer.write(encode("stats", id="alive"))
        else:
            silences = 0
            on_answer()
    return False


def engines_on(socket_path: Path) -> list[int]:
    """The ids of the processes of this machine that were started as engines on this socket."""
    named, pids = f"\0--socket\0{socket_path}\0".encode(), list[int]()
    for arguments in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it ended meanwhile
            if named in arguments.read_bytes():
                pids.append(int(arguments.parent.name))
    return pids


def kill(pids: Iterable[int]) -> list[int]:
    """Kill these processes and return their ids; those of another user are left out."""
    killed = list[int]()
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
    return killed


class Loading:
    """Whether engines that do not listen yet get on, by the CPU time of their processes."""

    def __init__(self, silence: Silence) -> None:
        self._longest_s = silence.loading_s
        self._seen: dict[int, tuple[list[str], float]] = {}
        """What a process's threads had run when last that was news, and when that was, by process."""

    def hung(self, pids: Iterable[int]) -> list[int]:
        """The processes among these that have not run for as long as one may; to be asked again and again."""
        now_s = asyncio.get_running_loop().time()
        known, self._seen = self._seen, {}
        for pid in pids:
            work = _work(pid)
            before = known.get(pid)
            self._seen[pid] = before if before is not None and before[0] == work else (work, now_s)
        return [pid for pid, (work, at_s) in self._seen.items() if work and now_s - at_s >= self._longest_s]


def _work(pid: int) -> list[str]:
    """What each thread of a process has run so far; empty where the process is gone, or nobody counts it."""
    stats = list[str]()
    with suppress(OSError):
        stats.extend(path.read_text() for path in sorted(Path(f"/proc/{pid}/task").glob("*/schedstat")))
    return stats
