"""`python -m worker.bench.job_code`: records what jobs run, into `worker/process/job_code.txt`.

A meeting by default engine with two speakers and a question in the chat, and one whose speech goes to an
HTTP engine, watched call by call. To be run after larger changes, of ours or of a library: an old list does
no harm, it only saves less memory.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Final

from worker.bench import recording
from worker.bench.figures import Figure
from worker.bench.live import Ground, audio_folder, measured, moim_in, say, until
from worker.process.layout import place_of
from worker.process.preload_names import JOB_CODE, LOGGERS

_TALK_S: Final = 60.0
"""Long enough for topics, summaries and a snapshot."""
_QUESTION: Final = "출시일이 언제로 결정됐지?"
_PATIENCE_S: Final = 60.0
_LIMIT_S: Final = 400.0
_FOLDER: Final = "ko-release-planning"

Worker = Callable[[Mapping[str, str]], AbstractAsyncContextManager[int]]


def listed(recorded: Iterable[str], roots: Iterable[str]) -> list[str]:
    """The lines of `job_code.txt` for recorded ones (file, qualified name, names in it)."""
    roots, known, lines = list(roots), set[str](), dict[tuple[str, str], dict[str, None]]()
    for record in recorded:
        file, name, names = record.split("\t")
        words = dict.fromkeys(names.split())
        if file != LOGGERS:
            words = dict.fromkeys(word for word in words if word not in known)
            known.update(words)
        lines.setdefault((place_of(file, roots), name), {}).update(words)
    return [f"{file}\t{name}\t{' '.join(names)}" for (file, name), names in lines.items()]


def _longest(folder: Path) -> list[str]:
    """The job's: it has run the most, the other is the process kept warm."""
    longest = max(folder.glob("*.txt"), key=lambda path: path.stat().st_size)
    return longest.read_text(encoding="utf-8").splitlines()


async def _record(ground: Ground) -> list[Figure]:
    recorded = await _recorded(ground, ground.moim_by_default)
    # Behind it, so that a job by default has nothing of it among its own.
    recorded += await _recorded(ground, ground.moim)
    found = listed(recorded, sys.path)
    JOB_CODE.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    say(f"{len(found)} functions in {JOB_CODE}")
    return []


async def _recorded(ground: Ground, worker: Worker) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="moim-recording-") as name:
        folder = Path(name)
        shutil.copy(recording.__file__, folder / "sitecustomize.py")
        async with (
            worker({"PYTHONPATH": f"{folder}:{Path.cwd()}"}),
            ground.stage("record") as stage,
        ):
            players = await stage.cast(audio_folder(_FOLDER))
            meeting = await ground.registry.want(stage.room)
            asker = next(iter(players.values()))
            await moim_in(asker)
            stage.begin()
            await asyncio.sleep(_TALK_S)
            asked = await asker.chat(_QUESTION)
            await asker.wait_for(lambda p: p.answer_to(asked), _PATIENCE_S, "an answer")
            await asyncio.sleep(recording.EVERY_S * 2)
            lines = await asyncio.to_thread(_longest, folder)
            # What is left open would be the next worker's.
            await ground.registry.request_end(meeting.id)
            await until(lambda: _ended(ground, meeting.id), _PATIENCE_S, "the end of the meeting")
        return lines


async def _ended(ground: Ground, meeting_id: str) -> bool:
    row = await ground.registry.get(meeting_id)
    return row is not None and row.status == "ended"


if __name__ == "__main__":
    measured(_record, _LIMIT_S)
