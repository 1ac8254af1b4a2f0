"""Engine supervisors whose engine is a scripted recogniser in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from stt.engine.engine_supervisor import BackOff, EngineOptions, EngineSupervisor
from stt.engine.liveness import Silence

ENGINE_COMMAND = (sys.executable, "-m", "tests.fakes.engine_process")
_QUICK = BackOff(first_s=0.02, most_s=0.05)


def supervisor(tmp_path: Path, model: str = "well", silence: Silence | None = None) -> EngineSupervisor:
    return EngineSupervisor(
        tmp_path / "e.sock",
        EngineOptions(model=model, cache_dir=tmp_path),
        back_off=_QUICK,
        silence=silence,
        command=ENGINE_COMMAND,
    )
