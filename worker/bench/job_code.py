"""`python -m worker.bench.job_code`: records what jobs run, into `worker/job_code.txt`.

One meeting by default engine with two speakers and a question in the chat, watched call by call. To be run
after larger changes, of ours or of a library: an old list does no harm, it only saves less memory.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from worker.bench import recording
from worker.bench.figures import Figure
from worker.bench.live import Ground, audio_folder, measured, moim_in, say
from worker.layout import place_of
from worker.preload_names import JOB_CODE

_TALK_S: Final = 25.0
_LIMIT_S: Final = 180.0
_FOLDER: Final = "ko-release-planning"


def listed(recorded: Iterable[str], roots: Iterable[str]) -> list[str]:
    """The lines of `job_code.txt` for recorded ones (file, qualified name, names in it)."""
    roots, known, lines = list(roots), set[str](), dict[tuple[str, str], list[str]]()
    for record in recorded:
        file, name, names = record.split("\t")
        fresh = [word for word in dict.fromkeys(names.split()) if word not in known]
        known.update(fresh)
        lines.setdefault((place_of(file, roots), name), []).extend(fresh)
    return [f"{file}\t{name}\t{' '.join(names)}" for (file, name), names in lines.items()]


def _longest(folder: Path) -> list[str]:
    """The job's: it has run the most, the other is the process kept warm."""
    longest = max(folder.glob("*.txt"), key=lambda path: path.stat().st_size)
    return longest.read_text(encoding="utf-8").splitlines()


async def _record(ground: Ground) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="moim-recording-") as name:
        folder = Path(name)
        shutil.copy(recording.__file__, folder / "sitecustomize.py")
        async with (
            ground.moim_by_default({"PYTHONPATH": f"{folder}:{Path.cwd()}"}),
            ground.stage("record") as stage,
        ):
            players = await stage.cast(audio_folder(_FOLDER))
            await ground.registry.want(stage.room)
            await moim_in(next(iter(players.values())))
            stage.begin()
            await asyncio.sleep(_TALK_S)
            lines = await asyncio.to_thread(_longest, folder)
        found = listed(lines, sys.path)
        JOB_CODE.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
        say(f"{len(found)} functions in {JOB_CODE}")
    return []


if __name__ == "__main__":
    measured(_record, _LIMIT_S)
